/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-recording-text.h"

#include "oct-file.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#define GROUP "oct-recording"
#define MAGIC "[" GROUP "]"
#define CALIBRATION "calibration"
#define VERSION 1

/* The largest text that is written, five lists of 65536 numbers of 25
 * characters and all gaps of 40, has 8.0 MiB in some 20 lines; people add
 * remarks. */
#define MAX_TEXT (16u << 20)
#define MAX_TEXT_LINES 4096u
#define MAX_LINE_RATE 1e9
#define MAX_WAVELENGTH 1e-4
/* Within which the first group begins. */
#define HEAD_SIZE 4096

void
oct_recording_info_clear (OctRecordingInfo *info)
{
  g_clear_pointer (&info->calibration, oct_calibration_unref);
  g_clear_pointer (&info->gaps, g_array_unref);
  g_clear_pointer (&info->lost_parts, g_array_unref);
  g_clear_pointer (&info->masks, g_array_unref);
  g_clear_pointer (&info->measurements, g_strfreev);
  memset (info, 0, sizeof *info);
}

void
oct_recording_info_add_gap (
    OctRecordingInfo *info, guint64 frame, guint64 count)
{
  OctRecordingGap gap = { MIN (frame, G_MAXINT64), MIN (count, G_MAXINT64) };
  OctRecordingGap *last;

  if (info->gaps == NULL)
    info->gaps = g_array_new (FALSE, FALSE, sizeof gap);
  if (info->gaps->len < OCT_RECORDING_MAX_GAPS) {
    g_array_append_val (info->gaps, gap);
    return;
  }
  last = &g_array_index (info->gaps, OctRecordingGap, info->gaps->len - 1);
  last->count = MIN (last->count + gap.count, G_MAXINT64);
}

/* Without the B-scans `frame` to `frame` + `count` - 1; they and the gaps among
 * and right after them become one gap. */
static void
cut_gaps (OctRecordingInfo *info, guint64 frame, guint64 count)
{
  g_autoptr (GArray) gaps = g_steal_pointer (&info->gaps);
  guint64 missing = count;
  gboolean done = FALSE;

  for (guint i = 0; gaps != NULL && i < gaps->len; i++) {
    OctRecordingGap gap = g_array_index (gaps, OctRecordingGap, i);

    if (gap.frame >= frame && gap.frame <= frame + count) {
      missing += gap.count;
      continue;
    }
    if (gap.frame > frame && !done) {
      oct_recording_info_add_gap (info, frame, missing);
      done = TRUE;
    }
    oct_recording_info_add_gap (
        info, gap.frame - (gap.frame > frame ? count : 0), gap.count);
  }
  if (!done && missing > 0)
    oct_recording_info_add_gap (info, frame, missing);
}

gboolean
oct_recording_info_set_mask (
    OctRecordingInfo *info, guint64 frame, guint number)
{
  OctRecordingMask mask = { frame, number };
  guint n;

  if (info->masks == NULL)
    info->masks = g_array_new (FALSE, FALSE, sizeof mask);
  n = info->masks->len;
  if (n == 0)
    mask.frame = 0;
  /* none of its B-scans is there */
  if (n > 0
      && g_array_index (info->masks, OctRecordingMask, n - 1).frame == frame)
    g_array_set_size (info->masks, --n);
  if (n > 0
      && g_array_index (info->masks, OctRecordingMask, n - 1).number == number)
    return TRUE;
  if (n >= OCT_RECORDING_MAX_MASK_CHANGES)
    return FALSE;
  g_array_append_val (info->masks, mask);
  return TRUE;
}

/* Without the B-scans `frame` to `frame` + `count` - 1. */
static void
cut_masks (OctRecordingInfo *info, guint64 frame, guint64 count)
{
  g_autoptr (GArray) masks = g_steal_pointer (&info->masks);

  for (guint i = 0; masks != NULL && i < masks->len; i++) {
    OctRecordingMask mask = g_array_index (masks, OctRecordingMask, i);

    if (mask.frame > frame)
      mask.frame = MAX (frame, mask.frame - MIN (mask.frame, count));
    oct_recording_info_set_mask (info, mask.frame, mask.number);
  }
}

