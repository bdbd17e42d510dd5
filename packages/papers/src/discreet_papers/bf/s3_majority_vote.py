"""Section III, end: Example 1 (the majority vote) with Fig 1, and Remark 1."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

import discreet as dc
from discreet_papers.bf.families import SEED, close, small_joints
from discreet_papers.bf.paper import PAPER
from discreet_papers.claims import Outcome, Study, matches, misprint, not_checkable

if TYPE_CHECKING:
    from discreet import Joint

_L = dc.measures.worst_case_leakage
_L_STAR = dc.measures.maximal_guessing_leakage
VOTERS = 12  # up to which all votes are listed; closed forms are checked further
FAR = 300


def majority(study: Study) -> dict[int, Joint]:
    """All votes of n people, written as numbers, against the majority (3), for n = 1, 2, ..."""
    del study
    return {
        n: dc.Joint.from_pairs([(x, int(2 * x.bit_count() >= n)) for x in range(1 << n)]) for n in range(1, VOTERS + 1)
    }


def one_vote(study: Study) -> dict[int, Joint]:
    """The same for U, the vote of one person."""
    return {n: joint.attribute({x: int(x) & 1 for x in range(1 << n)}) for n, joint in study.once(majority).items()}


def votes_against(n: int) -> int:
    """|[[X|Y=0]]| by the paper's sum up to n0 = ⌈n/2⌉ − 1."""
    return sum(math.comb(n, k) for k in range(math.ceil(n / 2)))


@PAPER.claim("Ex 1", "one vote given Y = 0: {0} for n = 1, 2, and {0,1} from n = 3 on")
def vote_given_no(study: Study) -> Outcome:
    found = {n: joint.range_of(0) for n, joint in study.once(one_vote).items()}
    return matches(
        f"so for n = 1 to {VOTERS} voters", *(given == ((0,) if n < 3 else (0, 1)) for n, given in found.items())
    )


@PAPER.claim("Ex 1", "one vote given Y = 1: {0} for n = 1, and {0,1} from n = 2 on")
def vote_given_yes(study: Study) -> Outcome:
    found = {n: joint.range_of(1) for n, joint in study.once(one_vote).items()}
    rest = all(given == (0, 1) for n, given in found.items() if n > 1)
    return misprint(
        f"for n = 1 it is {{{found[1][0]}}}, as the majority of one is that one's vote; the rest holds to n = {VOTERS}",
        printed=found[1] == (0,) and rest,
        corrected=found[1] == (1,) and rest,
    )


@PAPER.claim(
    "Ex 1, (4)", "one vote leaks 1, 1, 0, 0, ... bits for n = 1, 2, 3, 4, ...; nothing with more than three voters"
)
def vote_leakage(study: Study) -> Outcome:
    found = [_L(joint) for joint in study.once(one_vote).values()]
    return matches(
        f"it is {', '.join(f'{value:g}' for value in found[:5])}, ... to n = {VOTERS}; three voters are enough for 0",
        found == [1, 1] + [0] * (VOTERS - 2),
    )


