/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Lost A-lines, as GstOctScanMeta says them, in B-scans that become a volume; these
 * are not black tissue.  For buffers in memory of the host.
 */
#pragma once

#include "gstoctcaps.h"

G_BEGIN_DECLS

/* Whether any of the A-lines of a buffer of `info` is lost, and which:
 * valid[A-lines of all its B-scans], to be freed; NULL: none. */
guint8 *gst_oct_lost_get_valid (GstBuffer *buffer, const GstOctInfo *info);

/* Takes `buffer` and returns it, or a copy without the values of lost A-lines;
 * NULL with an error.
 * A-scans and spectra: their values become not-a-number, which octvolumecs takes
 * for an A-line that has not come (OctVolumeCsTable).
 * Images: a lost column becomes the nearest one of its B-scan that is there, of
 * two the left one.  A B-scan without any stays as it is. */
GstBuffer *gst_oct_lost_mend (
    GstBuffer *buffer, const GstOctInfo *info, GError **error);

G_END_DECLS
