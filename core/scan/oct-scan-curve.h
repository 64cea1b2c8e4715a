/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A scan of the user's own, from a text: a row "x y" or "x y active" for each
 * A-line, in mm, with blanks or commas between the numbers.  An empty row
 * begins a new B-scan; '#' begins a comment.  The beam is not active where
 * `active` is 0.
 */
#pragma once

#include "oct-scan-join.h"

G_BEGIN_DECLS

typedef struct {
  GArray *points; /* of OctScanPoint */
  GArray *active; /* of guint8, 0 or 1, as many */
  GArray *firsts; /* of guint: where each B-scan begins */
} OctScanCurve;

/* Every B-scan has two points at least.  NULL with OCT_ERROR_NOT_FOUND, _READ
 * or _FORMAT; `source` begins the sentences.  To be freed with
 * oct_scan_curve_free(). */
OctScanCurve *oct_scan_curve_read (const char *path, GError **error);
OctScanCurve *oct_scan_curve_parse (
    const char *source, const char *text, gsize length, GError **error);
void oct_scan_curve_free (OctScanCurve *curve);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OctScanCurve, oct_scan_curve_free)

/* The same for oct_file_content_new(). */
gpointer oct_scan_curve_read_content (const char *path, GError **error);

G_END_DECLS
