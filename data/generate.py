#!/usr/bin/env python3
"""Writes loans.csv: an invented table of loan decisions, the same one each time."""

import pathlib
import random


def decide(row):
    """The policy that the table was made by; a rule set should find something like it."""
    if row["history"] == "defaulted":
        return "no"
    if row["income"] >= 60 and row["debt"] < 20:
        return "yes"
    if row["guarantor"] == "yes" and row["history"] == "good":
        return "yes"
    if row["age"] >= 50 and row["debt"] < 10:
        return "yes"
    return "no"


def main():
    draw = random.Random(20)
    lines = ["age,income,debt,employment,history,guarantor,approved"]
    for _ in range(160):
        row = {
            "age": draw.randint(20, 70),
            "income": round(draw.uniform(15, 110), 1),
            "debt": round(draw.uniform(0, 40), 1),
            "employment": draw.choice(["employed", "self-employed", "retired", "none"]),
            "history": draw.choices(["good", "none", "defaulted"], [5, 3, 2])[0],
            "guarantor": draw.choice(["yes", "no"]),
        }
        approved = decide(row)
        if draw.random() < 0.08:
            row["income"] = ""
        lines.append(",".join(str(value) for value in [*row.values(), approved]))
    path = pathlib.Path(__file__).with_name("loans.csv")
    path.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
