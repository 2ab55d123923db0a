#!/usr/bin/env python3
"""Prints what the results of `minrule compare` show, as Markdown, and draws it.

    experiments/suite/report.py results.csv [--configuration NAME] [--against other.csv|panel.tsv] \\
        [--plots FOLDER]

How many tables are proven optimal, PAR2 (the mean of the seconds, where a table without proof counts
twice the limit), whether every result is valid and in time, and the gaps of what is not proven. With
`--against`, the same tables in a second CSV, or in a table of reference results (tab-separated: file,
seconds, finished, size). With `--plots`, a cactus plot and a scatter plot as SVG. Needs only Python's
standard library.
"""

import argparse
import csv
import json
import math
import pathlib


def main():
    args = arguments()
    ours = read(args.results, args.configuration)
    if not ours:
        raise SystemExit(f"{args.results}: no rows of configuration {args.configuration}")
    summary(ours)
    curves = {args.configuration or args.results.stem: ours}
    if args.against:
        other = read(args.against, args.against_configuration)
        comparison(ours, other)
        curves[args.against.stem] = {file: row for file, row in other.items() if file in ours}
    unsolved(ours)
    if args.plots:
        args.plots.mkdir(parents=True, exist_ok=True)
        cactus(args.plots / "cactus.svg", curves)
        if args.against:
            scatter(args.plots / "scatter.svg", ours, other)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--configuration", help="only the rows of this configuration")
    parser.add_argument("--against", type=pathlib.Path, help="a second CSV, or reference results (.tsv)")
    parser.add_argument("--against-configuration", help="only its rows of this configuration")
    parser.add_argument("--plots", type=pathlib.Path, help="a folder for SVG files")
    return parser.parse_args()


def read(path, configuration):
    """Rows by file, with numbers for what the report counts with."""
    reference = path.suffix == ".tsv"
    rows = {}
    with path.open(newline="") as file:
        for row in csv.DictReader(file, delimiter="\t" if reference else ","):
            if reference:
                row["status"] = "optimal" if row["finished"] == "yes" else "feasible"
                row["time_limit"] = 60
            elif configuration and row["configuration"] != configuration:
                continue
            row["solved"] = row["status"] == "optimal"
            row["seconds"] = float(row["seconds"])
            row["time_limit"] = float(row["time_limit"])
            rows[row["file"]] = row
    return rows


def par2(rows):
    times = [r["seconds"] if r["solved"] else 2 * r["time_limit"] for r in rows.values()]
    return sum(times) / len(times)


def summary(rows):
    first = next(iter(rows.values()))
    late = max(row["seconds"] - row["time_limit"] for row in rows.values())
    print(f"`minrule learn {first['options']}`, {first['time_limit']:g} s a table, {first['memory_limit']}"
          f" of memory, version {first['version']}.\n")
    print(f"- Tables: {len(rows)}")
    print(f"- Proven optimal: {sum(r['solved'] for r in rows.values())}")
    print(f"- PAR2: {par2(rows):.2f} s")
    print(f"- Valid by the judge: {sum(r.get('valid') == 'yes' for r in rows.values())}")
    print(f"- Latest answer: {max(late, 0):.2f} s after the limit")
    print(f"- Most memory: {max(int(r['peak_mb']) for r in rows.values()):,} MB\n")


def comparison(ours, other):
    common = [file for file in ours if file in other]
    theirs = [file for file in common if other[file]["solved"]]
    both = [file for file in theirs if ours[file]["solved"]]
    same = [file for file in both if cost(ours[file]) == cost(other[file])]
    print(f"- Against: {len(common)} tables in common, {len(theirs)} solved there,"
          f" {sum(ours[f]['solved'] for f in common)} here, {len(both)} by both,"
          f" {len(same)} of these with the same cost.")
    if both:
        ratios = [math.log(other[f]["seconds"] / max(ours[f]["seconds"], 1e-3)) for f in both]
        mean = math.exp(sum(ratios) / len(ratios))
        print(f"- Seconds there / seconds here, geometric mean over the {len(both)}: {mean:.1f}")
    for file in both:
        if file not in same:
            print(f"- DIFFERENT: {file}: {cost(ours[file])} here, {cost(other[file])} there")
    print()


def cost(row):
    """The objective's value, as far as both files say what it was."""
    options = row.get("options", "")
    if "--minimize rules-then-literals" in options:
        return f"[{row['rules']}, {row['literals']}]"
    for objective in ["rules", "literals"]:
        if f"--minimize {objective}" in options:
            return row[objective]
    return row["size"]


