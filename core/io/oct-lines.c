/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-lines.h"

#include <math.h>

#include "oct-recording.h"

/* Either of them. */
typedef struct {
  OctReader *reader;
  OctRecording *recording;
  OctSampleFormat format;
  guint samples, lines;
  guint64 frames, leftover_bytes;
} Input;

static void
close_input (Input *input)
{
  oct_reader_close (input->reader);
  if (input->recording != NULL)
    oct_recording_close (input->recording);
}

static gboolean
open_input (const char *path, const OctReaderSettings *settings, Input *input,
    GError **error)
{
  OctReaderSettings whole = *settings;
  g_autoptr (GError) first = NULL;

  if (oct_recording_is_one (path)) {
    const OctRecordingInfo *info;

    input->recording = oct_recording_open (path, error);
    if (input->recording == NULL)
      return FALSE;
    info = oct_recording_get_info (input->recording);
    input->format = info->sample_format;
    input->samples = info->samples;
    input->lines = info->lines;
    input->frames = oct_recording_get_frames (input->recording);
    return TRUE;
  }
  input->reader = oct_reader_open (path, settings, &first);
  if (input->reader == NULL && whole.lines == 0 && whole.samples > 0
      && whole.sample_dimension == 0
      && g_error_matches (first, OCT_ERROR, OCT_ERROR_SETTINGS)) {
    /* a raw file: its number of lines does not matter here */
    whole.lines = 1;
    g_clear_error (&first);
    input->reader = oct_reader_open (path, &whole, &first);
  }
  if (input->reader == NULL) {
    g_propagate_error (error, g_steal_pointer (&first));
    return FALSE;
  }
  input->format = oct_reader_get_info (input->reader)->sample_format;
  input->samples = oct_reader_get_info (input->reader)->samples;
  input->lines = oct_reader_get_info (input->reader)->lines;
  input->frames = oct_reader_get_info (input->reader)->frames;
  if (oct_reader_get_info (input->reader)->format == OCT_FILE_RAW)
    input->leftover_bytes = oct_reader_get_info (input->reader)->leftover_bytes;
  return TRUE;
}

static double
lines_get_value (const Input *input, gconstpointer data, gsize i)
{
  if (input->format == OCT_SAMPLE_U8)
    return ((const guint8 *)data)[i];
  if (input->format == OCT_SAMPLE_U16)
    return ((const guint16 *)data)[i];
  return ((const float *)data)[i];
}

static gboolean
lines_take_line (const Input *input, const char *path, gconstpointer frame_data,
    guint64 frame, guint line, double *dest, GError **error)
{
  for (guint i = 0; i < input->samples; i++) {
    g_autofree char *file = NULL;

    dest[i] =
        lines_get_value (input, frame_data, (gsize)line * input->samples + i);
    if (isfinite (dest[i]))
      continue;
    file = oct_file_describe ("File", path);
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "%s: sample %u of A-line %u of B-scan %" G_GUINT64_FORMAT
        " is not a finite number, but counts of a camera are expected; measure "
        "it again, or leave this file out",
        file, i, line, frame);
    return FALSE;
  }
  return TRUE;
}

static gboolean
lines_read_bscan (
    Input *input, guint64 frame, gpointer data, gsize stride, GError **error)
{
  return input->reader != NULL
             ? oct_reader_read (input->reader, frame, data, stride, error)
             : oct_recording_read (
                 input->recording, frame, data, stride, error);
}

/* Whether a B-scan is missing, and others can be read. */
static gboolean
lines_lack (const Input *input, guint64 frame)
{
  return input->reader != NULL && oct_reader_lacks (input->reader, frame);
}

/* Every step-th line of the B-scans first .. end - 1 that are there. */
static gboolean
take_lines (Input *input, const char *path, guint64 first, guint64 end,
    guint64 step, OctLines *lines, GError **error)
{
  gsize stride = input->samples * oct_sample_format_size (input->format);
  g_autofree guint8 *data = g_malloc (stride * input->lines);
  guint64 next = 0;

  for (guint64 frame = first; frame < end; frame++) {
    guint64 before = (frame - first) * input->lines;

    if (next >= before + input->lines)
      continue;
    if (!lines_read_bscan (input, frame, data, stride, error)) {
      if (!lines_lack (input, frame) || end - first == 1)
        return FALSE;
      /* others say as much */
      g_clear_error (error);
      next = MAX (next, before + input->lines);
      continue;
    }
    for (; next < before + input->lines; next += step) {
      double *dest = lines->values + (gsize)lines->lines * input->samples;

      if (!lines_take_line (
              input, path, data, frame, (guint)(next - before), dest, error))
        return FALSE;
      lines->lines++;
    }
  }
  return TRUE;
}

/* As many A-lines as `most` values are: all, or some spread over them, or with
 * `together` the first ones. */
static OctLines *
lines_read (const char *path, const OctReaderSettings *settings, guint64 frame,
    gsize most, gboolean together, GError **error)
{
  g_autoptr (OctLines) lines = g_new0 (OctLines, 1);
  Input input = { 0 };
  guint64 first = frame, end = frame + 1, total, step;
  gboolean ok = open_input (path, settings, &input, error);

  if (ok) {
    if (frame == G_MAXUINT64) {
      first = 0;
      end = input.frames;
    }
    most = MAX (most / input.samples, 1);
    if (together)
      end = MIN (end, first + (most + input.lines - 1) / input.lines);
    total = (end - first) * input.lines;
    step = together ? 1 : (total + most - 1) / most;
    lines->samples = input.samples;
    lines->frames = input.frames;
    lines->leftover_bytes = input.leftover_bytes;
    if (input.reader != NULL)
      lines->doubt = oct_reader_describe_doubt (input.reader);
    lines->values = g_new (double, (total + step - 1) / step * input.samples);
    ok = take_lines (&input, path, first, end, step, lines, error);
    if (ok && lines->lines == 0) {
      g_autofree char *missing = oct_reader_describe_missing (input.reader);

      g_set_error_literal (error, OCT_ERROR, OCT_ERROR_READ, missing);
      ok = FALSE;
    }
  }
  close_input (&input);
  return ok ? g_steal_pointer (&lines) : NULL;
}

OctLines *
oct_lines_read (const char *path, const OctReaderSettings *settings,
    guint64 frame, GError **error)
{
  return lines_read (path, settings, frame, OCT_LINES_MAX_VALUES, FALSE, error);
}

OctLines *
oct_lines_read_first (const char *path, const OctReaderSettings *settings,
    guint64 frame, gsize most, GError **error)
{
  return lines_read (path, settings, frame, most, TRUE, error);
}

void
oct_lines_free (OctLines *lines)
{
  if (lines == NULL)
    return;
  g_free (lines->values);
  g_free (lines->doubt);
  g_free (lines);
}

double *
oct_lines_average (const OctLines *lines)
{
  double *mean = g_new0 (double, lines->samples);

  for (gsize i = 0; i < (gsize)lines->lines * lines->samples; i++)
    mean[i % lines->samples] += lines->values[i] / lines->lines;
  return mean;
}
