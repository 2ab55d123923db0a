"""Whether the rules that minrule printed agree with the table, by the table's own text.

Knows tables of categories (`=` and `!=`), which is what the suite consists of. Shares no code with
minrule: rows are read with Python's `csv`, equal rows vote, and every row must satisfy some rule of
the class that won and none of another class.
"""

import csv
import gzip


def is_valid(path, result):
    opened = gzip.open(path, "rt", newline="") if path.suffix == ".gz" else path.open(newline="")
    with opened as file:
        reader = csv.reader(file)
        header = next(reader)
        rows = list(reader)
    target = header.index(result["target"])
    votes = {}
    for row in rows:
        features = tuple(row[:target] + row[target + 1:])
        ballot = votes.setdefault(features, {})
        ballot[row[target]] = ballot.get(row[target], 0) + 1
    labels = []
    for row in rows:
        if row[target] not in labels:
            labels.append(row[target])
    groups = list(votes)
    # The most votes; of a tie, the label that appears first in the table.
    winner = [max(labels, key=lambda label: votes[g].get(label, 0)) for g in groups]

    # A set of groups is an integer with a bit for each.
    names = header[:target] + header[target + 1:]
    having = {}
    for bit, group in enumerate(groups):
        for name, value in zip(names, group):
            having.setdefault((name, value), []).append(bit)
    having = {key: as_bits(bits, len(groups)) for key, bits in having.items()}
    everything = (1 << len(groups)) - 1

    for described in result["classes"]:
        own = as_bits([b for b, label in enumerate(winner) if label == described["class"]], len(groups))
        covered = 0
        for rule in described["rules"]:
            satisfied = everything
            for condition in rule["if"]:
                with_value = having.get((condition["feature"], condition["value"]), 0)
                if condition["op"] == "=":
                    satisfied &= with_value
                elif condition["op"] == "!=":
                    satisfied &= ~with_value
                else:
                    raise ValueError(f"the judge does not know {condition['op']}")
            covered |= satisfied
        if covered != own:
            return False
    return True


def as_bits(positions, length):
    bits = bytearray((length + 7) // 8)
    for position in positions:
        bits[position // 8] |= 1 << (position % 8)
    return int.from_bytes(bits, "little")
