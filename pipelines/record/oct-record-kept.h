/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Keeping the last seconds with oct-record: of the video, and of the spectra if
 * --keep-memory is given.  SIGUSR1 asks for it, and the key Enter in the
 * terminal that the program runs in.
 */
#pragma once

#include "oct-record-options.h"

G_BEGIN_DECLS

typedef struct _OctRecordKept OctRecordKept;

/* From now on SIGUSR1 is noted, and does not end the program.  Before there are
 * threads. */
void oct_record_kept_catch_signal (void);

/* Holds what leaves `pipeline`, whose folder for the files is there when
 * something is kept.  NULL if nothing is to be held, or with an error of one
 * sentence. */
OctRecordKept *oct_record_kept_new (const OctRecordProgramOptions *options,
    GstElement *pipeline, GError **error);

/* Several times a second: keeps if it was asked for, and prints what has become
 * of it.  `kept`: NULL says on the terminal that nothing is held. */
void oct_record_kept_watch (OctRecordKept *kept);

/* Waits for the files under way and prints what has become of them; once.
 * FALSE: one of all could not be written. */
gboolean oct_record_kept_end (OctRecordKept *kept);
void oct_record_kept_free (OctRecordKept *kept);

G_END_DECLS
