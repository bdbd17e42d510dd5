"""Closed forms against enumeration."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from discreet._typing import FloatArray
from discreet.errors import InputError
from discreet.sample_privacy._explicit_mappings import SegmentMapping, two_binary_samples, universal_mapping
from tests._oracles.disclosures_by_enumeration import bits, leak_of, solve


def disclosed(p: FloatArray, channel: FloatArray, latent: FloatArray) -> float:
    """I(W;Y) of a mapping, from entropies."""
    joint = np.tensordot((p[..., None] * latent).reshape(p.size, -1), channel.reshape(p.size, -1), axes=(0, 0))
    return bits(joint.sum(axis=0)) + bits(joint.sum(axis=1)) - bits(joint)


def is_private(found: SegmentMapping, groups: Sequence[tuple[int, ...]]) -> None:
    assert max(leak_of(found.p, found.channel, g) for g in groups) < 1e-12
    np.testing.assert_allclose(found.channel.sum(axis=-1), 1, atol=1e-14)
    assert found.channel.min() >= 0
    np.testing.assert_allclose(np.tensordot(found.p_y, found.vertices, axes=1), found.p, atol=1e-15)


def test_two_binary_samples_agree_with_enumeration() -> None:
    rng = np.random.default_rng(5)
    for _ in range(300):
        p = rng.dirichlet(np.full(4, 0.7)).reshape(2, 2)
        latent = rng.dirichlet(np.ones(3), size=(2, 2))
        found = two_binary_samples(p)
        is_private(found.mapping, [(0,), (1,)])
        assert abs(found.information(latent) - solve(p, latent).information) < 1e-12
        assert abs(found.information() - solve(p).information) < 1e-12
        assert abs(disclosed(p, found.mapping.channel, latent) - found.information(latent)) < 1e-12


def test_the_mapping_is_the_paper_s() -> None:
    rng = np.random.default_rng(6)
    for _ in range(50):
        p = rng.dirichlet(np.ones(4)).reshape(2, 2)
        found = two_binary_samples(p)
        a, b, r = found.alpha, found.beta, found.r
        top = min(a, 1 - b)
        assert a <= b
        printed = np.array(  # (26), first row
            [
                r * (a - top) / (top * (a - r)),
                1,
                r * (b - a + top) / (top * (b - a + r)),
                r * (1 - b - top) / (top * (1 - b - r)),
            ]
        ).reshape(2, 2)
        np.testing.assert_allclose(
            found.mapping.channel[..., 0], printed.T if p[0, 1] > p[1, 0] else printed, atol=1e-12
        )


def test_two_binary_samples_without_room() -> None:
    found = two_binary_samples(np.array([[0.5, 0.0], [0.2, 0.3]]))
    assert found.information() == 0
    assert found.mapping.channel.shape == (2, 2, 1)
    with pytest.raises(InputError, match="two binary samples"):
        two_binary_samples(np.full((2, 3), 1 / 6))


@pytest.mark.parametrize("seed", range(10))
def test_a_universal_mapping_is_optimal_for_every_latent(seed: int) -> None:
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.ones(6)).reshape(2, 3)
    p[seed % 2, seed % 3] = 0  # |support| = 5 = 2 + 3 − 2 + 2 and rank 4
    p /= p.sum()
    found = universal_mapping(p)
    assert found is not None
    is_private(found, [(0,), (1,)])
    for _ in range(5):
        latent = rng.dirichlet(np.ones(2), size=p.shape)
        assert found.information(latent) == pytest.approx(solve(p, latent).information, abs=1e-11)
        assert disclosed(p, found.channel, latent) == pytest.approx(found.information(latent), abs=1e-12)
    assert found.information() == pytest.approx(solve(p).information, abs=1e-11)


def test_universal_mapping_of_a_family() -> None:
    p = np.random.default_rng(3).dirichlet(np.ones(8)).reshape(2, 2, 2)
    pairs = [(0, 1), (1, 2), (0, 2)]
    found = universal_mapping(p, pairs)  # rank 7 of 8: only the parity is left
    assert found is not None
    is_private(found, pairs)
    assert found.information() == pytest.approx(solve(p, None, pairs).information, abs=1e-11)
    assert universal_mapping(p) is None


def test_proposition_4_as_printed_fails_on_two_blocks() -> None:
    p = np.zeros((4, 4))
    p[:2, :2] = p[2:, 2:] = 1 / 8
    assert (p > 0).sum() == 4 + 4 - 2 + 2  # its hypothesis
    assert universal_mapping(p) is None
    odd = np.indices((4, 4)).sum(axis=0) % 2
    apart = odd ^ (np.indices((4, 4))[0] >= 2)  # parity, turned round in the second block
    best = []
    for w in (odd, apart):
        latent = np.stack([1.0 - w, w], axis=-1)
        best.append(solve(p, latent))
        assert best[-1].information == pytest.approx(1, abs=1e-9)
        assert disclosed(p, latent, latent) == pytest.approx(1)
        # Y must be W itself, up to names; it then says nothing about the other latent.
        other = np.stack([1.0 - (odd ^ apart ^ w), odd ^ apart ^ w], axis=-1)
        assert disclosed(p, best[-1].channel, other) < 1e-9
