"""What can be taken away: the files of a release, and the lines that make them again."""

from __future__ import annotations

import zipfile
from pathlib import Path

from markupsafe import Markup

from discreet.app._sessions import CHOSEN, EXAMPLE, RECIPE, Session

ALL = "release.zip"
READ_ME = """\
What is here

  {table:<14} the released table: this may be published
  cells.json     the public part of the policy: with it anybody can verify the table
  report.html    a report to read and sign
  {recipe:<14} the whole job, for discreet release --recipe
  {chosen:<14} PRIVATE: the policy that was chosen. It lists values that occurred; do not hand it out
  policy.json    PRIVATE: the same, as the release wrote it

Again, beside {source}

  {command}

{python}

Check it

  {verify}
"""


def names(session: Session) -> dict[str, str]:
    """The files of a release by name, with what they are."""
    if session.release is None:
        return {}
    files = session.release.files
    found = {files["out"]: "the released table"}
    if "public_policy" in files:
        found[files["public_policy"]] = "the public part of its policy: anybody can verify the table with it"
    if "report" in files:
        found[files["report"]] = "a report to read and sign"
    found[RECIPE] = "the recipe: the whole job in one file"
    found[CHOSEN] = "the policy that was chosen: private, it lists values that occurred"
    found[ALL] = "everything in one file"
    if (session.folder / EXAMPLE).exists() and session.recipe.data.table == EXAMPLE:
        found[EXAMPLE] = "the example itself: made-up people"
    return found


def command(session: Session) -> str:
    """The command that makes the release again."""
    return f"discreet release --recipe {RECIPE}"


def verify_command(session: Session) -> str:
    """The command that checks the released table."""
    files = session.release.files if session.release else {}
    return f"discreet verify {files.get('out', 'released.csv')} --policy {files.get('public_policy', 'policy.json')}"


def python(session: Session) -> str:
    """The Python that makes the release again."""
    return f'import discreet as dc\n\ndc.Recipe.load("{RECIPE}").run()'


def listed(session: Session, files: dict[str, str]) -> Markup:
    """Files as a list of links, with what they are."""
    items = (
        Markup("<li><a href='/s/{}/files/{}' download>{}</a><span class='soft'>{}</span></li>").format(
            session.id, name, name, words
        )
        for name, words in files.items()
    )
    return Markup("<ul class='file-list'>{}</ul>").format(Markup("").join(items))


def file_of(session: Session, name: str) -> Path | None:
    """The path of a file that may be taken, by its name; only what is listed is."""
    if name not in {**names(session), **session.files}:
        return None
    if name == ALL:
        _pack(session)
    path = session.folder / name
    return path if path.is_file() else None


def _pack(session: Session) -> None:
    """Everything in one file, with a word on each."""
    released = session.release
    assert released is not None  # noqa: S101, names lists nothing then
    text = READ_ME.format(
        table=released.files["out"],
        recipe=RECIPE,
        chosen=CHOSEN,
        source=session.recipe.data.table,
        command=command(session),
        python="\n".join(f"  {line}" for line in python(session).splitlines()),
        verify=verify_command(session),
    )
    temporary = session.folder / f".{ALL}"
    with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as pack:
        pack.writestr("README.txt", text)
        for name in [*names(session), "policy.json"]:
            if name != ALL and (session.folder / name).is_file():
                pack.write(session.folder / name, name)
    temporary.replace(session.folder / ALL)
