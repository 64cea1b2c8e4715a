/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Thorlabs .srr: one file for each B-scan, named
 * Data_Y0001_YTotal500_B0001_BTotal1_Ganymede.srr, with a text before the
 * samples, 12 bits each in the low bits of 16.  Chirp.dat next to them, one
 * number a line, is the calibration.
 */
#include "oct-formats.h"

#include "oct-file.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#define BITS 0x0fff
#define MAX_FILES 1000000
#define CHIRP "Chirp.dat"
#define MAX_CHIRP (16u << 20)

typedef struct {
  guint samples;
  guint scan_start, scan_end, apo_start, apo_end; /* lines */
  guint64 data;                                   /* bytes before samples */
} Header;

typedef struct {
  char *folder;
  char *single; /* path, or NULL: the names are those of a series */
  char *system;
  guint y_total, b_total;
  Header header;
} Content;

static gboolean
srr_refuse (const char *file, const char *what, GError **error)
{
  g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
      "%s is not a whole Thorlabs .srr file: %s; copy all files of the volume "
      "again",
      file, what);
  return FALSE;
}

/* "1,25,525": the first line of a region and the one after its last. */
static gboolean
parse_region (const char *text, guint *start, guint *end)
{
  g_auto (GStrv) parts = g_strsplit (text, ",", -1);
  guint64 from, to;

  if (g_strv_length (parts) != 3
      || !g_ascii_string_to_unsigned (
          parts[1], 10, 0, OCT_MAX_LINES, &from, NULL)
      || !g_ascii_string_to_unsigned (parts[2], 10, 0, OCT_MAX_LINES, &to, NULL)
      || from > to)
    return FALSE;
  *start = (guint)from;
  *end = (guint)to;
  return TRUE;
}

static gboolean
parse_token (const char *token, Header *header)
{
  guint64 number;

  if (g_str_has_prefix (token, "size1=")) {
    if (!g_ascii_string_to_unsigned (
            token + 6, 10, 1, OCT_MAX_SAMPLES, &number, NULL))
      return FALSE;
    header->samples = (guint)number;
  }
  if (g_str_has_prefix (token, "scanregions="))
    return parse_region (token + 12, &header->scan_start, &header->scan_end);
  if (g_str_has_prefix (token, "aporegions="))
    return parse_region (token + 11, &header->apo_start, &header->apo_end);
  return TRUE;
}

static gboolean
srr_parse_header (const OctOpening *opening, Header *header, GError **error)
{
  const char *head = (const char *)opening->head;
  const char *line = memchr (head, '\n', opening->head_size);
  g_autofree char *first = NULL, *text = NULL;
  g_auto (GStrv) tokens = NULL;
  guint64 size;
  gboolean ok = TRUE;

  first = g_strndup (head, line != NULL ? (gsize)(line - head) : 0);
  g_strstrip (first);
  if (!g_str_has_prefix (first, "headersize=")
      || !g_ascii_string_to_unsigned (
          first + 11, 10, 0, OCT_FORMAT_HEAD, &size, NULL)
      || (gsize)(line + 1 - head) + size > opening->head_size)
    return srr_refuse (opening->file, "its header is damaged", error);
  text = g_strndup (line + 1, size);
  tokens = g_strsplit_set (text, " \t\r\n", -1);
  for (guint i = 0; ok && tokens[i] != NULL; i++)
    ok = parse_token (tokens[i], header);
  header->data = (guint64)(line + 1 - head) + size;
  if (!ok || header->samples == 0 || header->scan_start >= header->scan_end)
    return srr_refuse (opening->file,
        "its header lacks size1 and scanregions, or has others", error);
  if ((guint64)header->samples * MAX (header->scan_end, header->apo_end)
      > OCT_MAX_BSCAN_VALUES)
    return srr_refuse (opening->file, "its B-scans are too large", error);
  return header->apo_end <= header->scan_end
         || srr_refuse (
             opening->file, "its regions lie outside its lines", error);
}

/* ------------------------------------------------------------------- files */

static gboolean
take_count (const char **text, const char *before, guint *count)
{
  guint64 number;
  char *end;

  if (!g_str_has_prefix (*text, before)
      || !g_ascii_isdigit ((*text)[strlen (before)]))
    return FALSE;
  number = g_ascii_strtoull (*text + strlen (before), &end, 10);
  *text = end;
  *count = (guint)MIN (number, MAX_FILES);
  return number >= 1 && number <= MAX_FILES;
}

