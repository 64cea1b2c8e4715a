/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files of transfer functions and of colour maps, which have the same lines. */
#include "oct-colormap.h"
#include "oct-transfer.h"

#include "oct-file.h"

#include <math.h>
#include <string.h>

#define MAX_FILE_SIZE ((guint64)1 << 20)
#define MAX_EXTINCTION 10000.0
#define N_VALUES 5

/* One of the two. */
typedef struct {
  const char *subject; /* what the file is */
  const char *lines;   /* what its lines have */
  const char *example;
  const char *property, *instead;    /* properties */
  const char *(*get_choices) (void); /* of `instead` */
  guint n_least; /* numbers in a line at least: later ones may be left out */
} FileKind;

static const char *
get_transfers (void)
{
  return "tissue or grey";
}

static const FileKind transfer_kind = { "Transfer function",
  "grey level (0 to 255, rising), red, green, blue (0 to 1 each) and "
  "extinction per mm",
  "120, 0.9, 0.7, 0.6, 40", "`transfer-file`", "`transfer-function`",
  get_transfers, N_VALUES };
static const FileKind colormap_kind = { "Colour map",
  "grey level (0 to 255, rising), red, green and blue (0 to 1 each)",
  "120, 0.9, 0.7, 0.6", "`map-file`", "`map`", oct_colormap_get_names,
  N_VALUES - 1 };

static const struct {
  const char *name;
  double low, high;
} columns[N_VALUES] = {
  { "grey level", 0, 255 },
  { "red", 0, 1 },
  { "green", 0, 1 },
  { "blue", 0, 1 },
  { "extinction", 0, MAX_EXTINCTION },
};

/* A file that is being read. */
typedef struct {
  const FileKind *kind;
  const char *name;
  guint line; /* that is being read, from 1 on */
  OctTransferStops *stops;
} File;

static void
set_line_error (const File *file, const char *found, GError **error)
{
  g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
      "%s has in line %u %s; its lines have to be %s, such as '%s'; correct "
      "the file or set %s to %s.",
      file->name, file->line, found, file->kind->lines, file->kind->example,
      file->kind->instead, file->kind->get_choices ());
}

/* How many numbers there are, at most one more than N_VALUES; -1: something
 * else. */
static gint
parse_numbers (const char *text, double values[N_VALUES])
{
  gint n = 0;

  while (*text != '\0') {
    char *end;
    double value;

    if (g_ascii_isspace (*text) || *text == ',' || *text == ';') {
      text++;
      continue;
    }
    value = g_ascii_strtod (text, &end);
    if (end == text || !isfinite (value))
      return -1;
    if (n == N_VALUES)
      return n + 1;
    values[n++] = value;
    text = end;
  }
  return n;
}

/* Whether the line names columns: none of its fields is a number, or begins as
 * one.  `0,O,0,0,0` and `0,0,0,0,nan` are values that are wrong. */
static gboolean
is_header (const char *text)
{
  g_auto (GStrv) fields = g_strsplit_set (text, ",; \t\r\v\f", -1);

  for (guint i = 0; fields[i] != NULL; i++) {
    const char *field = fields[i];
    gsize sign = strspn (field, "+-.");
    char *end;

    g_ascii_strtod (field, &end);
    if (g_ascii_isdigit (field[sign]) || (end != field && *end == '\0'))
      return FALSE;
  }
  return TRUE;
}

static gboolean
add_stop (
    const File *file, const double values[N_VALUES], guint n, GError **error)
{
  OctTransferStops *stops = file->stops;
  g_autofree char *found = NULL;

  for (guint i = 0; i < n && found == NULL; i++)
    if (values[i] < columns[i].low || values[i] > columns[i].high)
      found = g_strdup_printf ("%s %g", columns[i].name, values[i]);
  if (found == NULL && stops->n > 0
      && (float)values[0] <= stops->stops[stops->n - 1].grey)
    found = g_strdup_printf ("grey level %g after %g", values[0],
        (double)stops->stops[stops->n - 1].grey);
  if (found == NULL && stops->n == OCT_TRANSFER_MAX_STOPS)
    found =
        g_strdup_printf ("more than %u grey levels", OCT_TRANSFER_MAX_STOPS);
  if (found != NULL) {
    set_line_error (file, found, error);
    return FALSE;
  }
  stops->stops[stops->n++] = (OctTransferStop){ (float)values[0],
    { (float)values[1], (float)values[2], (float)values[3],
        (float)values[4] } };
  return TRUE;
}

static gboolean
parse_line (
    const File *file, const char *text, gboolean may_name, GError **error)
{
  double values[N_VALUES] = { 0 };
  gint n = parse_numbers (text, values);
  g_autofree char *found = NULL;

  if (n >= (gint)file->kind->n_least && n <= N_VALUES)
    return add_stop (file, values, (guint)n, error);
  if (n < 0 && may_name && is_header (text))
    return TRUE;
  if (n < 0)
    found = g_strdup ("a value that is not a number");
  else
    found =
        g_strdup_printf (n > N_VALUES ? "more than %d numbers" : "%d numbers",
            MIN (n, N_VALUES));
  set_line_error (file, found, error);
  return FALSE;
}

static OctTransferStops *
transfer_parse (const FileKind *kind, const char *text, gsize length,
    const char *name, GError **error)
{
  /* spreadsheets write a byte order mark */
  gsize mark = length >= 3 && memcmp (text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
  g_autofree char *copy = g_strndup (text + mark, length - mark);
  g_auto (GStrv) lines = NULL;
  g_autofree OctTransferStops *stops = g_new0 (OctTransferStops, 1);
  File file = { .kind = kind, .name = name, .stops = stops };
  gboolean may_name = TRUE; /* the first line that counts */

  if (strlen (copy) != length - mark || !g_utf8_validate (copy, -1, NULL)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "%s is not a text file; set %s to a text file with lines of %s.", name,
        kind->property, kind->lines);
    return NULL;
  }
  lines = g_strsplit (copy, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++) {
    const char *line = g_strstrip (lines[i]);

    if (*line == '\0' || *line == '#')
      continue;
    file.line = i + 1;
    if (!parse_line (&file, line, may_name, error))
      return NULL;
    may_name = FALSE;
  }
  if (stops->n < 2) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "%s has %u grey levels, it needs at least 2; add lines of %s.", name,
        stops->n, kind->lines);
    return NULL;
  }
  return g_steal_pointer (&stops);
}

static OctTransferStops *
transfer_read_file (const FileKind *kind, const char *path, GError **error)
{
  g_autofree char *name = oct_file_describe (kind->subject, path);
  g_autofree char *expected = g_strdup_printf (
      "for %s a text with a line for some grey levels", kind->property);
  gsize size;
  g_autofree char *text = oct_file_read_text (
      kind->subject, path, MAX_FILE_SIZE, expected, &size, error);

  return text != NULL ? transfer_parse (kind, text, size, name, error) : NULL;
}

OctTransferStops *
oct_transfer_read (const char *path, GError **error)
{
  return transfer_read_file (&transfer_kind, path, error);
}

OctTransferStops *
oct_transfer_parse (
    const char *text, gsize length, const char *name, GError **error)
{
  return transfer_parse (&transfer_kind, text, length, name, error);
}

OctTransferStops *
oct_colormap_read (const char *path, GError **error)
{
  return transfer_read_file (&colormap_kind, path, error);
}

OctTransferStops *
oct_colormap_parse (
    const char *text, gsize length, const char *name, GError **error)
{
  return transfer_parse (&colormap_kind, text, length, name, error);
}
