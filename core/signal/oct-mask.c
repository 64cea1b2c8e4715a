/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-mask.h"

#include "oct-file.h"

#include <math.h>
#include <string.h>

#define DENSITY_FLOOR 0.1
#define GAUSSIAN_FWHM 0.5 /* of the samples */

/* More than the longest mask takes with comments. */
#define MAX_FILE_SIZE ((guint64)1 << 22)

/* -------------------------------------------------------------- generation */

/* Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014
 * (SplitMix64); uniform in (0, 1). */
static double
next_uniform (guint64 *state)
{
  guint64 h = *state += G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);

  h = (h ^ (h >> 30)) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  h = (h ^ (h >> 27)) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  h ^= h >> 31;
  return ((double)(h >> 12) + 0.5) * 0x1p-52;
}

typedef struct {
  double key;
  guint index;
} Ticket;

static int
compare_tickets (gconstpointer a, gconstpointer b)
{
  const Ticket *x = a, *y = b;

  if (x->key != y->key)
    return x->key < y->key ? -1 : 1;
  return x->index < y->index ? -1 : 1;
}

/* All of 0 .. count - 1 in the order of a drawing without replacement in which
 * each has its weight (NULL: all the same): Efraimidis and Spirakis, Inf.
 * Process. Lett. 97, 181 (2006).  g_free(). */
static Ticket *
mask_draw (guint count, const double *weights, guint64 seed)
{
  Ticket *tickets = g_new (Ticket, count);

  for (guint i = 0; i < count; i++) {
    double weight = weights != NULL ? weights[i] : 1;
    tickets[i].key = -log (next_uniform (&seed)) / weight;
    tickets[i].index = i;
  }
  qsort (tickets, count, sizeof *tickets, compare_tickets);
  return tickets;
}

static void
fill_variable_density (const OctMaskSettings *s, guint kept, guint8 *mask)
{
  g_autofree double *weights = g_new (double, s->samples);
  g_autofree Ticket *tickets = NULL;
  double largest = 0;

  for (guint i = 0; i < s->samples; i++) {
    double x = (i - (s->samples - 1) / 2.0) / (GAUSSIAN_FWHM * s->samples);
    weights[i] =
        s->density != NULL ? MAX (s->density[i], 0) : exp (-4 * G_LN2 * x * x);
    largest = MAX (largest, weights[i]);
  }
  for (guint i = 0; i < s->samples; i++)
    weights[i] =
        (largest > 0 ? sqrt (weights[i] / largest) : 0) + DENSITY_FLOOR;
  tickets = mask_draw (s->samples, weights, s->seed);
  for (guint i = 0; i < kept; i++)
    mask[tickets[i].index] = 1;
}

/* One of every max_gap + 1 and the last one, the others by lot. */
static gboolean
fill_max_gap (
    const OctMaskSettings *s, guint kept, guint8 *mask, GError **error)
{
  g_autofree Ticket *tickets = mask_draw (s->samples, NULL, s->seed);
  guint count = 0;

  for (guint64 i = 0; i < s->samples; i += (guint64)s->max_gap + 1)
    mask[i] = 1;
  mask[s->samples - 1] = 1;
  count = oct_mask_count (mask, s->samples);
  if (count > kept) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "A mask of %u samples with gaps of at most %u has to keep %u, but a "
        "sampling rate of %g keeps %u: set a larger max-gap or sampling-rate",
        s->samples, s->max_gap, count, s->rate, kept);
    return FALSE;
  }
  for (guint i = 0; count < kept; i++) {
    count += !mask[tickets[i].index];
    mask[tickets[i].index] = 1;
  }
  return TRUE;
}

void
oct_mask_find_nearest (guint samples, const double *nodes, guint32 *nearest)
{
  gboolean rising = nodes[samples - 1] >= nodes[0];
  guint at = 0;

  /* at: place in rising order of the nodes */
  for (guint j = 0; j < samples; j++) {
    for (; at + 1 < samples; at++) {
      double here = nodes[rising ? at : samples - 1 - at];
      double next = nodes[rising ? at + 1 : samples - 2 - at];
      if (fabs (next - j) > fabs (here - j))
        break;
    }
    nearest[j] = rising ? at : samples - 1 - at;
  }
}

static void
fill_linear_k (const OctMaskSettings *s, guint kept, guint8 *mask)
{
  g_autofree Ticket *tickets = mask_draw (s->samples, NULL, s->seed);
  g_autofree guint32 *nearest = g_new (guint32, s->samples);
  guint count = 0;

  if (s->nodes != NULL)
    oct_mask_find_nearest (s->samples, s->nodes, nearest);
  for (guint i = 0; i < s->samples && count < kept; i++) {
    guint j = tickets[i].index, n = s->nodes != NULL ? nearest[j] : j;
    count += !mask[n];
    mask[n] = 1;
  }
}

