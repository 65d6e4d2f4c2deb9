#!/usr/bin/env bash
# Plays the session of Examples/Server's README at a free port: check-server.sh BINDIR
set -euo pipefail
[ $# -eq 1 ] || { echo "usage: $0 BINDIR" >&2; exit 64; }
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
mkdir "$work/Server"
sed "s/127\.0\.0\.1:8080/127.0.0.1:$port/g" "$root/Examples/Server/README.md" > "$work/Server/README.md"
POLL_PORT=$port "$root/scripts/check-session.sh" "$work/Server/README.md" "$1"
