/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-lost-lines.h"

#include "oct-file.h"

#include <string.h>

#define WHAT "Text of lost A-lines"
#define MOST_BYTES ((guint64)256 << 20)
#define NUMBERS 4

void
oct_lost_lines_format (
    guint part, guint64 bscan, const guint8 *valid, guint lines, GString *text)
{
  for (guint i = 0, first; i < lines; i++) {
    if (valid[i] != 0)
      continue;
    for (first = i; i < lines && valid[i] == 0;)
      i++;
    g_string_append_printf (text, "%u %" G_GUINT64_FORMAT " %u %u\n", part,
        bscan, first, i - first);
  }
}

/* The numbers of a row, which ends at `end`, one blank between them. */
static gboolean
lost_lines_read_row (const char *row, const char *end, guint64 numbers[NUMBERS])
{
  for (guint i = 0; i < NUMBERS; i++) {
    guint64 number = 0;

    if (row == end || !g_ascii_isdigit (*row))
      return FALSE;
    for (; row < end && g_ascii_isdigit (*row); row++) {
      if (number > G_MAXINT64 / 10)
        return FALSE;
      number = number * 10 + (guint64)(*row - '0');
    }
    numbers[i] = number;
    if (i + 1 < NUMBERS && (row == end || *row++ != ' '))
      return FALSE;
  }
  return row == end;
}

/* Whether they are A-lines of a B-scan that come after those of `before`. */
static gboolean
make_run (const guint64 numbers[NUMBERS], guint lines,
    const OctLostLines *before, OctLostLines *run)
{
  if (numbers[0] > G_MAXINT || numbers[2] >= lines || numbers[3] < 1
      || numbers[3] > lines - numbers[2])
    return FALSE;
  *run = (OctLostLines){ (guint)numbers[0], numbers[1], (guint)numbers[2],
    (guint)numbers[3] };
  if (before == NULL || run->part != before->part)
    return before == NULL || run->part > before->part;
  return run->bscan > before->bscan
         || (run->bscan == before->bscan
             && run->first > before->first + before->count);
}

GArray *
oct_lost_lines_parse (
    const char *file, const char *text, gsize size, guint lines, GError **error)
{
  g_autoptr (GArray) runs = g_array_new (FALSE, FALSE, sizeof (OctLostLines));
  const char *row = text, *stop = text + size, *end;

  for (; (end = memchr (row, '\n', (gsize)(stop - row))) != NULL;
       row = end + 1) {
    const OctLostLines *before =
        runs->len > 0 ? &g_array_index (runs, OctLostLines, runs->len - 1)
                      : NULL;
    guint64 numbers[NUMBERS];
    OctLostLines run;

    if (!lost_lines_read_row (row, end, numbers)
        || !make_run (numbers, lines, before, &run)) {
      g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
          "%s: row %u is not PART BSCAN FIRST COUNT of A-lines 0 to %u, after "
          "those of the row before; put the file of the recording back",
          file, runs->len + 1, lines - 1);
      return NULL;
    }
    g_array_append_val (runs, run);
  }
  return g_steal_pointer (&runs);
}

GArray *
oct_lost_lines_read (const char *path, guint lines, GError **error)
{
  gsize size;
  g_autofree char *file = oct_file_describe (WHAT, path);
  g_autofree char *text = oct_file_read_text (WHAT, path, MOST_BYTES,
      "the file that was written with the recording", &size, error);

  return text != NULL ? oct_lost_lines_parse (file, text, size, lines, error)
                      : NULL;
}
