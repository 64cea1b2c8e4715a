/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctbackground.h"

static void
add_spectrum (const void *values, OctSampleFormat format, guint samples,
    double *sum)
{
  guint i;

  for (i = 0; i < samples; i++) {
    if (format == OCT_SAMPLE_U8)
      sum[i] += ((const guint8 *) values)[i];
    else if (format == OCT_SAMPLE_U16)
      sum[i] += ((const guint16 *) values)[i];
    else
      sum[i] += ((const float *) values)[i];
  }
}

gboolean
gst_oct_background_read (const char *path, OctSampleFormat raw_format,
    guint samples, double *background, GError **error)
{
  /* one A-line at a time, however they are grouped */
  OctReaderSettings settings = { .format = OCT_FILE_AUTO,
    .samples = samples,
    .lines = 1,
    .sample_format = raw_format == OCT_SAMPLE_U8 ? OCT_SAMPLE_U8
                                                 : OCT_SAMPLE_U16 };
  g_autoptr (OctReader) reader = oct_reader_open (path, &settings, error);
  g_autofree void *line = NULL;
  const OctReaderInfo *info;
  guint64 frame;
  guint i;

  if (reader == NULL)
    return FALSE;
  info = oct_reader_get_info (reader);
  line = g_malloc (samples * oct_sample_format_size (info->sample_format));
  memset (background, 0, samples * sizeof *background);
  for (frame = 0; frame < info->frames; frame++) {
    if (!oct_reader_read (reader, frame, line,
            samples * oct_sample_format_size (info->sample_format), error))
      return FALSE;
    add_spectrum (line, info->sample_format, samples, background);
  }
  for (i = 0; i < samples; i++)
    background[i] /= info->frames;
  return TRUE;
}
