#!/usr/bin/env bash
# Shows three machines that share a workspace over three members of etcd, all on this computer: each counts in the same
# key, while the member that leads and one of the machines are killed.
#
#   demo-cluster.sh FOLDER-OF-KVTOOL [COUNT]      # each machine counts COUNT times, 40 unless given
set -euo pipefail
bin=$1
count=${2:-40}
folder=$(mktemp -d)
export PATH=$bin:$PATH
unset "${!ETCDCTL_@}" "${!KVTOOL_@}" 2>/dev/null || true

members=() # process numbers
endpoints=() peers=() programs=()
# Ends a process at once. Without the wait, bash reports it later.
end() {
  kill -9 "$1" 2>/dev/null || true
  wait "$1" 2>/dev/null || true
}
stop() {
  for process in $(jobs -p); do end "$process"; done
  rm -rf "$folder"
}
trap stop EXIT

say() { printf '\033[1m%s\033[0m\n' "$*"; }

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

say 'Three members of etcd'
initial=
for i in 0 1 2; do
  endpoints+=("http://127.0.0.1:$(free_port)")
  peers+=("http://127.0.0.1:$(free_port)")
  initial+="${initial:+,}m$i=${peers[i]}"
done
start_member() {
  etcd --name "m$1" --data-dir "$folder/m$1" --listen-client-urls "${endpoints[$1]}" \
    --advertise-client-urls "${endpoints[$1]}" --listen-peer-urls "${peers[$1]}" \
    --initial-advertise-peer-urls "${peers[$1]}" --initial-cluster "$initial" \
    >> "$folder/m$1.log" 2>&1 < /dev/null &
  members[$1]=$!
}
for i in 0 1 2; do start_member $i; done
all=$(IFS=,; printf '%s' "${endpoints[*]}")

say 'Machine A has a file already, which begins the cluster; B and C join'
kvtool set greeting 'hello from A' --db "$folder/a.db"
kvtool cluster seed --db "$folder/a.db" --endpoints "$all" --prefix /demo/ --timeout 60
for machine in b c; do
  kvtool cluster join --db "$folder/$machine.db" --endpoints "$all" --prefix /demo/ --timeout 60
done
printf 'B says: %s\n' "$(kvtool get greeting --db "$folder/b.db")"

# A program on a machine: counts until it has counted COUNT times, and notes what was acknowledged.
machine() {
  local done=0
  while [ "$done" -lt "$count" ]; do
    if kvtool incr hits --db "$folder/$1.db" --timeout 20 >> "$folder/$1.seen" 2>> "$folder/$1.errors"; then
      done=$((done + 1))
    fi
  done
}

say "Each machine counts $count times in the same key. Meanwhile the leading member is killed, and machine C"
for machine in a b c; do
  machine $machine &
  programs+=($!)
done
seen() { cat "$folder"/?.seen 2>/dev/null | wc -l; }
until [ "$(seen)" -ge $((count / 2)) ]; do sleep 0.05; done

leader=$(kvtool cluster status --db "$folder/a.db" --format json --timeout 20 |
  python3 -c 'import json, sys; print(next(m["endpoint"] for m in json.load(sys.stdin)["members"] if m.get("isLeader")))')
for i in 0 1 2; do
  if [ "${endpoints[i]}" = "$leader" ]; then
    printf 'killed: member m%s at %s, after %s counts\n' $i "$leader" "$(seen)"
    end "${members[i]}"
    killed=$i
  fi
done
until [ "$(seen)" -ge "$count" ]; do sleep 0.05; done
# The program with whatever it is doing.
end "${programs[2]}"
pkill -9 -f "kvtool incr hits --db $folder/c.db" || true
printf 'killed: the program on machine C, after %s counts\n' "$(seen)"
wait "${programs[0]}" "${programs[1]}"
start_member "$killed"

say 'A new machine D joins. All have the same'
kvtool cluster join --db "$folder/d.db" --endpoints "$all" --prefix /demo/ --timeout 60
for machine in a b c d; do
  # A write that changes nothing makes a machine catch up.
  kvtool txn --db "$folder/$machine.db" --timeout 60 <<< '{"op":"expect","key":"greeting","value":"hello from A"}'
  printf '%s: hits = %s, ' $machine "$(kvtool get hits --db "$folder/$machine.db")"
  kvtool cluster check --db "$folder/$machine.db" --timeout 60
done

acknowledged=$(seen)
hits=$(kvtool get hits --db "$folder/d.db")
unknown=$(cat "$folder"/?.errors 2>/dev/null | grep -c 'it is unknown' || true)
doubled=$(cat "$folder"/?.seen | sort -n | uniq -d | wc -l)
# The killed program's last count may have been committed without being acknowledged.
printf 'acknowledged: %s, counted: %s, of unknown outcome: at most %s\n' "$acknowledged" "$hits" $((unknown + 1))
if [ "$hits" -lt "$acknowledged" ] || [ "$hits" -gt $((acknowledged + unknown + 1)) ] || [ "$doubled" -ne 0 ]; then
  say 'Something is missing'
  exit 1
fi
say 'Nothing is missing, and nothing was counted twice'
kvtool cluster status --db "$folder/a.db" --timeout 20
