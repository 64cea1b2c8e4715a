/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-calibration-csv.h"

#include "oct-file.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

/* 65536 rows of four columns of 17 digits are 6 MiB. */
#define MAX_FILE_SIZE (64u << 20)

/* As much of a wrong field as a message shows. */
#define MAX_SHOWN 40
#define MAX_NUMBER 64

/* How far the ends of a chirp may be from those of the axis, in its numbers. */
#define CHIRP_MARGIN 0.05

#define KNOWN_COLUMNS                                                          \
  "wavelength_nm, k_index, k_position, dispersion_rad and background"

const char *const oct_column_names[OCT_N_COLUMNS] = {
  [OCT_COLUMN_WAVELENGTH] = "wavelength_nm",
  [OCT_COLUMN_K_INDEX] = "k_index",
  [OCT_COLUMN_K_POSITION] = "k_position",
  [OCT_COLUMN_DISPERSION] = "dispersion_rad",
  [OCT_COLUMN_BACKGROUND] = "background",
};

/* A piece of the text, not terminated. */
typedef struct {
  const char *at, *end;
} Text;

typedef struct {
  const char *file;
  Text rest;  /* not yet read */
  guint line; /* number of the line read last, from 1 */
  guint n_columns;
  OctColumn columns[OCT_N_COLUMNS]; /* in the order of the file */
} Parser;

void
oct_calibration_table_clear (OctCalibrationTable *table)
{
  guint i;

  for (i = 0; i < OCT_N_COLUMNS; i++)
    g_clear_pointer (&table->values[i], g_free);
  g_clear_pointer (&table->lines, g_free);
}

static Text
calibration_csv_trim (Text text)
{
  while (text.at < text.end && g_ascii_isspace (*text.at))
    text.at++;
  while (text.at < text.end && g_ascii_isspace (text.end[-1]))
    text.end--;
  return text;
}

/* For a message: the printable ASCII of a field, a '?' for each other byte. */
static char *
calibration_csv_show (Text text)
{
  char *shown = g_strndup (text.at, MIN (text.end - text.at, MAX_SHOWN));
  char *c;

  for (c = shown; *c; c++)
    if (!g_ascii_isprint (*c))
      *c = '?';
  return shown;
}

gboolean
oct_calibration_parse_number (const char *text, gsize length, double *number)
{
  Text field = calibration_csv_trim ((Text){ text, text + length });
  char buffer[MAX_NUMBER];
  char *end;
  gsize n = field.end - field.at;

  /* keeps out nan, inf and hexadecimal numbers, and ends the string */
  if (n == 0 || n >= sizeof buffer)
    return FALSE;
  memcpy (buffer, field.at, n);
  buffer[n] = '\0';
  if (strspn (buffer, "+-.0123456789eE") != n)
    return FALSE;
  *number = g_ascii_strtod (buffer, &end);
  return end == buffer + n && isfinite (*number);
}

/* The next line that is neither blank nor a comment. */
static gboolean
next_line (Parser *parser, Text *line)
{
  while (parser->rest.at < parser->rest.end) {
    const char *at = parser->rest.at;

    while (at < parser->rest.end && *at != '\n' && *at != '\r')
      at++;
    *line = calibration_csv_trim ((Text){ parser->rest.at, at });
    parser->line++;
    if (at < parser->rest.end && *at++ == '\r' && at < parser->rest.end
        && *at == '\n')
      at++;
    parser->rest.at = at;
    if (line->at < line->end && *line->at != '#')
      return TRUE;
  }
  return FALSE;
}

/* The next field of a line; FALSE after the last one.  line->at is NULL once
 * the last one was read, as a comma at the end begins an empty one. */
