/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Writes an audit: a file of JSON objects, one a line.  Each has the SHA-256 of
 * the line before it.  oct-audit-check.h reads it.
 *
 * A line: {"number":7,"time":"2026-01-31T09:15:02.123456Z","event":"...", fields,
 * "before":"<64 hex digits>"}.  `number` counts from 1; `before` of the very first
 * line is 64 zeros.  "lost":N: so many events before it could not be written.
 * "cut":true: the line before it is a part of one, as the computer stopped.
 *
 * A thread of its own writes, and waits for the disk.  oct_audit_log_add() and
 * oct_audit_log_take_problem() are for any thread.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The longest text of a field in bytes, the rest is left out. */
#define OCT_AUDIT_TEXT 1000
/* Events that may wait for the disk; of more, some are lost. */
#define OCT_AUDIT_MOST_WAITING 4096

typedef struct {
  const char *name;
  const char *text; /* NULL: a number */
  gint64 number;
} OctAuditField;

typedef struct _OctAuditLog OctAuditLog;

/* Goes on with the file, or makes it, readable by its owner alone.  NULL with an
 * error of one sentence: it cannot be written, it is not an audit, or another
 * program writes it. */
OctAuditLog *oct_audit_log_open (const char *path, GError **error);

/* An event of now.  Returns at once. */
void oct_audit_log_add (OctAuditLog *log, const char *event,
    const OctAuditField *fields, guint n_fields);

/* A sentence, to be freed, on a failure since the last call; or NULL. */
char *oct_audit_log_take_problem (OctAuditLog *log);

/* Waits until all is on the disk, or cannot be.  FALSE: events were lost. */
gboolean oct_audit_log_close (OctAuditLog *log);

G_END_DECLS
