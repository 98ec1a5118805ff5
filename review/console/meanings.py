"""What the help says of words, roles and settings, in the words of `design.md`."""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext_lazy as _

from review.screens import Explanation, SettingExplanation

WORDS: Final = (
    Explanation(
        name=_("Record"),
        meaning=_(
            "What is believed: a subject, a predicate, an object and a statement that says it in a "
            "sentence, with a trust, a confidence and the times for which it holds."
        ),
    ),
    Explanation(
        name=_("Version"),
        meaning=_(
            "A state that a record has been in. What a record says never changes: a correction "
            "closes it and makes a new record, and its past stays to be read."
        ),
    ),
    Explanation(
        name=_("Source, citation"),
        meaning=_(
            "Evidence, kept as it came and never edited; and the exact words in it that support, "
            "contradict or qualify a record."
        ),
    ),
    Explanation(
        name=_("Report"),
        meaning=_(
            "A doubt about a record: a note that says what is wrong and, if somebody knows it, "
            "what it should say. A report changes nothing by itself."
        ),
    ),
    Explanation(
        name=_("Promote"),
        meaning=_(
            "To decide that a report is right. It happens at most once, against the version that "
            "the page showed. With a proposed value the record is corrected, and the note becomes "
            "the new statement; without one it is retracted."
        ),
    ),
    Explanation(
        name=_("Correct, retract"),
        meaning=_(
            "To close a record with another one in its place, or with nothing. No context "
            "includes a closed record."
        ),
    ),
    Explanation(
        name=_("Open, ready to promote"),
        meaning=_(
            "A report is open until it is promoted, and ready while its record is current. Once "
            "the record is closed in another way, the report can no longer be promoted; it stays "
            "open, with a changed target."
        ),
    ),
    Explanation(
        name=_("Trust"),
        meaning=_(
            "How far the evidence is trusted: untrusted, asserted, verified or policy_approved. "
            "It comes from the sources and from who recorded it, never from votes."
        ),
    ),
    Explanation(
        name=_("Context run, outcome"),
        meaning=_(
            "A pack of records that an agent asked for, and what became of it: an agent says of a "
            "record in it that it was used, useful, irrelevant, incorrect or harmful."
        ),
    ),
    Explanation(
        name=_("Signal, suspicion"),
        meaning=_(
            "What a client that retrieves over RCP says of a single hit: whether it was used, "
            "cited or helpful, what it was worth, or that it looks poisoned or injected. A signal "
            "is untrusted and changes no record."
        ),
    ),
    Explanation(
        name=_("Integrity item"),
        meaning=_(
            "A record that enough different actors suspect, for reviewers to look at: they say "
            "that it is of no concern, or report a doubt. Nothing is hidden or demoted, and a "
            "decision can be taken back."
        ),
    ),
    Explanation(
        name=_("Actor"),
        meaning=_(
            "Who acts: a person at the console, or an agent with a credential through the API."
        ),
    ),
)

ROLES: Final = (
    Explanation(
        name=_("reader"),
        meaning=_(
            "Sees reports, records with their history, context runs and suspicions. Changes "
            "nothing."
        ),
    ),
    Explanation(
        name=_("reviewer"),
        meaning=_(
            "All that; and reports doubts, and promotes reports. Says of suspected records that "
            "they are of no concern. Acts with trust verified."
        ),
    ),
    Explanation(
        name=_("auditor"),
        meaning=_(
            "Sees the audit log, which holds no content. Sees no reports, records or context runs."
        ),
    ),
    Explanation(
        name=_("owner"),
        meaning=_("Reviewer and auditor in one. Acts with trust policy_approved."),
    ),
)

#: Defaults: `contract.md` 4.3.
SETTINGS: Final = (
    SettingExplanation(
        name="one_vote_per_run",
        does=_(
            "Of what one actor reports about a record in one context run, only the latest "
            "outcome counts."
        ),
        protects=_("Protects from one key that repeats itself until its word outweighs others."),
        default=_("off"),
    ),
    SettingExplanation(
        name="minimum_actors",
        does=_("Utility stays 0.5 until outcomes of this many different actors count."),
        protects=_("Protects from a single actor that moves the ranking of a record alone."),
        default="1",
    ),
    SettingExplanation(
        name="utility_scope",
        does=_(
            "With record, every outcome about a record counts; with task, only those from runs "
            "whose task has the same set of words."
        ),
        protects=_(
            "With task: protects from outcomes of other questions, which say little about this one."
        ),
        default="record",
    ),
    SettingExplanation(
        name="signals_in_utility",
        does=_(
            "With on, signals count like outcomes: by their reward, or else by used, cited and "
            "helpful, with a session in the place of a context run. Suspicions never count."
        ),
        protects=_(
            "Protects from clients that praise or blame what they retrieved, while it is off."
        ),
        default=_("off"),
    ),
    SettingExplanation(
        name="integrity_quorum",
        does=_(
            "So many different actors have to suspect a record within 30 days before it is an "
            "item under Integrity."
        ),
        protects=_("Protects from a single client that keeps reviewers busy alone."),
        default="2",
    ),
)
