"""A database that is too old, may lose writes or logs values is not served from."""

from __future__ import annotations

import pytest
from django.core.checks import run_checks

from config.database_check import (
    DatabaseUnfit,
    age_fault,
    discretion_faults,
    durability_faults,
    require_fit,
)


def test_a_server_older_than_15_is_refused_in_one_sentence(old_server: str) -> None:
    with pytest.raises(DatabaseUnfit) as refusal:
        require_fit(old_server)
    assert str(refusal.value) == ("PostgreSQL 14 is too old: Errata needs PostgreSQL 15 or newer.")


def test_fifteen_is_new_enough() -> None:
    assert age_fault(150_000) == ""
    assert age_fault(149_999) != ""


def test_a_server_that_nobody_runs_is_refused_without_the_password() -> None:
    with pytest.raises(DatabaseUnfit, match="port 1 failed") as refusal:
        require_fit("postgresql://ann:secret@127.0.0.1:1/facts")
    assert "secret" not in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("name", ["fsync", "full_page_writes", "synchronous_commit"])
def test_each_setting_that_risks_acknowledged_writes_is_a_fault(name: str) -> None:
    settings = {"fsync": "on", "full_page_writes": "on", "synchronous_commit": "on"}
    assert durability_faults(settings) == []
    (fault,) = durability_faults(settings | {name: "off"})
    assert name in fault


def test_a_server_that_logs_values_is_a_fault() -> None:
    assert discretion_faults({"log_statement": "none"}) == []
    assert len(discretion_faults({"log_statement": "all"})) == 1
    assert len(discretion_faults({"log_parameter_max_length_on_error": "-1"})) == 1


@pytest.mark.django_db
def test_the_check_command_looks_at_the_live_server() -> None:
    found = run_checks(tags=["database"], databases=["default"])
    assert not [message for message in found if message.id == "errata.E001"]
