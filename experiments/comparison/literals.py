"""Literals in one form for every method: what is counted, shown, and compared between folds."""

import collections
import itertools
import math

import pandas as pd

MISSING = "(missing)"


class Flag(collections.namedtuple("Flag", "column value yes")):
    """A column that is a value, or is not. Columns of 0 and 1 say which of the two it is."""

    def __str__(self):
        if self.value == MISSING:
            return f"{self.column} is {'' if self.yes else 'not '}missing"
        return f"{self.column} {'=' if self.yes else '!='} {self.value}"


class Range(collections.namedtuple("Range", "column above upto")):
    """A number above one bound and up to another; either may be infinite."""

    def __str__(self):
        if self.above == -math.inf:
            return f"{self.column} <= {self.upto:.4g}"
        if self.upto == math.inf:
            return f"{self.column} > {self.above:.4g}"
        return f"{self.above:.4g} < {self.column} <= {self.upto:.4g}"


class Outside(Range):
    """The opposite."""

    def __str__(self):
        return f"not {super().__str__()}"


def bit(column, value):
    return Flag(column, str(int(value)), True)


def tidy(literals):
    """A rule's literals without what the others imply. Bounds of one number are one literal, since for a
    learner of intervals they are; a column that is one value needs not be told from the others."""
    ranges = {}
    for literal in literals:
        if type(literal) is Range:
            old = ranges.get(literal.column, literal)
            ranges[literal.column] = Range(
                literal.column, max(old.above, literal.above), min(old.upto, literal.upto))
    equal = {literal.column for literal in literals if isinstance(literal, Flag) and literal.yes}
    tidied = []
    for literal in literals:
        if type(literal) is Range:
            literal = ranges[literal.column]
        elif isinstance(literal, Flag) and not literal.yes and literal.column in equal:
            continue
        if literal not in tidied:
            tidied.append(literal)
    return tidied


class Universe:
    """The literals that a table allows, numbered: of a number only which way it is bounded."""

    def __init__(self, X):
        self.values = {column: values_of(X[column]) for column in X}
        self.numbers = {column for column in X if is_number(X[column])}
        keys = []
        for column, values in self.values.items():
            if column in self.numbers:
                keys += [(column, "<="), (column, ">")]
            keys += [(column, value, yes) for value in values for yes in (True, False)]
        self.place = {key: place for place, key in enumerate(keys)}

    def keys(self, literal):
        if isinstance(literal, Flag):
            if literal.column in self.numbers and literal.value != MISSING:
                return [(literal.column, ">"), (literal.column, "<=")]
            values = self.values[literal.column]
            # Of two values, not to be one is to be the other.
            if len(values) == 2 and not literal.yes and literal.value in values:
                return [(literal.column, values[1 - values.index(literal.value)], True)]
            return [(literal.column, literal.value, literal.yes)]
        ways = [(literal.column, ">")] * bool(literal.above > -math.inf)
        ways += [(literal.column, "<=")] * bool(literal.upto < math.inf)
        if isinstance(literal, Outside) and len(ways) == 1:
            return [(literal.column, "<=" if ways[0][1] == ">" else ">")]
        return ways

    def bits(self, rules):
        """Which of them occur in these rules, as a hexadecimal number."""
        literals = set(itertools.chain.from_iterable(conditions for conditions, _ in rules))
        places = {self.place[key] for literal in literals for key in self.keys(literal)}
        return f"{sum(1 << place for place in places):x}"


def is_number(column):
    """Columns of 0 and 1 are flags."""
    return pd.api.types.is_numeric_dtype(column) and not column.isin([0, 1]).all()


def values_of(column):
    """The values that a literal can name; of a number, only that it is missing."""
    missing = [MISSING] * bool(column.isna().any())
    if is_number(column):
        return missing
    plain = (f"{value:g}" if isinstance(value, float) else str(value) for value in column.dropna().unique())
    return sorted(plain) + missing


class Encoder:
    """A table in numbers, for learners that need them, by its training rows alone.

    Numbers stay, with the median for missing ones. Columns of 0 and 1 stay. Categories become one column
    of 0 and 1 for each value. Where something is missing, another column says so.
    """

    def __init__(self, numbers):
        self.names = numbers

    def fit(self, X):
        self.numbers = {column: X[column].median() for column in X if column in self.names}
        self.parts = []
        for column in X:
            if column in self.numbers:
                missing = [(column, MISSING)] * bool(X[column].isna().any())
                self.parts += [(column, None)] + missing
            elif pd.api.types.is_numeric_dtype(X[column]):
                self.parts.append((column, "1"))
            else:
                self.parts += [(column, value) for value in values_of(X[column])]
        return self

    def transform(self, X):
        columns = []
        for column, value in self.parts:
            if value is None:
                columns.append(X[column].fillna(self.numbers[column]).astype(float))
            elif value == MISSING:
                columns.append(X[column].isna().astype(int))
            elif pd.api.types.is_numeric_dtype(X[column]):
                columns.append(X[column].astype(int))
            else:
                columns.append((X[column] == value).astype(int))
        encoded = pd.concat(columns, axis=1)
        encoded.columns = [f"c{place}" for place in range(len(columns))]
        return encoded.reset_index(drop=True)

    def test(self, place, threshold, above):
        """The literal "this column is above (or not) the threshold"."""
        column, value = self.parts[place]
        if value is None:
            return Range(column, threshold, math.inf) if above else Range(column, -math.inf, threshold)
        return bit(column, above) if value == "1" else Flag(column, value, bool(above))


def plain(X, encoder):
    """Categories as text, numbers without gaps: for learners that know both, but nothing missing."""
    filled = {}
    for column in X:
        missing = X[column].isna()
        if column in encoder.numbers:
            filled[column] = X[column].fillna(encoder.numbers[column])
        elif pd.api.types.is_numeric_dtype(X[column]):
            filled[column] = X[column]
        else:
            filled[column] = X[column].astype(object).where(~missing, MISSING)
    return pd.DataFrame(filled).reset_index(drop=True)
