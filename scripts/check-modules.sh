#!/usr/bin/env bash
# Fails if a module imports one that it must not know: the dictionary and entities don't know each other, and DflatCore knows neither.
# Only DflatUserDefaults imports Foundation where there is FoundationEssentials, because on Linux that links ICU, and only
# programs import DflatUserDefaults.
set -euo pipefail
cd "$(dirname "$0")/.."

# The only files of DflatKV that know DflatEntities: one creates workspaces, the other re-exports.
composition='^Sources/DflatKV/(Facade/SQLiteWorkspace\+Opening|Exports)\.swift:'

violations=$(
  grep -rnE --include='*.swift' '^ *(@[a-zA-Z_]+ )*(public |package |internal )?import .*Dflat(KV|Entities)' Sources/DflatCore Sources/DflatSQLite || true
  grep -rnE --include='*.swift' '^ *(@[a-zA-Z_]+ )*(public |package |internal )?import .*DflatKV' Sources/DflatEntities || true
  grep -rnE --include='*.swift' '^ *(@[a-zA-Z_]+ )*(public |package |internal )?import .*DflatEntities' Sources/DflatKV | grep -vE "$composition" || true
  grep -rnE --include='*.swift' '^ *(@[a-zA-Z_]+ )*(public |package |internal )?import .*DflatUserDefaults' Sources || true
  # The imports for platforms without FoundationEssentials are in `#else`, and so indented.
  grep -rnE --include='*.swift' '^(@[a-zA-Z_]+ )*(public |package |internal )?import (struct |class )?Foundation(\.|$)' Sources | grep -v '^Sources/DflatUserDefaults/' || true
)
if [[ -n $violations ]]; then
  printf '%s\n' "$violations"
  echo "A module imports a module that it must not know (docs/architecture.md)." >&2
  exit 1
fi
