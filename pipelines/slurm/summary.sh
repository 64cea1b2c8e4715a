#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The summary of an archive: the job that submit.sh starts after its tasks.
exec "$@"
