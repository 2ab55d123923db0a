"""What users are warned of."""


class DataWarning(UserWarning):
    """A question that the data raise: a column like an identifier, rows that contradict each other."""
