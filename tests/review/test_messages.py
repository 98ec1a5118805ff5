from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

import pytest

from memory.vocabulary import ActorKind, Edge
from review.messages import MESSAGES, Sentence, placeholders, plain, sentence
from review.screens import ActorLabel

TIME = datetime(2026, 11, 30, 18, 3, 11, tzinfo=UTC)
PERSON = ActorLabel(label="reviewer-2", kind=ActorKind.USER, edge=Edge.CONSOLE)
AGENT = ActorLabel(label="import-agent", kind=ActorKind.CREDENTIAL, edge=Edge.MCP)

#: code, values, the exact text that a person reads (`console.md` sections 5 to 7).
GOLDEN: list[tuple[str, dict[str, object], str]] = [
    (
        "corrected",
        {"subject": "Burundi", "predicate": "has_capital", "object": "Gitega", "time": TIME},
        "Corrected Burundi · has_capital to “Gitega” at 2026-11-30 18:03:11 UTC, credited to you.",
    ),
    (
        "retracted",
        {"subject": "Andorra", "predicate": "uses_currency", "time": TIME},
        "Retracted Andorra · uses_currency at 2026-11-30 18:03:11 UTC. No context will include it.",
    ),
    (
        "other_open_reports",
        {"n": 1},
        "1 other open report is about the record you closed.",
    ),
    (
        "other_open_reports",
        {"n": 1001},
        "1,001 other open reports are about the record you closed.",
    ),
    ("last_in_view", {}, "That was the last report in this view."),
    ("reported", {}, "Reported. Nothing has changed yet; a reviewer decides."),
    ("saved", {}, "Saved."),
    (
        "record_conflict",
        {},
        "This record changed after you opened it. Nothing was saved; the report is still open.",
    ),
    (
        "record_conflict_moved",
        {"m": 1, "a": "Bujumbura", "actor": PERSON, "n": 2, "b": "Usumbura", "time": TIME},
        "You saw version 1 (“Bujumbura”). reviewer-2 (person) moved it to version 2 (“Usumbura”) "
        "at 2026-11-30 18:03:11 UTC.",
    ),
    (
        "record_conflict_unknown",
        {"n": 2, "b": "Usumbura"},
        "The version that you sent was never one of this record. It is at version 2 (“Usumbura”).",
    ),
    (
        "record_conflict_closed",
        {},
        "This record was closed after you opened it. Nothing was saved; the report is still open.",
    ),
    (
        "record_conflict_corrected",
        {"actor": AGENT, "b": "Gitega", "time": TIME},
        "import-agent (agent, MCP) corrected it to “Gitega” at 2026-11-30 18:03:11 UTC. "
        "This report can no longer be promoted.",
    ),
    (
        "record_conflict_retracted",
        {"actor": PERSON, "time": TIME},
        "reviewer-2 (person) retracted it at 2026-11-30 18:03:11 UTC. "
        "This report can no longer be promoted.",
    ),
    (
        "promoted_corrected",
        {"time": TIME, "actor": PERSON, "x": "Gitega"},
        "Already promoted at 2026-11-30 18:03:11 UTC by reviewer-2 (person). "
        "Outcome: corrected to “Gitega”. There is nothing for you to do.",
    ),
    (
        "promoted_retracted",
        {"time": TIME, "actor": PERSON},
        "Already promoted at 2026-11-30 18:03:11 UTC by reviewer-2 (person). "
        "Outcome: retracted. There is nothing for you to do.",
    ),
    (
        "promoted_by_you",
        {"time": TIME},
        "You already promoted this report at 2026-11-30 18:03:11 UTC.",
    ),
    (
        "report_conflict",
        {},
        "This record changed while you were writing. Nothing was sent. "
        "Below is what it says now; your text is kept.",
    ),
    (
        "idempotency_conflict",
        {},
        "This form was already sent with other content. Nothing was saved now. "
        "Open the page again.",
    ),
    (
        "idempotency_in_progress",
        {"n": 2},
        "Your first submit is still running. Wait 2 seconds, then open the page.",
    ),
    (
        "role_page",
        {"roles": "reader"},
        "Your role in this project (reader) does not include this page.",
    ),
    (
        "role_form",
        {"roles": "reader, auditor"},
        "Your role in this project (reader, auditor) does not include this. Nothing was saved.",
    ),
    ("role_bare", {}, "Your role does not include this page."),
    (
        "not_found",
        {},
        "Not found. It may never have existed here, or you may not be able to see it.",
    ),
    ("method_not_allowed", {}, "This address only takes a form. Open the page first."),
    (
        "value_refused",
        {"reason": "the object is empty"},
        "The proposed value cannot be written: the object is empty. "
        "Nothing was saved; the report stays open.",
    ),
    (
        "signed_out",
        {},
        "You were signed out. Nothing was saved. After signing in you return to the same page.",
    ),
    (
        "form_invalid",
        {},
        "This form is no longer valid. Nothing was saved. Open the page again.",
    ),
    ("form_too_large", {}, "This form is too large. Nothing was saved."),
    ("bad_request", {}, "This request cannot be read. Nothing was saved."),
    ("busy", {"n": 1}, "The service is busy. Nothing was saved. Try again in 1 second."),
    ("busy", {"n": 3}, "The service is busy. Nothing was saved. Try again in 3 seconds."),
    (
        "fault_reading",
        {"id": "req_1"},
        "Something went wrong. Nothing was changed. Request req_1.",
    ),
    (
        "fault_writing",
        {"id": "req_1"},
        "We do not know whether it was saved. Open the page and look before you try again. "
        "Request req_1.",
    ),
    (
        "fault_bare",
        {},
        "If you sent a form, we do not know whether it was saved. "
        "Open the page and look before you try again.",
    ),
    ("sign_in_wrong", {}, "The name or the password is wrong."),
    ("sign_in_locked", {"n": 1}, "Too many attempts. Try again in 1 minute."),
    ("sign_in_locked", {"n": 15}, "Too many attempts. Try again in 15 minutes."),
    ("problem", {}, "There is a problem"),
    ("note_blank", {}, "Write a note: what is wrong, and how do you know?"),
    ("note_bytes", {"n": 20000}, "The note is 20,000 bytes; the limit is 16,384."),
    ("value_bytes", {"n": 1025}, "The value is 1,025 bytes; the limit is 1,024."),
    ("value_blank", {}, "Write what it should say, or leave the field empty."),
    ("nul", {}, "This character cannot be stored: U+0000."),
    ("from_before_to", {}, "From must be before To."),
    (
        "cursor_misfit",
        {},
        "This page link does not fit these filters. Go back to the start.",
    ),
    ("name_missing", {}, "Enter your name."),
    ("password_missing", {}, "Enter your password."),
    (
        "time_malformed",
        {"field": "From"},
        "From must be a date or a date and time, such as 2026-11-01T00:00.",
    ),
    ("choice_unknown", {"field": "Edge"}, "Edge is not one of the choices."),
    ("request_malformed", {}, "A request id is req_ and 32 digits or letters a to f."),
    (
        "reports_never",
        {},
        "No one has reported a doubt yet. Reports arrive through the API or a record's page.",
    ),
    ("reports_open_empty", {}, "Nothing is open. Every report has been promoted."),
    ("reports_ready_empty", {}, "Nothing is ready to promote."),
    ("reports_changed_empty", {}, "No open report is about a record that was closed."),
    (
        "reports_filtered_empty",
        {"filters": "reported by import-agent", "n": 3},
        "No reports match: reported by import-agent. 3 are open in total.",
    ),
    (
        "reports_filtered_empty",
        {"filters": "reported by import-agent", "n": 1},
        "No reports match: reported by import-agent. 1 is open in total.",
    ),
    ("scan_stopped", {"n": 2000}, "Nothing in the first 2,000 reports of this view."),
    (
        "scan_stopped_entries",
        {"n": 2000},
        "Nothing in the first 2,000 entries of this view.",
    ),
    ("form_not_allowed", {}, "This address takes no form. Nothing was saved."),
    ("page_emptied", {}, "The entries of this page are gone."),
    ("record_reports_empty", {}, "No one has reported a doubt about this record."),
    ("citations_empty", {}, "No source is cited for this record."),
    ("audit_empty", {}, "No entries match."),
    ("projects_empty", {}, "You have no role in any project. The operator grants roles."),
    (
        "report_heading",
        {"subject": "Burundi", "predicate": "has_capital"},
        "Report on Burundi · has_capital",
    ),
    (
        "queue_read_only",
        {},
        "You can read this queue. Promoting needs the role reviewer.",
    ),
    ("promote_read_only", {}, "Promoting needs the role reviewer."),
    ("report_read_only", {}, "Reporting needs the role reviewer."),
    ("doubt_link", {}, "Report a doubt"),
    (
        "doubt_heading",
        {"subject": "Burundi", "predicate": "has_capital"},
        "Report a doubt about Burundi · has_capital",
    ),
    (
        "doubt_hints",
        {},
        "Leave the second field empty if the record should be retracted. If you fill it in, the "
        "first becomes the new statement: write it as one. Nothing changes until a reviewer "
        "promotes the report.",
    ),
    ("doubt_send", {}, "Report this doubt"),
    ("doubt_send_version", {"n": 2}, "Report this doubt about version 2"),
    ("doubt_send_new", {}, "Report this doubt about the new record"),
    ("doubt_needs_current", {}, "A doubt can be reported about a current record only."),
    (
        "credit",
        {"name": "reviewer"},
        "The new record will be credited to you (reviewer), not to the reporter.",
    ),
    ("correct_next", {"object": "Gitega"}, "Correct to “Gitega”, open next"),
    ("correct_stay", {}, "Correct, stay here"),
    ("correct_version", {"n": 2, "object": "Gitega"}, "Correct version 2 to “Gitega”"),
    ("retract_link", {}, "Retract this record"),
    ("retract_version_link", {"n": 2}, "Retract version 2"),
    ("retract_heading", {}, "Retract this record?"),
    (
        "retract_consequence",
        {},
        "It stays in the history, and no context will include it. "
        "A reviewer can assert the statement again as a new record.",
    ),
    ("retract_next", {}, "Retract record, open next"),
    ("retract_stay", {}, "Retract, stay here"),
    (
        "retraction_effect",
        {},
        "No context will include this record. Nothing replaces it.",
    ),
    (
        "newer_version",
        {"a": "Bujumbura", "m": 1, "b": "Usumbura", "n": 2},
        "The record changed after this report was written. Reported against “Bujumbura”, "
        "version 1; now “Usumbura”, version 2. Check that the report still makes sense.",
    ),
    (
        "target_corrected",
        {"x": "Gitega", "time": TIME, "actor": PERSON},
        "This report can no longer be promoted: its record was corrected to “Gitega” "
        "at 2026-11-30 18:03:11 UTC by reviewer-2 (person).",
    ),
    (
        "target_retracted",
        {"time": TIME, "actor": PERSON},
        "This report can no longer be promoted: its record was retracted "
        "at 2026-11-30 18:03:11 UTC by reviewer-2 (person).",
    ),
    (
        "outcome_corrected",
        {"x": "Gitega", "time": TIME},
        "Corrected to “Gitega” at 2026-11-30 18:03:11 UTC.",
    ),
    ("outcome_retracted", {"time": TIME}, "Retracted at 2026-11-30 18:03:11 UTC."),
    (
        "outcome_people",
        {"reporter": AGENT, "promoter": PERSON},
        "Reported by import-agent (agent, MCP), promoted by reviewer-2 (person).",
    ),
    ("old_version", {}, "You are looking at an old version."),
    ("event_asserted", {"actor": AGENT}, "Asserted by import-agent (agent, MCP)"),
    ("event_reported", {"actor": AGENT}, "Doubt reported by import-agent (agent, MCP)"),
    ("event_corrected", {"actor": PERSON}, "Corrected by reviewer-2 (person)"),
    ("event_retracted", {"actor": PERSON}, "Retracted by reviewer-2 (person)"),
    (
        "event_promoted_corrected",
        {"reporter": AGENT, "promoter": PERSON},
        "Corrected: reported by import-agent (agent, MCP), promoted by reviewer-2 (person)",
    ),
    (
        "event_promoted_retracted",
        {"reporter": AGENT, "promoter": PERSON},
        "Retracted: reported by import-agent (agent, MCP), promoted by reviewer-2 (person)",
    ),
    ("citation_occurred", {"time": TIME}, "happened 2026-11-30 18:03:11 UTC"),
    ("citation_captured", {"time": TIME}, "captured 2026-11-30 18:03:11 UTC"),
    ("said_as", {"role": "user"}, "said as user"),
    ("about_subject", {"subject": "Person 17"}, "In the words of Person 17"),
    ("oldest", {"age": "9 d"}, "oldest 9 d"),
    ("period_open", {"begins": TIME}, "since 2026-11-30 18:03:11 UTC"),
    (
        "period_closed",
        {"begins": TIME - timedelta(days=1), "ends": TIME},
        "2026-11-29 18:03:11 UTC to 2026-11-30 18:03:11 UTC",
    ),
    ("period_until", {"ends": TIME}, "until 2026-11-30 18:03:11 UTC"),
    ("period_always", {}, "always"),
    ("compare_from", {"n": 1}, "Compare from version 1"),
    ("compare_to", {"n": 2}, "Compare to version 2"),
    ("compare_heading", {"m": 1, "n": 2}, "What changed from version 1 to version 2"),
    ("compare_from_predecessor", {}, "Compare from the record before it"),
    ("compare_to_predecessor", {}, "Compare to the record before it"),
    ("compare_from_successor", {}, "Compare from the record that replaced it"),
    ("compare_to_successor", {}, "Compare to the record that replaced it"),
    (
        "compare_heading_before",
        {"n": 2},
        "What changed from the record before it to version 2",
    ),
    (
        "compare_heading_after",
        {"m": 1},
        "What changed from version 1 to the record that replaced it",
    ),
    (
        "compare_heading_around",
        {},
        "What changed from the record before it to the record that replaced it",
    ),
    ("compare_equal", {}, "Both versions say the same."),
    (
        "superseded_by",
        {"x": "Gitega", "time": TIME, "actor": PERSON},
        "Corrected to “Gitega” at 2026-11-30 18:03:11 UTC by reviewer-2 (person).",
    ),
    (
        "retracted_by",
        {"time": TIME, "actor": PERSON},
        "Retracted at 2026-11-30 18:03:11 UTC by reviewer-2 (person).",
    ),
    ("audit_range", {}, "From is inclusive, To is exclusive; both are UTC."),
    ("page_age", {"n": 7}, "This page is 7 minutes old."),
    (
        "invisible",
        {"n": 2},
        "This text contains 2 characters that cannot be seen. They are shown as boxes.",
    ),
    (
        "invisible",
        {"n": 1},
        "This text contains 1 character that cannot be seen. It is shown as a box.",
    ),
    ("invisible_change", {"n": 2}, "They become part of the record if you promote."),
    ("invisible_change", {"n": 1}, "It becomes part of the record if you promote."),
    (
        "prompt_like",
        {},
        "Part of this text reads like an instruction to a program. Treat it as a quotation; "
        "nothing here acts on it.",
    ),
    ("text_left", {"n": 3400}, "Show the remaining 3,400 characters"),
    (
        "note_left",
        {"n": 3400},
        "Show the remaining 3,400 characters; the whole note becomes the new statement",
    ),
    ("removed_left", {"n": 20}, "and 20 more characters, as under Evidence"),
    ("added_left", {"n": 20}, "and 20 more characters, as in the note above"),
    ("scan_stopped_runs", {"n": 2000}, "Nothing in the first 2,000 runs of this view."),
    ("runs_empty", {}, "No context runs in this period. Widen the dates."),
    ("run_emptied", {}, "The records of this pack were erased."),
    ("run_empty", {}, "Nothing fitted, or nothing was found: this pack is empty."),
    ("run_ungraded", {}, "Nobody has said what became of this pack."),
    ("trouble_empty", {}, "No record has counted negative outcomes or signals in this period."),
    (
        "trouble_not_found",
        {"n": 10000},
        "Nothing in the newest 10,000 outcomes and as many suspicions of this period.",
    ),
    ("record_runs_empty", {}, "No context pack has held this record."),
    ("record_ungraded", {}, "Nobody has said what became of a pack with this record."),
    ("run_heading", {"time": TIME}, "Context run, 2026-11-30 18:03:11 UTC"),
    ("run_budget", {"n": 1200}, "budget 1,200"),
    ("run_subject", {"subject": "user-7"}, "for user-7"),
    ("scan_cut_runs", {"n": 2000}, "This page looked at 2,000 runs. Older ones may match too."),
    ("items_erased", {"n": 1}, "1 item of this page is gone: its record was erased."),
    ("items_erased", {"n": 2}, "2 items of this page are gone: their records were erased."),
    (
        "score_formula",
        {"n": 1, "confidence": "0.900000", "sum": "0.45 \u00d7 1.000000", "score": "0.405000"},
        "Item 1: 0.900000 \u00d7 (0.45 \u00d7 1.000000) = 0.405000",
    ),
    (
        "utility_note",
        {},
        "Fewer than three counted outcomes give utility 0.5. Outcomes never change a record.",
    ),
    ("outcome_count", {"kind": "useful", "n": 3}, "useful 3"),
    ("outcome_reasons", {"kind": "incorrect", "n": 1, "reasons": "stale"}, "incorrect 1 (stale)"),
    ("outcome_actors", {"kind": "incorrect", "number": 3, "n": 2}, "incorrect 3 (2 actors)"),
    ("outcome_actors", {"kind": "incorrect", "number": 3, "n": 1}, "incorrect 3 (1 actor)"),
    ("outcomes_counted", {"n": 3, "total": 4}, "3 of 4 count."),
    (
        "outcomes_newest",
        {"n": "1,000"},
        "Of each, the newest 1,000 are counted here; ranking counts all.",
    ),
    ("utility_counted", {"utility": "0.750", "n": 2}, "Utility 0.750, by 2 actors."),
    ("utility_counted", {"utility": "0.750", "n": 1}, "Utility 0.750, by 1 actor."),
    ("utility_few", {"utility": "0.500"}, "Utility 0.500: fewer than three outcomes count."),
    (
        "utility_few_actors",
        {"utility": "0.500", "n": 2},
        "Utility 0.500: outcomes of 2 distinct actors are needed.",
    ),
    (
        "utility_few_actors",
        {"utility": "0.500", "n": 1},
        "Utility 0.500: outcomes of 1 actor are needed.",
    ),
    (
        "graded_whole",
        {"outcomes": "useful (support-agent)"},
        "Graded as a whole: useful (support-agent). This changes no ranking.",
    ),
    ("grade_by", {"kind": "useful", "actor": "support-agent"}, "useful (support-agent)"),
    (
        "grade_item",
        {"kind": "incorrect", "n": 2, "actor": AGENT},
        "incorrect, item 2, by import-agent (agent, MCP)",
    ),
    (
        "grade_pack",
        {"kind": "useful", "actor": AGENT},
        "useful, the pack as a whole, by import-agent (agent, MCP)",
    ),
    ("grade_replaced", {}, "Does not count: the same actor said something later."),
    ("grades_told", {"n": 3}, "At most the newest 3 of a kind are told for each item."),
    (
        "doubt_incorrect",
        {"incorrect": 3, "n": 2, "date": "2026-11-02"},
        "Counted outcomes: incorrect 3 from 2 actors since 2026-11-02.",
    ),
    (
        "doubt_incorrect",
        {"incorrect": 3, "n": 1, "date": "2026-11-02"},
        "Counted outcomes: incorrect 3 from 1 actor since 2026-11-02.",
    ),
    (
        "doubt_harmful",
        {"harmful": 1, "n": 1, "date": "2026-11-02"},
        "Counted outcomes: harmful 1 from 1 actor since 2026-11-02.",
    ),
    (
        "doubt_harmful",
        {"harmful": 2, "n": 2, "date": "2026-11-02"},
        "Counted outcomes: harmful 2 from 2 actors since 2026-11-02.",
    ),
    (
        "doubt_incorrect_harmful",
        {"incorrect": 3, "harmful": 1, "n": 2, "date": "2026-11-02"},
        "Counted outcomes: incorrect 3, harmful 1 from 2 actors since 2026-11-02.",
    ),
    (
        "doubt_incorrect_harmful",
        {"incorrect": 1, "harmful": 1, "n": 1, "date": "2026-11-02"},
        "Counted outcomes: incorrect 1, harmful 1 from 1 actor since 2026-11-02.",
    ),
    (
        "advisory",
        {},
        "These are unverified statements by clients; nothing was changed because of them.",
    ),
    (
        "trouble_bound",
        {"rows": 50, "n": 10000},
        "At most 50 records, out of the newest 10,000 outcomes and as many suspicions.",
    ),
    ("trouble_cut", {}, "There is more than this page shows. Choose a shorter period."),
    (
        "event_delivered",
        {"actor": AGENT, "n": 2},
        "Delivered to import-agent (agent, MCP), at rank 2",
    ),
    ("integrity_no_concern", {}, "Noted: no concern. Nothing else has changed."),
    ("integrity_reopened", {}, "Open again. Nothing else has changed."),
    (
        "integrity_conflict",
        {},
        "This item changed after you opened it. Nothing was saved. "
        "Below is how it stands now; what you typed is kept.",
    ),
    ("reason_blank", {}, "Write a reason: why is it of no concern?"),
    ("reason_bytes", {"n": 1501}, "The reason is 1,501 bytes; the limit is 500."),
    ("scan_stopped_items", {"n": 2000}, "Nothing in the first 2,000 items of this view."),
    ("integrity_empty", {}, "Nobody suspects anything."),
    ("integrity_filtered_empty", {}, "No suspected record matches."),
    ("record_signals_empty", {}, "No client has sent a signal about this record."),
    (
        "doubt_suspected",
        {
            "suspicion": sentence("suspicion_actors", kind="poison", number=3, n=2),
            "date": "2026-11-02",
        },
        "Suspected: poison 3 from 2 actors since 2026-11-02.",
    ),
    (
        "doubt_suspected_twice",
        {
            "poison": sentence("suspicion_actors", kind="poison", number=3, n=2),
            "injection": sentence("suspicion_actors", kind="injection", number=1, n=1),
            "date": "2026-11-02",
        },
        "Suspected: poison 3 from 2 actors, injection 1 from 1 actor since 2026-11-02.",
    ),
    ("suspicion_actors", {"kind": "poison", "number": 3, "n": 2}, "poison 3 from 2 actors"),
    ("suspicion_actors", {"kind": "poison", "number": 3, "n": 1}, "poison 3 from 1 actor"),
    ("suspected", {"what": "poison 3 from 2 actors"}, "suspected of poison 3 from 2 actors"),
    ("signals_senders", {"number": 51, "n": 2}, "51 in all (2 senders)"),
    ("signals_senders", {"number": 1000, "n": 1}, "1,000 in all (1 sender)"),
    ("signals_counted", {}, "Signals take part in utility here."),
    ("signals_uncounted", {}, "Signals take no part in utility here."),
    ("signals_told", {"n": 100}, "At most the 100 latest senders are shown."),
    ("signal_yes_no", {"yes": 3, "no": 1}, "yes 3, no 1"),
    (
        "signal_rewards",
        {"n": 50, "mean": "+0.500", "least": "-1.000", "most": "+1.000"},
        "50, mean +0.500, from -1.000 to +1.000",
    ),
    ("one_voice", {}, "Each sender is one row, however many signals they send."),
    (
        "integrity_advisory",
        {},
        "These are unverified suspicions of clients. Nothing is hidden or demoted because of them.",
    ),
    ("no_concern_send", {}, "Decide: no concern"),
    ("reopen_send", {}, "Reopen this item"),
    ("integrity_read_only", {}, "Deciding needs the role reviewer."),
    (
        "integrity_decided",
        {"actor": PERSON, "time": TIME},
        "No concern, says reviewer-2 (person), 2026-11-30 18:03:11 UTC.",
    ),
    (
        "integrity_reported",
        {"actor": PERSON, "time": TIME},
        "Reported by reviewer-2 (person), 2026-11-30 18:03:11 UTC. "
        "People judge the report like others.",
    ),
    (
        "integrity_no_concern_hint",
        {},
        "Nothing else changes. Later suspicions of enough clients open the item again.",
    ),
    (
        "integrity_reopen_hint",
        {},
        "The decision is taken back. A report that was filed stays.",
    ),
    (
        "scan_cut_items",
        {"n": 2000},
        "This page looked at 2,000 items. Older ones may match too.",
    ),
    (
        "suspicion_poison",
        {"actor": AGENT},
        "Poison suspected by import-agent (agent, MCP)",
    ),
    (
        "suspicion_injection",
        {"actor": AGENT},
        "Injection suspected by import-agent (agent, MCP)",
    ),
    (
        "suspicion_twice",
        {"actor": AGENT},
        "Poison and injection suspected by import-agent (agent, MCP)",
    ),
    ("suspicion_session", {"session": "5aa8109e55ed"}, "session 5aa8109e55ed"),
    (
        "suspicions_told",
        {"n": 20},
        "At most the newest 20 are told. Of a session only a digest is kept.",
    ),
    ("unbound_signals", {"actor": AGENT, "n": 1}, "import-agent (agent, MCP): 1 signal"),
    ("unbound_signals", {"actor": AGENT, "n": 1000}, "import-agent (agent, MCP): 1,000 signals"),
    (
        "unbound_hint",
        {"n": 10000},
        "Their hits were never, or are no longer, records here. Of a hit only a digest is kept, so "
        "none can be followed. Among the newest 10,000 such signals, by sender:",
    ),
]


