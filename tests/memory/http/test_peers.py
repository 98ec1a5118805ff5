"""Forwarded headers count only from named proxies."""

from __future__ import annotations

from ipaddress import ip_network
from typing import TYPE_CHECKING

import pytest
from django.test import RequestFactory

from memory.http.peers import settle_client

if TYPE_CHECKING:
    from django.http import HttpRequest
    from pytest_django import Settings

PROXY = "10.0.0.5"
CLIENT = "203.0.113.9"


@pytest.fixture(autouse=True)
def _named_proxy(settings: Settings) -> None:
    settings.TRUSTED_PROXIES = (ip_network("10.0.0.0/24"),)
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")


def arrive(peer: str, **headers: str) -> HttpRequest:
    request = RequestFactory().get("/", REMOTE_ADDR=peer, **headers)  # type: ignore[arg-type]
    settle_client(request)
    return request


def test_a_named_proxy_speaks_for_the_client_it_saw_last() -> None:
    request = arrive(PROXY, HTTP_X_FORWARDED_FOR=f"198.51.100.1, {CLIENT}")
    assert request.META["REMOTE_ADDR"] == CLIENT


def test_a_named_proxy_says_that_the_client_came_by_tls() -> None:
    assert arrive(PROXY, HTTP_X_FORWARDED_PROTO="https").is_secure()


def test_nobody_else_chooses_an_address_or_a_scheme() -> None:
    request = arrive(
        CLIENT,
        HTTP_X_FORWARDED_FOR="198.51.100.1",
        HTTP_X_FORWARDED_PROTO="https",
        HTTP_X_FORWARDED_HOST="evil.example",
        HTTP_FORWARDED="for=198.51.100.1",
    )
    assert request.META["REMOTE_ADDR"] == CLIENT
    assert not request.is_secure()
    assert not [name for name in request.META if "FORWARDED" in name]


@pytest.mark.parametrize("forwarded", ["", "not an address", f"{CLIENT}, "])
def test_a_proxy_that_says_nothing_usable_stands_for_itself(forwarded: str) -> None:
    assert arrive(PROXY, HTTP_X_FORWARDED_FOR=forwarded).META["REMOTE_ADDR"] == PROXY


def test_a_socket_without_an_address_is_not_a_named_proxy() -> None:
    assert arrive("", HTTP_X_FORWARDED_FOR=CLIENT).META["REMOTE_ADDR"] == ""
