"""Proofs on the panel: their size, the time to check them, and what becomes of broken ones.

    python3 experiments/proofs/run.py SUITE OUT [--minrule PROGRAM] [--veripb PROGRAM]

SUITE holds panel.txt and the tables it lists. Writes OUT/proofs.csv, OUT/broken.csv and OUT/RESULTS.md.
"""

import argparse
import csv
import json
import random
import re
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

LIMIT = "20"
CHECK_LIMIT = "20"
#: Seconds that VeriPB has for each part.
VERIPB_LIMIT = 20
BROKEN = 1000
#: Tables whose proofs are broken: those that are checked within a second.
QUICK = 1.0


def timed(command, limit=None):
    start = time.monotonic()
    try:
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=limit
        )
    except subprocess.TimeoutExpired:
        return None, "", time.monotonic() - start
    return done.returncode, done.stdout, time.monotonic() - start


def first_number(bound):
    return bound if isinstance(bound, int) else bound[0]


class Panel:
    def __init__(self, suite, minrule, veripb):
        self.suite, self.minrule, self.veripb = suite, minrule, veripb

    def learn(self, table, folder):
        model, proof = folder / "model.json", folder / "proof"
        command = [self.minrule, "learn", self.suite / table, "--quiet", "--time-limit", LIMIT]
        code, _, seconds = timed([*command, "--model", model, "--proof", proof])
        assert code in (0, 10), (table, code)
        return seconds

    def check(self, table, folder, *more):
        command = [self.minrule, "check", folder / "model.json", self.suite / table]
        return timed([*command, "--proof", folder / "proof", "--time-limit", CHECK_LIMIT, *more])

    def row(self, table, folder):
        solve = self.learn(table, folder)
        code, words, check = self.check(table, folder)
        decision_set = json.loads((folder / "model.json").read_text())["decision_set"]
        files = sorted((folder / "proof").iterdir())
        because = self.because(folder)
        row = {
            "table": table,
            "status": decision_set["status"],
            "size": decision_set["size"],
            "bound": first_number(decision_set["lower_bound"]),
            "classes": len(files),
            "pools": because.count("pool"),
            "bytes": sum(file.stat().st_size for file in files),
            "solve_seconds": round(solve, 3),
            "check_seconds": round(check, 3),
            "verdict": {0: "accepted", 6: "refused", 10: "unfinished"}.get(code, f"code {code}"),
        }
        if self.veripb and row["verdict"] == "accepted":
            row |= self.other_checker(table, folder)
        if row["verdict"] == "refused":
            print(words)
        return row

    def because(self, folder):
        """What each certificate rests on."""
        files = sorted((folder / "proof").iterdir())
        return [re.search(r"^because (\w+)", file.read_text(), re.M)[1] for file in files]

    def other_checker(self, table, folder):
        out = folder / "veripb"
        self.check(table, folder, "--veripb", out)
        parts = sorted(out.glob("*.opb")) if out.exists() else []
        lacking = sum(b != "nothing" for b in self.because(folder)) - sum("-prices" in p.name for p in parts)
        verified, seconds = 0, 0.0
        for formula in parts:
            command = [self.veripb, formula, formula.with_suffix(".pbp")]
            _, words, spent = timed(command, VERIPB_LIMIT)
            verified += "s VERIFIED UNSATISFIABLE" in words
            seconds += spent
        sizes = sum(part.with_suffix(".pbp").stat().st_size for part in parts)
        return {
            "veripb_parts": len(parts),
            "veripb_too_long": lacking,
            "veripb_verified": verified,
            "veripb_bytes": sizes,
            "veripb_seconds": round(seconds, 3),
        }


def raise_bound(lines, chance):
    words = lines[4].split(" ")
    words[-1] = str(int(words[-1]) + chance.randint(1, 3))
    lines[4] = " ".join(words)


def change_price(lines, chance):
    priced = [i for i, line in enumerate(lines) if line.startswith("prices ")]
    if not priced:
        return raise_bound(lines, chance)
    i = chance.choice(priced)
    words = lines[i].split(" ")
    if len(words) < 2 or ":" not in words[-1]:
        return raise_bound(lines, chance)
    j = chance.randrange(1, len(words))
    head, _, price = words[j].rpartition(":")
    words[j] = f"{head}:{max(0, int(price) + chance.choice([-1, 1]) * chance.randint(1, max(2, int(price))))}"
    lines[i] = " ".join(words)


