#!/usr/bin/env python3
"""Compares PMML in the eyes of independent readers with `minrule predict`, and validates it.

    pip install jpmml_evaluator pypmml
    experiments/export/pmml.py -o experiments/export/pmml.csv

It needs Java. Every prediction is compared. JPMML is given the values as a typed table holds them
(numbers, texts, nothing), and again the texts of a CSV file as they are; PMML4S only the former.
"""

import argparse
import csv
import itertools
import pathlib
import sys
import tempfile
import zipfile

import jpmml_evaluator
import jpype
import pandas
import pypmml

import cases

ABSTAINED = "org.jpmml.model.MissingAttributeException: Required attribute RuleSet@defaultScore"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    parser.add_argument("--minrule", default="target/release/minrule")
    args = parser.parse_args()
    differences = 0
    with tempfile.TemporaryDirectory() as folder, args.output.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["model", "uncovered", "conflict", "reader", "values", "rows", "differ", "decided"])
        folder = pathlib.Path(folder)
        for case in cases.cases(args.minrule, folder):
            for policy in itertools.product(["default", "abstain"], ["majority", "size"]):
                for row in check(case, policy, folder / "model.pmml"):
                    print(*row, sep=", ")
                    writer.writerow(row)
                    differences += row[-2]
    print("no differences" if differences == 0 else f"{differences} differences")
    sys.exit(differences > 0)


def check(case, policy, path):
    path.write_text(case.export("pmml", *policy), encoding="utf-8")
    expected, decided = case.predict(*policy)
    typed = [[case.value(*pair) for pair in zip(case.columns, row)] for row in case.rows]
    for reader, values, rows in [
        (with_jpmml, "typed", typed),
        (with_jpmml, "texts", case.rows),
        (with_pmml4s, "typed", typed),
    ]:
        found = reader(path, case.columns, rows)
        wrong = [i for i, label in enumerate(expected) if label != found[i]]
        for i in wrong[:3]:
            print(f"  {dict(zip(case.columns, case.rows[i]))}: {expected[i]}, PMML says {found[i]}")
        name = reader.__name__.removeprefix("with_")
        yield [case.name, *policy, name, values, len(rows), len(wrong), decided]


def with_jpmml(path, columns, rows):
    """The class of each row. JPMML answers a row that no rule covers, where no default is given, with
    an error of its own, which stands for no class here."""
    evaluator = jpmml_evaluator.make_evaluator(str(path)).verify()
    validate(path)
    inputs = [field.getName() for field in evaluator.getInputFields()]
    target = evaluator.getTargetFields()[0].getName()
    frame = pandas.DataFrame(rows, columns=columns, dtype=object)
    results, errors = evaluator.evaluateAll(frame[inputs], error_col=None)
    labels = list(results[target]) if target in results else [None] * len(rows)
    errors = [None] * len(rows) if errors is None else list(errors)
    verdicts = []
    for label, error in zip(labels, errors):
        if isinstance(error, str) and error not in ("None", "nan"):
            label = None if error.startswith(ABSTAINED) else error
        verdicts.append(None if label is None or label != label else label)
    return verdicts


def with_pmml4s(path, columns, rows):
    """The class of each row."""
    model = pypmml.Model.fromString(path.read_text(encoding="utf-8"))
    results = (model.predict(dict(zip(columns, row))) for row in rows)
    return [next(v for k, v in result.items() if k.startswith("predicted")) for result in results]


def validate(path):
    """By the schema that JPMML ships: PMML 4.4 with additions of its own, all of them optional."""
    jars = pathlib.Path(jpmml_evaluator.__file__).parent / "dependencies"
    (jar,) = [jar for jar in jars.glob("pmml-model-*.jar") if "metro" not in jar.name]
    with zipfile.ZipFile(jar) as archive, tempfile.NamedTemporaryFile(suffix=".xsd") as schema:
        schema.write(archive.read("pmml.xsd"))
        schema.flush()
        files = jpype.JClass("java.io.File")
        factory = jpype.JClass("javax.xml.validation.SchemaFactory")
        factory = factory.newInstance("http://www.w3.org/2001/XMLSchema")
        source = jpype.JClass("javax.xml.transform.stream.StreamSource")
        validator = factory.newSchema(files(schema.name)).newValidator()
        validator.validate(source(files(str(path))))  # raises where the file is not valid


if __name__ == "__main__":
    main()
