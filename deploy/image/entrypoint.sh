#!/bin/sh
# Runs a command of the image. Without a command, it runs the control plane.
set -e
app=$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")
case "${1:-start}" in
  start)
    exec node --conditions=source "$app/packages/host/src/main.ts"
    ;;
  operator)
    shift
    exec node --conditions=source "$app/packages/host/src/operator/main.ts" "$@"
    ;;
  seed | serve | warm)
    # The same flags as in packages/provisioning/src/stacks/spawn-stack.ts.
    memory=${STACK_MEMORY_MB:-512}
    export TZ=UTC MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072 MALLOC_TRIM_THRESHOLD_=262144
    exec node --max-old-space-size=$((memory * 3 / 4)) --heap-growing-percent=100 --max-semi-space-size=16 \
      --no-allocation-site-pretenuring --flush-baseline-code \
      "$app/stack/main.js" "$1"
    ;;
  *)
    echo "usage: [start] | operator COMMAND | seed | serve | warm" >&2
    exit 64
    ;;
esac
