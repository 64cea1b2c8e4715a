/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The head of a request, HTTP or RTSP, by its raw bytes: a request line and
 * headers up to an empty line.  A server reads it with this before a library
 * does, so that it does not matter how a library reads a strange line.
 * Nothing of this touches a network; any thread.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum {
  OCT_HEAD_FINE,
  OCT_HEAD_MALFORMED, /* a line that the standard does not allow */
  OCT_HEAD_TOO_LONG,  /* too many lines */
  OCT_HEAD_REFUSED,   /* by the functions below */
} OctHeadResult;

/* Both return FALSE to refuse the request.  The texts are parts of the head. */
typedef struct {
  gboolean (*take_request) (const char *method, const char *target,
      const char *version, gpointer data);
  gboolean (*take_header) (const char *name, const char *value, gpointer data);
} OctHeadReader;

/* Bytes up to the end of the head (the empty line), 0 as long as that has not
 * come. */
gsize oct_head_find_end (const char *text, gsize length);

/* Cuts a whole head of `length` bytes into its parts, in place; `text` has a
 * NUL after it.  At most `max_lines` headers. */
OctHeadResult oct_head_read (char *text, gsize length, guint max_lines,
    const OctHeadReader *reader, gpointer data);

G_END_DECLS