guint8 *
oct_mask_new (const OctMaskSettings *s, GError **error)
{
  g_autofree guint8 *mask = NULL;
  guint kept;

  if (s->samples < 1 || s->samples > OCT_MAX_SAMPLES) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "A mask of %u samples is not possible: there must be 1 to %u",
        s->samples, OCT_MAX_SAMPLES);
    return NULL;
  }
  if (!(s->rate > 0 && s->rate <= 1)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The sampling rate is %g: it must be above 0 and at most 1", s->rate);
    return NULL;
  }
  kept = MAX (1, (guint)rint (s->rate * s->samples));
  mask = g_new0 (guint8, s->samples);
  switch (s->kind) {
  case OCT_MASK_VARIABLE_DENSITY:
    fill_variable_density (s, kept, mask);
    break;
  case OCT_MASK_MAX_GAP:
    if (!fill_max_gap (s, kept, mask, error))
      return NULL;
    break;
  case OCT_MASK_LINEAR_K:
    fill_linear_k (s, kept, mask);
    break;
  }
  return g_steal_pointer (&mask);
}

guint
oct_mask_count (const guint8 *mask, guint samples)
{
  guint count = 0;

  for (guint i = 0; i < samples; i++)
    count += mask[i] != 0;
  return count;
}

/* ------------------------------------------------------------------- files */

/* The length of the field at `at`, for a message. */
static int
shown_length (const char *at, const char *end)
{
  int length = 0;

  while (length < 20 && at + length < end && g_ascii_isprint (at[length])
         && at[length] != ',')
    length++;
  return length;
}

guint8 *
oct_mask_parse (const char *source, const char *text, gsize length,
    guint *samples, GError **error)
{
  g_autoptr (GByteArray) mask = g_byte_array_new ();
  const char *at = text, *end = text + length;
  guint line = 1;
  gboolean begins = TRUE; /* a line, or a field */

  if (length >= 3 && memcmp (text, "\xEF\xBB\xBF", 3) == 0)
    at += 3;
  for (gboolean apart = TRUE; at < end; at++) {
    guint8 value = *at == '1';

    if (*at == '#' && begins) {
      while (at + 1 < end && at[1] != '\n' && at[1] != '\r')
        at++;
    } else if (*at == '\n' || *at == '\r') {
      /* CR, LF and both together end one line */
      line += *at == '\n' || at + 1 == end || at[1] != '\n';
      begins = apart = TRUE;
    } else if (*at == ' ' || *at == '\t' || *at == ',') {
      apart = TRUE;
    } else if ((value || *at == '0') && apart && mask->len < OCT_MAX_SAMPLES) {
      g_byte_array_append (mask, &value, 1);
      begins = apart = FALSE;
    } else if (mask->len == OCT_MAX_SAMPLES && apart) {
      g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
          "%s has more than %u entries; one 0 or 1 per sample is expected",
          source, OCT_MAX_SAMPLES);
      return NULL;
    } else {
      const char *from = apart ? at : at - 1;
      g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
          "%s has '%.*s' in line %u, but 0 (left out) or 1 (kept) is expected "
          "for each sample",
          source, shown_length (from, end), from, line);
      return NULL;
    }
  }
  if (oct_mask_count (mask->data, mask->len) == 0) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "%s keeps none of %u samples; it must have a 1 for each sample that is "
        "kept",
        source, mask->len);
    return NULL;
  }
  *samples = mask->len;
  return g_byte_array_free (g_steal_pointer (&mask), FALSE);
}

guint8 *
oct_mask_read (const char *path, guint *samples, GError **error)
{
  g_autofree char *source = oct_file_describe ("Mask file", path);
  gsize size;
  g_autofree char *text = oct_file_read_text ("Mask file", path, MAX_FILE_SIZE,
      "a text with one 0 or 1 per sample", &size, error);

  return text != NULL ? oct_mask_parse (source, text, size, samples, error)
                      : NULL;
}

gboolean
oct_mask_write (
    const char *path, const guint8 *mask, guint samples, GError **error)
{
  g_autofree char *text = g_malloc (2 * (gsize)samples + 1);

  for (guint i = 0; i < samples; i++) {
    text[2 * (gsize)i] = mask[i] ? '1' : '0';
    text[2 * (gsize)i + 1] = '\n';
  }
  return oct_file_write_text (
      "Mask file", path, text, 2 * (gsize)samples, error);
}
