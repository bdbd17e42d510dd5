"""How well an adversary can place the whole data set: the smallest balls round the regions of the answers.

d_min, the least worst-case error of any estimate [DQ, (7)], is the radius of the smallest ball round some region. It is
known in closed form where all people are alike, within (half the longest width) for any linear query, and always at
least the radius of a ball with the region's volume [DQ, Thm II.2].
"""

from __future__ import annotations

import math
from itertools import product

import numpy as np

from discreet._typing import FloatArray

VERTICES = 8
"""Up to this many entries the corners of a cut box are listed."""

ROUNDS = 1000
"""Points taken into use for a ball, at most."""


def volume_bound(log2_volume: float, n: int) -> float:
    """Γ(n/2 + 1)^(1/n)/√π · volume^(1/n), the radius of a ball with that volume in n dimensions [DQ, Thm II.2].

    Examples
    --------
    >>> round(volume_bound(math.log2(math.pi * 9), 2), 9)
    3.0
    """
    if n == 0 or log2_volume == -math.inf:
        return 0.0
    return math.exp((math.lgamma(n / 2 + 1) + log2_volume * math.log(2)) / n) / math.sqrt(math.pi)


def lattice_bound(log2_count: float, n: int) -> float:
    """The same for whole values: unit cubes round the data sets fit into a ball that is √n/2 larger."""
    return max(volume_bound(log2_count, n) - math.sqrt(n) / 2, 0.0)


