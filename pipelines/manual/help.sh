#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# help.sh PROGRAM --help|--version: the program's output, as help2man reads it:
# the usage in one line, and no examples, which it would fill like prose.
"$@" | sed -e '/^Usage:$/{N;s/\n */ /;s/\[OPTION[^]]*\]/[OPTION...]/;}' \
  -e '/^Examples:/,$d'
