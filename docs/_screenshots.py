"""Make the pictures of the tutorial: run its commands on docs/patients.csv, and photograph the reports in Chromium.

    python docs/_screenshots.py

Run it when reports look different. Pictures are kept small: few colours, one screen each.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image, ImageChops

DOCS = Path(__file__).resolve().parent
SCREENS = DOCS / "screens"
COLOURS = 48
ROLES = ("--public", "age,sex,postcode", "--sensitive", "diagnosis")
COMMANDS = (
    ("audit", "patients.csv", *ROLES, "--html", "audit.html"),
    (
        *("release", "patients.csv", *ROLES, "--keep", "diagnosis", "--require", "n>=5", "--require", "k>=3"),
        *("--time-limit", "10", "--purpose", "Open data of the hospital, 2025", "--out", "released.csv"),
        *("--policy", "policy.json", "--report", "report.html"),
    ),
)
WIDTH, TALL = 1000, 8000
PICTURES = {
    "audit": ("audit.html", 0, 1180),
    "report": ("report.html", 0, 1000),
    "sign-off": ("report.html", -460, None),
}


def main() -> None:
    """Run the commands, and take the pictures."""
    SCREENS.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copy(DOCS / "patients.csv", folder)
        for command in COMMANDS:
            subprocess.run([sys.executable, "-m", "discreet", *command], cwd=folder, check=True)  # noqa: S603
        for picture, (page, top, bottom) in PICTURES.items():
            _photograph(folder / page, top, bottom, SCREENS / f"{picture}.png")


def _photograph(page: Path, top: int, bottom: int | None, target: Path) -> None:
    """A stretch of a page, from the top down, or, with a negative top, from so far above its end."""
    options = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--window-size={WIDTH},{TALL}")
    command = ["chromium", *options, f"--screenshot={target}", page.as_uri()]
    subprocess.run(command, check=True, capture_output=True)  # noqa: S603
    with Image.open(target) as found:
        picture = found.convert("RGB")
    desk = Image.new("RGB", picture.size, picture.getpixel((0, TALL - 1)))
    (_, _, _, end) = ImageChops.difference(picture, desk).getbbox() or (0, 0, WIDTH, TALL)
    first, last = (top, bottom or end) if top >= 0 else (end + top, end + 20)
    picture.crop((0, first, WIDTH, last)).quantize(COLOURS).save(target, optimize=True)
    print(f"{target.relative_to(DOCS.parent)}: {target.stat().st_size // 1024} KB")


if __name__ == "__main__":
    main()
