#!/usr/bin/env python3
"""Counts instructions of `minrule learn` by part, with callgrind, and writes them as Markdown.

    experiments/profile/run.py TABLE... --minrule target/release/minrule -o RESULTS.md

One thread, since callgrind runs one at a time; a time limit of its own, since it is some fifty times
slower than the machine. Nodes are those that the program logs itself.
"""

import argparse
import re
import subprocess
import tempfile
from pathlib import Path

# The first pattern that fits a function's name decides which part it belongs to.
PARTS = [
    ("LP (our own)", r"cover::(simplex|open_lp)|kernels::(subtract_multiple|product|sum_of)"),
    ("search: losses and prices", r"kernels|lazy::price::.*(count_losses|forbid_unaffordable)"),
    ("search: rest of the pricing search", r"lazy::price|rules::walk|solve::bits"),
    ("LP (HiGHS)", r"HEkk|HFactor|Highs|HVector|HSimplex|HPresolve|Lp|simplex|Kkt|ICrash|Basis"),
    ("cover: branch and bound, reductions, local search", r"solve::cover"),
    ("relaxation, dives, gap", r"solve::lazy"),
    ("reading and encoding the table", r"minrule::data|csv|flate2|miniz|sha2|crc32"),
    ("memory", r"malloc|free|calloc|realloc|memcpy|memset|memmove|operator new|operator delete"),
    ("start of the program", r"_dl_|do_lookup|dl_main|ld-linux|check_match|strcmp"),
]


def part_of(function: str) -> str:
    return next((part for part, pattern in PARTS if re.search(pattern, function)), "other")


def profile(minrule: str, table: Path, limit: float) -> dict:
    command = [minrule, "learn", str(table), "--threads", "1", "--format", "json", "-vv",
               "--time-limit", str(limit)]
    with tempfile.TemporaryDirectory() as folder:
        out = f"{folder}/callgrind.out"
        run = subprocess.run(
            ["valgrind", "--tool=callgrind", "--error-limit=no", f"--callgrind-out-file={out}", *command],
            capture_output=True, text=True)
        nodes = sum(int(n) for n in re.findall(r"(\d+) nodes searched", run.stderr))
        status = re.search(r'"status": "(\w+)"', run.stdout)
        listing = subprocess.run(["callgrind_annotate", "--threshold=100", "--auto=no", out],
                                 capture_output=True, text=True, check=True).stdout
    parts, functions, total = {}, {}, 0
    for line in listing.splitlines():
        match = re.match(r"\s*([\d,]+) \(\s*[\d.]+%\)\s+(.*)", line)
        if not match:
            continue
        count, name = int(match[1].replace(",", "")), match[2]
        if name.startswith("PROGRAM TOTALS"):
            total = count
            continue
        name = re.sub(r" \[.*\]$", "", name).split(":", 1)[-1]
        # Inlined lines of other files are listed apart, and recursion by its depth.
        name = re.sub(r"'\d+$", "", name)
        parts[part_of(name)] = parts.get(part_of(name), 0) + count
        functions[name] = functions.get(name, 0) + count
    functions = sorted(((count, name) for name, count in functions.items()), reverse=True)
    return {"table": table, "status": status[1] if status else "?", "nodes": nodes, "total": total,
            "parts": parts, "functions": functions[:8]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", nargs="+", type=Path)
    parser.add_argument("--minrule", default="target/release/minrule")
    parser.add_argument("--time-limit", type=float, default=600)
    parser.add_argument("-o", "--output", type=Path, required=True)
    args = parser.parse_args()
    lines = ["# Where the instructions go", "",
             "Written by `run.py`: `minrule learn --threads 1` under callgrind, at most "
             f"{args.time_limit:g} s of callgrind's time.", ""]
    for table in args.tables:
        found = profile(args.minrule, table, args.time_limit)
        search = sum(n for part, n in found["parts"].items() if part.startswith("search"))
        lines += [f"## {table.parent.name}/{table.name}", "",
                  f"- ended {found['status']}, {found['total'] / 1e6:,.1f} million instructions",
                  f"- {found['nodes']:,} nodes searched"
                  + (f", {search / found['nodes']:,.0f} instructions a node" if found["nodes"] else ""), "",
                  "| part | share |", "|---|--:|"]
        for part, count in sorted(found["parts"].items(), key=lambda item: -item[1]):
            lines.append(f"| {part} | {100 * count / found['total']:.1f} % |")
        lines += ["", "| function | share |", "|---|--:|"]
        for count, name in found["functions"]:
            lines.append(f"| `{name[:90]}` | {100 * count / found['total']:.1f} % |")
        lines.append("")
        args.output.write_text("\n".join(lines))


if __name__ == "__main__":
    main()
