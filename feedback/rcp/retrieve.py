"""`retrieve`: the hits of a query (`protocols.md` 1.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from feedback.queries.retrieve import Retrieved, RetrieveRequest
from feedback.queries.retrieve import retrieve as find_hits
from feedback.rcp.cursors import PageStart, SearchCursors
from feedback.rcp.hits import hit_of
from feedback.rcp.retrieve_params import RetrieveParams, retrieve_params

if TYPE_CHECKING:
    from feedback.rcp.callers import Caller

_BUDGET_NOTE: Final = "tokenBudget is too small for the next hit."


def retrieve(caller: Caller, params: dict[str, Any]) -> dict[str, Any]:
    """One page of hits, best first; nothing is stored but an audit entry."""
    wanted = retrieve_params(params)
    cursors = SearchCursors(caller.actor.project_id, wanted.search)
    start = None if wanted.cursor is None else cursors.read(wanted.cursor)
    found = find_hits(actor=caller.actor, request=_request(wanted, start))
    hits = [hit_of(row, include_text=wanted.include_text) for row in found.hits]
    result: dict[str, Any] = {"hits": hits}
    if found.is_more and found.hits:
        result["nextCursor"] = cursors.sign(PageStart(found.as_of, found.hits[-1].place))
    return {**result, "usage": _usage(wanted, found)}


def _request(wanted: RetrieveParams, start: PageStart | None) -> RetrieveRequest:
    return RetrieveRequest(
        text=wanted.text,
        limit=wanted.k,
        candidates=wanted.candidates,
        data_subject=wanted.data_subject,
        include_shared=wanted.include_shared,
        condition=wanted.condition,
        min_score=wanted.min_score,
        token_budget=wanted.token_budget,
        as_of=start.as_of if start else None,
        after=start.after if start else None,
    )


def _usage(wanted: RetrieveParams, found: Retrieved) -> dict[str, Any]:
    usage: dict[str, Any] = {"candidates": found.candidates, "reranked": 0}
    notes = list(wanted.notes)
    if wanted.token_budget is not None:
        usage["tokens"] = sum(hit.tokens for hit in found.hits)
        if found.is_more and not found.hits:
            notes.append(_BUDGET_NOTE)
    return {**usage, "notes": notes} if notes else usage
