/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Measurements in a text file, a line each: comma separated, with a header
 * line.
 *
 * Thread-safety: one thread.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _GstOctMeterLog GstOctMeterLog;

/* Makes the file `path` with the permissions `mode`, whatever the umask.  NULL
 * with OCT_ERROR_WRITE, also if it exists already. */
GstOctMeterLog *gst_oct_meter_log_new (
    const char *path, guint mode, GError **error);
void gst_oct_meter_log_free (GstOctMeterLog *log);

/* Frees it when all of it is on the disk; FALSE with a sentence if it is
 * not. */
gboolean gst_oct_meter_log_close (GstOctMeterLog *log, GError **error);

/* Adds a measurement (gstoctmeasure.h); the first one decides which columns
 * there are.  It is in the file when this returns.  FALSE with OCT_ERROR_WRITE
 * or _DISK_FULL. */
gboolean gst_oct_meter_log_add (
    GstOctMeterLog *log, const GstStructure *measurement, GError **error);

G_END_DECLS
