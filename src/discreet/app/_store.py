"""All sessions of a server: each is its owner's, each has a private folder, and the oldest makes room."""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
import time
from pathlib import Path

from discreet.app._sessions import Session
from discreet.app._work import Workers

MOST = 64  # sessions that are kept; the one that was not looked at for longest goes first


class Sessions:
    """All sessions of a server, and the private folder that holds theirs."""

    def __init__(self, workers: Workers) -> None:
        self.workers = workers
        self.root = Path(tempfile.mkdtemp(prefix="discreet-app-"))
        self.root.chmod(0o700)
        self._known: dict[str, Session] = {}

    def new(self, owner: str) -> Session:
        """A session of its own for whoever opens the app."""
        while len(self._known) >= MOST:
            oldest = min(self._known.values(), key=lambda each: each.touched)
            self._known.pop(oldest.id).close()
        identity = secrets.token_urlsafe(12)
        folder = self.root / identity
        os.mkdir(folder, 0o700)  # noqa: PTH102, the mode is set from the start
        self._known[identity] = session = Session(identity, owner, folder, self.workers)
        return session

    def get(self, identity: str, owner: str) -> Session | None:
        """A session by its name, for its owner only."""
        found = self._known.get(identity)
        if found is None or found.owner != owner:
            return None
        found.touched = time.monotonic()
        return found

    def close(self) -> None:
        """End all work and remove all files."""
        for session in self._known.values():
            session.close()
        shutil.rmtree(self.root, ignore_errors=True)
