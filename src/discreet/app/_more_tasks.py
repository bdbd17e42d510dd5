"""The long work of the further pages: one column, samples, papers."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path

from discreet.app._tasks import Emit, told
from discreet.errors import InputError, MissingExtraError
from discreet.recipe import Recipe
from discreet.recipe._running import frontier_of
from discreet.release import Frontier
from discreet.sample_privacy._publish_disclosure import Files, publish


@dataclass(frozen=True, eq=False)
class ColumnFound:
    """The frontier of one column, and simple rivals as (name, utilities, leakages)."""

    frontier: Frontier
    rivals: tuple[tuple[str, list[float], list[float]], ...]


def column_frontier(emit: Emit, recipe: Recipe) -> ColumnFound:
    """Every policy worth having for one column, with the baselines that know its values' places."""
    found = frontier_of(recipe, progress=told(emit))
    rivals = []
    for method in ("mondrian", "equal-frequency") if found.leakage == "L0" else ():
        with suppress(InputError):
            asked = recipe.override(frontier={"method": method, "utility": found.utility})
            other = frontier_of(asked, joint=found.setting.joint)
            rivals.append((method, other.points.utility.tolist(), other.points.leakage.tolist()))
    return ColumnFound(found, tuple(rivals))


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
    files = Files(str(place / "disclosed.csv"), str(place / "mapping.json"), str(place / "disclosure.html"), None, True)
    done = publish(table, list(samples), files=files, latent=latent, seed=0, progress=told(emit))
    lines = tuple(line for line in done.lines() if " written to " not in line)
    return Disclosed(lines, done.disclosure.information, done.disclosure.latent_entropy, tuple(done.growth))


def check_papers(emit: Emit, papers: tuple[str, ...]) -> list[dict[str, str]]:
    """The papers' claims with their verdicts, by the distribution that holds them."""
    for found in entry_points(group="discreet.papers", name="reproduce"):
        rows: list[dict[str, str]] = found.load()(papers, progress=told(emit)).to_list()
        return rows
    raise MissingExtraError('the claims are a distribution of their own: pip install "discreet[papers]"')
