/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Ends this process if a peer keeps it waiting, whatever it waits for.
 */
#pragma once

#include <glib.h>
#include <sys/types.h>

G_BEGIN_DECLS

/* Exit statuses of the program. */
#define OCT_DICOM_EXIT_TROUBLE 1
#define OCT_DICOM_EXIT_OPTIONS 2
#define OCT_DICOM_EXIT_PENDING 3

/* In `seconds` from now the process says that `peer` did not answer and exits with
 * OCT_DICOM_EXIT_TROUBLE; 0: never.  A later call replaces an earlier one. */
void oct_dicom_deadline (guint seconds, const char *peer);

/* From now on this process has at most OCT_DICOM_MEMORY bytes: a peer that sends
 * without end does not use up those of others. */
#define OCT_DICOM_MEMORY (G_GUINT64_CONSTANT (512) << 20)
void oct_dicom_limit_memory (void);

/* In a new process: signals as they were, and it ends with its parent. */
void oct_dicom_begin_child (pid_t parent);

G_END_DECLS
