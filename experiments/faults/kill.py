"""Kills runs at random moments and lets them go on, and looks at what they leave.

    python3 experiments/faults/kill.py OUT [--minrule PROGRAM] [--times 50]

Each round learns a table of random rows with --resume, --model and --proof, is killed (SIGKILL) at a
random moment and started again until it ends by itself. After each kill every file must be whole or not
there, and the bound that was proven must not be lost. Writes OUT/kill.csv and OUT/KILL.md.
"""

import argparse
import csv
import json
import random
import signal
import subprocess
import tempfile
import time
from pathlib import Path


def table(chance, rows, columns):
    """Random rows, a hidden rule and some noise: a few seconds of work."""
    lines = [",".join([f"c{i}" for i in range(columns)] + ["class"])]
    for _ in range(rows):
        bits = [chance.randint(0, 1) for _ in range(columns)]
        ruled = (bits[0] & bits[1]) | (bits[2] & (1 - bits[3]))
        lines.append(",".join(map(str, [*bits, ruled if chance.random() < 0.8 else 1 - ruled])))
    return "\n".join(lines) + "\n"


def bounds(path):
    """The bound of each class in a progress file, which must be whole."""
    found = {}
    for entry in json.loads(path.read_text())["classes"]:
        text = entry["certificate"] or ""
        bound = next((line for line in text.split("\n") if line.startswith("bound ")), "bound 0")
        found[entry["class"]] = int(bound.split(" ")[1])
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("--minrule", default="target/release/minrule")
    parser.add_argument("--times", type=int, default=50)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    chance = random.Random(1)
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data, progress = folder / "table.csv", folder / "progress.json"
        model, proof, reference = folder / "model.json", folder / "proof", folder / "reference.json"
        expected_files = {data, progress, model, proof, reference}
        data.write_text(table(chance, 150, 18))
        start = time.monotonic()
        done = subprocess.run([args.minrule, "learn", data, "--quiet", "--model", reference], stdout=subprocess.DEVNULL)
        whole = time.monotonic() - start
        size = json.loads(reference.read_text())["decision_set"]["size"]
        assert done.returncode == 0
        command = [args.minrule, "learn", data, "--quiet", "--resume", progress, "--model", model, "--proof", proof]
        kills, known = 0, {}
        while kills < args.times:
            moment = chance.uniform(0, 1.1 * whole)
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
            try:
                code = process.wait(timeout=moment)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                code = process.wait()
                kills += 1
            left = sorted(path.name for path in folder.iterdir() if path not in expected_files)
            now = bounds(progress) if progress.exists() else {}
            lost = [label for label, bound in known.items() if now.get(label, 0) < bound]
            row = {
                "moment": round(moment, 3),
                "end": "killed" if code == -signal.SIGKILL else f"exit {code}",
                "bounds_known": sum(now.values()),
                "bounds_lost": len(lost),
                "stray_files": len(left),
                "broken_files": 0,
                "size": "",
            }
            known = now
            if model.exists():
                row["size"] = json.loads(model.read_text())["decision_set"]["size"]
            if code == 0:
                judged = subprocess.run(
                    [args.minrule, "check", model, data, "--proof", proof], stdout=subprocess.DEVNULL
                )
                assert judged.returncode == 0 and row["size"] == size
                # The next round begins anew.
                for path in [progress, model, *proof.iterdir()]:
                    path.unlink()
                known = {}
            rows.append(row)
    with (args.out / "kill.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    killed = [row for row in rows if row["end"] == "killed"]
    ended = [row for row in rows if row["end"] == "exit 0"]
    other = len(rows) - len(killed) - len(ended)
    (args.out / "KILL.md").write_text(
        "# Killed and continued\n\nWritten by `kill.py`; the rows are in `kill.csv`.\n\n"
        f"- an undisturbed run takes {whole:.1f} s and gives size {size}.\n"
        f"- {len(killed)} runs killed at random moments up to {1.1 * whole:.1f} s; "
        f"{sum(row['bounds_known'] > 0 for row in killed)} had proven something by then.\n"
        f"- {sum(row['stray_files'] for row in rows)} stray files, {sum(row['broken_files'] for row in rows)} broken "
        f"files, {sum(row['bounds_lost'] for row in rows)} bounds lost.\n"
        f"- {len(ended)} runs that went on to the end: all of size {size}, all proofs accepted; "
        f"{other} ended otherwise.\n"
    )


if __name__ == "__main__":
    main()
