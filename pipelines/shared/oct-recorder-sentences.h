/* SPDX-License-Identifier: LGPL-2.1-or-later */
/** Why a recording has ended by itself: sentences to be freed. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* `time`: recorded so far. */
char *oct_recorder_describe_full_disk (const char *folder, GstClockTime time);
/* `code`: errno of the disk. */
char *oct_recorder_describe_failed_disk (const char *folder, int code);

/* An error of an element that has refused `caps`, which may be NULL; `raw`: they
 * are to be those of spectra.  NULL: the error is another one. */
char *oct_recorder_describe_format (
    GstMessage *error, GstCaps *caps, gboolean raw);

G_END_DECLS
