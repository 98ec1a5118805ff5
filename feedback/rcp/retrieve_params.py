"""The params of `retrieve`, read in the order of their table (`protocols.md` 1.7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from typing_extensions import override

from feedback.rcp import options
from feedback.rcp.capabilities import MAX_K
from feedback.rcp.errors import Code, RcpError, option_unsupported
from feedback.rcp.filters import condition_of
from feedback.rcp.params import Hint, read
from feedback.rcp.queries import Query, query_of
from memory.errors import FieldInvalid
from memory.http.fields import StrictBoolean, StrictInteger, StrictNumber, Text
from memory.http.strict_field import StrictField, refuse
from memory.vocabulary import SUBJECT_BYTES

if TYPE_CHECKING:
    from memory.queries.record_filters import RecordCondition

DEFAULT_K: Final = 10
DEFAULT_CANDIDATES: Final = 200
MAX_CANDIDATES: Final = 1_000
SESSION_ID_CHARACTERS: Final = 256
SUBJECT: Final = "x-errata-subject"
INCLUDE_SHARED: Final = "x-errata-include-shared"


@dataclass(frozen=True, slots=True)
class _Condition:
    """A condition, or the refusal of an operator, which is told once nothing is malformed."""

    condition: RecordCondition | None
    unsupported: RcpError | None = None


class QueryField(StrictField):
    """What is looked for."""

    @override
    def accept(self, value: Any, path: str) -> Query:
        """The query."""
        return query_of(value)


class FilterField(StrictField):
    """What hits are narrowed to."""

    @override
    def accept(self, value: Any, path: str) -> _Condition:
        """The condition."""
        try:
            return _Condition(condition_of(value))
        except RcpError as error:
            if error.code is not Code.OPTION_UNSUPPORTED:
                raise
            return _Condition(None, error)


class NonEmpty(Hint):
    """A text of at least one character."""

    @override
    def accept(self, value: Any, path: str) -> str:
        """The text."""
        if value == "":
            refuse(path, "must not be empty.")
        return super().accept(value, path)


FIELDS: Final[dict[str, StrictField]] = {
    "query": QueryField(),
    "k": StrictInteger(minimum=1),
    "candidateK": StrictInteger(minimum=1),
    "filter": FilterField(),
    "minScore": StrictNumber(),
    **{name: Hint() for name in options.ONE_VALUED},
    "tokenBudget": StrictInteger(minimum=1),
    "includeText": StrictBoolean(),
    "cursor": NonEmpty(),
    "sessionId": Hint(max_characters=SESSION_ID_CHARACTERS),
    "seed": StrictInteger(minimum=-(2**63), maximum=2**63 - 1),
    "strict": StrictBoolean(),
    SUBJECT: Text(max_bytes=SUBJECT_BYTES),
    INCLUDE_SHARED: StrictBoolean(),
    **options.FIELDS,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrieveParams:
    """What a client looks for, with defaults and clamps applied."""

    text: str
    k: int
    candidates: int
    condition: RecordCondition | None
    filter: Any
    min_score: float | None
    token_budget: int | None
    include_text: bool
    cursor: str | None
    data_subject: str | None
    include_shared: bool
    notes: tuple[str, ...]

    @property
    def search(self) -> dict[str, Any]:
        """All that the hits of a page depend on: what a cursor is bound to."""
        return {
            "query": self.text,
            "k": self.k,
            "candidateK": self.candidates,
            "filter": self.filter,
            "minScore": self.min_score,
            "tokenBudget": self.token_budget,
            "includeText": self.include_text,
            SUBJECT: self.data_subject,
            INCLUDE_SHARED: self.include_shared,
        }


def retrieve_params(given: dict[str, Any]) -> RetrieveParams:
    """The params. Raises FieldInvalid or RcpError: what is malformed first, then options."""
    if given.get("query") is None:
        raise FieldInvalid("query", "is required.")
    values = read(given, FIELDS)
    k = values.get("k", DEFAULT_K)
    _refuse_funnel(values, k)
    notes = _refuse_or_note_options(values)
    wanted = min(k, MAX_K)
    found: _Condition | None = values.get("filter")
    return RetrieveParams(
        text=values["query"].text,
        k=wanted,
        candidates=min(
            values.get("candidateK", max(DEFAULT_CANDIDATES, wanted)),
            MAX_CANDIDATES,
        ),
        condition=found.condition if found else None,
        filter=given.get("filter"),
        min_score=values.get("minScore"),
        token_budget=values.get("tokenBudget"),
        include_text=values.get("includeText", True),
        cursor=values.get("cursor"),
        data_subject=values.get(SUBJECT),
        include_shared=values.get(INCLUDE_SHARED, False),
        notes=notes,
    )


def _refuse_funnel(values: dict[str, Any], k: int) -> None:
    """Each stage passes on no more than it gets: candidateK >= rerank.topN >= k, as sent."""
    candidates = values.get("candidateK")
    if candidates is not None and candidates < k:
        raise FieldInvalid("candidateK", "must be at least k.")
    kept = (values.get("rerank") or {}).get("topN")
    if kept is None:
        return
    if kept < k:
        raise FieldInvalid("rerank.topN", "must be at least k.")
    if candidates is not None and candidates < kept:
        raise FieldInvalid("rerank.topN", "must be at most candidateK.")


def _refuse_or_note_options(values: dict[str, Any]) -> tuple[str, ...]:
    """What is said of options that were left out. Raises RcpError unless that was asked for."""
    for part in (values["query"], values.get("filter")):
        if part is not None and part.unsupported is not None:
            raise part.unsupported
    unsupported = tuple(options.unsupported_of(values))
    if unsupported and values.get("strict", True):
        raise option_unsupported(unsupported[0], unsupported[0])
    seeded = (options.SEED_NOTE,) if "seed" in values else ()
    return (*seeded, *map(options.note_of, unsupported))