static gint
compare_parts (gconstpointer a, gconstpointer b)
{
  guint x = *(const guint *)a, y = *(const guint *)b;

  return (x > y) - (x < y);
}

gboolean
oct_recording_info_lose_part (
    OctRecordingInfo *info, guint part, guint64 frame, guint64 count)
{
  if (info->lost_parts == NULL)
    info->lost_parts = g_array_new (FALSE, FALSE, sizeof part);
  if (info->lost_parts->len >= OCT_RECORDING_MAX_LOST_PARTS)
    return FALSE;
  g_array_append_val (info->lost_parts, part);
  g_array_sort (info->lost_parts, compare_parts);
  cut_gaps (info, frame, count);
  cut_masks (info, frame, count);
  if (info->calibration_until > frame + count)
    info->calibration_until -= count;
  else if (info->calibration_until > frame)
    info->calibration_until = MAX (frame, 1);
  return TRUE;
}

gboolean
oct_recording_info_lacks_part (const OctRecordingInfo *info, guint part)
{
  return info->lost_parts != NULL
         && g_array_binary_search (
             info->lost_parts, &part, compare_parts, NULL);
}

/* ------------------------------------------------------------------ writing */

static void
set_lost_parts (GKeyFile *keys, const GArray *parts)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < parts->len; i++)
    g_string_append_printf (text, "%u;", g_array_index (parts, guint, i));
  g_key_file_set_value (keys, GROUP, "lost-parts", text->str);
}

static void
set_gaps (GKeyFile *keys, const GArray *gaps)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < gaps->len; i++) {
    const OctRecordingGap *gap = &g_array_index (gaps, OctRecordingGap, i);

    g_string_append_printf (text,
        "%" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT ";", gap->frame, gap->count);
  }
  g_key_file_set_value (keys, GROUP, "missing", text->str);
}

static void
set_masks (GKeyFile *keys, const GArray *masks)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < masks->len; i++) {
    const OctRecordingMask *mask = &g_array_index (masks, OctRecordingMask, i);

    g_string_append_printf (
        text, "%" G_GUINT64_FORMAT ":%u;", mask->frame, mask->number);
  }
  g_key_file_set_value (keys, GROUP, "scan-masks", text->str);
}

static void
set_list (GKeyFile *keys, const char *key, const double *values, guint n)
{
  if (values != NULL)
    g_key_file_set_double_list (keys, CALIBRATION, key, (double *)values, n);
}

static void
set_calibration (GKeyFile *keys, const OctCalibration *c)
{
  guint n = oct_calibration_get_samples (c);
  double k_min, k_max;

  if (oct_calibration_get_k_range (c, &k_min, &k_max)) {
    g_key_file_set_double (keys, CALIBRATION, "k-min", k_min);
    g_key_file_set_double (keys, CALIBRATION, "k-max", k_max);
  }
  set_list (keys, "positions", oct_calibration_get_positions (c), n);
  set_list (keys, "nodes", oct_calibration_get_nodes (c), n);
  set_list (keys, "dispersion", oct_calibration_get_dispersion (c), n);
  set_list (
      keys, "sample-dispersion", oct_calibration_get_sample_dispersion (c), n);
  set_list (keys, "background", oct_calibration_get_background (c), n);
}

static void
set_start_time (GKeyFile *keys, gint64 start_time)
{
  g_autoptr (GDateTime) second = NULL, time = NULL;
  g_autofree char *text = NULL;

  if (start_time <= 0)
    return;
  second = g_date_time_new_from_unix_utc (start_time / G_USEC_PER_SEC);
  time = g_date_time_add (second, start_time % G_USEC_PER_SEC);
  text = g_date_time_format (time, "%Y-%m-%dT%H:%M:%S.%fZ");
  g_key_file_set_string (keys, GROUP, "start-time", text);
}

