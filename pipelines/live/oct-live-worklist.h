/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The cases of the day: a text file with one in each line, which another
 * program writes.  It is read again for each page that opens; a thread of GIO
 * does so, as a disk may hang.  Main thread.
 */
#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* Longer files are cut off, as are lines; so many bytes, lines and characters. */
#define OCT_LIVE_WORKLIST_BYTES 65536
#define OCT_LIVE_WORKLIST_CASES 500
#define OCT_LIVE_WORKLIST_LENGTH 80

typedef struct _OctLiveWorklist OctLiveWorklist;

/* `changed`: there are other cases than before. */
OctLiveWorklist *oct_live_worklist_new (
    const char *path, void (*changed) (gpointer data), gpointer data);
void oct_live_worklist_free (OctLiveWorklist *worklist);

/* Reads the file soon.  If it cannot be read the terminal says so, once, and
 * the cases stay as they are. */
void oct_live_worklist_refresh (OctLiveWorklist *worklist);

/* A message "cases" with a list of that name. */
JsonBuilder *oct_live_worklist_report (const OctLiveWorklist *worklist);

/* The cases in a text: its lines but for empty ones and those that begin with
 * '#', each one once.  Bytes that are not UTF-8 become U+FFFD; characters that
 * cannot be printed are left out.  g_strfreev() them. */
char **oct_live_worklist_split (const char *text, gsize length);

G_END_DECLS
