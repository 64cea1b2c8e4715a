/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-scan-mask.h"

#include "oct-file.h"
#include "oct-mask.h"

#include <math.h>
#include <string.h>

/* The most missing lines in a row, times the rate, in published experiments. */
#define GAP_FACTOR 1.6
/* Two characters for each A-line, and comments. */
#define MAX_FILE_SIZE ((guint64)1 << 30)

/* ------------------------------------------------------------------ object */

static void
scan_mask_clear (gpointer data)
{
  OctScanMask *mask = data;

  g_free (mask->taken);
  g_free (mask->places);
  g_free (mask->first);
  g_free (mask->bscan_of);
}

OctScanMask *
oct_scan_mask_ref (OctScanMask *mask)
{
  return g_atomic_rc_box_acquire (mask);
}

void
oct_scan_mask_unref (OctScanMask *mask)
{
  g_atomic_rc_box_release_full (mask, scan_mask_clear);
}

gboolean
oct_scan_mask_equal (const OctScanMask *a, const OctScanMask *b)
{
  return a == b
         || (a != NULL && b != NULL && a->lines == b->lines
             && a->bscans == b->bscans
             && memcmp (a->taken, b->taken, (gsize)a->lines * a->bscans) == 0);
}

gboolean
oct_scan_mask_same_sizes (const OctScanMask *a, const OctScanMask *b)
{
  return a->lines == b->lines && a->bscans == b->bscans
         && a->lines_each == b->lines_each
         && a->taken_bscans == b->taken_bscans;
}

static void
find_places (OctScanMask *mask)
{
  guint at = 0;

  mask->places = g_new (guint32, mask->count);
  mask->first = g_new (guint32, mask->bscans + 1);
  mask->bscan_of = g_new (guint32, mask->bscans);
  for (guint y = 0; y < mask->bscans; y++) {
    guint lines;

    mask->first[y] = at;
    for (guint x = 0; x < mask->lines; x++)
      if (mask->taken[(gsize)y * mask->lines + x])
        mask->places[at++] = y * mask->lines + x;
    lines = at - mask->first[y];
    if (lines == 0)
      continue;
    if (mask->taken_bscans == 0)
      mask->lines_each = lines;
    else if (mask->lines_each != lines)
      mask->lines_each = 0;
    mask->bscan_of[mask->taken_bscans++] = y;
  }
  mask->first[mask->bscans] = at;
}

/* Takes `taken`. */
static OctScanMask *
scan_mask_make (guint lines, guint bscans, guint8 *taken)
{
  OctScanMask *mask = g_atomic_rc_box_new0 (OctScanMask);
  gsize n = (gsize)lines * bscans;

  mask->lines = lines;
  mask->bscans = bscans;
  mask->taken = taken;
  for (gsize i = 0; i < n; i++) {
    taken[i] = taken[i] != 0;
    mask->count += taken[i];
  }
  find_places (mask);
  return mask;
}

static gboolean
scan_mask_check_size (guint lines, guint bscans, GError **error)
{
  if (lines >= 1 && bscans >= 1
      && (guint64)lines * bscans <= OCT_SCAN_MASK_MAX_LINES)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "A mask for %u B-scans of %u A-lines is not possible: a volume has 1 to "
      "%u A-lines; set how many B-scans a volume has",
      bscans, lines, OCT_SCAN_MASK_MAX_LINES);
  return FALSE;
}

OctScanMask *
oct_scan_mask_new_from_array (
    guint lines, guint bscans, const guint8 *taken, GError **error)
{
  gsize n = (gsize)lines * bscans, i = 0;

  if (!scan_mask_check_size (lines, bscans, error))
    return NULL;
  while (i < n && taken[i] == 0)
    i++;
  if (i < n)
    return scan_mask_make (lines, bscans, g_memdup2 (taken, n));
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "A mask for %u B-scans of %u A-lines takes none of them; it must take "
      "at least one",
      bscans, lines);
  return NULL;
}

/* -------------------------------------------------------------- generation */

/* Lines of one direction, at most `max_gap` (0: by the rate) left out in a row
 * and both ends taken. */
static guint8 *
scan_mask_draw (guint count, double rate, guint max_gap, guint64 seed,
    const char *direction, GError **error)
{
  guint gap = max_gap > 0
                  ? max_gap
                  : (guint)MIN (ceil (GAP_FACTOR / rate), (double)count);
  OctMaskSettings settings = { .kind = OCT_MASK_MAX_GAP,
    .samples = count,
    .rate = rate,
    .seed = seed,
    .max_gap = gap };
  g_autoptr (GError) local = NULL;
  guint8 *mask = oct_mask_new (&settings, &local);

  if (mask == NULL)
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "Of %u %s a part of %.3g is to be taken, with at most %u in a row left "
        "out and both ends: that is not possible; set a larger rate or gap",
        count, direction, rate, gap);
  return mask;
}

static gboolean
fill_same_lines (const OctScanMaskSettings *s, guint8 *taken, GError **error)
{
  double rate = sqrt (s->rate);
  g_autofree guint8 *x =
      scan_mask_draw (s->lines, rate, s->max_gap, s->seed, "A-lines", error);
  g_autofree guint8 *y = NULL;

  if (x == NULL)
    return FALSE;
  y = scan_mask_draw (
      s->bscans, rate, s->max_gap, s->seed + 1, "B-scans", error);
  if (y == NULL)
    return FALSE;
  for (guint i = 0; i < s->bscans; i++)
    if (y[i])
      memcpy (taken + (gsize)i * s->lines, x, s->lines);
  return TRUE;
}

