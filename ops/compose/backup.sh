#!/bin/bash
# A whole copy of the database each day, the last seven kept. Ends at once when it is told to.
set -uo pipefail
trap 'exit 0' TERM INT
while :; do
  to=/backups/$(date -u +%Y-%m-%dT%H%M%SZ)
  if pg_basebackup -h /run/postgresql -U gateway_owner -D "$to.new" -Ft -z -X stream -c fast; then
    mv "$to.new" "$to" && echo "backed up to $to"
    ls -d /backups/*Z 2>/dev/null | head -n -7 | xargs -r rm -rf
    wait=86400
  else
    rm -rf "$to.new"
    wait=60
  fi
  sleep "$wait" & wait $!
done