char *
oct_recording_format (const OctRecordingInfo *info)
{
  g_autoptr (GKeyFile) keys = g_key_file_new ();

  g_key_file_set_integer (keys, GROUP, "version", VERSION);
  g_key_file_set_string (keys, GROUP, "sample-format",
      info->sample_format == OCT_SAMPLE_U8 ? "gray8" : "gray16-le");
  g_key_file_set_integer (keys, GROUP, "samples", info->samples);
  g_key_file_set_integer (keys, GROUP, "lines", info->lines);
  if (info->bscans != 0)
    g_key_file_set_integer (keys, GROUP, "bscans-per-volume", info->bscans);
  if (info->first_bscan != 0 && info->first_bscan < info->bscans)
    g_key_file_set_integer (keys, GROUP, "first-bscan", info->first_bscan);
  if (info->repeats > 1 && info->repeats <= G_MAXINT
      && info->bscans % info->repeats == 0)
    g_key_file_set_integer (keys, GROUP, "repeats", (gint)info->repeats);
  /* no camera's: unknown is better than a text that is refused */
  if (info->line_rate > 0.0 && info->line_rate <= MAX_LINE_RATE)
    g_key_file_set_double (keys, GROUP, "line-rate", info->line_rate);
  if (info->bscan_rate > 0.0 && info->bscan_rate <= MAX_LINE_RATE)
    g_key_file_set_double (keys, GROUP, "bscan-rate", info->bscan_rate);
  if (info->wavelength > 0.0 && info->wavelength <= MAX_WAVELENGTH)
    g_key_file_set_double (keys, GROUP, "wavelength", info->wavelength);
  if (info->k_clock)
    g_key_file_set_boolean (keys, GROUP, "k-clock", TRUE);
  if (info->lost_lines)
    g_key_file_set_boolean (keys, GROUP, "lost-lines", TRUE);
  set_start_time (keys, info->start_time);
  if (info->gaps != NULL)
    set_gaps (keys, info->gaps);
  if (info->lost_parts != NULL)
    set_lost_parts (keys, info->lost_parts);
  if (info->masks != NULL && info->masks->len > 0)
    set_masks (keys, info->masks);
  if (info->measurements != NULL && info->measurements[0] != NULL)
    g_key_file_set_string_list (keys, GROUP, "measurements",
        (const char *const *)info->measurements,
        MIN (g_strv_length (info->measurements),
            OCT_RECORDING_MAX_MEASUREMENTS));
  if (info->calibration_until != 0)
    g_key_file_set_uint64 (
        keys, GROUP, "calibration-until", info->calibration_until);
  if (info->calibration != NULL)
    set_calibration (keys, info->calibration);
  return g_key_file_to_data (keys, NULL, NULL);
}

/* ------------------------------------------------------------------ parsing */

typedef struct {
  GKeyFile *keys;
  const char *file;
  GError **error;
} Parser;

static gboolean
recording_text_refuse (
    const Parser *parser, const char *key, const char *expected)
{
  g_set_error (parser->error, OCT_ERROR, OCT_ERROR_FORMAT,
      "%s: `%s` is missing or wrong, %s is expected; correct the line, or "
      "read the parts as raw files",
      parser->file, key, expected);
  return FALSE;
}

/* 1 to `most`.  TRUE where an `optional` key is not there, and *count stays. */
static gboolean
recording_text_get_count (const Parser *parser, const char *key, guint most,
    gboolean optional, guint *count)
{
  g_autoptr (GError) local = NULL;
  g_autofree char *expected = NULL;
  gint value;

  if (optional && !g_key_file_has_key (parser->keys, GROUP, key, NULL))
    return TRUE;
  value = g_key_file_get_integer (parser->keys, GROUP, key, &local);
  if (local == NULL && value >= 1 && (guint)value <= most) {
    *count = value;
    return TRUE;
  }
  expected = g_strdup_printf ("a whole number of 1 to %u", most);
  return recording_text_refuse (parser, key, expected);
}

/* A number above zero, 0 if there is none. */
static gboolean
get_positive (const Parser *parser, const char *group, const char *key,
    double most, double *number)
{
  g_autoptr (GError) local = NULL;
  g_autofree char *expected = NULL;

  *number = 0.0;
  if (!g_key_file_has_key (parser->keys, group, key, NULL))
    return TRUE;
  *number = g_key_file_get_double (parser->keys, group, key, &local);
  if (local == NULL && *number > 0.0 && *number <= most)
    return TRUE;
  expected = g_strdup_printf ("a number above 0 and up to %g", most);
  return recording_text_refuse (parser, key, expected);
}

