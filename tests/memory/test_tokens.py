"""The form of tokens."""

from __future__ import annotations

from hashlib import sha256

import pytest

from memory.tokens import digest_of, new_token, public_id_of


def test_a_new_token_has_the_published_form() -> None:
    token = new_token()

    assert len(token) == 65
    assert token.startswith("errata_")
    assert token[15] == "_"
    assert public_id_of(token) == token[7:15]


def test_two_tokens_share_nothing() -> None:
    first, second = new_token(), new_token()

    assert first[7:15] != second[7:15]
    assert first[16:] != second[16:]


def test_the_checksum_is_a_fixed_function_of_the_rest() -> None:
    body = f"errata_{'A' * 8}_{'0' * 43}"

    assert public_id_of(f"{body}2Qm5P8") is None
    assert public_id_of(f"{body}{_checksum(body)}") == "A" * 8


@pytest.mark.parametrize("place", range(65))
def test_one_changed_character_is_noticed_without_a_query(place: int) -> None:
    token = new_token()
    other = "x" if token[place] != "x" else "y"

    assert public_id_of(token[:place] + other + token[place + 1 :]) is None


@pytest.mark.parametrize("form", ["{}\n", " {}", "{} ", "x{}", "{}0", "Bearer {}"])
def test_text_around_a_token_makes_it_none(form: str) -> None:
    assert public_id_of(form.format(new_token())) is None


def test_a_token_is_case_sensitive_and_complete() -> None:
    token = new_token()

    assert public_id_of(token.upper()) is None
    assert public_id_of(token[:-1]) is None


@pytest.mark.parametrize("text", ["", "errata_", "٣" * 65, "errata_" + "é" * 58])
def test_other_texts_are_no_tokens(text: str) -> None:
    assert public_id_of(text) is None


def test_the_digest_is_over_the_whole_token() -> None:
    token = new_token()

    assert digest_of(token) == sha256(token.encode()).digest()


def _checksum(body: str) -> str:
    from zlib import crc32

    alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    number, text = crc32(body.encode()), ""
    for _ in range(6):
        number, digit = divmod(number, 62)
        text = alphabet[digit] + text
    return text
