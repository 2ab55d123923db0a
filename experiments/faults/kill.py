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
    """The bound of each class in a progress file."""
    found = {}
    for entry in json.loads(path.read_text())["classes"]:
        text = entry["certificate"] or ""
        bound = next((line for line in text.split("\n") if line.startswith("bound ")), "bound 0")
        found[entry["class"]] = int(bound.split(" ")[1])
    return found


def is_whole(path):
    """Whether a file that is there is complete."""
    if not path.exists():
        return True
    text = path.read_text()
    if path.suffix == ".proof":
        return text.startswith("minrule-proof 1\n") and text.endswith("\nqed\n")
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


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
        data.write_text(table(chance, 140, 16))
        start = time.monotonic()
        done = subprocess.run([args.minrule, "learn", data, "--quiet", "--model", reference], stdout=subprocess.DEVNULL)
        whole = time.monotonic() - start
        size = json.loads(reference.read_text())["decision_set"]["size"]
        assert done.returncode == 0
        command = [args.minrule, "learn", data, "--quiet", "--resume", progress, "--model", model, "--proof", proof]
        kills, known = 0, {}
        while kills < args.times or known:
            # A run is killed some times, then one may go on to the end.
            goes_on = kills >= args.times or (known and chance.random() < 0.3)
            moment = None if goes_on else chance.uniform(0, 1.1 * whole)
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
            try:
                code = process.wait(timeout=moment)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                code = process.wait()
                kills += 1
            written = [progress, model, *(proof.iterdir() if proof.exists() else [])]
            now = bounds(progress) if progress.exists() and is_whole(progress) else {}
            row = {
                "moment": "" if moment is None else round(moment, 3),
                "end": "killed" if code == -signal.SIGKILL else f"exit {code}",
                "bounds_before": sum(known.values()),
                "bounds_after": sum(now.values()),
                "bounds_lost": sum(now.get(label, 0) < bound for label, bound in known.items()),
                "stray_files": sum(path not in expected_files for path in folder.iterdir()),
                "broken_files": sum(not is_whole(path) for path in written),
                "size": "",
                "proof": "",
            }
            known = now
            if code == 0:
                check = [args.minrule, "check", model, data, "--proof", proof]
                judged = subprocess.run(check, stdout=subprocess.DEVNULL)
                row["size"] = json.loads(model.read_text())["decision_set"]["size"]
                row["proof"] = "accepted" if judged.returncode == 0 else "refused"
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
    smallest = sum(row["size"] == size and row["proof"] == "accepted" for row in ended)
    (args.out / "KILL.md").write_text(
        "# Killed and continued\n\nWritten by `kill.py`; the rows are in `kill.csv`.\n\n"
        f"- an undisturbed run takes {whole:.1f} s and gives size {size}.\n"
        f"- {len(killed)} runs killed at random moments up to {1.1 * whole:.1f} s; after "
        f"{sum(row['bounds_after'] > 0 for row in killed)} of them something proven was on file.\n"
        f"- {sum(row['stray_files'] for row in rows)} stray files, {sum(row['broken_files'] for row in rows)} broken "
        f"files, {sum(row['bounds_lost'] for row in rows)} bounds lost.\n"
        f"- {len(ended)} runs went on to the end, {sum(row['bounds_before'] > 0 for row in ended)} of them from "
        f"what killed ones had proven: {smallest} gave size {size} and a proof that is accepted.\n"
        f"- {len(rows) - len(killed) - len(ended)} ended in any other way.\n"
    )


if __name__ == "__main__":
    main()
