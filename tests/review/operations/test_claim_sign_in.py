from __future__ import annotations

from functools import partial
from time import sleep

import pytest
from django.conf import LazySettings
from django.db import connection, transaction

from memory.errors import Unavailable
from review.errors import TooManySignIns
from review.operations.claim_sign_in import claim_sign_in
from review.operations.clear_sign_in import clear_sign_in
from review.operations.sign_in_rows import SignInKeys, network_of
from tests.racing import race, refusals, successes

COUNTS = "SELECT kind, failures, locked_until IS NOT NULL FROM review_signinwait ORDER BY kind"


def keys(name: str = "ann", address: str = "192.0.2.1") -> SignInKeys:
    return SignInKeys.of(name=name, address=address)


def counts() -> list[tuple[str, int, bool]]:
    with connection.cursor() as cursor:
        cursor.execute(COUNTS)
        return [(kind, failures, waits) for kind, failures, waits in cursor.fetchall()]


def age_rows(hours: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE review_signinwait SET updated_at = updated_at - %s * interval '1 hour',"
            " locked_until = locked_until - %s * interval '1 hour'",
            [hours, hours],
        )


def claims(number: int, at: SignInKeys) -> int:
    """How many of so many attempts got through."""
    through = 0
    for _ in range(number):
        try:
            claim_sign_in(keys=at)
        except TooManySignIns:
            continue
        through += 1
    return through


@pytest.mark.django_db
def test_an_attempt_counts_as_a_failure_before_it_is_one() -> None:
    claim_sign_in(keys=keys())
    assert counts() == [("address", 1, False), ("name", 1, False)]


@pytest.mark.django_db
def test_of_many_attempts_at_one_name_five_get_through() -> None:
    assert claims(30, keys()) == 5


@pytest.mark.django_db
def test_of_many_attempts_from_one_address_twenty_get_through() -> None:
    through = sum(claims(1, keys(name=f"name-{number}")) for number in range(40))
    assert through == 20


@pytest.mark.django_db
def test_an_address_that_waits_does_not_reach_the_name() -> None:
    for number in range(20):
        claim_sign_in(keys=keys(name=f"name-{number}"))
    assert claims(30, keys(name="victim")) == 0
    assert claims(5, keys(name="victim", address="192.0.2.2")) == 5


@pytest.mark.django_db
def test_an_attempt_at_a_name_that_waits_neither_counts_for_it_nor_prolongs_its_wait() -> None:
    claims(5, keys())
    with pytest.raises(TooManySignIns) as first:
        claim_sign_in(keys=keys())
    with pytest.raises(TooManySignIns) as second:
        claim_sign_in(keys=keys())
    assert second.value.retry_after <= first.value.retry_after <= 60
    assert counts() == [("address", 7, False), ("name", 5, True)]


@pytest.mark.django_db
def test_a_success_forgets_the_name_and_gives_the_attempt_back_to_the_address() -> None:
    claims(3, keys())
    clear_sign_in(keys=keys())
    assert counts() == [("address", 2, False)]


@pytest.mark.django_db
def test_a_success_on_the_twentieth_attempt_of_an_address_ends_the_wait_that_it_set() -> None:
    for number in range(20):
        claim_sign_in(keys=keys(name=f"name-{number}"))
    clear_sign_in(keys=keys(name="name-19"))
    assert ("address", 19, False) in counts()


@pytest.mark.django_db
def test_failures_are_forgotten_when_nothing_happened_for_a_day() -> None:
    claims(5, keys())
    age_rows(23)
    claim_sign_in(keys=keys())
    assert ("name", 6, True) in counts()
    age_rows(25)
    claim_sign_in(keys=keys())
    assert counts() == [("address", 1, False), ("name", 1, False)]


@pytest.mark.django_db
def test_a_success_sweeps_up_what_is_forgotten() -> None:
    for number in range(5):
        claim_sign_in(keys=keys(name=f"name-{number}", address=f"192.0.2.{number}"))
    age_rows(25)
    claim_sign_in(keys=keys(address="192.0.2.99"))
    clear_sign_in(keys=keys(address="192.0.2.99"))
    assert counts() == [("address", 0, False)]


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:aaaa::1", "2001:db8:1:2::/64"),
        ("2001:0db8:0001:0002:ffff:ffff:ffff:ffff", "2001:db8:1:2::/64"),
        ("", ""),
        ("unix:", "unix:"),
    ],
)
def test_an_address_stands_for_all_addresses_that_one_person_has(
    address: str, network: str
) -> None:
    assert network_of(address) == network


@pytest.mark.django_db
def test_a_digest_tells_names_from_addresses_and_needs_the_secret_key(
    settings: LazySettings,
) -> None:
    same = SignInKeys.of(name="192.0.2.1", address="192.0.2.1")
    assert same.name != same.address
    assert len(same.name) == len(same.address) == 32
    settings.SECRET_KEY = "another-key-" * 5
    assert SignInKeys.of(name="192.0.2.1", address="192.0.2.1") != same


@pytest.mark.django_db(transaction=True)
def test_of_a_hundred_parallel_guesses_at_one_name_five_get_through() -> None:
    def guess(number: int) -> None:
        claim_sign_in(keys=keys(address=f"192.0.2.{number}"))

    outcomes = [
        outcome
        for begin in range(0, 100, 25)
        for outcome in race([partial(guess, number) for number in range(begin, begin + 25)])
    ]
    assert len(successes(outcomes)) == 5
    assert refusals(outcomes) == ["TooManySignIns"] * 95


@pytest.mark.django_db(transaction=True)
def test_claims_and_successes_at_once_do_not_deadlock() -> None:
    def both(number: int) -> None:
        at = keys(name=f"name-{number % 3}", address=f"192.0.2.{number % 2}")
        for _ in range(20):
            try:
                claim_sign_in(keys=at)
            except TooManySignIns:
                continue
            clear_sign_in(keys=at)

    outcomes = race([partial(both, number) for number in range(12)])
    assert refusals(outcomes) == []


@pytest.mark.django_db(transaction=True)
def test_a_row_that_is_held_for_too_long_is_busy_and_not_a_fault() -> None:
    claim_sign_in(keys=keys())

    def hold() -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT FROM review_signinwait FOR UPDATE")
            sleep(0.5)

    def come_late() -> None:
        sleep(0.1)
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = 100")
        claim_sign_in(keys=keys())

    outcomes = race([hold, come_late])
    assert isinstance(outcomes[1], Unavailable)