static gboolean
next_field (Text *line, Text *field)
{
  const char *comma;

  if (!line->at)
    return FALSE;
  comma = memchr (line->at, ',', line->end - line->at);
  *field = calibration_csv_trim ((Text){ line->at, comma ? comma : line->end });
  line->at = comma ? comma + 1 : NULL;
  /* no name and no number has a comma in it, so quotes mean nothing */
  if (field->end - field->at >= 2 && *field->at == '"' && field->end[-1] == '"')
    *field = calibration_csv_trim ((Text){ field->at + 1, field->end - 1 });
  return TRUE;
}

static guint
csv_count_fields (Text line)
{
  Text field;
  guint n = 0;

  while (next_field (&line, &field))
    n++;
  return n;
}

static gboolean
find_column (Text name, OctColumn *column)
{
  for (guint i = 0; i < OCT_N_COLUMNS; i++) {
    gsize length = strlen (oct_column_names[i]);

    if ((gsize)(name.end - name.at) == length
        && memcmp (name.at, oct_column_names[i], length) == 0) {
      *column = i;
      return TRUE;
    }
  }
  return FALSE;
}

static gboolean
set_header_error (const Parser *parser, Text header, Text name, GError **error)
{
  g_autofree char *shown = calibration_csv_show (name);
  double number;

  if (memchr (header.at, ';', header.end - header.at)
      || memchr (header.at, '\t', header.end - header.at))
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "%s, line %u: the columns are separated by semicolons or tabs, but "
        "commas are expected, and points in the numbers; export it as CSV "
        "with commas",
        parser->file, parser->line);
  else if (oct_calibration_parse_number (name.at, name.end - name.at, &number))
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "%s, line %u: a number (%s) stands where the names of the columns are "
        "expected; begin the file with a line of names out of " KNOWN_COLUMNS,
        parser->file, parser->line, shown);
  else
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "%s, line %u: the column '%s' is not known; known are " KNOWN_COLUMNS,
        parser->file, parser->line, shown);
  return FALSE;
}

static gboolean
csv_parse_header (Parser *parser, GError **error)
{
  Text line, header, name;
  gboolean seen[OCT_N_COLUMNS] = { FALSE };

  if (!next_line (parser, &line)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "%s has no content; give a line of names out of " KNOWN_COLUMNS
        " and one row per sample",
        parser->file);
    return FALSE;
  }
  header = line;
  while (next_field (&line, &name)) {
    OctColumn column;

    if (!find_column (name, &column))
      return set_header_error (parser, header, name, error);
    if (seen[column]) {
      g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
          "%s, line %u: the column %s stands there twice; remove one",
          parser->file, parser->line, oct_column_names[column]);
      return FALSE;
    }
    seen[column] = TRUE;
    parser->columns[parser->n_columns++] = column;
  }
  if (!seen[OCT_COLUMN_K_INDEX] || !seen[OCT_COLUMN_K_POSITION])
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
      "%s, line %u: there are columns k_index and k_position, but each of them "
      "says by itself where the samples lie; remove one",
      parser->file, parser->line);
  return FALSE;
}

/* One number a line; *n of them, and the first and the last.  FALSE: there is
 * something else. */
static gboolean
look_at_numbers (Parser parser, guint *n, double *first, double *last)
{
  Text line;

  for (*n = 0; next_line (&parser, &line); ++*n) {
    if (!oct_calibration_parse_number (line.at, line.end - line.at, last))
      return FALSE;
    if (*n == 0)
      *first = *last;
  }
  return *n >= 2;
}

/* Whether the text is a chirp, which has no header. */
static gboolean
is_chirp (const Parser *parser)
{
  double first, last;
  guint n;

  return look_at_numbers (*parser, &n, &first, &last)
         && fabs (first) <= CHIRP_MARGIN * n
         && fabs (last - (n - 1)) <= CHIRP_MARGIN * n;
}

/* Thorlabs counts from the shortest wavelength. */
static void
turn_chirp (double *values, guint n)
{
  for (guint i = 0; i < n; i++)
    values[i] = n - 1 - values[i];
}

