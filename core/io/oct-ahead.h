/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Reading ahead: a thread has the disk deliver the bytes to be read next, while
 * the one that reads computes.  It is only an optimisation: nothing fails if it
 * fails, and no byte that is delivered comes from here.
 */
#pragma once

#include "oct-types.h"

G_BEGIN_DECLS

typedef struct _OctAhead OctAhead;

/* For the bytes `begin` to `end` (not included) of a file that is read from the
 * one to the other.  `fd` remains the caller's, open until oct_ahead_free().
 * The thread starts when bytes must come from the disk: not for those in
 * memory, nor for files that have no disk. */
OctAhead *oct_ahead_new (int fd, guint64 begin, guint64 end);

/* Says that the `size` bytes at `offset` are read now.  The bytes after them
 * are fetched if these follow those of the previous call.  Never waits for the
 * disk; for any thread. */
void oct_ahead_follow (OctAhead *ahead, guint64 offset, gsize size);

/* Waits for the running fetch, 4 MiB at most. */
void oct_ahead_free (OctAhead *ahead);

G_END_DECLS
