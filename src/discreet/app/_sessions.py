"""Sessions: one table, one recipe, what was computed from them, and a private folder. Its name is in the address."""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from discreet.app._contents import contents_of, digest_of, table_files
from discreet.app._preview import Preview
from discreet.app._tasks import Baseline, Found, Released, audit_table, explore, open_table, release_table
from discreet.app._work import Job, Workers
from discreet.auditing import Audit
from discreet.datasets import registry
from discreet.errors import InputError
from discreet.recipe import Recipe
from discreet.search.tables import Generalisation, Workbench
from discreet.tables._writing import write_rows

EXAMPLE = "registry.csv"
CHOSEN = "private-chosen.json"
RECIPE = "recipe.toml"
SECONDS = 30.0  # for a frontier, unless somebody says otherwise
SUFFIXES = (
    *(".csv", ".tsv", ".txt", ".parquet", ".pq", ".arrow", ".feather", ".xlsx", ".gz", ".zst", ".bz2"),
    *(".dta", ".sav", ".zsav", ".por", ".sas7bdat", ".xpt", ".rds", ".rdata", ".rda"),
)


def safe_name(name: str) -> str:
    """A file name that was sent by a browser, as one that cannot leave its folder.

    Examples
    --------
    >>> safe_name("../../etc/passwd"), safe_name("Patients 2025.csv"), safe_name("..")
    ('passwd', 'Patients 2025.csv', 'table')
    """
    last = re.split(r"[\\/]", name)[-1]
    kept = "".join(letter if letter.isalnum() or letter in " ._-()" else "_" for letter in last).strip(" .")
    return kept[-100:] or "table"


