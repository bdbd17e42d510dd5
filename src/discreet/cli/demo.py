"""discreet demo: the main job on data that come with scikit-learn."""

from __future__ import annotations

from pathlib import Path

import click

from discreet.cli.shared import progress

SENSITIVE = ["age", "sex"]
PUBLIC = ["cholesterol", "ldl", "hdl"]


@click.command("demo", epilog="Example: discreet demo --out out")
@click.option("--out", metavar="FOLDER", default="out", show_default=True, help="Where to write the report.")
def command(out: str) -> None:
    """Audit the diabetes study of Efron et al.: age and sex are sensitive, serum measurements public."""
    from discreet.auditing import audit
    from discreet.cli.audit import show
    from discreet.datasets import load
    from discreet.tables.writing import write_text

    table = load("diabetes")
    with progress("audit") as report:
        found = audit(table, SENSITIVE, PUBLIC, progress=report)
        page = found.to_html()
    show(found, (), worst=5, show_values=False)
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / "audit.html", page)
    click.echo(f"\nreport written to {folder / 'audit.html'}: open it in a browser")
