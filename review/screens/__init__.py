"""What the templates draw: one frozen screen per page, built by the views out of query rows.

Screens hold plain values and addresses that the view has already made, so a template runs no
query and knows no route. Values from data stay raw here; the template tags escape and isolate
them. `now` is the time of the database in the transaction that read the rows.
"""

from __future__ import annotations

from review.screens.audit import (
    AuditRow,
    AuditScreen,
)
from review.screens.doubts import DoubtScreen, ReportForm, SaidRecord
from review.screens.frame import (
    ActorLabel,
    Badge,
    Empty,
    ErrorScreen,
    Filters,
    FormProblem,
    Frame,
    KeyHint,
    Link,
    Notice,
    Offer,
    Pager,
    Preferences,
    ProjectChoice,
    ProjectRow,
    ProjectsScreen,
    Screen,
    SignInScreen,
    Tone,
)
from review.screens.help import (
    Explanation,
    HelpScreen,
    KeyGroup,
    KeysScreen,
    SettingExplanation,
)
from review.screens.records import (
    RecordCompareScreen,
    RecordHeader,
    RecordHistoryScreen,
    RecordNowScreen,
    RecordReportsScreen,
    RecordScreen,
    RecordVersionsScreen,
    VersionRow,
)
from review.screens.reports import (
    AlreadyPromotedScreen,
    Citation,
    ConfirmRetractionScreen,
    ConflictScreen,
    ConflictSide,
    Event,
    IdEntry,
    PromoteForm,
    QueueScreen,
    ReportRow,
    ReportScreen,
    SiblingReport,
)

__all__ = [
    "ActorLabel",
    "AlreadyPromotedScreen",
    "AuditRow",
    "AuditScreen",
    "Badge",
    "Citation",
    "ConfirmRetractionScreen",
    "ConflictScreen",
    "ConflictSide",
    "DoubtScreen",
    "Empty",
    "ErrorScreen",
    "Event",
    "Explanation",
    "Filters",
    "FormProblem",
    "Frame",
    "HelpScreen",
    "IdEntry",
    "KeyGroup",
    "KeyHint",
    "KeysScreen",
    "Link",
    "Notice",
    "Offer",
    "Pager",
    "Preferences",
    "ProjectChoice",
    "ProjectRow",
    "ProjectsScreen",
    "PromoteForm",
    "QueueScreen",
    "RecordCompareScreen",
    "RecordHeader",
    "RecordHistoryScreen",
    "RecordNowScreen",
    "RecordReportsScreen",
    "RecordScreen",
    "RecordVersionsScreen",
    "ReportForm",
    "ReportRow",
    "ReportScreen",
    "SaidRecord",
    "Screen",
    "SettingExplanation",
    "SiblingReport",
    "SignInScreen",
    "Tone",
    "VersionRow",
]