@dataclass(eq=False)
class Session:
    """One person's work on one table, in one tab."""

    id: str
    owner: str
    folder: Path
    workers: Workers = field(repr=False)
    touched: float = field(default_factory=time.monotonic)
    name: str = ""  # of the table, for people
    preview: Preview | None = None
    previewed: str = ""  # what the table held then
    recipe: Recipe = field(default_factory=Recipe)
    jobs: dict[str, Job] = field(default_factory=dict)
    audits: dict[str, Audit] = field(default_factory=dict)
    work: Workbench | None = None
    points: dict[tuple[str, int], Generalisation] = field(default_factory=dict)
    baseline: dict[tuple[str, int], float] = field(default_factory=dict)  # what Mondrian loses
    points_key: str = ""
    ended: str = ""
    chosen: tuple[str, int] | None = None
    history: list[Generalisation] = field(default_factory=list)
    place: int = 0  # in the history; what comes after it can be done again
    released: Released | None = None
    released_from: tuple[Generalisation, str] | None = None  # the policy, and what the recipe and its files said
    results: dict[str, tuple[str, Any]] = field(default_factory=dict)  # of the further pages, by kind, with their keys
    files: dict[str, str] = field(default_factory=dict)  # that those wrote, with what they are

    # ------------------------------------------------------------------ the table

    def open(self, source: str, name: str, na: tuple[str, ...] = ()) -> Job:
        """Look at a table: everything about the one before is forgotten."""
        for job in self.jobs.values():
            job.stop()
        self.preview, self.name, self.recipe = None, name, Recipe()
        self.forget()
        self.audits.clear()
        self.results.clear()
        self.files.clear()

        def done(found: Preview) -> None:
            self.preview = found
            columns = {each: replace(section, role="ignored") for each, section in found.guess.columns.items()}
            guess = found.guess
            self.recipe = replace(
                guess,
                columns=columns,
                folder=self.folder,
                require=("n>=5", "k>=3"),
                data=replace(guess.data, table=self._table_name(guess.data.table)),
                search=replace(guess.search, time_limit=SECONDS),
                output=replace(guess.output, keep=[]),
            )
            self.previewed = self.table_key()

        return self._begin("open", source, open_table, source, na, on_done=done)

    def table_key(self) -> str:
        """What the table is and holds, as text."""
        files = {str(path): digest_of(path) for path in table_files(self.recipe)}
        return json.dumps([self.recipe.to_dict().get("data"), files])

    def read_again(self) -> None:
        """Look at a table anew that has changed since; what was said about its columns stands."""
        key, job = self.table_key(), self.jobs.get("open")
        if self.preview is None or self.previewed == key or (job is not None and job.running and job.key == key):
            return

        def done(found: Preview) -> None:
            self.preview, self.previewed = found, key
            new = {name: replace(each, role="ignored") for name, each in found.guess.columns.items()}
            said = {name: self.recipe.columns.get(name, each) for name, each in new.items()}
            self.recipe = replace(self.recipe, columns=said)

        data = self.recipe.data
        self._begin("open", key, open_table, self.recipe.table, tuple(data.na), on_done=done)

    def _table_name(self, table: str) -> str:
        """What is in the session's folder is named from there, so that the recipe works beside a copy of the table."""
        path = Path(table)
        return path.name if path.parent == self.folder else table

    def open_example(self) -> Job:
        """The made-up registry."""
        path = self.folder / EXAMPLE
        if not path.exists():
            write_rows(path, registry())
        return self.open(str(path), "5,000 made-up patients")

    def open_path(self, text: str, na: tuple[str, ...] = ()) -> Job:
        """A file of this machine, or a table of a database, as the command line names them."""
        wanted = text.strip()
        if not wanted:
            raise InputError("name a file, or a database and its table")
        if "://" not in wanted:
            where, mark, inner = wanted.partition("#")
            wanted = str(Path(where).expanduser().absolute()) + mark + inner
        return self.open(wanted, re.sub(r"//[^@/]*@", "//", wanted), na)  # a password is nobody's business

    # ------------------------------------------------------------------ the recipe

    def change(self, **sections: Any) -> None:
        """Change the recipe; what follows from it is computed again when it is looked at."""
        self.recipe = self.recipe.override(**sections)

    def take_guess(self, column: str) -> None:
        """Take the guess about a column."""
        if self.preview is None:
            return
        guess = self.preview.guess.columns[column]
        self.recipe = replace(self.recipe, columns={**self.recipe.columns, column: guess})

    def asked(self) -> Recipe:
        """The recipe as it can be run: k needs something sensitive, and whole groups know no side information."""
        require = [each for each in self.recipe.require if each.startswith("n") or self.recipe.sensitive]
        known = {name: {"role": "ignored"} for name in self.recipe.having("side")}
        return self.recipe.override(require=require, columns=known)

    def key(self, *sections: str) -> str:
        """What a result is computed from, as text: these sections of the recipe, and what its files hold."""
        document = self.recipe.to_dict()
        said = {name: document.get(name) for name in ("data", "columns", *sections)}
        return json.dumps([said, contents_of(self.recipe)], default=str)

    # ------------------------------------------------------------------ work

    def _begin(
        self,
        kind: str,
        key: str,
        task: Callable[..., Any],
        *arguments: Any,
        on_done: Callable[[Any], None] = lambda result: None,
        on_part: Callable[[Any], None] = lambda part: None,
    ) -> Job:
        known = self.jobs.get(kind)
        if known is not None:
            known.stop()
        self.jobs[kind] = job = Job(kind, key, on_part, on_done)
        return self.workers.begin(job, task, *arguments)

    def start(
        self, kind: str, key: str, task: Callable[..., Any], *arguments: Any, files: dict[str, str] | None = None
    ) -> Job:
        """Work of a further page; its result is kept by its kind, and its files can be taken when it is done.

        `key` says what it is computed from: its result is shown as long as that stays the same.
        """
        self.results.pop(kind, None)

        def done(found: Any) -> None:
            self.results[kind] = key, found
            self.files.update(files or {})

        return self._begin(kind, key, task, *arguments, on_done=done)

    def result(self, kind: str, key: str) -> Any:
        """The result of a further page, if it was computed from this."""
        known, found = self.results.get(kind, ("", None))
        return found if known == key else None

    @property
    def audit(self) -> Audit | None:
        """The audit of the table with the roles as they are now."""
        return self.audits.get(self.key())

    def start_audit(self) -> Job:
        """Measure what the public columns give away."""
        key = self.key()

        def done(found: Audit) -> None:
            self.audits[key] = found

        return self._begin("audit", key, audit_table, self.recipe, on_done=done)

    @property
    def explored(self) -> bool:
        """Whether the points belong to the recipe as it is now."""
        return self.points_key == self.key("require", "search")

    def start_exploring(self) -> Job:
        """Look for releases at every level of n and k."""
        recipe = self.asked()
        self.forget()
        self.points_key = self.key("require", "search")

        def part(found: Workbench | Found | Baseline) -> None:
            if isinstance(found, Workbench):
                self.work = found
            elif isinstance(found, Baseline):
                self.baseline[found.symbol, found.level] = found.loss
            else:
                self._better(found)

        def done(ended: str) -> None:
            self.ended = ended

        return self._begin("explore", self.points_key, explore, recipe, on_part=part, on_done=done)

    def _better(self, found: Found) -> None:
        """Keep the best release of every level, and the highest bound; what meets a level meets those below it."""
        here = (found.symbol, found.level)
        known = self.points.get(here)
        best = found.point if known is None or found.point.loss < known.loss else known
        bounds = [each.bound for each in (found.point, known) if each is not None and each.bound is not None]
        self.points[here] = _with_bound(best, max(bounds, default=None))
        for symbol, level in list(self.points):
            below = self.points[symbol, level]
            if symbol == found.symbol and level < found.level and best.loss < below.loss:
                self.points[symbol, level] = _with_bound(best, below.bound)

    def forget(self) -> None:
        """Forget the frontier and what was made of it."""
        self.work, self.points, self.baseline, self.points_key, self.ended = None, {}, {}, "", ""
        self.chosen, self.history, self.place = None, [], 0
        self.released, self.released_from = None, None

    # ------------------------------------------------------------------ the policy

    @property
    def current(self) -> Generalisation | None:
        """The release that was chosen, with the changes made by hand."""
        return self.history[self.place] if self.history else None

    def choose(self, symbol: str, level: int) -> None:
        """Take a point of the frontier; changes by hand begin anew."""
        point = self.points[symbol, level]
        if self.chosen == (symbol, level) and self.history and self.history[0] is point:
            return
        self.chosen, self.history, self.place = (symbol, level), [point], 0

    def edit(self, changed: Generalisation) -> None:
        """A change by hand; what was undone before is gone."""
        self.history = [*self.history[: self.place + 1], changed]
        self.place += 1

    def undo(self) -> None:
        """One change back."""
        self.place = max(0, self.place - 1)

    def redo(self) -> None:
        """One change forth."""
        self.place = min(len(self.history) - 1, self.place + 1)

    def release_recipe(self) -> Recipe:
        """The recipe of the release as it is chosen: with its policy beside it, it does the same again."""
        if self.current is None:
            raise InputError("choose a point of the frontier first")
        require = [str(each) for each in self.current.policy.require]
        return self.asked().override(require=require, search={"policy": CHOSEN})

    def start_release(self) -> Job:
        """Write the recipe and the policy that was chosen, and run it."""
        recipe, current, key = self.release_recipe(), self.current, self._release_key()
        assert current is not None  # noqa: S101, release_recipe refused
        current.policy.save(self.folder / CHOSEN)
        self._portable(recipe).save(self.folder / RECIPE)

        def done(found: Released) -> None:
            self.released, self.released_from = found, (current, key)

        return self._begin("release", "", release_table, recipe, on_done=done)

    def _portable(self, recipe: Recipe) -> Recipe:
        """The same for any folder that the table is in, too: without the path that it has here."""
        table = Path(recipe.data.table)
        return recipe.override(data={"table": table.name}) if table.is_absolute() and table.exists() else recipe

    def _release_key(self) -> str:
        return self.key("require", "search", "output")

    @property
    def release(self) -> Released | None:
        """The release, if it is that of the policy, the recipe and the files as they are now."""
        if self.released_from is None or self.current is not self.released_from[0]:
            return None
        return self.released if self.released_from[1] == self._release_key() else None

    def close(self) -> None:
        """End its work and remove its folder."""
        for job in self.jobs.values():
            job.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


def _with_bound(point: Generalisation, bound: float | None) -> Generalisation:
    return point if point.bound == bound else replace(point, policy=replace(point.policy, bound=bound))
