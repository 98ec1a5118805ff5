"""Who is at the other end of the connection: a client, or a proxy that speaks for one.

Forwarded headers count only from the proxies that the operator named (ERRATA_TRUSTED_PROXIES);
anybody can send them, and they decide about rates, lockouts and whether a request came by TLS.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import TYPE_CHECKING

from django.conf import settings

if TYPE_CHECKING:
    from django.http import HttpRequest


def settle_client(request: HttpRequest) -> None:
    """Make REMOTE_ADDR the client's address, and drop forwarded headers that nobody vouches for.

    A named proxy appends the address that it saw to X-Forwarded-For, so the last one counts.
    """
    meta = request.META
    peer = _address(meta.get("REMOTE_ADDR", ""))
    if peer is not None and any(peer in network for network in settings.TRUSTED_PROXIES):
        seen = _address(meta.get("HTTP_X_FORWARDED_FOR", "").rpartition(",")[2].strip())
        if seen is not None:
            meta["REMOTE_ADDR"] = str(seen)
        return
    tls_header = settings.SECURE_PROXY_SSL_HEADER
    for name in [name for name in meta if name.startswith(("HTTP_X_FORWARDED_", "HTTP_FORWARDED"))]:
        del meta[name]
    if tls_header is not None:
        meta.pop(tls_header[0], None)


def _address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(text)
    except ValueError:
        return None
