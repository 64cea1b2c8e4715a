#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Runs a test of this folder with Node and, unless it needs none, a browser:
#   browser.sh BUILD_FOLDER TEST.mjs
# playwright-core comes from npm into the build folder, the browser from Debian.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$1/tests/live/browser
test=$2

skip () {
  echo "1..0 # SKIP $1"
  exit 0
}

command -v node >/dev/null || skip "node is not installed"
# Node looks for packages beside the file that asks for them
mkdir -p "$folder"
if ! cmp -s "$here/package-lock.json" "$folder/package-lock.json" \
  || [ ! -d "$folder/node_modules/playwright-core" ]; then
  command -v npm >/dev/null || skip "npm is not installed"
  rm -rf "$folder/node_modules"
  cp "$here/package.json" "$folder/"
  if ! (cd "$folder" && cp "$here/package-lock.json" . && npm ci \
    --ignore-scripts --no-audit --no-fund --loglevel=error) >&2; then
    rm -f "$folder/package-lock.json"
    # a machine with everything else installed has this too
    [ -z "${CI:-}" ] || { echo "Bail out! npm ci failed"; exit 1; }
    skip "playwright-core could not be installed by npm"
  fi
fi
cp "$here"/*.mjs "$folder/"
# the tests may have been started to outlive their terminal (nohup)
exec env --default-signal=HUP node "$folder/$test"
