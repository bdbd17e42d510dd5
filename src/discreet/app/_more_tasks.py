"""The long work of the further pages: one column, samples, papers."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path

import numpy as np

from discreet.app._tasks import Emit, told
from discreet.errors import InputError, MissingExtraError
from discreet.recipe import Recipe
from discreet.recipe._running import frontier_of
from discreet.release import Channel, Frontier
from discreet.release._releasing import delivered, target_for
from discreet.sample_privacy._publish_disclosure import Files, publish

MOST_SOFTENED = 400  # values, up to which soft policies take seconds
SOFT_SECONDS = 10.0


@dataclass(frozen=True, eq=False)
class ColumnFound:
    """The frontier of one column, simple rivals as (name, utilities, leakages), and soft policies, where leakage is I."""

    frontier: Frontier
    rivals: tuple[tuple[str, list[float], list[float]], ...]
    soft: tuple[Channel, ...] = ()


def column_frontier(emit: Emit, recipe: Recipe) -> ColumnFound:
    """Every policy worth having for one column, with the baselines that know its values' places, or with soft policies."""
    found = frontier_of(recipe, progress=told(emit))
    rivals = []
    for method in ("mondrian", "equal-frequency") if found.leakage == "L0" else ():
        with suppress(InputError):
            asked = recipe.override(frontier={"method": method, "utility": found.utility})
            other = frontier_of(asked, joint=found.setting.joint)
            rivals.append((method, other.points.utility.tolist(), other.points.leakage.tolist()))
    soft = []
    if found.leakage == "I" and found.setting.joint.n_x <= MOST_SOFTENED:
        soft = [each for each in found.soften(time_limit=SOFT_SECONDS, progress=told(emit)) if not each.is_hard]
    return ColumnFound(found, tuple(rivals), tuple(soft))


def draw_softly(emit: Emit, table: str, channel: Channel, folder: str) -> tuple[str, ...]:
    """Draw a symbol for every row, once, and write what was drawn and the channel that it was drawn by."""
    channel.save(Path(folder) / "private-column-channel.json")
    rng = np.random.default_rng()  # from the machine's own entropy: a draw that can be repeated can be tried out
    done = channel.carry_out(table, rng, progress=told(emit))
    delivered(done, table, target_for(table, Path(folder) / "column-drawn.csv", force=True))
    return tuple(f"this draw gives away {value:.3f} bits on average (I)" for value in done.measures.values())


def run_recipe(emit: Emit, path: str) -> tuple[str, ...]:
    """Run a recipe file, and say what came of it."""
    return tuple(Recipe.load(path).run(force=True, progress=told(emit)).lines())


@dataclass(frozen=True)
class Disclosed:
    """A disclosure that was carried out: what it says, and how much a growing number of samples can tell."""

    lines: tuple[str, ...]
    information: float
    entropy: float
    growth: tuple[tuple[int, float, float], ...]  # samples, bits, proven bound


def disclose_samples(emit: Emit, table: str, samples: tuple[str, ...], latent: str | None, folder: str) -> Disclosed:
    """Draw a y for every row that is independent of each sample column."""
    place = Path(folder)
    private = (str(place / "private-mapping.json"), str(place / "private-disclosure.html"))
    files = Files(str(place / "disclosed.csv"), *private, None, True)
    done = publish(table, list(samples), files=files, latent=latent, seed=0, progress=told(emit))
    lines = tuple(line for line in done.lines() if " written to " not in line)
    return Disclosed(lines, done.disclosure.information, done.disclosure.latent_entropy, tuple(done.growth))


@dataclass(frozen=True)
class Checked:
    """Claims with their verdicts, and figures as (file, what it shows)."""

    rows: list[dict[str, str]]
    figures: tuple[tuple[str, str], ...]


def check_papers(emit: Emit, papers: tuple[str, ...], folder: str | None) -> Checked:
    """The papers' claims with their verdicts, by the distribution that holds them; figures are drawn into a folder."""
    for found in entry_points(group="discreet.papers", name="reproduce"):
        done = found.load()(papers, out=folder, progress=told(emit))
        captions = import_module(found.module).captions(papers)
        drawn = (Path(each).name for each in done.figures)
        return Checked(done.to_list(), tuple((name, captions.get(name, name)) for name in drawn))
    raise MissingExtraError('the claims are a distribution of their own: pip install "discreet[papers]"')
