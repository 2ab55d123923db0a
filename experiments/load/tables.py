#!/usr/bin/env python3
"""Makes the tables of this experiment, row by row, the same in every run.

    experiments/load/tables.py KIND ROWS COLUMNS SEED > table.csv

Kinds: `planted` (0/1, three rules of three literals say the class), `noise` (0/1, the class is drawn),
`classes` (0/1, ten classes: planted, with some noise), `numbers` (all different, two say the class) and
`mixed` (five sixths categories of two to five values, the rest numbers; three rules say the class).
"""

import random
import sys

# The categories of a `mixed` table are drawn in blocks of columns, each from so many ready pieces of text:
# a million rows take seconds, not minutes. Pieces are few in a table of few rows.
BLOCK, MOST_PIECES = 20, 4_096
VALUES = ["red", "blue", "green", "amber", "white"]


def planted(draw, rows, columns):
    rules = [[(draw.randrange(columns), draw.randrange(2)) for _ in range(3)] for _ in range(3)]
    while True:
        bits = draw.getrandbits(columns)
        fires = any(all(bits >> f & 1 == v for f, v in rule) for rule in rules)
        yield ",".join(format(bits, f"0{columns}b")[::-1]), "yes" if fires else "no"


def noise(draw, rows, columns):
    while True:
        bits = draw.getrandbits(columns + 1)
        yield ",".join(format(bits >> 1, f"0{columns}b")), "yes" if bits & 1 else "no"


def classes(draw, rows, columns):
    while True:
        bits = draw.getrandbits(columns)
        label = draw.randrange(10) if draw.random() < 0.1 else (bits & 31) % 10
        yield ",".join(format(bits, f"0{columns}b")[::-1]), f"k{label}"


def numbers(draw, rows, columns):
    while True:
        values = [draw.random() for _ in range(columns)]
        fires = values[0] > 0.5 and values[-1] > 0.7
        yield ",".join(f"{value:.6f}" for value in values), "yes" if fires else "no"


def mixed(draw, rows, columns):
    bits = (min(rows, MOST_PIECES) - 1).bit_length()
    of_numbers = columns // 6
    of_categories = columns - of_numbers
    blocks = []
    for start in range(0, of_categories, BLOCK):
        kinds = [VALUES[: 2 + i % 4] for i in range(start, min(start + BLOCK, of_categories))]
        pieces = [[draw.choice(kind) for kind in kinds] for _ in range(1 << bits)]
        marks = [piece[0] == "red" and piece[-1] == "blue" for piece in pieces]
        blocks.append(([",".join(piece) for piece in pieces], marks))
    while True:
        chosen = [draw.getrandbits(bits) for _ in blocks]
        values = [draw.getrandbits(20) for _ in range(of_numbers)]
        fields = [pieces[i] for (pieces, _), i in zip(blocks, chosen)]
        # Some columns of few numbers, some of many.
        fields += [str(value >> 14) if i % 2 else f"{value}e-3" for i, value in enumerate(values)]
        first, second = blocks[0][1][chosen[0]], blocks[-1][1][chosen[-1]]
        yield ",".join(fields), "yes" if first or second or (values and values[0] < 1 << 16) else "no"


KINDS = {make.__name__: make for make in (planted, noise, classes, numbers, mixed)}


def write(file, kind, rows, columns, seed):
    draw = random.Random(f"{kind} {rows} {columns} {seed}")
    names = ",".join(f"c{i}" for i in range(columns))
    file.write(f"{names},class\n")
    make = KINDS[kind](draw, rows, columns)
    lines = (f"{fields},{label}\n" for _, (fields, label) in zip(range(rows), make))
    file.writelines(lines)


if __name__ == "__main__":
    if len(sys.argv) != 5 or sys.argv[1] not in KINDS:
        sys.exit(__doc__)
    write(sys.stdout, sys.argv[1], *map(int, sys.argv[2:]))
