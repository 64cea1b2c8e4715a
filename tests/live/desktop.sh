#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The entry of oct-live in the menu of a desktop:
#   desktop.sh OCT_LIVE ENTRY ICON INSTALLED_FILES_OF_THE_PACKAGE
set -euo pipefail

live=$1 entry=$2 icon=$3 packaged=$4

command -v desktop-file-validate >/dev/null || exit 77
desktop-file-validate --warn-kde "$entry"

# what it starts is there, with these options
line=$(sed -n 's/^Exec=//p' "$entry")
read -ra words <<<"$line"
[ "${words[0]}" = "$(basename "$live")" ]
help=$("$live" --help)
for word in "${words[@]:1}"; do
  case $word in
    --*) grep -q -- "  $word" <<<"$help" || { echo "no option $word" >&2; exit 1; } ;;
  esac
done

# the icon has its name, is a picture, and both are in the package
name=$(sed -n 's/^Icon=//p' "$entry")
grep -q '<svg ' "$icon"
grep -qx "usr/share/applications/$(basename "$entry")" "$packaged"
grep -qx "usr/share/icons/hicolor/scalable/apps/$name.svg" "$packaged"
