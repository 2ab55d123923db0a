#!/usr/bin/env python3
"""What the first command of the README takes on a fresh clone, and how large what it builds is.

    experiments/build/run.py REVISION...     adds a row to results.csv for each

Each revision is cloned and built with no target directory; crates that were fetched before are not fetched again. CPU seconds are
those of all processes together. The wheel is built after the program, in the same clone.
"""

import argparse
import csv
import os
import resource
import subprocess
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
RESULTS = HERE / "results.csv"
FIELDS = "revision date cores cpu_seconds seconds program_bytes wheel_cpu_seconds wheel_bytes".split()
FIRST = ["tools/with-build-tools", "cargo", "run", "--release", "--", "learn", "data/loans.csv", "--alpha", "auto"]


def taken(command, folder):
    """CPU seconds and seconds."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CARGO_")}
    subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, time.monotonic() - start


def measure(revision, folder):
    def git(*arguments):
        return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()

    git("clone", "--quiet", "--no-checkout", str(ROOT), str(folder))
    subprocess.run(["git", "checkout", "--quiet", git("rev-parse", revision)], cwd=folder, check=True)
    # What the command would install counts as installed: it is not what is compared.
    subprocess.run(["tools/with-build-tools", "true"], cwd=folder, check=True)
    cpu, seconds = taken(FIRST, folder)
    wheel_cpu, _ = taken(["tools/wheel"], folder)
    wheel = next((folder / "target" / "wheels").glob("*.whl"))
    return {"revision": git("rev-parse", "--short", revision), "date": git("log", "-1", "--format=%as", revision),
            "cores": os.cpu_count(), "cpu_seconds": f"{cpu:.0f}", "seconds": f"{seconds:.0f}",
            "program_bytes": (folder / "target" / "release" / "minrule").stat().st_size,
            "wheel_cpu_seconds": f"{wheel_cpu:.0f}", "wheel_bytes": wheel.stat().st_size}


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("revisions", nargs="+")
    for revision in arguments.parse_args().revisions:
        with tempfile.TemporaryDirectory() as folder:
            row = measure(revision, Path(folder) / "minrule")
        new = not RESULTS.exists()
        with RESULTS.open("a") as out:
            writer = csv.DictWriter(out, FIELDS, lineterminator="\n")
            if new:
                writer.writeheader()
            writer.writerow(row)


if __name__ == "__main__":
    main()