static gboolean
get_sample_format (const Parser *parser, OctSampleFormat *format)
{
  g_autofree char *name =
      g_key_file_get_string (parser->keys, GROUP, "sample-format", NULL);

  if (g_strcmp0 (name, "gray8") == 0)
    *format = OCT_SAMPLE_U8;
  else if (g_strcmp0 (name, "gray16-le") == 0)
    *format = OCT_SAMPLE_U16;
  else
    return recording_text_refuse (
        parser, "sample-format", "gray8 or gray16-le");
  return TRUE;
}

static gboolean
get_start_time (const Parser *parser, gint64 *start_time)
{
  g_autofree char *text =
      g_key_file_get_string (parser->keys, GROUP, "start-time", NULL);
  g_autoptr (GDateTime) time = NULL;

  if (text == NULL)
    return TRUE;
  time = g_date_time_new_from_iso8601 (text, NULL);
  if (time != NULL)
    *start_time = g_date_time_to_unix (time) * G_USEC_PER_SEC
                  + g_date_time_get_microsecond (time);
  return *start_time > 0
         || recording_text_refuse (
             parser, "start-time", "a time as in 2026-05-04T08:15:00.250000Z");
}

/* Items of a list, before it is split: a hostile file has millions. */
static gboolean
check_length (
    const Parser *parser, const char *group, const char *key, guint most)
{
  g_autofree char *text = g_key_file_get_value (parser->keys, group, key, NULL);
  gsize n = 0;

  for (const char *c = text; c != NULL && *c != '\0'; c++)
    /* the one after the last item separates nothing */
    n += *c == ';' && c[1] != '\0';
  if (n < most)
    return TRUE;
  g_set_error (parser->error, OCT_ERROR, OCT_ERROR_FORMAT,
      "%s: `%s` has %" G_GSIZE_FORMAT " values, at most %u are possible; "
      "correct the line, or read the parts as raw files",
      parser->file, key, n + 1, most);
  return FALSE;
}

/* "FRAME:COUNT" */
static gboolean
parse_gap (const char *text, OctRecordingGap *gap)
{
  g_auto (GStrv) parts = g_strsplit (text, ":", 2);

  return g_strv_length (parts) == 2
         && g_ascii_string_to_unsigned (
             parts[0], 10, 0, G_MAXINT64, &gap->frame, NULL)
         && g_ascii_string_to_unsigned (
             parts[1], 10, 1, G_MAXINT64, &gap->count, NULL);
}

static gboolean
get_gaps (const Parser *parser, OctRecordingInfo *info)
{
  g_auto (GStrv) texts = NULL;
  guint64 frame = 0;

  if (!check_length (parser, GROUP, "missing", OCT_RECORDING_MAX_GAPS))
    return FALSE;
  texts =
      g_key_file_get_string_list (parser->keys, GROUP, "missing", NULL, NULL);
  for (guint i = 0; texts != NULL && texts[i] != NULL; i++) {
    OctRecordingGap gap;

    if (!parse_gap (texts[i], &gap) || gap.frame < frame)
      return recording_text_refuse (
          parser, "missing", "a list as in 100:12;340:1;");
    frame = gap.frame;
    oct_recording_info_add_gap (info, gap.frame, gap.count);
  }
  return TRUE;
}

/* "FRAME:NUMBER" */
static gboolean
parse_mask (const char *text, OctRecordingMask *mask)
{
  g_auto (GStrv) parts = g_strsplit (text, ":", 2);
  guint64 number;

  if (g_strv_length (parts) != 2
      || !g_ascii_string_to_unsigned (
          parts[0], 10, 0, G_MAXINT64, &mask->frame, NULL)
      || !g_ascii_string_to_unsigned (
          parts[1], 10, 0, OCT_RECORDING_MAX_MASKS - 1, &number, NULL))
    return FALSE;
  mask->number = (guint)number;
  return TRUE;
}