/* FALSE: the name is not one of a series. */
static gboolean
parse_name (Content *content, const char *name)
{
  guint y, b;

  if (!take_count (&name, "Data_Y", &y)
      || !take_count (&name, "_YTotal", &content->y_total)
      || !take_count (&name, "_B", &b)
      || !take_count (&name, "_BTotal", &content->b_total) || *name != '_'
      || (guint64)content->y_total * content->b_total > MAX_FILES)
    return FALSE;
  content->system = g_strdup (name + 1);
  return TRUE;
}

static char *
srr_make_path (const Content *content, guint64 frame)
{
  g_autofree char *name = NULL;

  if (content->single != NULL)
    return g_strdup (content->single);
  name = g_strdup_printf ("Data_Y%04u_YTotal%u_B%04u_BTotal%u_%s",
      (guint)(frame / content->b_total) + 1, content->y_total,
      (guint)(frame % content->b_total) + 1, content->b_total, content->system);
  return g_build_filename (content->folder, name, NULL);
}

static gboolean
srr_read_lines (Content *content, guint64 frame, guint start, guint end,
    guint16 *values, GError **error)
{
  const Header *header = &content->header;
  gsize count = (gsize)(end - start) * header->samples;
  g_autofree char *path = srr_make_path (content, frame);
  g_autofree char *file = oct_file_describe ("File", path);
  guint64 size;
  gssize got;
  int fd = oct_file_open ("File", path, &size, error);

  if (fd < 0)
    return FALSE;
  got = oct_file_read (fd, header->data + (guint64)start * header->samples * 2,
      values, count * 2);
  close (fd);
  if (got != (gssize)(count * 2)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_READ,
        "%s is cut off or cannot be read: line %u of %u samples is expected in "
        "it; copy it again",
        file, end, header->samples);
    return FALSE;
  }
  for (gsize i = 0; i < count; i++)
    values[i] &= BITS;
  return TRUE;
}

static gboolean
srr_read_bscan (gpointer data, guint64 frame, gpointer values, GError **error)
{
  Content *content = data;

  return srr_read_lines (content, frame, content->header.scan_start,
      content->header.scan_end, values, error);
}

static void
srr_close_content (gpointer data)
{
  Content *content = data;

  g_free (content->folder);
  g_free (content->single);
  g_free (content->system);
  g_free (content);
}

static const OctContainer container = { srr_read_bscan, srr_close_content,
  TRUE };

/* Files that are not there, cannot be read or are too short. */
static void
check_series (OctOpening *opening, const Content *content, guint64 frames)
{
  const Header *header = &content->header;
  guint64 end = header->data + (guint64)header->scan_end * header->samples * 2;

  for (guint64 frame = 0; frame < frames; frame++) {
    g_autofree char *path = srr_make_path (content, frame);
    g_autofree char *name = NULL, *reason = NULL;
    GStatBuf status;

    if (g_access (path, R_OK) == 0 && g_stat (path, &status) == 0
        && (guint64)status.st_size >= end)
      continue;
    name = g_path_get_basename (path);
    reason = g_strdup_printf ("%s is %s", name,
        g_access (path, R_OK) != 0 ? "not there, or cannot be read"
                                   : "cut off");
    oct_missing_add (opening->missing, frame, 1, reason);
  }
}

typedef struct {
  const char *name; /* of one of its files, or of a single file */
  Content content;
} Series;

/* Chirp.dat, and the other files of the volume. */
static gboolean
srr_has_file (const char *name, gconstpointer data)
{
  const Series *series = data;
  Content other = { 0 };
  gboolean same = strcmp (name, CHIRP) == 0;

  if (strcmp (name, series->name) != 0 && series->content.system != NULL
      && parse_name (&other, name))
    same = other.y_total == series->content.y_total
           && other.b_total == series->content.b_total
           && strcmp (other.system, series->content.system) == 0;
  g_free (other.system);
  return same;
}

void
oct_format_list_srr (const char *path, GPtrArray *files)
{
  g_autofree char *name = g_path_get_basename (path);
  g_autofree char *lower = g_ascii_strdown (name, -1);
  Series series = { .name = name };

  if (!g_str_has_suffix (lower, ".srr"))
    return;
  (void)parse_name (&series.content, name);
  oct_format_add_beside (files, path, srr_has_file, &series);
  g_free (series.content.system);
}

/* ------------------------------------------------------------- calibration */

