#!/usr/bin/env bash
# Runs the torture machines: torture.sh [OPTION of torture…]
#
#   TORTURE_MINUTES=60   total time of all machines
#   MACHINE=name         runs only this machine; with SEED=n it replays one seed
#   FUZZ=0               skips the fuzzers, whose build takes minutes
#   TORTURE_BUILD=debug  uses the build of `make test`, and a simulation built like it, which are slower, instead of
#                        optimized ones
#
# A run of an hour or more of all machines continues with those that are below their goals, as on a slow computer, and writes
# its table into docs/reliability.md. The files of findings are kept in
# .torture.
set -euo pipefail
cd "$(dirname "$0")/.."

minutes=${TORTURE_MINUTES:-60}
options=(--minutes "$minutes")
if [ -n "${MACHINE:-}" ]; then
  options+=(--machine "$MACHINE")
elif awk "BEGIN { exit !($minutes >= 60) }"; then
  options+=(--goals --write-docs docs/reliability.md)
fi
if [ -n "${SEED:-}" ]; then options+=(--seed "$SEED"); fi

# Optimized, because random testing needs speed, but with assertions and failpoints.
build=(-c release -Xswiftc -DDEBUG -Xswiftc -assert-config -Xswiftc Debug -Xswiftc -enable-testing --scratch-path .build-torture)
simulation=(-c release --scratch-path .build-simulation)
if [ "${TORTURE_BUILD:-optimized}" = debug ]; then
  build=(-c debug)
  simulation=(-c debug --scratch-path .build-simulation)
fi
for product in torture StressWorker kvtool; do ${SWIFT:-swift} build "${build[@]}" --product $product; done
bin=$(${SWIFT:-swift} build "${build[@]}" --show-bin-path)

if [ "${FUZZ:-1}" = 1 ] && [ "${MACHINE:-fuzzers}" = fuzzers ]; then
  DFLAT_FUZZ=$(scripts/build-fuzz.sh)
  export DFLAT_FUZZ
fi

if [ "$(uname)" = Linux ] && [[ "${MACHINE:-simulation}" =~ ^(simulation|replication)$ ]]; then
  DFLATKV_SIMULATION=1 ${SWIFT:-swift} build "${simulation[@]}" --product simulation
  DFLAT_SIMULATION=$(DFLATKV_SIMULATION=1 ${SWIFT:-swift} build "${simulation[@]}" --show-bin-path)/simulation
  export DFLAT_SIMULATION
fi

exec "$bin/torture" "${options[@]}" "$@"
