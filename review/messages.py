"""Every sentence of an error, a notice or an empty state, by code (`console.md` sections 6 and 7).

A `Sentence` is a code and its values. `str()` gives plain text; the template tag `sentence` gives
markup in which every value is isolated and escaped. Times are printed in UTC without the word,
which the sentence itself carries.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from string import Formatter
from typing import TYPE_CHECKING, Final, cast

from django.utils.functional import lazy
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from typing_extensions import override

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise as StrPromise

Plural = Callable[[int], str]  #: picks the form for the value `n`

SUCCESS: Final[dict[str, StrPromise | Plural]] = {
    "corrected": _(
        "Corrected {subject} · {predicate} to “{object}” at {time} UTC, credited to you."
    ),
    "retracted": _("Retracted {subject} · {predicate} at {time} UTC. No context will include it."),
    "other_open_reports": lambda n: ngettext(
        "{n} other open report is about the record you closed.",
        "{n} other open reports are about the record you closed.",
        n,
    ),
    "last_in_view": _("That was the last report in this view."),
    "reported": _("Reported. Nothing has changed yet; a reviewer decides."),
    "integrity_no_concern": _("Noted: no concern. Nothing else has changed."),
    "integrity_reopened": _("Open again. Nothing else has changed."),
    "saved": _("Saved."),
}

CONFLICT: Final[dict[str, StrPromise | Plural]] = {
    "record_conflict": _(
        "This record changed after you opened it. Nothing was saved; the report is still open."
    ),
    "record_conflict_moved": _(
        "You saw version {m} (“{a}”). {actor} moved it to version {n} (“{b}”) at {time} UTC."
    ),
    "record_conflict_unknown": _(
        "The version that you sent was never one of this record. It is at version {n} (“{b}”)."
    ),
    "record_conflict_closed": _(
        "This record was closed after you opened it. Nothing was saved; the report is still open."
    ),
    "record_conflict_corrected": _(
        "{actor} corrected it to “{b}” at {time} UTC. This report can no longer be promoted."
    ),
    "record_conflict_retracted": _(
        "{actor} retracted it at {time} UTC. This report can no longer be promoted."
    ),
    "promoted_corrected": _(
        "Already promoted at {time} UTC by {actor}. Outcome: corrected to “{x}”. "
        "There is nothing for you to do."
    ),
    "promoted_retracted": _(
        "Already promoted at {time} UTC by {actor}. Outcome: retracted. "
        "There is nothing for you to do."
    ),
    "promoted_by_you": _("You already promoted this report at {time} UTC."),
    "report_conflict": _(
        "This record changed while you were writing. Nothing was sent. "
        "Below is what it says now; your text is kept."
    ),
    "integrity_conflict": _(
        "This item changed after you opened it. Nothing was saved. "
        "Below is how it stands now; what you typed is kept."
    ),
    "idempotency_conflict": _(
        "This form was already sent with other content. Nothing was saved now. Open the page again."
    ),
    "idempotency_in_progress": lambda n: ngettext(
        "Your first submit is still running. Wait {n} second, then open the page.",
        "Your first submit is still running. Wait {n} seconds, then open the page.",
        n,
    ),
}

REFUSED: Final[dict[str, StrPromise | Plural]] = {
    "role_page": _("Your role in this project ({roles}) does not include this page."),
    "role_form": _("Your role in this project ({roles}) does not include this. Nothing was saved."),
    "role_bare": _("Your role does not include this page."),
    "not_found": _("Not found. It may never have existed here, or you may not be able to see it."),
    "method_not_allowed": _("This address only takes a form. Open the page first."),
    "form_not_allowed": _("This address takes no form. Nothing was saved."),
    "value_refused": _(
        "The proposed value cannot be written: {reason}. Nothing was saved; the report stays open."
    ),
    "signed_out": _(
        "You were signed out. Nothing was saved. After signing in you return to the same page."
    ),
    "form_invalid": _("This form is no longer valid. Nothing was saved. Open the page again."),
    "form_too_large": _("This form is too large. Nothing was saved."),
    "bad_request": _("This request cannot be read. Nothing was saved."),
    "busy": lambda n: ngettext(
        "The service is busy. Nothing was saved. Try again in {n} second.",
        "The service is busy. Nothing was saved. Try again in {n} seconds.",
        n,
    ),
    "fault_reading": _("Something went wrong. Nothing was changed. Request {id}."),
    "fault_writing": _(
        "We do not know whether it was saved. Open the page and look before you try again. "
        "Request {id}."
    ),
    "fault_bare": _(
        "If you sent a form, we do not know whether it was saved. "
        "Open the page and look before you try again."
    ),
    "sign_in_wrong": _("The name or the password is wrong."),
    "sign_in_locked": lambda n: ngettext(
        "Too many attempts. Try again in {n} minute.",
        "Too many attempts. Try again in {n} minutes.",
        n,
    ),
}

FORM: Final[dict[str, StrPromise | Plural]] = {
    "problem": _("There is a problem"),
    "note_blank": _("Write a note: what is wrong, and how do you know?"),
    "note_bytes": _("The note is {n} bytes; the limit is 16,384."),
    "value_bytes": _("The value is {n} bytes; the limit is 1,024."),
    "value_blank": _("Write what it should say, or leave the field empty."),
    "reason_blank": _("Write a reason: why is it of no concern?"),
    "reason_bytes": _("The reason is {n} bytes; the limit is 500."),
    "nul": _("This character cannot be stored: U+0000."),
    "from_before_to": _("From must be before To."),
    "cursor_misfit": _("This page link does not fit these filters. Go back to the start."),
    "name_missing": _("Enter your name."),
    "password_missing": _("Enter your password."),
    "time_malformed": _("{field} must be a date or a date and time, such as 2026-11-01T00:00."),
    "choice_unknown": _("{field} is not one of the choices."),
    "request_malformed": _("A request id is req_ and 32 digits or letters a to f."),
}

EMPTY: Final[dict[str, StrPromise | Plural]] = {
    "reports_never": _(
        "No one has reported a doubt yet. Reports arrive through the API or a record's page."
    ),
    "reports_open_empty": _("Nothing is open. Every report has been promoted."),
    "reports_ready_empty": _("Nothing is ready to promote."),
    "reports_changed_empty": _("No open report is about a record that was closed."),
    "reports_filtered_empty": lambda n: ngettext(
        "No reports match: {filters}. {n} is open in total.",
        "No reports match: {filters}. {n} are open in total.",
        n,
    ),
    "scan_stopped": _("Nothing in the first {n} reports of this view."),
    "scan_stopped_entries": _("Nothing in the first {n} entries of this view."),
    "scan_stopped_runs": _("Nothing in the first {n} runs of this view."),
    "scan_stopped_items": _("Nothing in the first {n} items of this view."),
    "page_emptied": _("The entries of this page are gone."),
    "record_reports_empty": _("No one has reported a doubt about this record."),
    "citations_empty": _("No source is cited for this record."),
    "audit_empty": _("No entries match."),
    "runs_empty": _("No context runs in this period. Widen the dates."),
    "run_emptied": _("The records of this pack were erased."),
    "run_empty": _("Nothing fitted, or nothing was found: this pack is empty."),
    "run_ungraded": _("Nobody has said what became of this pack."),
    "trouble_empty": _("No record has counted negative outcomes or signals in this period."),
    "trouble_not_found": _(
        "Nothing in the newest {n} outcomes and as many suspicions of this period."
    ),
    "integrity_empty": _("Nobody suspects anything."),
    "integrity_filtered_empty": _("No suspected record matches."),
    "record_signals_empty": _("No client has sent a signal about this record."),
    "record_runs_empty": _("No context pack has held this record."),
    "record_ungraded": _("Nobody has said what became of a pack with this record."),
    "projects_empty": _("You have no role in any project. The operator grants roles."),
}

SCREEN: Final[dict[str, StrPromise | Plural]] = {
    "report_heading": _("Report on {subject} · {predicate}"),
    "queue_read_only": _("You can read this queue. Promoting needs the role reviewer."),
    "promote_read_only": _("Promoting needs the role reviewer."),
    "report_read_only": _("Reporting needs the role reviewer."),
    "doubt_link": _("Report a doubt"),
    "doubt_heading": _("Report a doubt about {subject} · {predicate}"),
    "doubt_hints": _(
        "Leave the second field empty if the record should be retracted. "
        "If you fill it in, the first becomes the new statement: write it as one. "
        "Nothing changes until a reviewer promotes the report."
    ),
    "doubt_send": _("Report this doubt"),
    "doubt_send_version": _("Report this doubt about version {n}"),
    "doubt_send_new": _("Report this doubt about the new record"),
    "doubt_needs_current": _("A doubt can be reported about a current record only."),
    "credit": _("The new record will be credited to you ({name}), not to the reporter."),
    "correct_next": _("Correct to “{object}”, open next"),
    "correct_stay": _("Correct, stay here"),
    "correct_version": _("Correct version {n} to “{object}”"),
    "retract_link": _("Retract this record"),
    "retract_version_link": _("Retract version {n}"),
    "retract_heading": _("Retract this record?"),
    "retract_consequence": _(
        "It stays in the history, and no context will include it. "
        "A reviewer can assert the statement again as a new record."
    ),
    "retract_next": _("Retract record, open next"),
    "retract_stay": _("Retract, stay here"),
    "retraction_effect": _("No context will include this record. Nothing replaces it."),
    "newer_version": _(
        "The record changed after this report was written. Reported against “{a}”, version {m}; "
        "now “{b}”, version {n}. Check that the report still makes sense."
    ),
    "target_corrected": _(
        "This report can no longer be promoted: its record was corrected to “{x}” "
        "at {time} UTC by {actor}."
    ),
    "target_retracted": _(
        "This report can no longer be promoted: its record was retracted at {time} UTC by {actor}."
    ),
    "outcome_corrected": _("Corrected to “{x}” at {time} UTC."),
    "outcome_retracted": _("Retracted at {time} UTC."),
    "outcome_people": _("Reported by {reporter}, promoted by {promoter}."),
    "old_version": _("You are looking at an old version."),
    "period_open": _("since {begins} UTC"),
    "period_closed": _("{begins} UTC to {ends} UTC"),
    "period_until": _("until {ends} UTC"),
    "period_always": _("always"),
    "compare_from": _("Compare from version {n}"),
    "compare_to": _("Compare to version {n}"),
    "compare_from_predecessor": _("Compare from the record before it"),
    "compare_to_predecessor": _("Compare to the record before it"),
    "compare_from_successor": _("Compare from the record that replaced it"),
    "compare_to_successor": _("Compare to the record that replaced it"),
    "compare_heading": _("What changed from version {m} to version {n}"),
    "compare_heading_before": _("What changed from the record before it to version {n}"),
    "compare_heading_after": _("What changed from version {m} to the record that replaced it"),
    "compare_heading_around": _(
        "What changed from the record before it to the record that replaced it"
    ),
    "compare_equal": _("Both versions say the same."),
    "superseded_by": _("Corrected to “{x}” at {time} UTC by {actor}."),
    "retracted_by": _("Retracted at {time} UTC by {actor}."),
    "event_asserted": _("Asserted by {actor}"),
    "event_reported": _("Doubt reported by {actor}"),
    "event_corrected": _("Corrected by {actor}"),
    "event_retracted": _("Retracted by {actor}"),
    "event_promoted_corrected": _("Corrected: reported by {reporter}, promoted by {promoter}"),
    "event_promoted_retracted": _("Retracted: reported by {reporter}, promoted by {promoter}"),
    "citation_occurred": _("happened {time} UTC"),
    "citation_captured": _("captured {time} UTC"),
    "said_as": _("said as {role}"),
    "about_subject": _("In the words of {subject}"),
    "oldest": _("oldest {age}"),
    "audit_range": _("From is inclusive, To is exclusive; both are UTC."),
    "run_heading": _("Context run, {time} UTC"),
    "run_budget": _("budget {n}"),
    "run_subject": _("for {subject}"),
    "scan_cut_runs": _("This page looked at {n} runs. Older ones may match too."),
    "items_erased": lambda n: ngettext(
        "{n} item of this page is gone: its record was erased.",
        "{n} items of this page are gone: their records were erased.",
        n,
    ),
    "score_formula": _("Item {n}: {confidence} \N{MULTIPLICATION SIGN} ({sum}) = {score}"),
    "utility_note": _(
        "Fewer than three counted outcomes give utility 0.5. Outcomes never change a record."
    ),
    "outcome_count": _("{kind} {n}"),
    "outcome_reasons": _("{kind} {n} ({reasons})"),
    "outcome_actors": lambda n: ngettext(
        "{kind} {number} ({n} actor)", "{kind} {number} ({n} actors)", n
    ),
    "outcomes_counted": _("{n} of {total} count."),
    "outcomes_newest": _("Of each, the newest {n} are counted here; ranking counts all."),
    "utility_counted": lambda n: ngettext(
        "Utility {utility}, by {n} actor.", "Utility {utility}, by {n} actors.", n
    ),
    "utility_few": _("Utility {utility}: fewer than three outcomes count."),
    "utility_few_actors": lambda n: ngettext(
        "Utility {utility}: outcomes of {n} actor are needed.",
        "Utility {utility}: outcomes of {n} distinct actors are needed.",
        n,
    ),
    "graded_whole": _("Graded as a whole: {outcomes}. This changes no ranking."),
    "grade_by": _("{kind} ({actor})"),
    "grade_item": _("{kind}, item {n}, by {actor}"),
    "grade_pack": _("{kind}, the pack as a whole, by {actor}"),
    "grade_replaced": _("Does not count: the same actor said something later."),
    "grades_told": _("At most the newest {n} of a kind are told for each item."),
    "doubt_incorrect": lambda n: ngettext(
        "Counted outcomes: incorrect {incorrect} from {n} actor since {date}.",
        "Counted outcomes: incorrect {incorrect} from {n} actors since {date}.",
        n,
    ),
    "doubt_harmful": lambda n: ngettext(
        "Counted outcomes: harmful {harmful} from {n} actor since {date}.",
        "Counted outcomes: harmful {harmful} from {n} actors since {date}.",
        n,
    ),
    "doubt_incorrect_harmful": lambda n: ngettext(
        "Counted outcomes: incorrect {incorrect}, harmful {harmful} from {n} actor since {date}.",
        "Counted outcomes: incorrect {incorrect}, harmful {harmful} from {n} actors since {date}.",
        n,
    ),
    "advisory": _(
        "These are unverified statements by clients; nothing was changed because of them."
    ),
    "trouble_bound": _(
        "At most {rows} records, out of the newest {n} outcomes and as many suspicions."
    ),
    "trouble_cut": _("There is more than this page shows. Choose a shorter period."),
    "doubt_suspected": _("Suspected: {suspicion} since {date}."),
    "doubt_suspected_twice": _("Suspected: {poison}, {injection} since {date}."),
    "suspicion_actors": lambda n: ngettext(
        "{kind} {number} from {n} actor", "{kind} {number} from {n} actors", n
    ),
    "suspected": _("suspected of {what}"),
    "signals_senders": lambda n: ngettext(
        "{number} in all ({n} sender)", "{number} in all ({n} senders)", n
    ),
    "signals_counted": _("Signals take part in utility here."),
    "signals_uncounted": _("Signals take no part in utility here."),
    "signals_told": _("At most the {n} latest senders are shown."),
    "signal_yes_no": _("yes {yes}, no {no}"),
    "signal_rewards": _("{n}, mean {mean}, from {least} to {most}"),
    "one_voice": _("Each sender is one row, however many signals they send."),
    "integrity_advisory": _(
        "These are unverified suspicions of clients. Nothing is hidden or demoted because of them."
    ),
    "no_concern_send": _("Decide: no concern"),
    "reopen_send": _("Reopen this item"),
    "integrity_read_only": _("Deciding needs the role reviewer."),
    "integrity_decided": _("No concern, says {actor}, {time} UTC."),
    "integrity_reported": _(
        "Reported by {actor}, {time} UTC. People judge the report like others."
    ),
    "integrity_no_concern_hint": _(
        "Nothing else changes. Later suspicions of enough clients open the item again."
    ),
    "integrity_reopen_hint": _("The decision is taken back. A report that was filed stays."),
    "scan_cut_items": _("This page looked at {n} items. Older ones may match too."),
    "suspicion_poison": _("Poison suspected by {actor}"),
    "suspicion_injection": _("Injection suspected by {actor}"),
    "suspicion_twice": _("Poison and injection suspected by {actor}"),
    "suspicion_session": _("session {session}"),
    "suspicions_told": _("At most the newest {n} are told. Of a session only a digest is kept."),
    "unbound_signals": lambda n: ngettext("{actor}: {n} signal", "{actor}: {n} signals", n),
    "unbound_hint": _(
        "Their hits were never, or are no longer, records here. Of a hit only a digest is kept, so "
        "none can be followed. Among the newest {n} such signals, by sender:"
    ),
    "event_delivered": _("Delivered to {actor}, at rank {n}"),
    "page_age": _("This page is {n} minutes old."),
    "invisible": lambda n: ngettext(
        "This text contains {n} character that cannot be seen. It is shown as a box.",
        "This text contains {n} characters that cannot be seen. They are shown as boxes.",
        n,
    ),
    "invisible_change": lambda n: ngettext(
        "It becomes part of the record if you promote.",
        "They become part of the record if you promote.",
        n,
    ),
    "prompt_like": _(
        "Part of this text reads like an instruction to a program. Treat it as a quotation; "
        "nothing here acts on it."
    ),
    "text_left": lambda n: ngettext(
        "Show the remaining {n} character", "Show the remaining {n} characters", n
    ),
    "note_left": lambda n: ngettext(
        "Show the remaining {n} character; the whole note becomes the new statement",
        "Show the remaining {n} characters; the whole note becomes the new statement",
        n,
    ),
    "removed_left": lambda n: ngettext(
        "and {n} more character, as under Evidence",
        "and {n} more characters, as under Evidence",
        n,
    ),
    "added_left": lambda n: ngettext(
        "and {n} more character, as in the note above",
        "and {n} more characters, as in the note above",
        n,
    ),
}

MESSAGES: Final[dict[str, StrPromise | Plural]] = {
    **SUCCESS,
    **CONFLICT,
    **REFUSED,
    **FORM,
    **EMPTY,
    **SCREEN,
}


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence with the values it names. Raises KeyError where either does not fit."""

    code: str
    values: Mapping[str, object]

    def __post_init__(self) -> None:
        """Refuse a code that is not in the table and a value that is missing or left over."""
        chooses = {"n"} if callable(MESSAGES[self.code]) else set()
        if placeholders(self.pattern) | chooses != set(self.values):
            raise KeyError(self.code)

    @property
    def pattern(self) -> str:
        """The translated text with its placeholders, in the form for the value `n`."""
        message = MESSAGES[self.code]
        if callable(message):
            number = self.values["n"]
            if not isinstance(number, int):
                raise KeyError(self.code)
            return message(number)
        return str(message)

    @override
    def __str__(self) -> str:
        """The sentence as plain text."""
        return self.pattern.format(**{name: plain(value) for name, value in self.values.items()})


def sentence(code: str, /, **values: object) -> Sentence:
    """The sentence of `code` with `values`."""
    return Sentence(code, values)


def words(code: str, **values: object) -> StrPromise:
    """The text of a sentence, made when it is drawn; for errors of form fields."""
    return cast("StrPromise", lazy(lambda: str(sentence(code, **values)), str)())


def at_least(number: int, *, is_cut: bool) -> int | str:
    """A number; or "128+" where no more were counted, "1,000+" at most (`console.md` 3)."""
    return f"{min(number, 1_000):,}+" if is_cut else number


def placeholders(pattern: str) -> set[str]:
    """The names of the values that a pattern needs."""
    return {name for _text, name, _spec, _conversion in Formatter().parse(pattern) if name}


def plain(value: object) -> str:
    """A value as the text of a sentence: times in UTC, numbers with thousands separators."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S")
    if isinstance(value, int):
        return f"{value:,}"
    return str(value)
