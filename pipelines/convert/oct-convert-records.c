/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CSV as of RFC 4180, of files that may be damaged. */
#include "oct-convert-records.h"

#include <string.h>

void
oct_convert_records_append (GString *line, const char *text, char end)
{
  g_autoptr (GString) quoted = g_string_new (text);

  g_string_replace (quoted, "\"", "\"\"", 0);
  g_string_append_printf (line, "\"%s\"%c", quoted->str, end);
}

/* The record at *at, and *at after it; NULL: it has no end, or contains bytes
 * of 0, and *at is the first of them. */
static char **
take_record (const char *text, gsize size, gsize *at)
{
  g_autoptr (GPtrArray) fields = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GString) field = g_string_new (NULL);
  gboolean quoted = FALSE;
  gsize i;

  for (i = *at; i < size && text[i] != '\0'; i++) {
    char c = text[i];

    if (c == '"' && quoted && i + 1 < size && text[i + 1] == '"') {
      g_string_append_c (field, text[i++]);
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && (c == ',' || c == '\n')) {
      g_ptr_array_add (fields, g_strdup (field->str));
      g_string_truncate (field, 0);
      if (c == '\n')
        break;
    } else {
      g_string_append_c (field, c);
    }
  }
  *at = i;
  if (i >= size || text[i] == '\0')
    return NULL;
  *at = i + 1;
  g_ptr_array_add (fields, NULL);
  g_ptr_array_set_free_func (fields, NULL);
  return (char **)g_ptr_array_free (g_steal_pointer (&fields), FALSE);
}

/* Where to go on after a damaged record: after its line, as the next one may be
 * whole, or after the bytes of 0 in the line, which may have taken its end. */
static gsize
records_skip (const char *text, gsize size, gsize at)
{
  while (at < size && text[at] != '\n' && text[at] != '\0')
    at++;
  while (at < size && text[at] == '\0')
    at++;
  return at < size && text[at] == '\n' ? at + 1 : at;
}

gsize
oct_convert_records_read (const char *text, gsize size, OctConvertRecord take,
    gpointer data, guint *damaged)
{
  gsize at = 0, open = 0;
  gboolean is_open = FALSE;
  guint skipped = 0;

  while (at < size) {
    gsize end = at, next;
    g_auto (GStrv) fields = take_record (text, size, &end);

    if (fields != NULL && take (fields, text + at, end - at, data)) {
      *damaged += skipped;
      skipped = 0;
      is_open = FALSE;
      at = end;
      continue;
    }
    next = records_skip (text, size, at);
    /* the last record may have been cut off, but a line of bytes of 0 has an
     * end */
    if (fields == NULL && !is_open && (end == size || text[next - 1] != '\n')) {
      is_open = TRUE;
      open = at;
    }
    skipped++;
    at = next;
  }
  if (is_open)
    return open;
  *damaged += skipped;
  return size;
}