def unsolved(rows):
    open_rows = [row for row in rows.values() if not row["solved"]]
    if not open_rows:
        return
    print("| table without proof | best | lower bound | gap | rules | stopped by |")
    print("|---|--:|--:|--:|--:|---|")
    for row in sorted(open_rows, key=lambda row: (gap(row), row["file"])):
        print(f"| {row['file']} | {cost(row)} | {row['lower_bound']} | {100 * gap(row):.1f} % |"
              f" {row['rules']} | {row['stopped_by'] or row['status']} |")
    print()


def gap(row):
    try:
        bound, best = json.loads(row["lower_bound"]), json.loads(cost(row))
    except ValueError:
        return 1.0
    if isinstance(bound, list):
        part = 0 if bound[0] < best[0] else 1
        bound, best = bound[part], best[part]
    return (best - bound) / best if best else 0.0


# Drawing: logarithmic seconds from a millisecond to the limit.

SIZE, EDGE = 420, 50
COLOURS = ["#1f5fa8", "#c1541c"]


def place(seconds, limit):
    low, high = math.log10(0.001), math.log10(limit)
    return (math.log10(min(max(seconds, 0.001), limit)) - low) / (high - low) * SIZE


def svg(path, parts, limit, x_label, y_label):
    powers = [10.0**p for p in range(-3, 5) if 10.0**p <= limit]
    ticks = "".join(
        f'<text x="{EDGE - 6}" y="{EDGE + SIZE - place(t, limit) + 4:.1f}" text-anchor="end">{t:g}</text>'
        f'<line x1="{EDGE}" x2="{EDGE + SIZE}" y1="{EDGE + SIZE - place(t, limit):.1f}"'
        f' y2="{EDGE + SIZE - place(t, limit):.1f}" stroke="#ddd"/>'
        for t in powers
    )
    width = SIZE + 2 * EDGE
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{width}"'
        f' font-family="sans-serif" font-size="12"><rect width="{width}" height="{width}" fill="white"/>'
        f'<rect x="{EDGE}" y="{EDGE}" width="{SIZE}" height="{SIZE}" fill="none" stroke="#888"/>{ticks}'
        f'<text x="{EDGE + SIZE / 2}" y="{width - 12}" text-anchor="middle">{x_label}</text>'
        f'<text x="14" y="{EDGE + SIZE / 2}" text-anchor="middle"'
        f' transform="rotate(-90 14 {EDGE + SIZE / 2})">{y_label}</text>{"".join(parts)}</svg>\n'
    )


def cactus(path, curves):
    limit = max(row["time_limit"] for rows in curves.values() for row in rows.values())
    most = max(len(rows) for rows in curves.values())
    parts = []
    for i, (name, rows) in enumerate(curves.items()):
        times = sorted(row["seconds"] for row in rows.values() if row["solved"])
        points = " ".join(
            f"{EDGE + (n + 1) / most * SIZE:.1f},{EDGE + SIZE - place(t, limit):.1f}"
            for n, t in enumerate(times)
        )
        parts.append(f'<polyline points="{points}" fill="none" stroke="{COLOURS[i]}" stroke-width="2"/>')
        parts.append(f'<text x="{EDGE + 10}" y="{EDGE + 20 + 18 * i}" fill="{COLOURS[i]}">'
                     f"{name}: {len(times)} of {len(rows)}</text>")
    for n in range(0, most + 1, max(1, most // 6)):
        parts.append(f'<text x="{EDGE + n / most * SIZE:.1f}" y="{EDGE + SIZE + 16}"'
                     f' text-anchor="middle">{n}</text>')
    svg(path, parts, limit, "tables proven optimal", "seconds")


def scatter(path, ours, other):
    limit = max(row["time_limit"] for row in ours.values())
    at = lambda row: place(row["seconds"] if row["solved"] else limit, limit)
    parts = [f'<line x1="{EDGE}" y1="{EDGE + SIZE}" x2="{EDGE + SIZE}" y2="{EDGE}" stroke="#bbb"/>']
    for file, row in ours.items():
        if file in other:
            x, y = EDGE + at(other[file]), EDGE + SIZE - at(row)
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{COLOURS[0]}" fill-opacity="0.6">'
                         f"<title>{file}</title></circle>")
    for t in [10.0**p for p in range(-3, 5) if 10.0**p <= limit]:
        parts.append(f'<text x="{EDGE + place(t, limit):.1f}" y="{EDGE + SIZE + 16}"'
                     f' text-anchor="middle">{t:g}</text>')
    svg(path, parts, limit, "seconds of the other; the edge is no proof", "seconds of minrule")


if __name__ == "__main__":
    main()
