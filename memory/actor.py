"""Who acts: a user or a credential of one project, through which edge, in which request."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from uuid import UUID, uuid4

from memory.vocabulary import Access, ActorKind, Edge, Role, Trust

if TYPE_CHECKING:
    from typing import Self


def new_request_id() -> str:
    """A fresh request id, `req_` and 32 hexadecimal digits (`contract.md` 0.1)."""
    return f"req_{uuid4().hex}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """A user or credential acting in one project. Below authentication nothing else says who."""

    project_id: UUID
    kind: ActorKind
    id: UUID
    edge: Edge
    request_id: str
    label: str = ""
    access: Access | None = None
    roles: frozenset[Role] = frozenset()
    max_trust: Trust = Trust.ASSERTED

    @classmethod
    def of_operator(cls, *, project_id: UUID, user_id: UUID, label: str) -> Self:
        """The operator at the command line: owner of every project, trusted like one."""
        return cls(
            project_id=project_id,
            kind=ActorKind.USER,
            id=user_id,
            edge=Edge.CLI,
            request_id=new_request_id(),
            label=label,
            roles=frozenset(Role),
            max_trust=Trust.POLICY_APPROVED,
        )

    def in_new_request(self) -> Self:
        """The same actor in a request of its own; for a command that makes many calls."""
        return replace(self, request_id=new_request_id())

    @property
    def can_read(self) -> bool:
        """Whether the actor may see records, reports and runs."""
        return self.access is not None or Role.READER in self.roles

    @property
    def can_write(self) -> bool:
        """Whether the actor may report, promote, assert, correct and retract."""
        return self.access is Access.READ_WRITE or Role.REVIEWER in self.roles

    @property
    def operation_id(self) -> UUID:
        """The UUID inside the request id; names one change on the wire (`contract.md` 1.2)."""
        return UUID(hex=self.request_id.removeprefix("req_"))
