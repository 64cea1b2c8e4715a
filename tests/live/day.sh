#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# A day's run of oct-live, which no test has the time for: day.sh BUILD_FOLDER
# [HOURS], 2 unless told otherwise.  day.mjs says what happens in it.
set -euo pipefail

build=$(cd "$1" && pwd)
export OCT_DAY_HOURS=${2:-2}
export OCT_LIVE=$build/pipelines/live/oct-live
export OCT_DAQ_SIM=$build/pipelines/oct-daq-sim
export GST_PLUGIN_PATH=$build/gst GST_REGISTRY=$build/registry.bin
exec bash "$(dirname "${BASH_SOURCE[0]}")/browser.sh" "$build" day.mjs
