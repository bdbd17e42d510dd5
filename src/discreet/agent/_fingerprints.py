"""Fingerprints of private columns by person: the same values are known again under another name, with a row more or fewer.

A fingerprint is a keyed hash of each value, of each value with the public labels of its row, and of each value with who it is
about. The key stands in a file of its own, so the ledger that holds the hashes reveals nothing. Of many hashes the smallest
are kept: those of two columns can then be compared, because a hash that is small is small in both.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import math
import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet._typing import FloatArray, IntArray
from discreet.errors import InputError

SMALLEST = 4000
"""Hashes that are kept of a column."""

SHARED = 0.3
"""Share of the people, beyond what chance explains, that two columns must have in common to be of the same people."""

SURE = 3.0
"""Standard deviations that chance is given on top."""

FEWEST = 8
"""Hashes that two columns must have to be compared at all, unless they are alike in everything."""

Hashes = npt.NDArray[np.uint64]


def secret(path: Path, *, begin: Callable[[bytes], None] | None = None) -> bytes:
    """The key of the fingerprints; `begin` is told of a new one before it is made where there is none.

    It is a file that only its owner can read, and it is there whole or not at all, whoever else starts or dies meanwhile.
    """
    if not path.exists():
        if begin is None:
            raise InputError(f"{path.name} is missing, the key of the fingerprints: put it back")
        key = secrets.token_bytes(32)
        begin(key)
        draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
        try:
            with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                file.write(key.hex() + "\n")
                file.flush()
                os.fsync(file.fileno())
            with suppress(FileExistsError):
                os.link(draft, path)
        except OSError as problem:
            raise InputError(
                f"the key of the fingerprints cannot be written to {path.name}: {problem.strerror}"
            ) from None
        finally:
            draft.unlink(missing_ok=True)
    try:
        key = bytes.fromhex(path.read_text().strip())
    except (OSError, ValueError):
        key = b""
    if len(key) != 32:
        raise InputError(f"{path.name} holds no key of fingerprints: put the right one back")
    return key


def digest(key: bytes, *parts: bytes) -> str:
    """A keyed hash of several things, in order."""
    mac = hmac.new(key, digestmod=hashlib.sha256)
    for part in parts:
        mac.update(len(part).to_bytes(8, "big") + part)
    return mac.hexdigest()


@dataclass(frozen=True, eq=False)
class _Sketch:
    """The smallest hashes of a column in increasing order, how many rows have each, and below what they are all there."""

    hashes: Hashes
    counts: Hashes
    limit: int

    @classmethod
    def of(cls, hashes: Hashes, counts: IntArray) -> _Sketch:
        order = np.argsort(hashes)
        limit = int(hashes[order[SMALLEST]]) if len(hashes) > SMALLEST else 2**64 - 1
        return cls(hashes[order[:SMALLEST]], counts[order[:SMALLEST]].astype(np.uint64), limit)

    def to_text(self) -> list[Any]:
        return [
            *(base64.b64encode(each.astype("<u8").tobytes()).decode() for each in (self.hashes, self.counts)),
            self.limit,
        ]

    @classmethod
    def from_text(cls, said: list[Any]) -> _Sketch:
        hashes, counts = (np.frombuffer(base64.b64decode(text), "<u8").astype(np.uint64) for text in said[:2])
        return cls(hashes, counts, int(said[2]))

    def below(self, limit: int) -> tuple[Hashes, Hashes]:
        small = self.hashes < np.uint64(limit)
        return self.hashes[small], self.counts[small]

    def same_people(self, other: _Sketch) -> bool:
        """Whether more rows agree than chance explains."""
        limit = min(self.limit, other.limit)
        mine, yours = self.below(limit), other.below(limit)
        if min(len(mine[0]), len(yours[0])) < FEWEST:
            return False
        _, a, b = np.intersect1d(mine[0], yours[0], assume_unique=True, return_indices=True)
        larger, smaller = sorted((float(mine[1].sum()), float(yours[1].sum())), reverse=True)
        agree = float(np.minimum(mine[1][a], yours[1][b]).sum()) / smaller
        by_chance = max(_by_chance(counts.astype(float), larger, smaller) for _, counts in (mine, yours))
        noise = SURE * math.sqrt(by_chance * (1 - by_chance) / smaller)
        return agree >= min(1.0, by_chance + SHARED * (1 - by_chance) + noise) and by_chance < 1


def _by_chance(counts: FloatArray, larger: float, smaller: float) -> float:
    """The share of rows that other people would have in common with these: of values seen once, nearly none come again."""
    rate = counts * (smaller / larger)
    # E min(c, Poisson(rate)), about: the mean less what scatters above c.
    met = np.where(
        counts < 2, 1 - np.exp(-rate), rate - np.sqrt(rate / (2 * np.pi)) * np.exp(-((counts - rate) ** 2) / (2 * rate))
    )
    seen_once = float((counts == 1).sum())
    return float(min(1 - seen_once / counts.sum(), max(0.0, met.sum() / smaller)))


@dataclass(frozen=True, eq=False)
class Fingerprint:
    """What a private column is known by: its values, its values by public labels, and its values by person."""

    values: _Sketch
    rows: _Sketch
    people: _Sketch | None

    @classmethod
    def of(
        cls, key: bytes, values: FloatArray, labels: IntArray, texts: list[bytes], people: list[bytes] | None
    ) -> Fingerprint:
        """Of a column; `labels` says which text of public labels a row has, `people` who each row is about."""
        distinct, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
        pairs, number = np.unique(np.stack([codes.reshape(-1), labels]), axis=1, return_counts=True)
        said = [repr(value).encode() for value in distinct.tolist()]
        rows = [texts[label] + b"|" + said[value] for value, label in pairs.T.tolist()]
        who = None
        if people is not None:
            who = _Sketch.of(
                _hashed(key, b"who", people), _hashed(key, b"person", said)[codes.reshape(-1)].astype(np.int64)
            )
        return cls(
            _Sketch.of(_hashed(key, b"values", said), counts), _Sketch.of(_hashed(key, b"rows", rows), number), who
        )

    def to_json(self) -> str:
        """As the ledger holds it."""
        parts = (self.values, self.rows, self.people)
        return json.dumps([part.to_text() if part else None for part in parts])

    @classmethod
    def from_json(cls, text: str) -> Fingerprint:
        """The inverse of `to_json`."""
        values, rows, people = json.loads(text)
        who = _Sketch.from_text(people) if people else None
        return cls(_Sketch.from_text(values), _Sketch.from_text(rows), who)

    def matches(self, other: Fingerprint) -> bool:
        """Whether two columns hold values of the same people."""
        if self.people and other.people and _same_by_name(self.people, other.people):
            return True
        return self.values.same_people(other.values) or self.rows.same_people(other.rows)

    def equals(self, other: Fingerprint) -> bool:
        """Whether two columns hold the same values, each as often."""
        mine, yours = self.values, other.values
        return np.array_equal(mine.hashes, yours.hashes) and np.array_equal(mine.counts, yours.counts)


def _same_by_name(one: _Sketch, other: _Sketch) -> bool:
    """Whether people who are in both have the same values there; `counts` are hashes of their values."""
    _, a, b = np.intersect1d(one.hashes, other.hashes, assume_unique=True, return_indices=True)
    if len(a) < FEWEST:
        return False
    shares = np.unique(one.counts[a], return_counts=True)[1] / len(a)
    by_chance = float(np.square(shares).sum())
    noise = SURE * math.sqrt(by_chance * (1 - by_chance) / len(a))
    agree = float((one.counts[a] == other.counts[b]).mean())
    return by_chance < 1 and agree >= min(1.0, by_chance + SHARED * (1 - by_chance) + noise)


def _hashed(key: bytes, what: bytes, texts: list[bytes]) -> Hashes:
    hashes = b"".join(hashlib.blake2b(text, digest_size=8, key=key, person=what).digest() for text in texts)
    return np.frombuffer(hashes, "<u8").astype(np.uint64)
