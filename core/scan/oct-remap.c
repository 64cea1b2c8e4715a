/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-remap.h"

gboolean
oct_remap_params_check (const OctRemapParams *params, GError **error)
{
  const OctRemapParams *p = params;

  if ((p->format == OCT_SAMPLE_U8 || p->format == OCT_SAMPLE_U16
          || p->format == OCT_SAMPLE_CF32)
      && p->depths > 0 && p->lines > 0 && p->map->count % p->lines == 0)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "B-scans of %u A-lines of %u depths came for a path of %u A-lines; give "
      "grey images or complex A-scans of at least one depth, of B-scans that "
      "divide the path.",
      p->lines, p->depths, p->map->count);
  return FALSE;
}

gsize
oct_remap_get_line_size (const OctRemapParams *params)
{
  return params->depths * oct_sample_format_size (params->format);
}
