#!/bin/sh
# Changes to another image, which was built before: sh ops/compose/upgrade.sh localhost/gateway:1.4.0
# The schema first, then one process after the other, each only when the one before is ready, so that payments go on all the time.
set -eu
image=$1
project=${COMPOSE_PROJECT_NAME:-$(basename "$PWD")}
sed -i '/^GATEWAY_IMAGE=/d' .env
echo "GATEWAY_IMAGE=$image" >> .env
# Older versions of podman-compose say in their last line how it ended, and end with 0 themselves.
said=$(podman-compose -p "$project" run --rm -T migrate 2>&1) || { echo "$said" >&2; exit 1; }
case $(echo "$said" | tail -n 1) in
'exit code: '[1-9]*)
  echo "$said" >&2
  echo 'The schema was not migrated, and nothing was restarted.' >&2
  exit 1
  ;;
esac
for service in web1 web2 worker; do
  container=${project}_${service}_1
  # A process that stops says so first; DRAIN_SECONDS later nobody sends it anything.
  podman stop --time 45 "$container" > /dev/null
  podman rm --volumes "$container" > /dev/null
  podman-compose -p "$project" up -d --no-deps "$service" > /dev/null 2>&1
  tries=0
  until podman exec "$container" node /opt/gateway/bin/healthy.mjs > /dev/null 2>&1; do
    tries=$((tries + 1))
    [ "$tries" -lt 60 ] || { echo "$service is not ready: podman logs $container" >&2; exit 1; }
    sleep 1
  done
  echo "$service runs $image"
done
# Nobody waits for these.
for service in stream backup; do
  container=${project}_${service}_1
  podman stop --time 45 "$container" > /dev/null
  podman rm --volumes "$container" > /dev/null
  podman-compose -p "$project" up -d --no-deps "$service" > /dev/null 2>&1
  echo "$service runs $image"
done
