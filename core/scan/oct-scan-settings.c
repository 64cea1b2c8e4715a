/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-scan-settings.h"

static const char *const kind_names[] = { "raster", "radial", "spiral",
  "spiral-angular", "lissajous", "rosette", "file" };

const char *
oct_scan_kind_name (OctScanKind kind)
{
  return kind_names[kind];
}
