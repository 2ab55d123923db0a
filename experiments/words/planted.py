#!/usr/bin/env python3
"""Tables made by a sentence: does the sentence come back?

    experiments/words/planted.py PROGRAM      prints a line for each sentence

Whole numbers, numbers, dates, times, names and missing values, 20,000 rows each, without noise. Numbers have one decimal, so
that a threshold between two of them has two; there are enough rows for each side of it to occur beside all other values. The class is "yes" where the
sentence holds; `--alpha 1%` describes it, and what it says must be the sentence to the letter.
"""

import csv
import datetime
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

CITIES = ["Rome", "Oslo", "Lima", "Bern"]
DAY = datetime.date(2020, 1, 1)
TIME = datetime.datetime(2021, 3, 1)


def row(draw: random.Random) -> dict:
    return {
        "visits": draw.randint(0, 9),
        "age": draw.randint(18, 90),
        "amount": draw.choice([None, *([round(draw.uniform(0, 100), 1)] * 9)]),
        "signed": DAY + datetime.timedelta(days=draw.randint(0, 730)),
        "seen": TIME + datetime.timedelta(hours=draw.randint(0, 240)),
        "city": draw.choice(CITIES),
    }


def known(value, test) -> bool:
    return value is not None and test(value)


MARCH, JUNE = datetime.date(2021, 3, 1), datetime.date(2021, 6, 30)
NOON = datetime.datetime(2021, 3, 5, 12)
SENTENCES = {
    "visits between 2 and 4": lambda r: 2 <= r["visits"] <= 4,
    "visits = 3": lambda r: r["visits"] == 3,
    "visits >= 7": lambda r: r["visits"] >= 7,
    "visits <= 1": lambda r: r["visits"] <= 1,
    "visits >= 5 AND age <= 40": lambda r: r["visits"] >= 5 and r["age"] <= 40,
    "amount > 50.05": lambda r: known(r["amount"], lambda x: x > 50.05),
    "amount > 50.05 or unknown": lambda r: r["amount"] is None or r["amount"] > 50.05,
    "20.05 < amount <= 60.05": lambda r: known(r["amount"], lambda x: 20.05 < x <= 60.05),
    "amount is unknown": lambda r: r["amount"] is None,
    "signed before 2021-03-01": lambda r: r["signed"] < MARCH,
    "signed on or after 2021-03-01": lambda r: r["signed"] >= MARCH,
    "signed between 2021-03-01 and 2021-06-30": lambda r: MARCH <= r["signed"] <= JUNE,
    "seen before 2021-03-05T12:00:00": lambda r: r["seen"] < NOON,
    "signed before 2021-03-01 AND city = Rome": lambda r: r["signed"] < MARCH and r["city"] == "Rome",
    "city is neither Oslo nor Rome": lambda r: r["city"] not in CITIES[:2],
    "age >= 65 AND city is not Lima": lambda r: r["age"] >= 65 and r["city"] != "Lima",
}


def main() -> None:
    program, wrong = sys.argv[1], 0
    with tempfile.TemporaryDirectory() as name:
        for place, (sentence, holds) in enumerate(SENTENCES.items()):
            draw = random.Random(place)
            rows = [row(draw) for _ in range(20000)]
            path, model = Path(name) / "table.csv", Path(name) / "model.json"
            with path.open("w", newline="") as out:
                writer = csv.writer(out)
                writer.writerow([*rows[0], "class"])
                for r in rows:
                    seen = {**r, "seen": r["seen"].isoformat()}
                    writer.writerow(["" if v is None else v for v in seen.values()] + [["no", "yes"][holds(r)]])
            command = [program, "learn", str(path), "--alpha", "1%", "--quiet", "--otherwise", "no", "--model", str(model)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            said = [line.split("IF ")[1].split(" THEN ")[0] for line in done.stdout.splitlines() if "  IF " in line]
            checked = subprocess.run([program, "check", str(model), str(path)], capture_output=True).returncode
            status = json.loads(model.read_text())["decision_set"]["status"]
            same = said == [sentence] and checked == 0
            wrong += not same
            print(f"{'same ' if same else 'OTHER'} {status}, check {checked}: {sentence}" + ("" if same else f" -> {said}"))
    print(f"{len(SENTENCES) - wrong} of {len(SENTENCES)} sentences came back")


if __name__ == "__main__":
    main()
