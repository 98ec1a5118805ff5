"""Who may come in: users, projects, members' roles, credentials."""

from __future__ import annotations

from typing import ClassVar
from uuid import uuid4

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models import CheckConstraint, Q, UniqueConstraint
from django.db.models.functions import Now
from guardian.models import GroupObjectPermissionBase, UserObjectPermissionBase

from memory.models.columns import Identified, bytes_check, choice_check
from memory.vocabulary import (
    MOST_QUORUM,
    NAME_CHARACTERS,
    PREDICATE_BYTES,
    Access,
    ActorKind,
    Role,
    SearchLanguage,
    Trust,
    UtilityScope,
)


class User(AbstractUser):
    """A person with an account, or the operator at the command line."""

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)


class Project(Identified):
    """A tenant: nothing crosses its border. Roles of people are permissions on it."""

    name = models.CharField(max_length=63, unique=True)
    #: 32 random bytes that key the project's digests, so that nobody can guess what they stand for.
    digest_key = models.BinaryField(max_length=32, editable=False)
    search_language = models.CharField(
        max_length=16, choices=SearchLanguage.choices, default=SearchLanguage.ENGLISH
    )
    #: How outcomes count in the ranking; the defaults are the published rule (`design.md`).
    one_vote_per_run = models.BooleanField(default=False, db_default=False)
    minimum_actors = models.PositiveSmallIntegerField(default=1, db_default=1)
    utility_scope = models.CharField(
        max_length=16,
        choices=UtilityScope.choices,
        default=UtilityScope.RECORD,
        db_default=UtilityScope.RECORD.value,
    )
    are_signals_in_utility = models.BooleanField(default=False, db_default=False)
    #: How many distinct actors have to suspect a record before reviewers are asked to look at it.
    integrity_quorum = models.PositiveSmallIntegerField(default=2, db_default=2)
    next_log_offset = models.BigIntegerField(default=0, editable=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    suspended_at = models.DateTimeField(null=True)

    class Meta:
        default_permissions = ()
        permissions: ClassVar = [(role.value, f"is {role.value} of the project") for role in Role]
        constraints: ClassVar = [
            choice_check("memory_project", "search_language", SearchLanguage),
            choice_check("memory_project", "utility_scope", UtilityScope),
            CheckConstraint(
                condition=Q(minimum_actors__gte=1), name="memory_project_minimum_actors_range"
            ),
            CheckConstraint(
                condition=Q(integrity_quorum__gte=1, integrity_quorum__lte=MOST_QUORUM),
                name="memory_project_integrity_quorum_range",
            ),
            CheckConstraint(
                condition=Q(name__regex=r"^[a-z0-9][a-z0-9-]{0,62}$"),
                name="memory_project_name_form",
            ),
        ]


class Granted(Identified):
    """Who granted a role, and when."""

    granted_by_kind = models.CharField(max_length=16, choices=ActorKind.choices)
    granted_by_id = models.UUIDField()
    granted_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        abstract = True


class Member(Granted, UserObjectPermissionBase):
    """One role of one person in one project; the role is the guardian permission."""

    content_object = models.ForeignKey(Project, models.PROTECT, db_column="project_id")

    class Meta(UserObjectPermissionBase.Meta):
        abstract = False
        default_permissions = ()
        constraints: ClassVar = [choice_check("memory_member", "granted_by_kind", ActorKind)]


class MemberGroup(Granted, GroupObjectPermissionBase):
    """One role of one group of people in one project."""

    content_object = models.ForeignKey(Project, models.PROTECT, db_column="project_id")

    class Meta(GroupObjectPermissionBase.Meta):
        abstract = False
        default_permissions = ()
        constraints: ClassVar = [choice_check("memory_membergroup", "granted_by_kind", ActorKind)]


class Credential(Identified):
    """An API key of one project. Only a digest of the token is kept."""

    project = models.ForeignKey(Project, models.PROTECT, db_index=False)
    public_id = models.CharField(max_length=8, unique=True)
    digest = models.BinaryField(max_length=32)
    name = models.CharField(max_length=NAME_CHARACTERS)
    access = models.CharField(max_length=16, choices=Access.choices)
    max_trust = models.SmallIntegerField(choices=Trust.choices, default=Trust.ASSERTED)
    may_erase = models.BooleanField(default=False)
    created_by_kind = models.CharField(max_length=16, choices=ActorKind.choices)
    created_by_id = models.UUIDField()
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    expires_at = models.DateTimeField(null=True)
    last_used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        default_permissions = ()
        constraints: ClassVar = [
            UniqueConstraint(fields=["project", "id"], name="memory_credential_project_id_uniq"),
            choice_check("memory_credential", "access", Access),
            choice_check("memory_credential", "max_trust", Trust),
            choice_check("memory_credential", "created_by_kind", ActorKind),
            CheckConstraint(
                condition=~Q(may_erase=True) | Q(access=Access.READ_WRITE.value),
                name="memory_credential_eraser_writes",
            ),
        ]


class Predicate(Identified):
    """What a project says about one predicate: whether a subject has it once only."""

    project = models.ForeignKey(Project, models.PROTECT, db_index=False)
    name = models.TextField()
    is_single_valued = models.BooleanField(default=False)

    class Meta:
        default_permissions = ()
        constraints: ClassVar = [
            UniqueConstraint(fields=["project", "id"], name="memory_predicate_project_id_uniq"),
            UniqueConstraint(fields=["project", "name"], name="memory_predicate_name_uniq"),
            bytes_check("memory_predicate", "name", PREDICATE_BYTES),
        ]
