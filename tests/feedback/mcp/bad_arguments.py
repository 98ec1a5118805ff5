"""Arguments that break a rule of `contract.md` 0.2 or 0.3: what is changed, and which is named."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from typing_extensions import override

#: Stands in texts that are refused; no answer may hold it.
CANARY: Final = "xylophone"


@dataclass(frozen=True)
class Bad:
    """A change of valid arguments, and the field that the refusal names."""

    tool: str
    change: dict[str, Any]
    field: str

    @override
    def __str__(self) -> str:
        return f"{self.tool}-{self.field}-{str(list(self.change.values()))[:24]}"


def _bad(tool: str, field: str, *values: Any) -> list[Bad]:
    return [Bad(tool, {field.partition("[")[0]: value}, field) for value in values]


_UUID_LIKE: Final = "A4A35B0E-2F5E-4B0C-9F53-5F6B8F2F3A11"
_ROLE: Final = {"role": "user", "content": CANARY}

BAD: Final = (
    # Another JSON type, missing, blank, too long, NUL.
    *_bad("recall", "question", 5, 1.5, [CANARY], {"text": CANARY}, None, "", " \t\u200b"),
    *_bad("recall", "question", f"{CANARY}\0", CANARY * 1_000),
    *_bad("recall", "max_characters", "20", 20.0, 0, 16_001, [1], {}),
    *_bad("recall", "include_shared", "yes", 1, CANARY),
    *_bad("recall", "as_of", CANARY, "2026-11-30", "2026-11-30T18:03:11", 1_700_000_000),
    *_bad("recall", "as_known_at", "2026-02-30T00:00:00Z", "2026-11-30T18:03:11.1234567Z"),
    *_bad("recall", "source_roles", [], CANARY, {"user": True}),
    *_bad("recall", "source_roles[0]", [CANARY], ["USER"], [None]),
    *_bad("recall", "source_roles[1]", ["user", "user"]),
    *_bad("recall", "data_subject_id", "", CANARY * 200),
    # Names that the route knows and the tool does not, and names that nobody knows.
    *_bad("recall", "surfaces", ["facts"]),
    *_bad("recall", "hops", 1),
    *_bad("recall", "project", CANARY),
    *_bad("compile_context", "max_candidates", 10),
    *_bad("compile_context", "cross_project", None),
    *_bad("compile_context", "task", CANARY * 1_000, "", 7),
    *_bad("compile_context", "max_tokens", 127, 32_001, 1_200.0, "1200"),
    *_bad("compile_context", "top_k", 0, 1_001),
    *_bad("resolve_citation", "id", _UUID_LIKE, CANARY, "00000000-0000-0000-0000-000000000000"),
    *_bad("resolve_citation", "limit", 33, 0, "8"),
    *_bad("resolve_citation", "after", CANARY, "", "a" * 513, 5),
    *_bad("observe", "idempotency_key", CANARY, None),
    *_bad("observe", "messages", [], CANARY, None, [_ROLE] * 65),
    *_bad("observe", "messages[0]", [CANARY], [None]),
    *_bad("observe", "messages[0].role", [_ROLE | {"role": "document"}], [{"content": "x"}]),
    *_bad("observe", "messages[0].content", [{"role": "user", "content": " "}]),
    *_bad("observe", "messages[0].name", [_ROLE | {"name": CANARY}]),
    *_bad("observe", "messages[1].group_ordinal", [_ROLE | {"group_ordinal": 0}, _ROLE]),
    *_bad("observe", "kind", "tool_result"),
    *_bad("report_feedback", "record_id", CANARY, None, 7),
    *_bad("report_feedback", "note", "", "\u3000", f"{CANARY}\0", CANARY * 2_000, ["x"]),
    *_bad("report_feedback", "proposed_object", "", CANARY * 200, 0),
    *_bad("report_feedback", "reporter_subject_id", CANARY),
    *_bad("record_outcome", "context_id", CANARY, "ctx_1", "ctx_" + "0" * 32, None),
    *_bad("record_outcome", "outcome", CANARY, "USEFUL", None, 1),
    *_bad("record_outcome", "claim_id", "", CANARY * 30, 5),
    *_bad("record_outcome", "client_mutation_id", f"{CANARY} x", "", "é"),
)
