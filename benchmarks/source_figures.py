"""Figures of the source itself: how large it is, how it is cut, and how its names read.

    python benchmarks/source_figures.py [--source FOLDER] [--json]

Counted by reading, not by running: modules, lines, imports past a package's door (`discreet.b._c` from package a), class names
that are used twice, functions that are named by a past participle or a preposition (WORDS: a function is named by a verb), and
docstrings of fewer than four words.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import tokenize
from collections import Counter
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src" / "discreet"
PREPOSITIONS = "of|at|by|in|on|to|from|with|within|without|as|after|before|over|under|about|between|into"
IRREGULAR = (
    "told|found|said|held|made|kept|done|known|left|lost|given|taken|seen|met|built|begun|drawn|shown|written|spelt|sent|spoken"
    "|stood|thought|understood|broken|chosen|borne|bound|hidden|heard|paid|sought"
)
RIDDLE = re.compile(rf"_*({PREPOSITIONS}|{IRREGULAR}|[a-z]{{2,}}ed)_*")


def name_of(path: Path, source: Path) -> str:
    """Return a module's dotted name."""
    parts = path.relative_to(source.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def package_of(module: str) -> str:
    """Return the package, or the top file, that a module of discreet belongs to."""
    return module.split(".")[1] if "." in module else ""


def private_imports(source: Path = SOURCE) -> list[tuple[str, str]]:
    """Return every import past a door: the importing module and the private module of another package."""
    found = set()
    for path in sorted(source.rglob("*.py")):
        module = name_of(path, source)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("discreet."):
                continue
            target = str(node.module)
            other = package_of(target)
            if other != package_of(module) and any(part.startswith("_") for part in target.split(".")[2:]):
                found.add((module, target))
    return sorted(found)


def is_riddle(name: str) -> bool:
    """Whether a function's name is a single past participle or a preposition."""
    return RIDDLE.fullmatch(name) is not None


def lines_of_code(path: Path) -> int:
    """Count the lines that hold code: no blank line, comment or docstring."""
    with tokenize.open(path) as file:
        skipped = (
            tokenize.COMMENT,
            tokenize.NL,
            tokenize.NEWLINE,
            tokenize.INDENT,
            tokenize.DEDENT,
            tokenize.ENDMARKER,
        )
        tokens = [token for token in tokenize.generate_tokens(file.readline) if token.type not in skipped]
    lines: set[int] = set()
    for token in tokens:
        lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            lines -= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(lines)


def figures(source: Path = SOURCE) -> dict[str, float]:
    """Count everything, by name."""
    paths = sorted(source.rglob("*.py"))
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in paths]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    classes = Counter(node.name for node in nodes if isinstance(node, ast.ClassDef))
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    documented = [
        node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module)
    ]
    said = [text for node in documented if (text := ast.get_docstring(node))]
    lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in paths)
    return {
        "modules": len(paths),
        "lines": lines,
        "lines of code": sum(map(lines_of_code, paths)),
        "imports past a package's door": len(private_imports(source)),
        "classes": classes.total(),
        "classes per 1,000 lines": round(1000 * classes.total() / lines, 1),
        "class names used twice or more": sum(times > 1 for times in classes.values()),
        "functions named by a participle or a preposition": sum(is_riddle(node.name) for node in functions),
        "docstrings of fewer than four words": sum(len(text.split()) < 4 for text in said),
    }


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", type=Path, default=SOURCE, help="the folder of the package")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    options = parser.parse_args()
    found = figures(options.source)
    if options.json:
        print(json.dumps(found))
        return
    for name, value in found.items():
        print(f"{name:<52} {value:>9,}")


if __name__ == "__main__":
    main()