@PAPER.claim(
    "Ex 1", "|[[X|Y=0]]| is the sum of C(n,k), k = 0..n0, n0 = ⌈n/2⌉ − 1 = (n − 1)/2 for odd, n/2 − 1 for even n"
)
def votes_given_no(study: Study) -> Outcome:
    found = {n: len(joint.range_of(0)) for n, joint in study.once(majority).items()}
    return matches(
        f"counted, it is {', '.join(str(found[n]) for n in range(1, 7))}, ... for n = 1, 2, ..., as the sum, to n = "
        f"{VOTERS}",
        all(count == votes_against(n) for n, count in found.items()),
        all(math.ceil(n / 2) - 1 == ((n - 1) // 2 if n % 2 else n // 2 - 1) for n in range(1, FAR)),
    )


@PAPER.claim("Ex 1", "|[[X|Y=1]]| is the sum of C(n,k), k = 0..n")
def votes_given_yes(study: Study) -> Outcome:
    found = {n: len(joint.range_of(1)) for n, joint in study.once(majority).items()}
    return misprint(
        "that sum is 2^n, the number of all votes; it must start at k = n0 + 1, and is then "
        f"{', '.join(str(found[n]) for n in range(1, 7))}, ... for n = 1, 2, ..., as counted to n = {VOTERS}",
        printed=all(count == 2**n for n, count in found.items()),
        corrected=all(count == 2**n - votes_against(n) for n, count in found.items()),
    )


@PAPER.claim("Ex 1", "|[[X|Y=0]]| − |[[X|Y=1]]| is below 0 for odd n and 0 for even n")
def odd_and_even(study: Study) -> Outcome:
    found = {n: 2 * votes_against(n) - 2**n for n in range(1, FAR)}
    counted = all(
        found[n] == len(joint.range_of(0)) - len(joint.range_of(1)) for n, joint in study.once(majority).items()
    )
    return misprint(
        "odd and even are exchanged: it is 0 for odd n and below 0 for even n, where ties count as yes; "
        f"{', '.join(str(found[n]) for n in range(1, 7))}, ... for n = 1, 2, ... to {FAR - 1}",
        printed=all(value < 0 if n % 2 else value == 0 for n, value in found.items()),
        corrected=counted and all(value == 0 if n % 2 else value < 0 for n, value in found.items()),
    )


@PAPER.claim("Ex 1, (5)", "all votes leak n − log2 Σ C(n,k), k ≤ n0, which is 1 bit for odd n, as the sum is 2^(2 n0)")
def all_votes_odd(study: Study) -> Outcome:
    found = {n: _L(joint) for n, joint in study.once(majority).items()}
    return matches(
        f"(5) is the leakage as counted to n = {VOTERS}, and the sum is 2^(2 n0) for every odd n to {FAR - 1}",
        all(close(value, n - math.log2(votes_against(n))) for n, value in found.items()),
        all(votes_against(n) == 2 ** (n - 1) for n in range(1, FAR, 2)),
    )


@PAPER.claim(
    "Ex 1", "for even n the sum is at least 2^(2 n0), so all votes leak at most 2 bits, and always between 0 and 2"
)
def all_votes_even(study: Study) -> Outcome:
    found = {n: n - math.log2(votes_against(n)) for n in range(1, FAR)}
    return matches(
        f"it is {', '.join(f'{found[n]:.3f}' for n in (2, 4, 6, 8))}, ... for n = 2, 4, 6, 8, ..., and for all n to "
        f"{FAR - 1} between {min(found.values()):g} and {max(found.values()):g}, which n = 2 attains",
        all(votes_against(n) >= 2 ** (n - 2) for n in range(2, FAR, 2)),
        all(0 <= value <= 2 for value in found.values()),
    )


@PAPER.claim("Ex 1", "what all votes leak lies in [0, 2], that is, it is independent of n while |[[U]]| = 2^n grows")
def independent_of_n(study: Study) -> Outcome:
    """ "That is": it is the range of the leakage that is independent of n."""
    found = [_L(joint) for joint in study.once(majority).values()]
    even = [n - math.log2(votes_against(n)) for n in range(2, FAR, 2)]
    return matches(
        "it is bounded whatever n, by 1 and 2 even; the value itself changes: "
        f"{', '.join(f'{v:.3f}' for v in found[:4])} for n = 1 to 4, then always 1 for odd n and falling towards 1 "
        f"for even n ({even[-1]:.3f} at n = {FAR - 2})",
        all(1 <= value <= 2 for value in [*found, *even]),
        all(close(value, 1) for value in found[::2]),
        all(a > b for a, b in itertools.pairwise(even)),
    )


@PAPER.claim(
    "Ex 1, (6)", "L* = log2(2^n − Σ C(n,k) + 1) = log2(|[[X|Y=1]]| + 1), attained by g of (6), increasing in n"
)
def maximal(study: Study) -> Outcome:
    joints = study.once(majority)
    found = [_L_STAR(joint) for joint in joints.values()]
    attained = [
        dc.measures.identifiability(joint, {x: "u*" if x in joint.range_of(0) else x for x in joint.s})
        for n, joint in joints.items()
        if n <= 8
    ]
    far = [2**n - votes_against(n) + 1 for n in range(1, FAR)]
    return matches(
        f"it is {', '.join(f'{value:.3f}' for value in found[:5])}, ... for n = 1, 2, ...; both forms hold as counted "
        f"to n = {VOTERS}, and the formula increases to n = {FAR - 1}",
        all(close(value, math.log2(far[n])) for n, value in enumerate(found)),
        all(
            close(value, math.log2(len(joint.range_of(1)) + 1))
            for value, joint in zip(found, joints.values(), strict=True)
        ),
        all(close(a, b) for a, b in zip(attained, found, strict=False)),
        all(a < b for a, b in itertools.pairwise(far)),
    )


@PAPER.claim(
    "Ex 1, Fig 1, VII",
    "the most destructive inference is not of all votes but of g of (6), which tells them only if half or more say yes",
)
def not_all_votes(study: Study) -> Outcome:
    joints = study.once(majority)
    worse = {n: _L_STAR(joint) > _L(joint) + 1e-9 for n, joint in joints.items()}
    merges = {n: len(joint.range_of(0)) > 1 for n, joint in joints.items()}
    return matches(
        f"L* exceeds what all votes leak for n = 3 to {VOTERS} ({_L_STAR(joints[3]):.3f} against {_L(joints[3]):g} "
        "bit for n = 3); with one or two voters the two are equal and g tells all votes, as only one vote gives Y = 0",
        all(worse[n] == merges[n] == (n >= 3) for n in joints),
    )


@PAPER.claim("Fig 1", "leakage of one vote, of all votes, the maximal leakage and I* against the number of voters")
def figure_1_values(study: Study) -> Outcome:
    return not_checkable(
        "the curves are lost in the text of the paper; the figure is redrawn from (4), (5), Prop 4 and the overlap "
        "partition"
    )


@PAPER.figure("fig1", "Majority vote: what one vote, all votes, and the most exposed attribute leak, and I*, by voters")
def figure_1(study: Study) -> Any:
    from discreet.report import ACCENT, INK, PALE, WARN, figure

    joints, single = study.once(majority), study.once(one_vote)
    drawing, axes = figure(height=3.8)
    voters = list(joints)
    for values, colour, marker, label in (
        ([_L_STAR(j) for j in joints.values()], WARN, "o", "L*(X→Y), the most exposed attribute"),
        ([_L(j) for j in joints.values()], ACCENT, "s", "L(X→Y), all votes"),
        ([dc.measures.maximin_information(j) for j in joints.values()], PALE, "", "I*(X;Y)"),
        ([_L(j) for j in single.values()], INK, "v", "L(U→Y), one vote"),
    ):
        axes.plot(
            voters, values, color=colour, marker=marker, markersize=4.5, linewidth=1.4 if marker else 5, label=label
        )
    axes.lines[2].set_zorder(1)
    axes.set_xticks(voters)
    axes.set_xlabel("voters n")
    axes.set_ylabel("bits")
    axes.legend(frameon=False, fontsize=9, loc="upper left")
    return drawing


@PAPER.claim("Remark 1", "for {(x1,y1),(x2,y1),(x3,y2)}, L*(X→Y) = log 3 and L*(Y→X) = log 2")
def remark_1(study: Study) -> Outcome:
    joint = dc.Joint.from_pairs([("x1", "y1"), ("x2", "y1"), ("x3", "y2")])
    one, other = _L_STAR(joint), _L_STAR(joint.transpose())
    return matches(f"{one:.3f} and {other:g} bits", close(one, math.log2(3)), close(other, 1))


@PAPER.claim("Remark 1", "in most cases L*(X→Y) ≠ L*(Y→X)")
def mostly_asymmetric(study: Study) -> Outcome:
    every = study.once(small_joints)
    differ = sum(not close(_L_STAR(joint), _L_STAR(joint.transpose())) for joint in every)
    rng, large = np.random.default_rng(SEED), 1000
    drawn = [
        joint for joint in (dc.Joint.from_array(rng.random((12, 12)) < 0.5) for _ in range(large)) if joint.n_s == 12
    ]
    far = sum(not close(_L_STAR(joint), _L_STAR(joint.transpose())) for joint in drawn)
    return not_checkable(
        f"it depends on how cases are counted: the two differ for {differ} of the {len(every)} joint ranges up to 4 × "
        f"4 values, and for {far / len(drawn):.0%} of random 12 × 12 ones"
    )


@PAPER.claim("Remark 1", "stochastic maximal leakage and α-leakage depend on the direction, too")
def others_asymmetric(study: Study) -> Outcome:
    joint = dc.Joint.from_array([[1, 0], [1, 2]])
    there, back = joint, joint.transpose()
    maximal = [dc.measures.maximal_leakage(j) for j in (there, back)]
    tuned = [dc.measures.maximal_alpha_leakage(j, order=2) for j in (there, back)]
    shannon = [dc.measures.mutual_information(j) for j in (there, back)]
    return matches(
        f"for the counts [[1, 0], [1, 2]] maximal leakage is {maximal[0]:.3f} bits one way and {maximal[1]:.3f} the "
        f"other, maximal α-leakage of order 2 {tuned[0]:.3f} and {tuned[1]:.3f}; order 1, mutual information, is "
        "symmetric",
        not close(maximal[0], maximal[1]),
        not close(tuned[0], tuned[1]),
        close(shannon[0], shannon[1]),
    )
