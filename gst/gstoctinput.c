/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctinput.h"

#define DEFAULT_PHANTOM_SAMPLES 2048
#define DEFAULT_PHANTOM_LINES 512
#define DEFAULT_PHANTOM_BSCANS 256

struct _GstOctInput {
  OctReaderInfo info;
  OctReader *reader;
  OctPhantom *phantom;
  GstMemory *preloaded; /* all B-scans, tightly packed */
};

static gsize
frame_size (const GstOctInput *input)
{
  return (gsize) input->info.samples * input->info.lines
      * oct_sample_format_size (input->info.sample_format);
}

static gboolean
check_size (const OctReaderInfo *info, GError **error)
{
  if ((guint64) info->samples * info->lines <= OCT_MAX_BSCAN_VALUES)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "One B-scan of %u samples x %u lines was asked for, at most %u values "
      "are possible; set smaller `samples` or `lines`.",
      info->samples, info->lines, OCT_MAX_BSCAN_VALUES);
  return FALSE;
}

static gboolean
preload (GstOctInput *input, const char *path, GError **error)
{
  gsize size = frame_size (input);
  guint64 frame, total = input->info.frames * size;
  gsize stride = size / input->info.lines;
  guint8 *data = g_try_malloc (total);

  if (data == NULL) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_MEMORY,
        "The file '%s' does not fit into memory (%" G_GUINT64_FORMAT
        " MB); set preload=false.",
        path, total / 1000000);
    return FALSE;
  }
  for (frame = 0; frame < input->info.frames; frame++) {
    if (!oct_reader_read (
            input->reader, frame, data + frame * size, stride, error)) {
      g_free (data);
      return FALSE;
    }
  }
  input->preloaded = gst_memory_new_wrapped (
      GST_MEMORY_FLAG_READONLY, data, total, 0, total, data, g_free);
  return TRUE;
}

static gboolean
open_file (GstOctInput *input, const GstOctInputSettings *settings,
    GError **error)
{
  input->reader
      = oct_reader_open (settings->location, &settings->reader, error);
  if (input->reader == NULL)
    return FALSE;
  input->info = *oct_reader_get_info (input->reader);
  return check_size (&input->info, error)
      && (!settings->preload || preload (input, settings->location, error));
}

static gboolean
open_phantom (GstOctInput *input, const GstOctInputSettings *settings,
    GError **error)
{
  OctPhantomSettings phantom = settings->phantom;

  if (phantom.samples == 0)
    phantom.samples = DEFAULT_PHANTOM_SAMPLES;
  if (phantom.lines == 0)
    phantom.lines = DEFAULT_PHANTOM_LINES;
  if (phantom.bscans == 0)
    phantom.bscans = DEFAULT_PHANTOM_BSCANS;
  input->info = (OctReaderInfo) { .sample_format = phantom.sample_format,
    .samples = phantom.samples,
    .lines = phantom.lines,
    .bscans = phantom.bscans,
    .frames = G_MAXUINT64 };
  if (!check_size (&input->info, error))
    return FALSE;
  input->phantom = oct_phantom_new (&phantom, error);
  return input->phantom != NULL;
}

GstOctInput *
gst_oct_input_open (const GstOctInputSettings *settings, GError **error)
{
  GstOctInput *input = g_new0 (GstOctInput, 1);

  if (settings->location != NULL ? open_file (input, settings, error)
                                 : open_phantom (input, settings, error))
    return input;
  gst_oct_input_close (input);
  return NULL;
}

void
gst_oct_input_close (GstOctInput *input)
{
  if (input == NULL)
    return;
  g_clear_pointer (&input->reader, oct_reader_close);
  g_clear_pointer (&input->phantom, oct_phantom_free);
  g_clear_pointer (&input->preloaded, gst_memory_unref);
  g_free (input);
}

const OctReaderInfo *
gst_oct_input_get_info (const GstOctInput *input)
{
  return &input->info;
}

OctCalibration *
gst_oct_input_get_calibration (GstOctInput *input)
{
  return input->phantom != NULL ? oct_phantom_get_calibration (input->phantom)
                                : NULL;
}

GstMemory *
gst_oct_input_get_memory (GstOctInput *input, guint64 frame)
{
  gsize size = frame_size (input);

  return input->preloaded != NULL
      ? gst_memory_share (input->preloaded, frame * size, size)
      : NULL;
}

gboolean
gst_oct_input_read (GstOctInput *input, guint64 frame, gpointer dest,
    gsize stride, GError **error)
{
  if (input->reader != NULL)
    return oct_reader_read (input->reader, frame, dest, stride, error);
  oct_phantom_render (input->phantom, frame, dest, stride);
  return TRUE;
}