static gboolean
get_masks (const Parser *parser, OctRecordingInfo *info)
{
  g_auto (GStrv) texts = NULL;
  guint64 least = 0;

  if (!check_length (
          parser, GROUP, "scan-masks", OCT_RECORDING_MAX_MASK_CHANGES))
    return FALSE;
  texts = g_key_file_get_string_list (
      parser->keys, GROUP, "scan-masks", NULL, NULL);
  for (guint i = 0; texts != NULL && texts[i] != NULL; i++) {
    OctRecordingMask mask;

    if (!parse_mask (texts[i], &mask) || mask.frame < least
        || (i == 0 && mask.frame != 0))
      return recording_text_refuse (parser, "scan-masks",
          "a list as in 0:0;512:1; that begins with B-scan 0, and at most 64 "
          "masks");
    least = mask.frame + 1;
    oct_recording_info_set_mask (info, mask.frame, mask.number);
  }
  return TRUE;
}

static gboolean
get_lost_parts (const Parser *parser, OctRecordingInfo *info)
{
  const char *expected = "an ascending list of numbers of parts as in 3;5;";
  g_autofree char *text =
      g_key_file_get_value (parser->keys, GROUP, "lost-parts", NULL);
  const char *rest = text;
  guint64 part = 0;

  while (rest != NULL && *rest != '\0') {
    guint64 before = part;
    guint number;
    char *end;

    part = g_ascii_strtoull (rest, &end, 10);
    if (!g_ascii_isdigit (*rest) || *end != ';' || part > G_MAXINT32
        || (info->lost_parts != NULL
            && (part <= before
                || info->lost_parts->len >= OCT_RECORDING_MAX_LOST_PARTS)))
      return recording_text_refuse (parser, "lost-parts", expected);
    number = (guint)part;
    if (info->lost_parts == NULL)
      info->lost_parts = g_array_new (FALSE, FALSE, sizeof number);
    g_array_append_val (info->lost_parts, number);
    rest = end + 1;
  }
  return TRUE;
}

static gboolean
get_calibration_until (const Parser *parser, guint64 *frames)
{
  g_autofree char *text =
      g_key_file_get_value (parser->keys, GROUP, "calibration-until", NULL);

  return text == NULL
         || g_ascii_string_to_unsigned (text, 10, 1, G_MAXINT64, frames, NULL)
         || recording_text_refuse (
             parser, "calibration-until", "the number of a B-scan");
}

/* One finite number per sample; *values is NULL if there is no such list. */
static gboolean
get_list (const Parser *parser, const char *key, guint samples, double **values)
{
  g_autoptr (GError) local = NULL;
  g_autofree char *expected = NULL;
  gboolean finite = TRUE;
  gsize n = 0;

  *values = NULL;
  if (!g_key_file_has_key (parser->keys, CALIBRATION, key, NULL))
    return TRUE;
  if (!check_length (parser, CALIBRATION, key, samples))
    return FALSE;
  *values =
      g_key_file_get_double_list (parser->keys, CALIBRATION, key, &n, &local);
  for (gsize i = 0; i < n; i++)
    finite &= isfinite ((*values)[i]) != 0;
  if (local == NULL && n == samples && finite)
    return TRUE;
  expected = g_strdup_printf ("a list of %u numbers", samples);
  return recording_text_refuse (parser, key, expected);
}

static gboolean
recording_text_get_calibration (const Parser *parser, OctRecordingInfo *info)
{
  g_autofree double *positions = NULL, *nodes = NULL, *dispersion = NULL,
                    *sample_dispersion = NULL, *background = NULL;
  g_autoptr (GError) local = NULL;
  double k_min, k_max;
  guint n = info->samples;

  if (!g_key_file_has_group (parser->keys, CALIBRATION))
    return TRUE;
  if (!get_list (parser, "positions", n, &positions)
      || !get_list (parser, "nodes", n, &nodes)
      || !get_list (parser, "dispersion", n, &dispersion)
      || !get_list (parser, "sample-dispersion", n, &sample_dispersion)
      || !get_list (parser, "background", n, &background)
      || !get_positive (parser, CALIBRATION, "k-min", 1e6, &k_min)
      || !get_positive (parser, CALIBRATION, "k-max", 1e6, &k_max))
    return FALSE;
  info->calibration = oct_calibration_new_from_values (n, positions, nodes,
      dispersion, sample_dispersion, background, k_min, k_max, &local);
  if (info->calibration != NULL)
    return TRUE;
  g_set_error (parser->error, OCT_ERROR, OCT_ERROR_FORMAT, "%s: %s",
      parser->file, local->message);
  return FALSE;
}