/* Chirp.dat of the folder; *chirp is NULL if there is none. */
static gboolean
read_chirp (const Content *content, float **chirp, GError **error)
{
  guint samples = content->header.samples, n = 0;
  g_autofree char *path = g_build_filename (content->folder, CHIRP, NULL);
  g_autofree char *file = oct_file_describe ("File", path);
  g_autofree char *text = NULL;
  guint64 size;
  gssize got;
  int fd = oct_file_open ("File", path, &size, NULL);

  *chirp = NULL;
  if (fd < 0)
    return TRUE;
  text = g_malloc (MIN (size, MAX_CHIRP) + 1);
  got = oct_file_read (fd, 0, text, MIN (size, MAX_CHIRP));
  close (fd);
  text[MAX (got, 0)] = '\0';
  *chirp = g_new (float, samples);
  for (char *at = text, *end; n <= samples; at = end, n++) {
    double value = g_ascii_strtod (at, &end);

    if (end == at)
      break;
    if (n < samples)
      (*chirp)[n] = (float)value;
  }
  if (n == samples)
    return oct_chirp_check (file, *chirp, n, error);
  g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
      "%s does not have %u numbers, one for each sample; put the file of the "
      "instrument there, or remove it and set `calibration`",
      file, samples);
  return FALSE;
}

/* The mean of the apodization lines of the first B-scan that is there, or NULL.
 */
static double *
srr_make_background (
    const OctOpening *opening, Content *content, GError **error)
{
  const Header *header = &content->header;
  guint lines = header->apo_end - header->apo_start, n = header->samples;
  g_autofree guint16 *values = g_new (guint16, (gsize)MAX (lines, 1) * n);
  guint64 frame = 0;
  double *mean;

  while (oct_missing_has (opening->missing, frame))
    frame++;
  if (lines == 0 || frame >= opening->info.announced
      || !srr_read_lines (
          content, frame, header->apo_start, header->apo_end, values, error))
    return NULL;
  mean = g_new0 (double, n);
  for (gsize i = 0; i < (gsize)lines * n; i++)
    mean[i % n] += values[i] / (double)lines;
  return mean;
}

static gboolean
srr_make_calibration (OctOpening *opening, Content *content, GError **error)
{
  guint n = content->header.samples;
  g_autofree float *chirp = NULL;
  g_autofree double *positions = NULL, *background = NULL;
  g_autoptr (GError) local = NULL;

  if (!read_chirp (content, &chirp, error))
    return FALSE;
  background = srr_make_background (opening, content, &local);
  if (local != NULL) {
    g_propagate_error (error, g_steal_pointer (&local));
    return FALSE;
  }
  if (chirp != NULL) {
    positions = g_new (double, n);
    oct_chirp_invert (chirp, n, positions);
  }
  if (positions == NULL && background == NULL)
    return TRUE;
  opening->calibration = oct_calibration_new_from_arrays (
      n, NULL, positions, NULL, background, &local);
  return opening->calibration != NULL
         || srr_refuse (opening->file, local->message, error);
}

gboolean
oct_format_open_srr (OctOpening *opening, GError **error)
{
  Content *content = g_new0 (Content, 1);
  g_autofree char *name = g_path_get_basename (opening->path);
  g_autofree char *text = NULL;
  guint64 shape[3] = { 1 };

  opening->container = &container;
  opening->content = content;
  opening->stored = OCT_STORED_U2;
  content->folder = g_path_get_dirname (opening->path);
  if (!oct_opening_check_raw_only (opening, "a Thorlabs .srr file", error)
      || !oct_opening_check_unnamed (opening, error)
      || !srr_parse_header (opening, &content->header, error))
    return FALSE;
  if (parse_name (content, name))
    shape[0] = (guint64)content->y_total * content->b_total;
  else
    content->single = g_strdup (opening->path);
  shape[1] = content->header.scan_end - content->header.scan_start;
  shape[2] = content->header.samples;
  text = g_strdup_printf ("%" G_GUINT64_FORMAT " x %" G_GUINT64_FORMAT
                          " x %" G_GUINT64_FORMAT,
      shape[0], shape[1], shape[2]);
  if (!oct_opening_take_shape (opening, 3, shape, text, error))
    return FALSE;
  opening->info.repeats = content->single == NULL ? content->b_total : 0;
  check_series (opening, content, shape[0]);
  return srr_make_calibration (opening, content, error);
}
