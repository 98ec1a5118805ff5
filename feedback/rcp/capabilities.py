"""What this server can do, as `initialize` and `info` say it: only what is true."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from feedback.rcp.filters import FIELDS, OPERATORS
from memory.vocabulary import PRODUCT, VERSION

if TYPE_CHECKING:
    from memory.actor import Actor

PROTOCOL_VERSION: Final = 1
MAX_K: Final = 200
MODE: Final = "sparse"
MODALITY: Final = "text"
UNIT: Final = "triplet"
#: All that is a MUST; the next level asks for dense and hybrid modes (`protocols.md` 1.11).
CONFORMANCE: Final = "L0"

_CAPABILITIES: Final[dict[str, Any]] = {
    "retrieve": {
        "maxK": MAX_K,
        "modes": [MODE],
        "defaultMode": MODE,
        "modalities": [MODALITY],
        "units": [UNIT],
        "tokenBudget": True,
        "scoreScale": "unbounded",
        "scoreFloor": 0.0,
    },
    "filter": {
        "fields": {name: kind.value for name, (_, kind) in FIELDS.items()},
        "operators": list(OPERATORS),
    },
    "citations": {},
    "pagination": {},
}


def introduction(actor: Actor) -> dict[str, Any]:
    """The result of `initialize` and `info`; feedback is for credentials that may write."""
    capabilities = dict(_CAPABILITIES)
    if actor.can_write:
        capabilities["feedback"] = {}
    return {
        "protocolVersion": PROTOCOL_VERSION,
        "server": {"name": PRODUCT, "version": VERSION},
        "capabilities": capabilities,
        "_meta": {"conformance": CONFORMANCE},
    }