static gboolean
get_measurements (const Parser *parser, OctRecordingInfo *info)
{
  g_autoptr (GError) local = NULL;

  if (!g_key_file_has_key (parser->keys, GROUP, "measurements", NULL))
    return TRUE;
  if (!check_length (
          parser, GROUP, "measurements", OCT_RECORDING_MAX_MEASUREMENTS))
    return FALSE;
  info->measurements = g_key_file_get_string_list (
      parser->keys, GROUP, "measurements", NULL, &local);
  return local == NULL
         || recording_text_refuse (
             parser, "measurements", "a list of names of files");
}

static gboolean
get_first_bscan (const Parser *parser, OctRecordingInfo *info)
{
  return recording_text_get_count (
             parser, "first-bscan", G_MAXINT, TRUE, &info->first_bscan)
         && (info->first_bscan == 0 || info->first_bscan < info->bscans
             || recording_text_refuse (
                 parser, "first-bscan", "a number below `bscans-per-volume`"));
}

static gboolean
get_repeats (const Parser *parser, OctRecordingInfo *info)
{
  return recording_text_get_count (
             parser, "repeats", G_MAXINT, TRUE, &info->repeats)
         && (info->repeats == 0 || info->bscans % info->repeats == 0
             || recording_text_refuse (parser, "repeats",
                 "a number that divides `bscans-per-volume`"));
}

static gboolean
recording_text_get_boolean (
    const Parser *parser, const char *key, gboolean *value)
{
  g_autoptr (GError) local = NULL;

  if (g_key_file_has_key (parser->keys, GROUP, key, NULL))
    *value = g_key_file_get_boolean (parser->keys, GROUP, key, &local);
  return local == NULL || recording_text_refuse (parser, key, "true or false");
}

static gboolean
parse_keys (const Parser *parser, OctRecordingInfo *info)
{
  guint version;

  if (!recording_text_get_count (parser, "version", G_MAXINT, FALSE, &version))
    return FALSE;
  if (version > VERSION) {
    g_set_error (parser->error, OCT_ERROR, OCT_ERROR_FORMAT,
        "%s was written by a newer version of this plugin (version %u, at most "
        "%d is known); install that one",
        parser->file, version, VERSION);
    return FALSE;
  }
  if (!get_sample_format (parser, &info->sample_format)
      || !recording_text_get_count (
          parser, "samples", OCT_MAX_SAMPLES, FALSE, &info->samples)
      || !recording_text_get_count (
          parser, "lines", OCT_MAX_LINES, FALSE, &info->lines)
      || !recording_text_get_count (
          parser, "bscans-per-volume", G_MAXINT, TRUE, &info->bscans)
      || !get_first_bscan (parser, info) || !get_repeats (parser, info)
      || !get_positive (
          parser, GROUP, "line-rate", MAX_LINE_RATE, &info->line_rate)
      || !get_positive (
          parser, GROUP, "bscan-rate", MAX_LINE_RATE, &info->bscan_rate)
      || !get_positive (
          parser, GROUP, "wavelength", MAX_WAVELENGTH, &info->wavelength)
      || !recording_text_get_boolean (parser, "k-clock", &info->k_clock)
      || !recording_text_get_boolean (parser, "lost-lines", &info->lost_lines)
      || !get_start_time (parser, &info->start_time) || !get_gaps (parser, info)
      || !get_lost_parts (parser, info) || !get_masks (parser, info)
      || !get_measurements (parser, info)
      || !get_calibration_until (parser, &info->calibration_until))
    return FALSE;
  if ((guint64)info->samples * info->lines > OCT_MAX_BSCAN_VALUES)
    return recording_text_refuse (
        parser, "lines", "a B-scan of at most 67108864 values");
  return recording_text_get_calibration (parser, info);
}

