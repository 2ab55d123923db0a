# Shorthands; each is one line that can be typed as well.

# Build the program.
build:
    tools/with-build-tools cargo build --release

# All tests.
test:
    tools/test

# Everything that continuous integration checks.
ci:
    .ci/run

# Learn from the bundled table.
demo:
    tools/with-build-tools cargo run --release -- learn data/loans.csv --alpha auto
