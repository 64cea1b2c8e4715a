/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Reads an audit (oct-audit-log.h), and finds whether a line of it was changed,
 * removed or added.  A person with write access can make all hashes of the
 * file again: a hash that was noted elsewhere shows that, too.
 */
#pragma once

#include <gio/gio.h>
#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* The longest line in bytes; hex digits of a hash. */
#define OCT_AUDIT_LINE 65536
#define OCT_AUDIT_HASH 64

/* How far a chain of lines has got; zeros before the first file. */
typedef struct {
  guint64 lines, cut, lost;       /* whole lines, parts of lines, events */
  guint64 backwards;              /* times at which the clock was set back */
  gint64 number;                  /* of the last line */
  char hash[OCT_AUDIT_HASH + 1];  /* of the last line, also of a part of one */
  char whole[OCT_AUDIT_HASH + 1]; /* of the last whole line */
  gboolean part;                  /* the last line is a part of one */
  char first[40], last[40];       /* times; empty: none */
} OctAuditChain;

/* Each sound line, in order; `hash`: its own. */
typedef void (*OctAuditLine) (
    JsonObject *line, const char *hash, gpointer data);

/* Goes on with the chain.  Files that were moved away are given before the one
 * that came after them.  `each` may be NULL.  FALSE with an error of one sentence
 * that names the first line that is wrong. */
gboolean oct_audit_check (const char *path, OctAuditChain *chain,
    OctAuditLine each, gpointer data, GError **error);

/* The chain at the end of such a file from its last `size` bytes, to go on with
 * it.  FALSE: it has no line of an audit. */
gboolean oct_audit_find_end (
    const char *tail, gsize size, OctAuditChain *chain);

G_END_DECLS
