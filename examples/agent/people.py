"""Make up the people whom agent.toml is about: people.csv beside this file.

python people.py
"""

from pathlib import Path

import numpy as np

PEOPLE = 2_000


def main() -> None:
    """Write people.csv; the same people every time."""
    rng = np.random.default_rng(7)
    sex = rng.choice(["F", "M"], PEOPLE)
    city = rng.choice(["Oslo", "Rome", "Bern"], PEOPLE, p=[0.5, 0.3, 0.2])
    age = rng.integers(18, 80, PEOPLE)
    height = np.clip(rng.normal(np.where(sex == "F", 166, 179), 7), 101, 249).round(1)
    smoker = (rng.random(PEOPLE) < np.where(age < 40, 0.3, 0.2)).astype(int)
    rows = zip(range(1, PEOPLE + 1), sex, city, age, height, smoker, strict=True)
    lines = ["id,sex,city,age,height,smoker", *(",".join(map(str, row)) for row in rows)]
    path = Path(__file__).resolve().parent / "people.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{path.name}: {PEOPLE:,} people")


if __name__ == "__main__":
    main()