@pytest.mark.parametrize(("code", "values", "text"), GOLDEN)
def test_a_sentence_reads_exactly_so(code: str, values: dict[str, object], text: str) -> None:
    assert str(sentence(code, **values)) == text


def test_every_sentence_has_a_golden_text() -> None:
    assert {code for code, _values, _text in GOLDEN} == set(MESSAGES)


def test_no_sentence_holds_markup_or_a_word_that_promises_to_take_back() -> None:
    for _code, _values, text in GOLDEN:
        assert not re.search(r"[<>&]|\bundo\b|\bdismiss|\bapprove\b|\breject", text, re.IGNORECASE)


@pytest.mark.parametrize(
    ("code", "values"),
    [
        ("no_such_code", {}),
        ("credit", {}),
        ("credit", {"name": "a", "more": "b"}),
        ("busy", {}),
        ("busy", {"n": "3"}),
        ("invisible_change", {}),
    ],
)
def test_a_sentence_without_its_values_cannot_be_made(code: str, values: dict[str, object]) -> None:
    with pytest.raises(KeyError):
        sentence(code, **values)


def test_a_value_that_looks_like_a_placeholder_stays_as_it_is() -> None:
    assert str(sentence("credit", name="{object}")).startswith(
        "The new record will be credited to you ({object})"
    )


def test_times_are_printed_in_utc_whatever_their_zone() -> None:
    there = TIME.astimezone(timezone(timedelta(hours=5, minutes=30)))
    assert plain(there) == "2026-11-30 18:03:11"


def test_sentences_compare_by_code_and_values() -> None:
    assert sentence("busy", n=3) == Sentence("busy", {"n": 3})
    assert placeholders("{a} and {b} and {a}") == {"a", "b"}
