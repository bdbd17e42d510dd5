"""What can be taken away: files to publish and files to keep, never in one package, and the lines that make them again."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path

from markupsafe import Markup

from discreet.app._sessions import CHOSEN, EXAMPLE, RECIPE, Session

PUBLISH = "to-publish.zip"
KEEP = "private-to-keep.zip"
WRITTEN = "as-released"  # the folder of what the release wrote, so that the recipe can write it again beside it
PUBLISH_WORDS = "This may be handed out."
KEEP_WORDS = "This stays with you: it lists values that occurred, and shows figures of the original table."
PUBLISH_NOTE = """\
What is here

  {table:<12} the released table
  {cells:<12} the public policy: the cells, and what every group was promised

Check the table

  {verify}
"""
KEEP_NOTE = """\
PRIVATE: do not hand this out. It lists values that occurred, and shows figures of the original table.

What is here

{files}

Make the release again, with {source} in this folder

  {command}

{python}
"""


def to_publish(session: Session) -> dict[str, str]:
    """The files of a release that may be published, with what they are."""
    if session.release is None:
        return {}
    files = session.release.files
    found = {files["out"]: "the released table"}
    if "public_policy" in files:
        found[files["public_policy"]] = "its public policy: anybody can verify the table with it"
    return found


def to_keep(session: Session) -> dict[str, str]:
    """The files of a release that stay with those who made it, with what they are."""
    if session.release is None:
        return {}
    files = session.release.files
    found = {files["report"]: "a report to read and sign"} if "report" in files else {}
    found[RECIPE] = "the recipe: the whole job in one file"
    found[CHOSEN] = "the policy that was chosen: it lists values that occurred"
    hierarchies = {each.hierarchy: name for name, each in session.recipe.columns.items() if each.hierarchy}
    found |= {file: f"the groups of {name}" for file, name in hierarchies.items()}
    if session.recipe.data.table == EXAMPLE:
        found[EXAMPLE] = "the example itself: made-up people"
    return found


def command(session: Session) -> str:
    """The command that makes the release again."""
    return f"discreet release --recipe {RECIPE}"


def verify_command(session: Session) -> str:
    """The command that checks the released table."""
    files = session.release.files if session.release else {}
    return f"discreet verify {files.get('out', 'released.csv')} --policy {files.get('public_policy', 'cells.json')}"


def python(session: Session) -> str:
    """The Python that makes the release again."""
    return f'import discreet as dc\n\ndc.Recipe.load("{RECIPE}").run()'


def offered(
    session: Session, publish: Mapping[str, str], keep: Mapping[str, str], packs: tuple[str, str] | None = None
) -> Markup:
    """What may be published and what must be kept, side by side, each as links; `packs` are the zips of both."""
    parts = (("To publish", PUBLISH_WORDS, publish), ("To keep", KEEP_WORDS, keep))
    cards = []
    for i, (title, words, files) in enumerate(parts):
        pack = Markup("")
        if packs:
            form = Markup("<p><a class='take' href='/s/{}/files/{}' download>{}</a></p>")
            pack = form.format(session.id, packs[i], packs[i])
        head = Markup("<h3>{}</h3><p class='soft'>{}</p>").format(title, words)
        cards.append(Markup("<div class='card'>{}</div>").format(head + pack + _links(session, files)))
    return Markup("<div class='two'>{}</div>").format(Markup("").join(cards))


def _links(session: Session, files: Mapping[str, str]) -> Markup:
    items = (
        Markup("<li><a href='/s/{}/files/{}' download>{}</a><span class='soft'>{}</span></li>").format(
            session.id, name, name, words
        )
        for name, words in files.items()
    )
    return Markup("<ul class='file-list'>{}</ul>").format(Markup("").join(items))


def file_of(session: Session, name: str) -> Path | None:
    """The path of a file that may be taken, by its name; only what is offered is."""
    if name in (PUBLISH, KEEP) and session.release is not None:
        return _packed(session, name)
    if name not in {**to_publish(session), **to_keep(session), **session.files}:
        return None
    path = session.folder / name
    return path if path.is_file() else None


def _packed(session: Session, name: str) -> Path:
    """The files to publish or those to keep in one package, with a word on each."""
    contents = _publish_pack(session) if name == PUBLISH else _keep_pack(session)
    note = _publish_note(session) if name == PUBLISH else _keep_note(session)
    temporary = session.folder / f".{name}"
    with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as pack:
        pack.writestr("README.txt", note)
        for inside, file in contents.items():
            if (session.folder / file).is_file():
                pack.write(session.folder / file, inside)
    return temporary.replace(session.folder / name)


def _publish_pack(session: Session) -> dict[str, str]:
    return {file: file for file in to_publish(session)}


def _keep_pack(session: Session) -> dict[str, str]:
    """What the recipe reads at the top, and below it what the release wrote."""
    assert session.release is not None  # noqa: S101, file_of looked
    written = {name: file for name, file in session.release.files.items() if name in ("policy", "report")}
    read = {file: file for file in to_keep(session) if file not in written.values()}
    return read | {f"{WRITTEN}/{file}": file for file in written.values()}


def _publish_note(session: Session) -> str:
    files = session.release.files if session.release else {}
    cells = files.get("public_policy", "")
    return PUBLISH_NOTE.format(table=files["out"], cells=cells, verify=verify_command(session))


def _keep_note(session: Session) -> str:
    words = to_keep(session)
    files = {
        inside: words.get(file, "the policy as the release wrote it") for inside, file in _keep_pack(session).items()
    }
    widest = max(map(len, files))
    return KEEP_NOTE.format(
        files="\n".join(f"  {name:<{widest}}  {what}" for name, what in files.items()),
        source=Path(session.recipe.data.table).name if "://" not in session.recipe.data.table else "the database",
        command=command(session),
        python="\n".join(f"  {line}" for line in python(session).splitlines()),
    )
