"""Addresses that servers listen on: taken before anything else happens, and beyond this machine only with TLS."""

from __future__ import annotations

import socket
import ssl
from typing import Any

from discreet.errors import InputError

LOOPBACK = ("127.0.0.1", "::1", "localhost")
EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104, people open it by the machine's name


def listener(host: str, port: int, backlog: int = 512) -> socket.socket:
    """A socket that has the port."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=backlog)
    except OSError as problem:
        why = (problem.strerror or "no such address").partition(" (")[0]
        raise InputError(f"{host}:{port} cannot be listened on: {why}; try another --port or --host") from None


def check_reach(host: str, proxy: str | None, certificate: str | None, key: str | None) -> None:
    """Refuse to be reached from elsewhere in a way that others can read along: keys and passwords need TLS."""
    if host not in LOOPBACK and proxy is None and not (certificate and key):
        raise InputError(
            "beyond this machine keys and passwords need TLS: give --tls-cert and --tls-key, or --proxy https://… where one "
            "has it"
        )
    if proxy is not None and not proxy.startswith("https://"):
        raise InputError("--proxy is the https address under which people reach it, such as https://data.example.org")


def certificates(certificate: str | None, key: str | None) -> dict[str, Any]:
    """What uvicorn needs for TLS; files that cannot be used are refused before anything starts."""
    if not certificate and not key:
        return {}
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate or "", key)
    except (OSError, ssl.SSLError):
        raise InputError("--tls-cert and --tls-key are not a certificate and its key, or cannot be read") from None
    return {"ssl_certfile": certificate, "ssl_keyfile": key}


def address_of(taken: socket.socket, host: str, proxy: str | None, *, secure: bool) -> str:
    """How people reach a server."""
    name = socket.gethostname() if host in EVERYWHERE else host
    shown = f"[{name}]" if ":" in name else name
    return proxy.rstrip("/") if proxy else f"{'https' if secure else 'http'}://{shown}:{taken.getsockname()[1]}"
