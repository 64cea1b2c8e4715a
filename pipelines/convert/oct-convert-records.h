/* SPDX-License-Identifier: LGPL-2.1-or-later */
/** Records of a manifest, whatever became of the file. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Appends a field in quotes, with `end` after it. */
void oct_convert_records_append (GString *line, const char *text, char end);

/* `line`: the record as it is in the file, `size` bytes.  FALSE: it is none. */
typedef gboolean (*OctConvertRecord) (
    char **fields, const char *line, gsize size, gpointer data);

/* Gives all records of text[size] to `take`.  After one that is damaged, by
 * bytes of 0 as some file systems leave them after a loss of power, by another
 * program or a person, it goes on with the next line, and adds their number to
 * *damaged.  Returns how many bytes that was: less than `size` if the last
 * record has no end. */
gsize oct_convert_records_read (const char *text, gsize size,
    OctConvertRecord take, gpointer data, guint *damaged);

G_END_DECLS
