#!/bin/sh
# Lets solvers fail on purpose and writes the table of what came of it.
set -eu
root=$(CDPATH= cd -- "$(dirname -- "$0")/../.." && pwd)
cd "$root"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
tools/with-build-tools cargo test --release -p minrule --features faults --test faults -- --nocapture >"$log" 2>&1
{
    echo "# Solvers that go wrong"
    echo
    echo "Written by \`solvers.sh\` from \`crates/minrule/tests/faults.rs\`. Each fault strikes 12 tables after 0, 1, 5"
    echo "and 25 calls that go well; every outcome is judged by the examples and by the optimum."
    echo
    echo "| fault | runs | proven all the same | classes proven | why others are not | false claims |"
    echo "|---|---|---|---|---|---|"
    grep '^| ' "$log"
} >experiments/faults/SOLVERS.md
cat experiments/faults/SOLVERS.md
