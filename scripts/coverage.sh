#!/usr/bin/env bash
# Measures the line coverage of the library by the unit tests and a short torture run: coverage.sh [FILE…]. Prints a line a
# file, and for each FILE (DictionaryStore.swift, for one) the lines that nothing ran.
#
#   COVERAGE_MINUTES=3   how long the torture machines run, all together
#   COVERAGE_TESTS=0     keep the tests' last result, and run the torture machines alone
set -euo pipefail
cd "$(dirname "$0")/.."

build=(--scratch-path .build-coverage --enable-code-coverage)
${SWIFT:-swift} build --build-tests "${build[@]}"
bin=$(${SWIFT:-swift} build --show-bin-path "${build[@]}")
profiles=$bin/codecov

# Leaves its counts in default.profdata.
if [ "${COVERAGE_TESTS:-1}" = 1 ]; then ${SWIFT:-swift} test --skip-build "${build[@]}"; fi

# Every process of the run adds its counts to the file of its executable; a killed one adds none.
rm -f "$profiles"/torture-*.profraw
machines=()
for machine in model histories kills crash-images failing-calls hostile-files; do machines+=(--machine $machine); done
LLVM_PROFILE_FILE="$profiles/torture-%4m.profraw" "$bin/torture" --minutes "${COVERAGE_MINUTES:-3}" --run-seed 1 "${machines[@]}"
# The toolchain's tools: those of the system may be of another version.
tools=$(dirname "$(readlink -f "$(command -v "${SWIFT:-swift}")")")
"$tools/llvm-profdata" merge -sparse "$profiles/default.profdata" "$profiles"/torture-*.profraw -o "$profiles/all.profdata"

executables=("$bin"/*PackageTests.xctest)
for name in torture StressWorker kvtool; do executables+=(-object "$bin/$name"); done
sources=(Sources/DflatSQLite Sources/DflatCore Sources/DflatEntities Sources/DflatKV)
if [ $# -gt 0 ]; then
  for file in "$@"; do
    "$tools/llvm-cov" show -instr-profile "$profiles/all.profdata" "${executables[@]}" $(find "${sources[@]}" -name "$file") \
      | grep -E '^ *[0-9]+\| +0\|' || true
  done
else
  "$tools/llvm-cov" report -instr-profile "$profiles/all.profdata" "${executables[@]}" "${sources[@]}" | awk '
    # The columns of lines: all, missed, covered.
    /^---/ { next }
    $1 == "Filename" { printf "%-70s %6s %6s %8s\n", "file", "lines", "missed", "covered"; next }
    NF >= 10 { printf "%-70s %6s %6s %8s\n", $1, $8, $9, $10 }'
fi
