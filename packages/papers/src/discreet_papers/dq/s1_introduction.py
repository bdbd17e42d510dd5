"""I: what randomised policies and other theories do."""

from __future__ import annotations

import math

import numpy as np

from discreet import Joint
from discreet.measures import entropy, local_dp_epsilon, mutual_information, worst_case_leakage
from discreet_papers.claims import Outcome, Study, matches, not_checkable
from discreet_papers.dq.families import SLACK, functions, mean_of_two
from discreet_papers.dq.paper import PAPER


@PAPER.claim("I", "differential privacy presupposes randomised functions")
def needs_randomness(study: Study) -> Outcome:
    found = {
        f: local_dp_epsilon(Joint.from_array(np.equal.outer(np.array(f), np.unique(f)).astype(int)))
        for f in functions(4)
    }
    constant = [f for f in found if len(set(f)) == 1]
    return matches(
        f"of the {len(found)} deterministic functions of 4 letters only the constant one has a finite ε (it is "
        f"{found[constant[0]]:g})",
        all(math.isinf(epsilon) == (f not in constant) for f, epsilon in found.items()),
        found[constant[0]] == 0,
    )


@PAPER.claim(
    "I", "deterministic policies are popular, and randomised ones are not in finance, health and the social sciences"
)
def popularity(study: Study) -> Outcome:
    return not_checkable("statements about practice, with citations and without figures")


@PAPER.claim(
    "I",
    "Laplace noise returns impossible reports, such as a negative income, with a probability that can be high "
    "because its tail decays slowly",
)
def impossible_reports(study: Study) -> Outcome:
    # The mean of 10 values in [0, M] has sensitivity M/10; ε = 1/2 then asks for the scale M/5. Let the true mean be M/10.
    scale, truth = 1 / 5, 1 / 10
    laplace = math.exp(-truth / scale) / 2
    far = 5 * math.sqrt(2) * scale  # five standard deviations
    tails = math.exp(-far / scale) / 2, math.erfc(5 / math.sqrt(2)) / 2
    normal = math.erfc(truth / (math.sqrt(2) * scale) / math.sqrt(2)) / 2
    answers = study.once(mean_of_two).answers
    return matches(
        f"mean of 10 values in [0, M], ε = ½, true mean M/10: negative with probability {laplace:.2f}; five "
        f"deviations out {tails[0]:.0e} against {tails[1]:.0e} for a normal law. Near 0 it is the scale and not "
        f"the tail: a normal law of that deviation gives {normal:.2f}. Quantised answers stay in the range",
        laplace > 0.25,
        tails[0] > 1000 * tails[1],
        bool((np.abs(answers) <= 2).all()),
    )


@PAPER.claim(
    "I", "stochastic measures guarantee only an average, non-stochastic ones what can be learnt of each instance"
)
def averages(study: Study) -> Outcome:
    joint = Joint.from_array([[50, 48, 0], [50, 50, 0], [0, 0, 2]])
    average, worst = mutual_information(joint), worst_case_leakage(joint)
    return matches(
        f"200 people, 2 of them in a cell that tells their value: I = {average:.2f} bits, L0 = {worst:.2f} bits, "
        "which is all of log2 3",
        average < 0.1,
        abs(worst - math.log2(3)) < SLACK,
    )


@PAPER.claim("I", "the non-stochastic theory is not the same as taking inputs as uniformly distributed")
def not_uniform(study: Study) -> Outcome:
    quantised = study.once(mean_of_two)
    shares = 2.0**quantised.shares
    bits = entropy(Joint.from_array(shares[:, None]))
    return matches(
        f"mean of two numbers, four answers: uniform inputs give I = {bits:.3f} bits, I* is "
        f"{quantised.maximin:g}. But L0 = {quantised.leakage:g} is the uniform law's too: −log2 of its rarest "
        "answer, since volumes stand for sizes",
        bits < quantised.maximin - 0.1,
        abs(quantised.leakage + math.log2(shares.min())) < SLACK,
    )