/* The size of a byte order mark, which some editors write. */
static gsize
get_mark_size (const char *text, gsize size)
{
  return size >= 3 && memcmp (text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

/* Before the text is read or split: a key file needs many times its size in
 * memory. */
static gboolean
recording_text_check_size (const char *file, guint64 size, GError **error)
{
  if (size <= MAX_TEXT)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
      "%s has %" G_GUINT64_FORMAT
      " bytes, at most %u are possible for the text "
      "of a recording; give the .oct file that was recorded, or read the parts "
      "as raw files",
      file, size, MAX_TEXT);
  return FALSE;
}

static gboolean
check_lines (const char *file, const char *text, gsize size, GError **error)
{
  const char *end = text + size;
  guint lines = 1;

  while ((text = memchr (text, '\n', end - text)) != NULL && ++text < end)
    lines++;
  if (lines <= MAX_TEXT_LINES)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
      "%s has %u lines, at most %u are possible in the text of a recording; "
      "give the .oct file that was recorded, or read the parts as raw files",
      file, lines, MAX_TEXT_LINES);
  return FALSE;
}

gboolean
oct_recording_parse (const char *file, const char *text, gsize size,
    OctRecordingInfo *info, GError **error)
{
  g_autoptr (GKeyFile) keys = g_key_file_new ();
  const Parser parser = { keys, file, error };
  OctRecordingInfo parsed = { 0 };
  gsize mark = get_mark_size (text, size);

  if (!recording_text_check_size (file, size, error)
      || !check_lines (file, text, size, error))
    return FALSE;
  if (!g_utf8_validate (text, size, NULL)
      || !g_key_file_load_from_data (
          keys, text + mark, size - mark, G_KEY_FILE_NONE, NULL)
      || !g_key_file_has_group (keys, GROUP)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "%s is not the text of a recording of spectra, whose first line "
        "is " MAGIC "; give the .oct file that was recorded",
        file);
    return FALSE;
  }
  if (!parse_keys (&parser, &parsed)) {
    oct_recording_info_clear (&parsed);
    return FALSE;
  }
  *info = parsed;
  return TRUE;
}

/* -------------------------------------------------------------------- files */

gboolean
oct_recording_begins (gconstpointer bytes, gsize size)
{
  g_autofree char *head = g_strndup (bytes, MIN (size, HEAD_SIZE));
  const char *begin = head + get_mark_size (head, strlen (head));

  /* remarks of a user */
  while (*begin == '#' || *begin == '\r' || *begin == '\n') {
    begin += strcspn (begin, "\n");
    begin += *begin == '\n';
  }
  return g_str_has_prefix (begin, MAGIC);
}

gboolean
oct_recording_is_one (const char *path)
{
  char head[HEAD_SIZE];
  guint64 size;
  gssize got;
  int fd = oct_file_open ("Recording", path, &size, NULL);

  if (fd < 0)
    return FALSE;
  got = oct_file_read (fd, 0, head, HEAD_SIZE);
  close (fd);
  return got >= 0 && oct_recording_begins (head, (gsize)got);
}

gboolean
oct_recording_read_text (
    const char *path, OctRecordingInfo *info, GError **error)
{
  g_autofree char *file = oct_file_describe ("Recording", path);
  g_autofree char *text = NULL;
  guint64 size;
  gssize got;
  int fd = oct_file_open ("Recording", path, &size, error);

  if (fd < 0)
    return FALSE;
  if (!recording_text_check_size (file, size, error)) {
    close (fd);
    return FALSE;
  }
  text = g_malloc (size + 1);
  got = oct_file_read (fd, 0, text, size);
  if (got < 0)
    g_set_error (error, OCT_ERROR, OCT_ERROR_READ, "%s cannot be read: %s",
        file, g_strerror (errno));
  close (fd);
  return got >= 0 && oct_recording_parse (file, text, got, info, error);
}