static gboolean
fill_scattered (const OctScanMaskSettings *s, guint8 *taken, GError **error)
{
  for (guint i = 0; i < s->bscans; i++) {
    g_autofree guint8 *x = scan_mask_draw (
        s->lines, s->rate, s->max_gap, s->seed + i, "A-lines", error);

    if (x == NULL)
      return FALSE;
    memcpy (taken + (gsize)i * s->lines, x, s->lines);
  }
  return TRUE;
}

OctScanMask *
oct_scan_mask_new (const OctScanMaskSettings *s, GError **error)
{
  g_autofree guint8 *taken = NULL;
  gboolean ok;

  if (!scan_mask_check_size (s->lines, s->bscans, error))
    return NULL;
  if (!(s->rate > 0 && s->rate <= 1)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The part of the A-lines that is taken is %g: it must be above 0 and "
        "at most 1",
        s->rate);
    return NULL;
  }
  taken = g_malloc0 ((gsize)s->lines * s->bscans);
  ok = s->kind == OCT_SCAN_MASK_SAME_LINES ? fill_same_lines (s, taken, error)
                                           : fill_scattered (s, taken, error);
  return ok ? scan_mask_make (s->lines, s->bscans, g_steal_pointer (&taken))
            : NULL;
}

/* ------------------------------------------------------------------- files */

/* A text while it is read: rows that have ended, and the current one. */
typedef struct {
  const char *source;
  GByteArray *taken;
  guint lines, bscans; /* lines 0: no row has ended */
  guint row;           /* entries of the row under way */
  guint text_row;      /* for messages */
} Reader;

static gboolean
end_row (Reader *r, GError **error)
{
  if (r->row == 0)
    return TRUE;
  if (r->lines == 0)
    r->lines = r->row;
  if (r->row != r->lines) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "%s has %u entries in line %u and %u in the first one; one 0 or 1 for "
        "each A-line is expected in every line, which is a B-scan",
        r->source, r->row, r->text_row, r->lines);
    return FALSE;
  }
  r->bscans++;
  r->row = 0;
  return TRUE;
}

static gboolean
scan_mask_take_entry (Reader *r, char c, GError **error)
{
  guint8 value = c == '1';

  if (c != '0' && c != '1') {
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "%s has '%c' in line %u, but 0 (left out) or 1 (taken) is expected for "
        "each A-line",
        r->source, g_ascii_isprint (c) ? c : '?', r->text_row);
    return FALSE;
  }
  if (r->taken->len >= OCT_SCAN_MASK_MAX_LINES || r->row >= OCT_MAX_LINES) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "%s has more than %u entries in a line, or more than %u in all; one 0 "
        "or 1 for each A-line of a volume is expected",
        r->source, OCT_MAX_LINES, OCT_SCAN_MASK_MAX_LINES);
    return FALSE;
  }
  g_byte_array_append (r->taken, &value, 1);
  r->row++;
  return TRUE;
}

static gboolean
scan_mask_parse (Reader *r, const char *at, const char *end, GError **error)
{
  for (; at < end; at++) {
    if (*at == '#' && r->row == 0) {
      while (at + 1 < end && at[1] != '\n' && at[1] != '\r')
        at++;
    } else if (*at == '\n' || *at == '\r') {
      if (!end_row (r, error))
        return FALSE;
      /* CR, LF and both together end one line */
      r->text_row += *at == '\n' || at + 1 == end || at[1] != '\n';
    } else if (*at != ' ' && *at != '\t' && *at != ','
               && !scan_mask_take_entry (r, *at, error)) {
      return FALSE;
    }
  }
  return end_row (r, error);
}

OctScanMask *
oct_scan_mask_parse (
    const char *source, const char *text, gsize length, GError **error)
{
  g_autoptr (GByteArray) taken = g_byte_array_new ();
  Reader reader = { .source = source, .taken = taken, .text_row = 1 };
  const char *at = text;

  if (length >= 3 && memcmp (text, "\xEF\xBB\xBF", 3) == 0)
    at += 3;
  if (!scan_mask_parse (&reader, at, text + length, error))
    return NULL;
  if (oct_mask_count (taken->data, taken->len) == 0) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "%s takes none of %u A-lines of %u B-scans; it must have a 1 for each "
        "A-line that is taken",
        source, reader.lines, reader.bscans);
    return NULL;
  }
  return scan_mask_make (reader.lines, reader.bscans,
      g_byte_array_free (g_steal_pointer (&taken), FALSE));
}

OctScanMask *
oct_scan_mask_read (const char *path, GError **error)
{
  g_autofree char *source = oct_file_describe ("Scan mask file", path);
  gsize size;
  g_autofree char *text =
      oct_file_read_text ("Scan mask file", path, MAX_FILE_SIZE,
          "a text with one 0 or 1 per A-line of a volume", &size, error);

  return text != NULL ? oct_scan_mask_parse (source, text, size, error) : NULL;
}

char *
oct_scan_mask_format (const OctScanMask *mask, gsize *length)
{
  gsize row = (gsize)mask->lines + 1;
  char *text = g_malloc (row * mask->bscans);

  for (guint y = 0; y < mask->bscans; y++) {
    for (guint x = 0; x < mask->lines; x++)
      text[y * row + x] = (char)('0' + mask->taken[(gsize)y * mask->lines + x]);
    text[y * row + mask->lines] = '\n';
  }
  *length = row * mask->bscans;
  return text;
}

gboolean
oct_scan_mask_write (const OctScanMask *mask, const char *path, GError **error)
{
  gsize length;
  g_autofree char *text = oct_scan_mask_format (mask, &length);

  return oct_file_write_text ("Scan mask file", path, text, length, error);
}
