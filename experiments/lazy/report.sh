#!/bin/sh
# Writes RESULTS.md and the plots from the CSV files beside it.
#
#     experiments/lazy/report.sh REFERENCE.tsv
set -eu
cd "$(dirname "$0")"
reference=$1
report() { python3 ../suite/report.py "$@"; }
{
    echo "# Results"
    echo
    echo "Written by \`report.sh\`. *Before* is what the program did until it relaxed large tables by example and solved small LPs itself."
    echo
    echo "## The panel, for size"
    echo
    report panel.csv --configuration size --against "$reference" --plots plots/panel
    echo "![tables proven optimal over time](plots/panel/cactus.svg)"
    echo "![against the reference](plots/panel/scatter.svg)"
    echo
    echo "## The panel, for rules-then-literals"
    echo
    report panel.csv --configuration rules-then-literals
    for objective in size rules literals rules-then-literals; do
        echo
        echo "## The panel, for $objective, before"
        echo
        report before/panel.csv --configuration "$objective"
    done
    echo
    echo "## First folds, for size"
    echo
    report train1.csv --configuration size --plots plots/train1
    echo "![tables proven optimal over time](plots/train1/cactus.svg)"
    echo
    echo "## First folds, for size, before"
    echo
    report before/train1.csv --configuration size
    for objective in size rules literals rules-then-literals; do
        echo
        echo "## Enumerating all rules and HiGHS's branch and bound, for $objective"
        echo
        report enumerate.csv --configuration "$objective" --against before/panel.csv \
            --against-configuration "$objective" | sed '/^| /d; /^|-/d'
    done
} > RESULTS.md