def lose_line(kind):
    def lose(lines, chance):
        some = [i for i, line in enumerate(lines) if line.split(" ")[0] == kind]
        if not some:
            return change_price(lines, chance)
        del lines[chance.choice(some)]

    return lose


def change_number(lines, chance):
    i = chance.randrange(5, len(lines))
    numbers = list(re.finditer(r"\d+", lines[i]))
    if not numbers:
        return raise_bound(lines, chance)
    number = chance.choice(numbers)
    other = max(0, int(number[0]) + chance.choice([-2, -1, 1, 2]))
    lines[i] = lines[i][: number.start()] + str(other) + lines[i][number.end() :]


def swap_lines(lines, chance):
    i, j = (chance.randrange(5, len(lines)) for _ in range(2))
    lines[i], lines[j] = lines[j], lines[i]


CERTIFICATE_WAYS = {
    "bound raised": raise_bound,
    "price changed": change_price,
    "rule of the pool missing": lose_line("rule"),
    "step missing: try": lose_line("try"),
    "step missing: end": lose_line("end"),
    "step missing: drop": lose_line("drop"),
    "step missing: prices": lose_line("prices"),
    "number changed": change_number,
    "lines exchanged": swap_lines,
}


def model_bound_raised(model, chance):
    entry = chance.choice(model["classes"])
    entry["lower_bound"] += 1


def model_rule_lost(model, chance):
    entry = chance.choice([c for c in model["classes"] if c["rules"]])
    del entry["rules"][chance.randrange(len(entry["rules"]))]


def model_condition_lost(model, chance):
    rules = [rule for c in model["classes"] for rule in c["rules"] if rule["if"]]
    rule = chance.choice(rules)
    del rule["if"][chance.randrange(len(rule["if"]))]


def model_claims_optimum(model, chance):
    entry = chance.choice(model["classes"])
    entry["cost"] -= 1
    entry["lower_bound"] = entry["cost"]


MODEL_WAYS = {
    "model: bound raised": model_bound_raised,
    "model: rule lost": model_rule_lost,
    "model: condition lost": model_condition_lost,
    "model: smaller cost claimed": model_claims_optimum,
}


def break_one(panel, table, folder, optimum, chance):
    """Breaks a copy of a proof or a model, and says what became of it."""
    with tempfile.TemporaryDirectory() as name:
        copy = Path(name)
        shutil.copytree(folder / "proof", copy / "proof")
        shutil.copy(folder / "model.json", copy / "model.json")
        model = json.loads((copy / "model.json").read_text())
        classes = model["decision_set"]["classes"]
        claimed = None
        if chance.random() < 0.75:
            way = chance.choice(list(CERTIFICATE_WAYS))
            number = chance.randrange(len(classes))
            path = copy / "proof" / f"class-{number + 1}.proof"
            before = path.read_text()
            lines = before.split("\n")[:-1]
            CERTIFICATE_WAYS[way](lines, chance)
            after = "\n".join(lines) + "\n"
            if after == before:
                return None
            path.write_text(after)
            # The model claims what the certificate does, so that nothing else gives it away.
            claimed = int(lines[4].split(" ")[1])
            classes[number]["lower_bound"] = claimed
            true = optimum[classes[number]["class"]]
        else:
            way = chance.choice(list(MODEL_WAYS))
            MODEL_WAYS[way](model["decision_set"], chance)
        total = sum(entry["lower_bound"] for entry in classes)
        model["decision_set"]["lower_bound"] = total
        (copy / "model.json").write_text(json.dumps(model))
        code, words, _ = panel.check(table, copy)
        if code == 0:
            valid = claimed is not None and claimed <= true
            verdict = "still valid" if valid else "WRONGLY ACCEPTED"
        else:
            verdict = {6: "refused", 3: "refused"}.get(code, f"code {code}")
        assert "panicked" not in words, words
        return {"table": table, "way": way, "verdict": verdict}


def quartiles(values):
    return statistics.quantiles(values, n=4) if len(values) > 1 else [values[0]] * 3


