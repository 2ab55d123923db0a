#!/usr/bin/env python3
"""Rules before and after they were said in words and cut where it matters, side by side.

    experiments/words/run.py BEFORE AFTER      writes docs/WORDS.md

BEFORE is minrule of commit ae9cad1, AFTER the program of today. Needs what ../comparison/requirements.txt names, for all
tables but the first.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "experiments" / "comparison"))
HEAD = """# Rules in words, before and after

Written by [experiments/words/run.py](../experiments/words/run.py); do not edit by hand.

Before: columns of numbers cut into four intervals, conditions shown one by one. The same cuts: today's words for the same
features, `--numeric intervals`. Now: the default, thresholds where trees cut. *Size* is literals plus one for each rule;
it is never larger for the same features, since words change nothing in what is counted. `--alpha 1%` is one row in a hundred
for each rule and literal; perfect sets agree with every row that no equal row outvotes. Each run had one thread and at most
20 s.

The tables: [loans](../data/loans.csv), which comes with minrule; heart-c, the 303 patients of Cleveland, from Orange3; breast
biopsies, the 699 of Wisconsin with marks from 1 to 10, from R's MASS; wine and breast cancer, from scikit-learn.
"""


def tables(folder: Path) -> dict[str, Path]:
    import real
    from sklearn.datasets import load_breast_cancer, load_wine

    found = {"loans": ROOT / "data" / "loans.csv"}
    for name in ("heart-c", "biopsy"):
        X, y = real.load(name)
        found[name] = folder / f"{name}.csv"
        X.assign(**{str(y.name): y}).to_csv(found[name], index=False)
    for name, load in (("wine", load_wine), ("breast cancer", load_breast_cancer)):
        found[name] = folder / f"{name.replace(' ', '_')}.csv"
        load(as_frame=True).frame.to_csv(found[name], index=False)
    return found


def learned(program: str, table: Path, options: list[str], folder: Path) -> dict:
    model = folder / "model.json"
    command = [program, "learn", str(table), *options, "--quiet", "--threads", "1", "--time-limit", "20s"]
    done = subprocess.run([*command, "--model", str(model)], capture_output=True, text=True)
    assert done.returncode in (0, 10), done.stderr
    rules = [line.strip() for line in done.stdout.splitlines() if line.startswith("  IF ")]
    said = json.loads(model.read_text())["decision_set"]
    return {"rules": rules, "size": said["size"], "status": said["status"], "errors": said.get("errors")}


def main() -> None:
    before, after = sys.argv[1:]
    page = [HEAD]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for title, table in tables(folder).items():
            for kind, alpha in (("`--alpha 1%`", ["--alpha", "1%"]), ("perfect", [])):
                runs = {
                    "before": learned(before, table, [*alpha, "--numeric", "intervals"], folder),
                    "the same cuts": learned(after, table, [*alpha, "--numeric", "intervals"], folder),
                    "now": learned(after, table, alpha, folder),
                }
                assert runs["the same cuts"]["size"] <= runs["before"]["size"] or "feasible" in {
                    run["status"] for run in runs.values()
                }
                page.append(f"\n## {title}, {kind}\n")
                for name, run in runs.items():
                    errors = "" if run["errors"] is None else f", {run['errors']} errors"
                    page.append(f"**{name}**: size {run['size']}{errors}, {run['status']}\n")
                    page.append("```text\n" + "\n".join(run["rules"][:12]))
                    more = len(run["rules"]) - 12
                    page.append((f"... and {more} more\n" if more > 0 else "") + "```\n")
    (ROOT / "docs" / "WORDS.md").write_text("\n".join(page))


if __name__ == "__main__":
    main()
