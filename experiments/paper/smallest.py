#!/usr/bin/env python3
"""Lists the smallest tables of a list, by their bytes without compression.

    experiments/paper/smallest.py SUITE/panel.txt 30 > SUITE/smallest.txt
"""

import gzip
import pathlib
import sys

names = pathlib.Path(sys.argv[1])
most = int(sys.argv[2])


def size(name):
    path = names.parent / name
    opened = gzip.open(path) if name.endswith(".gz") else path.open("rb")
    with opened as file:
        return len(file.read())


tables = [line.strip() for line in names.read_text().splitlines() if line.strip()]
print("\n".join(sorted(tables, key=lambda name: (size(name), name))[:most]))
