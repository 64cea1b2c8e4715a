/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctbackground.h"
#include "gstocterror.h"

#include <math.h>

static void
add_spectrum (
    const void *values, OctSampleFormat format, guint samples, double *sum)
{
  guint i;

  for (i = 0; i < samples; i++) {
    if (format == OCT_SAMPLE_U8)
      sum[i] += ((const guint8 *)values)[i];
    else if (format == OCT_SAMPLE_U16)
      sum[i] += ((const guint16 *)values)[i];
    else
      sum[i] += ((const float *)values)[i];
  }
}

static void
set_length_error (const char *path, guint64 found, const char *unit,
    guint samples, GError **error)
{
  g_autofree char *name = g_filename_display_name (path);

  g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
      "Background file '%s' holds %" G_GUINT64_FORMAT
      " %s, but spectra of %u samples are expected; set `background` of "
      "octdcsub to a file that was recorded as the spectra are",
      name, found, unit, samples);
}

/* A .npy file of any dimensions, else a raw one of A-lines. */
static OctReader *
background_open_file (
    const char *path, OctSampleFormat raw_format, guint samples, GError **error)
{
  OctReaderSettings settings = { .format = OCT_FILE_AUTO };
  GError *local = NULL;
  OctReader *reader = oct_reader_open (path, &settings, &local);
  gboolean raw = g_error_matches (local, OCT_ERROR, OCT_ERROR_SETTINGS);
  const OctReaderInfo *info;

  if (raw) {
    g_clear_error (&local);
    settings.samples = samples;
    settings.lines = 1;
    settings.stored =
        raw_format == OCT_SAMPLE_U8 ? OCT_STORED_U1 : OCT_STORED_U2;
    reader = oct_reader_open (path, &settings, &local);
  }
  if (raw && g_error_matches (local, OCT_ERROR, OCT_ERROR_FORMAT)) {
    g_clear_error (&local);
    set_length_error (path, 0, "whole spectra", samples, error);
    return NULL;
  }
  if (reader == NULL) {
    gst_oct_error_name_property (&local, "`background` of octdcsub");
    g_propagate_error (error, local);
    return NULL;
  }
  info = oct_reader_get_info (reader);
  if (info->samples == samples && (!raw || info->leftover_bytes == 0))
    return reader;
  if (raw)
    set_length_error (
        path, info->leftover_bytes, "bytes too many", samples, error);
  else
    set_length_error (
        path, info->samples, "samples per A-line", samples, error);
  oct_reader_close (reader);
  return NULL;
}

static gboolean
read_background (const char *path, OctSampleFormat raw_format, guint samples,
    double *background, GError **error)
{
  g_autoptr (OctReader) reader =
      background_open_file (path, raw_format, samples, error);
  g_autofree guint8 *bscan = NULL;
  const OctReaderInfo *info;
  gsize row;
  guint64 frame, frames = 0;
  guint i;

  if (reader == NULL)
    return FALSE;
  info = oct_reader_get_info (reader);
  row = samples * oct_sample_format_size (info->sample_format);
  bscan = g_malloc (info->lines * row);
  memset (background, 0, samples * sizeof *background);
  for (frame = 0; frame < info->frames; frame++) {
    if (!oct_reader_read (reader, frame, bscan, row, error)) {
      /* the others say as much, but the last one has to */
      if (!oct_reader_lacks (reader, frame)
          || (frames == 0 && frame + 1 == info->frames))
        return FALSE;
      g_clear_error (error);
      continue;
    }
    frames++;
    for (i = 0; i < info->lines; i++)
      add_spectrum (bscan + i * row, info->sample_format, samples, background);
  }
  for (i = 0; i < samples; i++) {
    background[i] /= (double)frames * info->lines;
    if (!isfinite (background[i])) {
      g_autofree char *name = g_filename_display_name (path);

      g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
          "Background file '%s' has a value that is not a number at sample "
          "%u, but counts are expected; set `background` of octdcsub to "
          "another file",
          name, i);
      return FALSE;
    }
  }
  return TRUE;
}

/* ------------------------------------------------------------------ content
 */

struct _GstOctBackground {
  char *path;

  /* streaming thread */
  guint samples; /* 0: not read */
  OctSampleFormat format;
  double *values; /* [samples] */
  GError *error;
};

static gpointer
open_background (const char *path)
{
  GstOctBackground *background = g_atomic_rc_box_new0 (GstOctBackground);

  background->path = g_strdup (path);
  return background;
}

static void
background_forget (GstOctBackground *background)
{
  g_clear_pointer (&background->values, g_free);
  g_clear_error (&background->error);
}

static void
clear_background (gpointer background)
{
  background_forget (background);
  g_free (((GstOctBackground *)background)->path);
}

static gpointer
ref_background (gpointer background)
{
  return g_atomic_rc_box_acquire (background);
}

static void
unref_background (gpointer background)
{
  g_atomic_rc_box_release_full (background, clear_background);
}

const GstOctFileType gst_oct_background_file = { open_background,
  ref_background, unref_background };

const double *
gst_oct_background_read (GstOctBackground *background,
    OctSampleFormat raw_format, guint samples, GError **error)
{
  if (background->samples != samples || background->format != raw_format) {
    background_forget (background);
    background->values = g_new (double, samples);
    if (!read_background (background->path, raw_format, samples,
            background->values, &background->error))
      g_clear_pointer (&background->values, g_free);
    background->format = raw_format;
    background->samples = samples;
  }
  if (background->values == NULL && error != NULL)
    *error = g_error_copy (background->error);
  return background->values;
}
