"""Words of a search that only a name holds."""

from __future__ import annotations

from memory.actor import Actor
from memory.retrieval import Search, find_candidates
from memory.scope import current_scope
from memory.transactions import project_scope
from tests.factories import a_record


def test_a_similar_word_of_a_name_that_no_posting_has_finds_nothing(agent: Actor) -> None:
    a_record(agent, subject="<script>quagga</script>", object="\u202e<img src=x>")
    with project_scope(agent.project_id):
        found = find_candidates(
            agent,
            Search(
                text="where the quagga meets",
                data_subject=None,
                include_shared=True,
                as_of=current_scope().opened_at,
                limit=20,
            ),
        )
    assert found.lexemes == ("meet", "quagga")
    assert len(found.rows) == 1
