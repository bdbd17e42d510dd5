"""discreet demo: the main job on data that come with scikit-learn."""

from __future__ import annotations

from pathlib import Path

import click

from discreet.cli._shared import progress

SENSITIVE = ["age", "sex"]
SERUM = ["cholesterol", "ldl", "hdl"]
PUBLISHED = "cholesterol"
MOST_BITS = 3.0


@click.command("demo", epilog="Example: discreet demo --out out")
@click.option("--out", metavar="FOLDER", default="out", show_default=True, help="Where to write what comes out.")
def command(out: str) -> None:
    """Audit, frontier, release and report on the diabetes study of Efron et al.

    Age and sex are sensitive; serum measurements are audited, and one of them is published.
    """
    from discreet.auditing import audit
    from discreet.cli.audit import show
    from discreet.datasets import load
    from discreet.joint import Joint
    from discreet.release._publishing import ReleaseOptions, publish
    from discreet.report._plots import save_figure
    from discreet.search import frontier
    from discreet.tables._writing import write_text

    table = load("diabetes")
    files = _files_in(Path(out))

    click.echo(f"1. What do {', '.join(SERUM)} give away about {', '.join(SENSITIVE)}?\n")
    with progress("audit") as report:
        found = audit(table, SENSITIVE, SERUM, progress=report)
        write_text(files["audit.html"], found.to_html())
    show(found, (), worst=3, show_values=False)

    click.echo(
        f"\n2. What could be published of {PUBLISHED}? (the first time, kernels are compiled for half a minute)\n"
    )
    with progress("frontier") as report:
        joint = Joint.from_table(table, SENSITIVE, PUBLISHED)
        best = frontier(joint, codeword="chebyshev", progress=report)
        paper = frontier(joint, codeword="chebyshev", method="agglomerative", progress=report)
        baseline = frontier(joint, codeword="chebyshev", method="mondrian", progress=report)
        save_figure(best.plot(paper, baseline), files["frontier.png"])
    for each in (best, paper, baseline):
        click.echo(f"   {each!r}, hypervolume {each.hypervolume:.3f}")

    click.echo(f"\n3. Release {PUBLISHED} with at most {MOST_BITS:g} bits lost in the worst case\n")
    with progress("release") as report:
        done = publish(
            table,
            best,
            out=files["released.csv"],
            policy_file=files["policy.json"],
            report_file=files["report.html"],
            max_leakage=MOST_BITS,
            options=ReleaseOptions(purpose="A demonstration on public data.", force=True),
            progress=report,
        )
    for line in done.lines():
        click.echo(f"   {line}")

    click.echo("\n4. Check it, trusting neither the table nor the policy\n")
    checked = done.policy.verify(files["released.csv"], table)
    for text in checked.checked:
        click.echo(f"   checked: {text}")
    click.echo(
        f"\nopen {files['audit.html']} and {files['report.html']} in a browser; the frontier is in {files['frontier.png']}"
    )


def _files_in(folder: Path) -> dict[str, str]:
    """What the demonstration writes, by name."""
    folder.mkdir(parents=True, exist_ok=True)
    names = ("audit.html", "frontier.png", "released.csv", "policy.json", "report.html")
    return {name: str(folder / name) for name in names}