def symmetric_squares(n: int, sums: FloatArray, squares: FloatArray) -> FloatArray:
    """Squared radius where all n people are alike, shape (cells,).

    The centre is then (t, …, t), and the radius² is min over t of the greatest n t² - 2 S t + P over the extreme points,
    S their sum and P their sum of squares (shape (cells, points)): at a parabola's own minimum or where two cross.
    """
    i, j = np.triu_indices(sums.shape[1], 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        crossings = np.nan_to_num((squares[:, i] - squares[:, j]) / (2 * (sums[:, i] - sums[:, j])), posinf=0, neginf=0)
    centres = np.concatenate((sums / n, crossings), axis=1)[:, :, None]
    heights = n * centres**2 - 2 * centres * sums[:, None, :] + squares[:, None, :]
    return np.asarray(np.maximum(heights.max(axis=2).min(axis=1), 0.0))


def slab_squares(n: int, start: FloatArray, end: FloatArray) -> FloatArray:
    """Squared radius of {x in [0, 1]^n : start ≤ Σ x ≤ end}: extreme points have at most one entry off 0 and 1.

    For a given centre the farthest points at a sum s have ⌊s⌋ entries 1 and one entry s - ⌊s⌋; over s only the two ends and
    the first and the last whole number between them can be farthest.
    """
    whole = np.stack((np.ceil(start - 1e-12), np.floor(end + 1e-12)), axis=1)
    ends = np.stack((start, end), axis=1)
    whole = np.where(whole[:, :1] <= whole[:, 1:], whole, ends)
    sums = np.concatenate((ends, whole), axis=1)
    ones = np.minimum(np.floor(sums + 1e-12), n)
    return symmetric_squares(n, sums, ones + np.maximum(sums - ones, 0.0) ** 2)


def order_squares(n: int, k: int, lower: float, upper: float, start: FloatArray, end: FloatArray) -> FloatArray:
    """Squared radius of {start ≤ x_(k) ≤ end} in [lower, upper]^n.

    Extreme points have none or k - 1 people at the lower bound, none or n - k at the upper one, and the others, one at
    least, at one end of the cell.
    """
    options = list(product((0, k - 1), (0, n - k), (0, 1)))
    low, high = start - lower, end - lower
    top = upper - lower
    sums, squares = [], []
    for below, above, side in options:
        inside = high if side else low
        rest = n - below - above
        sums.append(above * top + rest * inside)
        squares.append(above * top**2 + rest * inside**2)
    return symmetric_squares(n, np.stack(sums, axis=1), np.stack(squares, axis=1))


def count_squares(
    n: int, have: tuple[float, float], lack: tuple[float, float], start: FloatArray, end: FloatArray
) -> FloatArray:
    """Squared radius where from `start` to `end` of n like people have a property, values between `have`, the others
    between `lack`.
    """
    sums, squares = [], []
    for number, one, other in product((start, end), have, lack):
        sums.append(number * one + (n - number) * other)
        squares.append(number * one**2 + (n - number) * other**2)
    return symmetric_squares(n, np.stack(sums, axis=1), np.stack(squares, axis=1))


def cut_box_squares(reach: FloatArray, widths: FloatArray, start: float, end: float) -> tuple[float, float]:
    """Bounds on the squared radius of {y in [0, 1]^n : start ≤ Σ reach_i y_i ≤ end}, entry i being widths_i long.

    With squares replaced by their chords the problem is its own dual: max Σ widths_i² y_i (1 - y_i) over the region, at a
    point y with sum s. That bounds the radius² from above. A random corner of {Σ reach y = s} with mean y, made by moving
    two entries at a time against each other, has all entries but one at their ends, so its spread, which bounds the
    radius² from below, is smaller by at most max widths²/4. The box is shrunk to what the cell leaves of it first.
    """
    total = float(reach.sum())
    least = np.clip((start - (total - reach)) / reach, 0.0, 1.0)
    most = np.clip(end / reach, 0.0, 1.0)
    widths, start, end = widths * (most - least), start - float(reach @ least), end - float(reach @ least)
    reach = reach * (most - least)
    total = float(reach.sum())
    target = min(max(total / 2, start), end)
    y = _spread_out(reach, widths, target)
    above = float((widths**2 * y * (1 - y)).sum())
    return max(above - float((widths**2).max()) / 4, float(widths.max()) ** 2 / 4), above


def _spread_out(reach: FloatArray, widths: FloatArray, target: float) -> FloatArray:
    """argmax Σ widths² y (1 - y) with Σ reach y = target: y_i = 1/2 - λ reach_i/widths_i², clipped."""
    ratio = reach / np.where(widths > 0, widths, 1.0) ** 2

    def at(multiplier: float) -> FloatArray:
        return np.asarray(np.clip(0.5 - multiplier * ratio, 0.0, 1.0))

    bound = 0.5 / float(ratio[ratio > 0].min()) if (ratio > 0).any() else 0.0
    low, high = -bound, bound
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if float(reach @ at(middle)) > target else (low, middle)
    return at((low + high) / 2)


def corners(reach: FloatArray, start: float, end: float) -> FloatArray:
    """The corners of {y in [0, 1]^n : start ≤ Σ reach_i y_i ≤ end}, shape (corners, n), for small n."""
    n = len(reach)
    box = np.array(list(product((0.0, 1.0), repeat=n)))
    sums = box @ reach
    found = [box[(sums >= start) & (sums <= end)]]
    for bound in (start, end):
        for i in range(n):
            base = box[box[:, i] == 0]
            place = (bound - base @ reach) / reach[i]
            inside = (place >= 0) & (place <= 1)
            made = base[inside].copy()
            made[:, i] = place[inside]
            found.append(made)
    return np.concatenate(found)


def smallest_ball(points: FloatArray, rounds: int = ROUNDS) -> tuple[float, float]:
    """Bounds on the squared radius of the smallest ball round points, by an active set on its dual.

    The dual value Σ p_i |x_i - c|² with c = Σ p_i x_i is a lower bound, the farthest point from c an upper one. Each round
    takes the farthest point into use and goes to the ball through all in use; on the way, points whose weight falls to 0
    are let go (Wolfe's minor cycles), so that the lower bound never falls.
    """
    points = points - points.mean(axis=0)
    norms = (points**2).sum(axis=1)
    used, share = [int(norms.argmax())], np.ones(1)
    below, above = 0.0, math.inf
    for _ in range(rounds):
        centre = share @ points[used]
        distance = norms - 2 * points @ centre + centre @ centre
        below, above = max(below, float(share @ distance[used])), min(above, float(distance.max()))
        far = int(distance.argmax())
        if above - below <= 1e-12 * above or far in used:
            break
        used, share = [*used, far], np.append(share, 0.0)
        while True:
            wanted = _through(points[used], norms[used], share)
            falling = wanted < -1e-14
            if not falling.any():
                share = np.clip(wanted, 0.0, None)
                break
            reach = np.where(falling, share / np.where(falling, share - wanted, 1.0), np.inf)
            share = share + float(reach.min()) * (wanted - share)
            share[int(reach.argmin())] = 0.0
            kept = share > 1e-15
            used, share = [i for i, each in zip(used, kept, strict=True) if each], share[kept]
        share /= share.sum()
    return below, max(above, below)


def _through(x: FloatArray, norms: FloatArray, share: FloatArray) -> FloatArray:
    """Weights p, some perhaps below 0, of the ball through points: |x_i - c|² alike for all, c = Σ p_i x_i, Σ p_i = 1.

    Where the points are affinely dependent there may be none: then weights can be exchanged without moving the centre, and
    far along the exchange that widens the ball one of them has to go.
    """
    k = len(x)
    scaled = np.vstack((x.T, np.full(k, math.sqrt(float(norms.max())))))
    _, sizes, right = np.linalg.svd(scaled)
    free = right[int((sizes > 1e-10 * sizes[0]).sum()) :]
    gain = free @ norms
    if len(gain) and np.abs(gain).max() > 1e-9 * norms.max():
        return np.asarray(share + (gain @ free) * (1e3 / np.abs(gain @ free).max()))
    system = np.block([[2 * x @ x.T, np.ones((k, 1))], [np.ones((1, k)), np.zeros((1, 1))]])
    return np.asarray(np.linalg.lstsq(system, np.append(norms, 1.0), rcond=None)[0][:k])