/* Checks every row, stores those that there is room for. */
static gboolean
parse_row (Parser *parser, Text line, guint row, guint samples,
    OctCalibrationTable *table, GError **error)
{
  guint n_fields = csv_count_fields (line);
  Text field;
  double number;
  guint i;

  if (n_fields != parser->n_columns) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "%s, line %u has %u values, but the header names %u columns; give one "
        "value per column, with a point and no comma in the numbers",
        parser->file, parser->line, n_fields, parser->n_columns);
    return FALSE;
  }
  for (i = 0; next_field (&line, &field); i++) {
    if (!oct_calibration_parse_number (
            field.at, field.end - field.at, &number)) {
      g_autofree char *shown = calibration_csv_show (field);

      g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
          "%s, line %u: '%s' in column %s is not a number; give a finite "
          "number with a decimal point",
          parser->file, parser->line, shown,
          oct_column_names[parser->columns[i]]);
      return FALSE;
    }
    if (row < samples)
      table->values[parser->columns[i]][row] = number;
  }
  if (row < samples)
    table->lines[row] = parser->line;
  return TRUE;
}

gboolean
oct_calibration_csv_parse (const char *file, const char *text, gsize size,
    guint samples, OctCalibrationTable *table, GError **error)
{
  Parser parser = { .file = file, .rest = { text, text + size } };
  Text line;
  guint i, rows = 0;
  gboolean chirp;

  if (memchr (text, '\0', size)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "%s is not plain text; save it as CSV (UTF-8)", file);
    return FALSE;
  }
  if (size >= 3 && memcmp (text, "\xef\xbb\xbf", 3) == 0)
    parser.rest.at += 3;
  chirp = is_chirp (&parser);
  if (chirp)
    parser.columns[parser.n_columns++] = OCT_COLUMN_K_POSITION;
  else if (!csv_parse_header (&parser, error))
    return FALSE;

  table->lines = g_new0 (guint, samples);
  for (i = 0; i < parser.n_columns; i++)
    table->values[parser.columns[i]] = g_new0 (double, samples);
  for (; next_line (&parser, &line); rows++)
    if (!parse_row (&parser, line, rows, samples, table, error))
      return FALSE;
  table->rows = rows;
  if (rows != samples) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "%s has %u rows, but the spectra have %u samples; give a calibration "
        "with one row per sample (or set `samples` of octsrc)",
        file, rows, samples);
    return FALSE;
  }
  if (chirp)
    turn_chirp (table->values[OCT_COLUMN_K_POSITION], samples);
  return TRUE;
}

gpointer
oct_calibration_csv_load (const char *path, GError **error)
{
  g_autofree char *file = oct_file_describe ("Calibration file", path);
  g_autofree char *text = NULL;
  guint64 size;
  gssize got;
  int fd;

  fd = oct_file_open ("Calibration file", path, &size, error);
  if (fd < 0)
    return NULL;
  if (size > MAX_FILE_SIZE) {
    close (fd);
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "%s has %" G_GUINT64_FORMAT " bytes, but a calibration of at most %u "
        "is expected; give a CSV file with one row per sample",
        file, size, MAX_FILE_SIZE);
    return NULL;
  }
  text = g_malloc (size + 1);
  got = oct_file_read (fd, 0, text, size);
  if (got < 0)
    g_set_error (error, OCT_ERROR, OCT_ERROR_READ, "%s cannot be read: %s",
        file, g_strerror (errno));
  close (fd);
  return got >= 0 ? g_bytes_new_take (g_steal_pointer (&text), (gsize)got)
                  : NULL;
}

gboolean
oct_calibration_csv_read (
    const char *path, guint samples, OctCalibrationTable *table, GError **error)
{
  g_autofree char *file = oct_file_describe ("Calibration file", path);
  g_autoptr (GBytes) text = oct_calibration_csv_load (path, error);
  gconstpointer data;
  gsize size;

  if (text == NULL)
    return FALSE;
  data = g_bytes_get_data (text, &size);
  return oct_calibration_csv_parse (
      file, data != NULL ? data : "", size, samples, table, error);
}
