#!/bin/sh
# A full backup each day. One that failed is tried again after a minute; one that is fresh is not made anew by a restart. Ends at once when
# it is told to.
trap 'kill "$child" 2> /dev/null; wait "$child"; exit 0' TERM INT
run() {
  "$@" &
  child=$!
  wait "$child"
}
made=${BACKUP_DIR:?is missing in gateway.env}/.made
while :; do
  if [ -n "$(find "$made" -mmin -1435 2> /dev/null)" ]; then
    run sleep 300
  elif run gateway backup; then
    touch "$made"
  else
    run sleep 60
  fi
done
