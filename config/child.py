"""Child processes that end with their parent, as another account where asked.

`command` wraps a program; the wrapper is this very file, run as a script before the program. A
script instead of subprocess's `preexec_fn`, because that is unsafe as soon as threads exist.
"""

from __future__ import annotations

import ctypes
import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

PR_SET_PDEATHSIG: Final = 1
REFUSED: Final = 78  # status of a child that has said in one line why it cannot start


@dataclass(frozen=True, slots=True)
class Account:
    """An account that root drops to."""

    uid: int
    gid: int


def command(program: Sequence[str], *, last_signal: int, account: Account | None) -> list[str]:
    """The command that runs a program which gets `last_signal` when this process dies.

    Linux watches the thread that starts it: start it from one that lives as long as needed.
    """
    uid, gid = (account.uid, account.gid) if account else (-1, -1)
    numbers = [str(number) for number in (os.getpid(), last_signal, uid, gid)]
    return [sys.executable, "-I", "-S", __file__, *numbers, *program]


def die_with_parent(last_signal: int) -> None:
    """Ask the kernel to send this process a signal when its parent dies."""
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, last_signal, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


def become(arguments: list[str]) -> None:
    """Drop to the account, tie this process to its parent, and become the program."""
    parent, last_signal, uid, gid = (int(number) for number in arguments[:4])
    program = arguments[4:]
    os.umask(0o077)
    try:
        if uid >= 0:
            os.setgroups([])
            os.setgid(gid)
            os.setuid(uid)
        die_with_parent(last_signal)  # a change of account forgets it, so not earlier
        if os.getppid() != parent:
            sys.exit(0)  # the parent died in between, and no signal will come
        os.execv(program[0], program)  # noqa: S606 - the program is ours, and no shell reads it
    except OSError as error:
        sys.exit(f"FATAL:  {program[0]} cannot be started: {error.strerror}")


if __name__ == "__main__":
    become(sys.argv[1:])
