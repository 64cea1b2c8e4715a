/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-scan-curve.h"

#include "oct-file.h"

#include <math.h>
#include <string.h>

/* Three numbers for each A-line. */
#define MAX_FILE_SIZE ((guint64)1 << 32)
#define EXPECTED "rows of x and y in mm, and 0 where the beam is not active"

void
oct_scan_curve_free (OctScanCurve *curve)
{
  g_array_unref (curve->points);
  g_array_unref (curve->active);
  g_array_unref (curve->firsts);
  g_free (curve);
}

static gboolean
curve_is_blank (char c)
{
  return c == ' ' || c == '\t' || c == ',' || c == '\r';
}

/* Reads the numbers of a row of `length` bytes; FALSE: it has something else. */
static gboolean
curve_read_row (const char *row, gsize length, double numbers[3], guint *count)
{
  g_autofree char *text = g_strndup (row, length);
  char *at = text;

  *count = 0;
  /* g_strndup() ends at a byte of 0 */
  if (strlen (text) != length)
    return FALSE;
  for (;;) {
    char *end;

    while (curve_is_blank (*at))
      at++;
    if (*at == '\0')
      return *count == 0 || *count >= 2;
    if (*count == 3)
      return FALSE;
    numbers[*count] = g_ascii_strtod (at, &end);
    if (end == at || !isfinite (numbers[*count])
        || (*end != '\0' && !curve_is_blank (*end)))
      return FALSE;
    ++*count;
    at = end;
  }
}

/* Whether the B-scan that ends here has two points. */
static gboolean
curve_check_bscan (
    const OctScanCurve *curve, const char *source, guint row, GError **error)
{
  guint n = curve->firsts->len;

  if (n == 0
      || curve->points->len - g_array_index (curve->firsts, guint, n - 1) >= 2)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
      "%s has one A-line alone in the B-scan that ends in line %u; 2 or more "
      "are "
      "expected, as their distance is the velocity of the beam.",
      source, row);
  return FALSE;
}

static gboolean
curve_take_row (
    OctScanCurve *curve, const double numbers[3], guint count, gboolean first)
{
  OctScanPoint point = { { numbers[0], numbers[1] } };
  guint8 active = count < 3 || numbers[2] != 0;

  if (curve->points->len >= OCT_SCAN_MAX_SAMPLES)
    return FALSE;
  if (first)
    g_array_append_val (curve->firsts, curve->points->len);
  g_array_append_val (curve->points, point);
  g_array_append_val (curve->active, active);
  return TRUE;
}

static gboolean
curve_parse (OctScanCurve *curve, const char *source, const char *text,
    gsize length, GError **error)
{
  const char *end = text + length;
  gboolean open = FALSE;

  for (guint row = 1; text < end; row++) {
    const char *next = memchr (text, '\n', (gsize)(end - text));
    gsize size = (gsize)((next != NULL ? next : end) - text);
    const char *comment = memchr (text, '#', size);
    double numbers[3];
    guint count;

    if (!curve_read_row (text, comment != NULL ? (gsize)(comment - text) : size,
            numbers, &count)) {
      g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
          "%s has something else than 2 or 3 numbers in line %u; " EXPECTED
          " are expected.",
          source, row);
      return FALSE;
    }
    if (count > 0 && !curve_take_row (curve, numbers, count, !open)) {
      g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
          "%s has more than %u A-lines; make the scan smaller.", source,
          OCT_SCAN_MAX_SAMPLES);
      return FALSE;
    }
    /* a row with a comment alone is not empty */
    if (count == 0 && comment == NULL && open
        && !curve_check_bscan (curve, source, row, error))
      return FALSE;
    open = count > 0 || (open && comment != NULL);
    text = next != NULL ? next + 1 : end;
    if (text == end && !curve_check_bscan (curve, source, row, error))
      return FALSE;
  }
  if (curve->points->len > 0)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
      "%s has no A-lines; " EXPECTED " are expected.", source);
  return FALSE;
}

OctScanCurve *
oct_scan_curve_parse (
    const char *source, const char *text, gsize length, GError **error)
{
  g_autoptr (OctScanCurve) curve = g_new (OctScanCurve, 1);

  curve->points = g_array_new (FALSE, FALSE, sizeof (OctScanPoint));
  curve->active = g_array_new (FALSE, FALSE, 1);
  curve->firsts = g_array_new (FALSE, FALSE, sizeof (guint));
  if (length >= 3 && memcmp (text, "\xEF\xBB\xBF", 3) == 0) {
    text += 3;
    length -= 3;
  }
  if (!curve_parse (curve, source, text, length, error))
    return NULL;
  return g_steal_pointer (&curve);
}

OctScanCurve *
oct_scan_curve_read (const char *path, GError **error)
{
  g_autofree char *source = oct_file_describe ("Scan file", path);
  gsize size;
  g_autofree char *text = oct_file_read_text (
      "Scan file", path, MAX_FILE_SIZE, EXPECTED, &size, error);

  return text != NULL ? oct_scan_curve_parse (source, text, size, error) : NULL;
}

gpointer
oct_scan_curve_read_content (const char *path, GError **error)
{
  return oct_scan_curve_read (path, error);
}
