#!/usr/bin/env python3
"""Counts the instructions of a fixed set of operations, and compares them with Benchmarks/instructions.json.

    count-instructions.py --check       fails if an operation takes 3 % more instructions than the file says
    count-instructions.py --write       writes the file
    count-instructions.py --only scan   one operation

RELEASE has the options of the release build, whose counts the file has: run `make count` or `make count-check`.

Valgrind simulates the processor, so the counts don't depend on the machine's load. They do depend on the versions of Swift,
SQLite and the C library, and on the processor's instruction set: counts from other versions aren't compared.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECORD = ROOT / "Benchmarks" / "instructions.json"
TOLERANCE = 0.03


def environment(swift):
    """What the counts depend on besides the sources."""
    version = subprocess.run([swift, "--version"], capture_output=True, text=True, check=True).stdout
    sqlite = subprocess.run(["pkg-config", "--modversion", "sqlite3"], capture_output=True, text=True, check=True).stdout
    return {
        "swift": re.search(r"Swift version (\S+)", version)[1],
        "sqlite": sqlite.strip(),
        "libc": " ".join(platform.libc_ver()),
        "machine": platform.machine(),
    }


def count(program, operation):
    """Runs an operation, and returns the instructions that its thread executes in the counted section."""
    with tempfile.TemporaryDirectory() as folder:
        command = [
            "valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", "--toggle-collect=*countedSection*",
            program, "counted", operation,
        ]
        result = subprocess.run(command, capture_output=True, text=True)
    collected = re.search(r"Collected : (\d+)", result.stderr)
    if result.returncode != 0 or not collected or int(collected[1]) == 0:
        sys.exit(f"{operation} was not counted (status {result.returncode}):\n{result.stderr}")
    return int(collected[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--only", metavar="OPERATION")
    options = parser.parse_args()

    swift = os.environ.get("SWIFT", "swift")
    release = os.environ["RELEASE"].split()
    # Only the counted operations are used.
    os.environ["DFLATKV_COUNTS"] = "1"
    build = [swift, "build", *release, "--package-path", str(ROOT / "Benchmarks")]
    subprocess.run(build + ["--product", "dflatkv-benchmarks"], check=True, stdout=sys.stderr)
    folder = subprocess.run(build + ["--show-bin-path"], capture_output=True, text=True, check=True).stdout.strip()
    program = f"{folder}/dflatkv-benchmarks"

    listed = subprocess.run([program, "counted"], capture_output=True, text=True, check=True).stdout
    repetitions = {name: int(number) for name, number in (line.split() for line in listed.splitlines())}
    chosen = [name for name in repetitions if options.only in (None, name)]
    if not chosen:
        sys.exit(f"there is no operation '{options.only}': {', '.join(repetitions)}")

    def count_all(names):
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            return {name: round(total / repetitions[name])
                    for name, total in zip(names, pool.map(lambda name: count(program, name), names))}

    # Other threads decide how long the log is that an operation searches, and who opens a connection. So the median of
    # three is recorded, and an operation that seems slower is counted again.
    counts = count_all(chosen)
    here = environment(swift)
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    recorded = record.get("instructions", {})
    comparable = record.get("environment") == here
    if options.write:
        several = [counts, count_all(chosen), count_all(chosen)]
        counts = {name: statistics.median(each[name] for each in several) for name in chosen}
    else:
        for _ in range(2):
            again = count_all([name for name in counts if counts[name] > recorded.get(name, 0) * (1 + TOLERANCE)])
            counts |= {name: min(number, counts[name]) for name, number in again.items()}
    print(f"{'operation':<20} {'instructions':>12} {'recorded':>12} {'ratio':>6}")
    slower = []
    for name, number in counts.items():
        before = recorded.get(name)
        ratio = number / before if before else None
        print(f"{name:<20} {number:>12,} {before or '-':>12} {f'{ratio:.3f}' if ratio else '-':>6}")
        if options.check and comparable and (ratio is None or ratio > 1 + TOLERANCE):
            slower.append(name)

    if options.write:
        merged = {**(recorded if comparable else {}), **counts}
        merged = {name: merged[name] for name in repetitions if name in merged}
        RECORD.write_text(json.dumps({"environment": here, "instructions": merged}, indent=2) + "\n")
    if options.check and not comparable:
        print(f"Not compared: the record is of {record.get('environment')}, and this is {here}.")
    if slower:
        sys.exit(
            f"More than {TOLERANCE:.0%} slower than {RECORD.relative_to(ROOT)}, or missing there: {', '.join(slower)}. "
            "If that is intended, run `make count` and commit the file with the reason.")


if __name__ == "__main__":
    main()
