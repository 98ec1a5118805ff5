"""What holds on every route, in words, for the OpenAPI document (`contract.md` 0)."""

from __future__ import annotations

from typing import Any, Final

#: Heading and paragraph; the document joins them, the page of the documentation draws them.
CONVENTIONS: Final = (
    (
        "Calling",
        "JSON both ways, POST unless said, no trailing slash. Every call carries one header "
        "Authorization: Bearer <token>. The credential alone picks the project; a token in a query "
        "string, a cookie or a body is not looked at. The server makes the request id and sends it "
        "as X-Request-Id; one sent by the client is ignored. HEAD works where GET does.",
    ),
    (
        "Bodies",
        "A body is one JSON object in UTF-8 with Content-Length and Content-Type: "
        "application/json, not compressed, at most 1048576 bytes, 64 open brackets, 32768 lists "
        "and objects and 32768 commas between values, without a name twice and without a name "
        "that is not listed. Nothing is coerced, trimmed, clamped or ignored. null for an optional "
        "field means that it is left out. POST routes read no query string.",
    ),
    (
        "Values",
        "An id or version is a UUID of 36 characters in lower case. A time is RFC 3339 with Z or "
        "an offset and at most 6 fraction digits, and is sent in UTC with 6. Text is kept byte for "
        "byte, holds no NUL and is never blank; its limits count UTF-8 bytes, or characters where "
        "said. A number has at most 64 characters; a boolean is true or false. On the routes of "
        "the loop an id is ctx_, claim_, obs_ or fb_ and the UUID's 32 hex digits.",
    ),
    (
        "Errors",
        "Every refusal has the same body, with a code to act on, a message that names the field "
        "and its rule, never the value, and the request id. Missing, erased, another project's "
        "and wrong-kind ids are one 404, to the byte. A path that is no route is 404 "
        "unknown_route, a method that a route lacks 405 method_not_allowed with Allow. On the "
        "routes of the loop codes are in upper case and fewer, and a success has data and meta.",
    ),
    (
        "Order of checks",
        "Route and method, credential, rate, access, size and headers, body, fields, stored key, "
        "object, locks and state. The first failure ends the call, and nothing is half done.",
    ),
    (
        "Repeating a call",
        "A route that takes the header Idempotency-Key answers the same key and body with the "
        "first receipt and replayed: true; where a success is wrapped, with 200. Another body or "
        "route under the key is 409 idempotency_conflict. While the first call still runs the "
        "answer is 409 idempotency_in_progress with Retry-After. A refused call leaves no key. "
        "Keys belong to one credential and are kept at least 7 days.",
    ),
    (
        "Lists",
        "A list takes limit and after. If there is more, the answer has next: send it back "
        "unchanged as after. It is opaque, and fits one project, route, filter set and order; "
        "limit may change. The last page has no next.",
    ),
    (
        "Time limits",
        "A call has 10 seconds in the database and waits at most 2 seconds for a lock, then it is "
        "503 unavailable and nothing of it was done. 429 and 503 carry Retry-After in seconds.",
    ),
)

#: By the first step of the path, in the order of the page.
TAGS: Final = (
    (
        "records",
        "What is believed. Each state of a record is a version; its newest one is the "
        "token that a change has to name.",
    ),
    ("citations", "What a record rests on: exact spans of its sources."),
    ("feedback", "Doubts about records. A report changes nothing until it is promoted, once."),
    ("observations", "Evidence: turns of conversations, and single observations, append-only."),
    ("consolidations", "What follows from evidence: records that cite it. No model is asked."),
    ("claims", "Records as the loop sees them: what they rest on, and what became of them."),
    ("recalls", "Questions, answered with whole records and the words that they rest on."),
    ("contexts", "The newest turns of a person, whole and verbatim."),
    ("freshness", "Where the log of the project stands."),
    (
        "context",
        "Packs for a task: ranked, within a budget, kept as runs. Outcomes say what became of "
        "them, and change what ranks first next time, and nothing else.",
    ),
    (
        "signals",
        "What RCP clients say of records: advice that changes nothing by itself. Where enough "
        "distinct actors suspect a record, reviewers are asked to look at it.",
    ),
)


def describe_conventions(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Add the conventions and the words on each group of routes; a hook of the generator."""
    sections = [f"## {heading}\n\n{text}" for heading, text in CONVENTIONS]
    result["info"]["description"] = "\n\n".join([result["info"]["description"], *sections])
    result["tags"] = [{"name": name, "description": text} for name, text in TAGS]
    return result
