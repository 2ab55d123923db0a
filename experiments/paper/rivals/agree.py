#!/usr/bin/env python3
"""Prints where the rivals and the lazy method both have a proof, and whether they agree, as Markdown.

    experiments/paper/rivals/agree.py > experiments/paper/rivals/AGREE.md
"""

import csv
import pathlib

PAIRS = [
    ("mds2", "lazy-rules", ["rules"]),
    ("mds2-star", "lazy-rules-then-literals", ["rules", "literals"]),
    ("opt", "lazy-size", ["size"]),
]

rows = {}
with (pathlib.Path(__file__).parent / "panel.csv").open(newline="") as file:
    for row in csv.DictReader(file):
        rows[row["file"], row["configuration"]] = row
files = sorted({file for file, _ in rows})
first = next(iter(rows.values()))

print("# The rivals and the lazy method on the panel\n\nWritten by `agree.py`.\n")
print(f"{len(files)} tables, {first['time_limit']} s and {first['memory_limit']} a run.\n")
print("| rival | lazy method | proven by the rival | by lazy | by both | the same optimum | different |")
print("|---|---|--:|--:|--:|--:|--:|")
for rival, lazy, measures in PAIRS:
    proven = lambda name: {file for file in files if rows[file, name]["status"] == "optimal"}
    both = proven(rival) & proven(lazy)
    cost = lambda file, name: [rows[file, name][measure] for measure in measures]
    same = {file for file in both if cost(file, rival) == cost(file, lazy)}
    print(f"| {rival} | {lazy} | {len(proven(rival))} | {len(proven(lazy))} | {len(both)} | {len(same)} "
          f"| {', '.join(sorted(both - same)) or 'none'} |")
invalid = [key for key, row in rows.items() if row["valid"] != "yes"]
print(f"\nRuns: {len(rows)}. Not accepted by the judge: {', '.join(map(str, invalid)) or 'none'}.")