def report(rows, broken, out):
    solved = [row for row in rows if row["status"] == "optimal"]
    accepted = [row for row in solved if row["verdict"] == "accepted"]
    open_rows = [row for row in rows if row["status"] != "optimal"]
    ratios = [row["check_seconds"] / max(row["solve_seconds"], 0.001) for row in accepted]
    lines = ["# Proofs on the panel", "", "Written by `run.py`; the rows are in `proofs.csv` and `broken.csv`.", ""]
    lines += [
        f"- {len(solved)} of {len(rows)} tables proven within {LIMIT} s; {len(accepted)} of these proofs accepted.",
        f"- {sum(row['pools'] for row in solved)} of {sum(row['classes'] for row in solved)} classes needed a pool.",
        "- bytes of a proof (quartiles, largest): "
        + ", ".join(f"{int(q):,}" for q in quartiles([row["bytes"] for row in solved]))
        + f", {max(row['bytes'] for row in solved):,}",
        "- check seconds / solve seconds (quartiles, largest): "
        + ", ".join(f"{q:.2f}" for q in quartiles(ratios))
        + f", {max(ratios):.2f}",
        f"- all proven: {sum(r['solve_seconds'] for r in solved):.1f} s to solve, "
        f"{sum(r['check_seconds'] for r in solved):.1f} s to check.",
        f"- {len(open_rows)} tables with an open gap: of their bounds "
        + ", ".join(
            f"{sum(row['verdict'] == verdict for row in open_rows)} {verdict}"
            for verdict in sorted({row["verdict"] for row in open_rows})
        )
        + f" (check limit {CHECK_LIMIT} s).",
    ]
    if any("veripb_parts" in row for row in rows):
        parts = [row for row in rows if row.get("veripb_parts")]
        lines.append(
            f"- VeriPB: {sum(r['veripb_verified'] for r in parts)} of {sum(r['veripb_parts'] for r in parts)} "
            f"parts verified within {VERIPB_LIMIT} s each, {sum(r['veripb_bytes'] for r in parts):,} bytes, "
            f"{sum(r['veripb_seconds'] for r in parts):.1f} s; {sum(r['veripb_too_long'] for r in parts)} parts "
            "about prices were too long to write."
        )
    lines += ["", "## Broken on purpose", "", "| what | refused | still valid | wrongly accepted |", "|---|---|---|---|"]
    for way in [*CERTIFICATE_WAYS, *MODEL_WAYS, "all"]:
        some = [row for row in broken if way in (row["way"], "all")]
        counts = [
            sum(row["verdict"] == verdict for row in some)
            for verdict in ("refused", "still valid", "WRONGLY ACCEPTED")
        ]
        lines.append(f"| {way} | " + " | ".join(map(str, counts)) + " |")
    others = sorted({row["verdict"] for row in broken} - {"refused", "still valid", "WRONGLY ACCEPTED"})
    lines += ["", f"Other verdicts: {', '.join(others) or 'none'}."]
    lines += ["", "## Table by table", "", "| table | status | size | classes | bytes | solve s | check s | verdict |", "|---|---|---|---|---|---|---|---|"]
    for row in rows:
        columns = ("table", "status", "size", "classes", "bytes", "solve_seconds", "check_seconds", "verdict")
        lines.append("| " + " | ".join(str(row[column]) for column in columns) + " |")
    (out / "RESULTS.md").write_text("\n".join(lines) + "\n")


def write(rows, path):
    names = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        writer.writerows(rows)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("suite", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--minrule", default="target/release/minrule")
    parser.add_argument("--veripb")
    parser.add_argument("--only", help="tables whose name has this in it")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    panel = Panel(args.suite, args.minrule, args.veripb)
    rows, broken = [], []
    with tempfile.TemporaryDirectory() as name:
        kept = []
        for table in (args.suite / "panel.txt").read_text().split():
            if args.only and args.only not in table:
                continue
            folder = Path(name) / table.replace("/", "-")
            folder.mkdir()
            rows.append(panel.row(table, folder))
            print(rows[-1], flush=True)
            if rows[-1]["status"] == "optimal" and rows[-1]["check_seconds"] < QUICK:
                kept.append((table, folder))
            write(rows, args.out / "proofs.csv")
        optima = {}
        for table, folder in kept:
            classes = json.loads((folder / "model.json").read_text())["decision_set"]["classes"]
            optima[table] = {entry["class"]: entry["cost"] for entry in classes}
        chance = random.Random(1)
        while len(broken) < BROKEN:
            table, folder = chance.choice(kept)
            one = break_one(panel, table, folder, optima[table], chance)
            if one:
                broken.append(one)
        write(broken, args.out / "broken.csv")
    report(rows, broken, args.out)


if __name__ == "__main__":
    main()
