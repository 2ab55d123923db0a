#!/usr/bin/env python3
"""Proofs of all that is proven: learns each table with a proof, and has the proof checked.

    experiments/lazy/check.py PROGRAM SUITE

The tables are those that `panel.csv` (for size) and `train1.csv` have as proven within 20 s. One thread each, two tables at a time. Writes
checked.csv: the status, the size, whether the proof holds, its bytes, and seconds to learn and to check.
"""

import csv
import json
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent


def checked(program: str, suite: Path, file: str) -> list:
    with tempfile.TemporaryDirectory() as folder:
        table, model, proof = str(suite / file), f"{folder}/model.json", f"{folder}/proof"
        options = ["--threads", "1", "--time-limit", "60s", "--format", "json", "--quiet"]
        learn = [program, "learn", table, *options, "--model", model, "--proof", proof]
        start = time.perf_counter()
        said = json.loads(subprocess.run(learn, capture_output=True, text=True).stdout)
        learned = time.perf_counter()
        done = subprocess.run([program, "check", model, table, "--proof", proof], capture_output=True)
        seconds = learned - start, time.perf_counter() - learned
        size = sum(path.stat().st_size for path in Path(proof).glob("*.proof"))
    holds = "holds" if done.returncode == 0 else f"exit code {done.returncode}"
    return [file, said["status"], said["size"], holds, size, *(f"{s:.3f}" for s in seconds)]


def main() -> None:
    program, suite = sys.argv[1], Path(sys.argv[2])
    files = set()
    for name in ("panel.csv", "train1.csv"):
        with (HERE / name).open() as text:
            rows = [row for row in csv.DictReader(text) if row["configuration"] == "size"]
        files.update(r["file"] for r in rows if r["status"] == "optimal" and float(r["seconds"]) < 20)
    with ThreadPoolExecutor(2) as runs, (HERE / "checked.csv").open("w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow("file status size proof bytes learn_seconds check_seconds".split())
        rows = list(runs.map(lambda file: checked(program, suite, file), sorted(files)))
        writer.writerows(rows)
    hold = sum(row[3] == "holds" for row in rows)
    print(f"{len(rows)} tables, {sum(row[1] == 'optimal' for row in rows)} proven, {hold} proofs hold")


if __name__ == "__main__":
    main()
