/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * B-scans that a file announces and does not have: which ones, and why.
 *
 * Formats fill it when they open a file; the reader adds those that turn out to
 * be damaged when they are read.
 */
#pragma once

#include "oct-types.h"

G_BEGIN_DECLS

typedef struct _OctMissing OctMissing;

/* Empty.  Free with oct_missing_free(). */
OctMissing *oct_missing_new (void);
void oct_missing_free (OctMissing *missing);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OctMissing, oct_missing_free)

/* Adds `count` B-scans from `first` on; those that are in it already stay as
 * they are.  `reason`: a clause such as "data/Spectral3.data is not in the
 * archive"; it is copied.  Several threads may call this and the functions
 * below. */
void oct_missing_add (
    OctMissing *missing, guint64 first, guint64 count, const char *reason);

/* How many there are. */
guint64 oct_missing_count (OctMissing *missing);

gboolean oct_missing_has (OctMissing *missing, guint64 frame);

/* How many of `announced` B-scans are left without those that are missing at
 * the end. */
guint64 oct_missing_cut_end (OctMissing *missing, guint64 announced);

/* "B-scan 3 (...), B-scans 5 to 7 (...) and 12 more", for a message; g_free()
 * it. */
char *oct_missing_describe (OctMissing *missing);

/* Sets the error of a B-scan that cannot be read: "FILE: B-scan 3 cannot be
 * read, WHY".  `why`: the reason and what to do, without a full stop.  Returns
 * FALSE. */
gboolean oct_missing_set_unread (
    const char *file, guint64 frame, const char *why, GError **error);
#define OCT_MISSING_DAMAGED "the file is damaged or cut off; copy it again"

/* The same of a B-scan of a file that was whole when it was opened.  `got`: of
 * oct_file_read(). */
gboolean oct_missing_set_short (
    const char *file, guint64 frame, gssize got, GError **error);

G_END_DECLS
