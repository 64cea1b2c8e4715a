/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctinput.h"
#include "gstoctpending.h"
#include "gstocterror.h"
#include "oct-recording.h"

#include <unistd.h>

#define DEFAULT_PHANTOM_SAMPLES 2048
#define DEFAULT_PHANTOM_LINES 512
#define DEFAULT_PHANTOM_BSCANS 256

struct _GstOctInput {
  OctReaderInfo info;
  OctReader *reader;
  OctRecording *recording;
  OctPhantom *phantom;
  GstMemory *preloaded; /* all B-scans, tightly packed */
};

static gsize
frame_size (const GstOctInput *input)
{
  return (gsize)input->info.samples * input->info.lines
         * oct_sample_format_size (input->info.sample_format);
}

static gboolean
read_frame (GstOctInput *input, guint64 frame, gpointer dest, gsize stride,
    GError **error)
{
  return input->recording != NULL
             ? oct_recording_read (input->recording, frame, dest, stride, error)
             : oct_reader_read (input->reader, frame, dest, stride, error);
}

/* Memory that is promised and not there ends the whole process later on, so
 * that more than the machine has is not even asked for. */
static GstMemory *
allocate (guint64 size, GstAllocator *allocator)
{
  guint64 machine =
      (guint64)sysconf (_SC_PHYS_PAGES) * (guint64)sysconf (_SC_PAGESIZE);

  return size <= machine ? gst_allocator_alloc (allocator, size, NULL) : NULL;
}

static gboolean
preload (GstOctInput *input, const char *path, GstAllocator *allocator,
    GError **error)
{
  gsize size = frame_size (input);
  guint64 frame, total = input->info.frames * size;
  gboolean ok = TRUE;
  GstMapInfo map;

  input->preloaded = allocate (total, allocator);
  if (input->preloaded == NULL
      || !gst_memory_map (input->preloaded, &map, GST_MAP_WRITE)) {
    g_autofree char *name = g_filename_display_name (path);

    g_set_error (error, OCT_ERROR, OCT_ERROR_MEMORY,
        "File '%s' cannot be preloaded, its spectra take %" G_GUINT64_FORMAT
        " MB and there is not as much memory; set `preload` to false",
        name, total / 1000000);
    return FALSE;
  }
  for (frame = 0; ok && frame < input->info.frames; frame++)
    ok = read_frame (
        input, frame, map.data + frame * size, size / input->info.lines, error);
  gst_memory_unmap (input->preloaded, &map);
  /* B-scans of it are handed out again and again */
  GST_MINI_OBJECT_FLAG_SET (input->preloaded, GST_MEMORY_FLAG_READONLY);
  gst_oct_origin_allow (input->preloaded);
  return ok;
}

/* A recording knows all of it: what is set has to agree. */
static gboolean
check_settings (const OctReaderSettings *settings, const OctReaderInfo *info,
    const char *path, GError **error)
{
  g_autofree char *name = NULL;

  if ((settings->samples == 0 || settings->samples == info->samples)
      && (settings->lines == 0 || settings->lines == info->lines)
      && settings->header_size == 0)
    return TRUE;
  name = g_filename_display_name (path);
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "Recording '%s' has B-scans of %u lines of %u samples without a header, "
      "but something else is set; leave `samples`, `lines` and `header-size` 0",
      name, info->lines, info->samples);
  return FALSE;
}

static gboolean
open_recording (
    GstOctInput *input, const GstOctInputSettings *settings, GError **error)
{
  const OctRecordingInfo *info;
  guint bscans;

  input->recording = oct_recording_open (settings->location, error);
  if (input->recording == NULL)
    return FALSE;
  info = oct_recording_get_info (input->recording);
  input->info = (OctReaderInfo){ .format = OCT_FILE_RAW,
    .sample_format = info->sample_format,
    .samples = info->samples,
    .lines = info->lines,
    .frames = oct_recording_get_frames (input->recording) };
  bscans =
      settings->reader.bscans != 0 ? settings->reader.bscans : info->bscans;
  input->info.bscans =
      bscans != 0 ? bscans : (guint)MIN (input->info.frames, G_MAXINT);
  return check_settings (
      &settings->reader, &input->info, settings->location, error);
}

static gboolean
open_raw_or_npy (
    GstOctInput *input, const GstOctInputSettings *settings, GError **error)
{
  input->reader =
      oct_reader_open (settings->location, &settings->reader, error);
  if (input->reader == NULL)
    return FALSE;
  input->info = *oct_reader_get_info (input->reader);
  return TRUE;
}

static gboolean
open_file (
    GstOctInput *input, const GstOctInputSettings *settings, GError **error)
{
  gboolean recording = settings->reader.format == OCT_FILE_AUTO
                       && oct_recording_is_one (settings->location);
  GError *local = NULL;

  if (!(recording ? open_recording (input, settings, &local)
                  : open_raw_or_npy (input, settings, &local))) {
    gst_oct_error_name_property (&local, "`location` of octsrc");
    g_propagate_error (error, local);
    return FALSE;
  }
  return !settings->preload
         || preload (input, settings->location, settings->allocator, error);
}

static gboolean
open_phantom (
    GstOctInput *input, const GstOctInputSettings *settings, GError **error)
{
  const OctReaderSettings *sizes = &settings->reader;
  OctPhantomSettings phantom = settings->phantom;

  phantom.samples =
      sizes->samples != 0 ? sizes->samples : DEFAULT_PHANTOM_SAMPLES;
  phantom.lines = sizes->lines != 0 ? sizes->lines : DEFAULT_PHANTOM_LINES;
  phantom.bscans = sizes->bscans != 0 ? sizes->bscans : DEFAULT_PHANTOM_BSCANS;
  phantom.sample_format = sizes->sample_format;
  input->info = (OctReaderInfo){ .sample_format = phantom.sample_format,
    .samples = phantom.samples,
    .lines = phantom.lines,
    .bscans = phantom.bscans,
    .frames = G_MAXUINT64 };
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
  g_clear_pointer (&input->recording, oct_recording_close);
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
  if (input->recording != NULL)
    return oct_recording_get_info (input->recording)->calibration;
  return input->phantom != NULL ? oct_phantom_get_calibration (input->phantom)
                                : NULL;
}

static char *
describe_gaps (const GArray *gaps, const char *name)
{
  guint64 missing = 0;

  for (guint i = 0; i < gaps->len; i++)
    missing += g_array_index (gaps, OctRecordingGap, i).count;
  return g_strdup_printf (
      "Recording '%s' lacks %" G_GUINT64_FORMAT " B-scans (gaps: %u), the "
      "first before B-scan %" G_GUINT64_FORMAT ", since the disk was too slow, "
      "the camera stopped or a part was taken away; from there on times and "
      "places in the volume are not those of the scan.",
      name, missing, gaps->len, g_array_index (gaps, OctRecordingGap, 0).frame);
}

static char *
describe_recording (const OctRecording *recording, const char *name)
{
  const OctRecordingInfo *info = oct_recording_get_info (recording);
  guint64 leftover = oct_recording_get_leftover (recording);
  g_autoptr (GPtrArray) flaws = g_ptr_array_new_with_free_func (g_free);

  if (info->gaps != NULL)
    g_ptr_array_add (flaws, describe_gaps (info->gaps, name));
  if (leftover != 0)
    g_ptr_array_add (flaws,
        g_strdup_printf (
            "Parts of recording '%s' end with %" G_GUINT64_FORMAT
            " bytes that are "
            "no whole B-scan of %u lines of %u samples, as after a crash, and "
            "are "
            "left out; if the image is skewed, sizes in the text were changed.",
            name, leftover, info->lines, info->samples));
  if (info->calibration_until != 0)
    g_ptr_array_add (
        flaws, g_strdup_printf (
                   "The calibration in recording '%s' is that of the first "
                   "%" G_GUINT64_FORMAT " B-scans; those behind them had "
                   "others, which an application has to "
                   "send again when they are played.",
                   name, info->calibration_until));
  if (flaws->len == 0)
    return NULL;
  g_ptr_array_add (flaws, NULL);
  return g_strjoinv (" ", (char **)flaws->pdata);
}

char *
gst_oct_input_describe_flaws (const GstOctInput *input, const char *location)
{
  const OctReaderInfo *info = &input->info;
  g_autofree char *name =
      location != NULL ? g_filename_display_name (location) : NULL;

  if (input->recording != NULL)
    return describe_recording (input->recording, name);
  if (info->leftover_bytes == 0)
    return NULL;
  return g_strdup_printf (
      "File '%s' holds %" G_GUINT64_FORMAT
      " whole B-scans of %u lines of %u samples and %" G_GUINT64_FORMAT
      " bytes more, which are left out; if the image is skewed, set "
      "`samples`, `lines` or `header-size` to what was recorded.",
      name, info->frames, info->lines, info->samples, info->leftover_bytes);
}

double
gst_oct_input_get_line_rate (const GstOctInput *input)
{
  return input->recording != NULL
             ? oct_recording_get_info (input->recording)->line_rate
             : 0.0;
}

GstMemory *
gst_oct_input_get_memory (GstOctInput *input, guint64 frame, guint count)
{
  gsize size = frame_size (input);

  return input->preloaded != NULL && frame + count <= input->info.frames
             ? gst_memory_share (input->preloaded, frame * size, count * size)
             : NULL;
}

gboolean
gst_oct_input_read (GstOctInput *input, guint64 frame, gpointer dest,
    gsize stride, GError **error)
{
  if (input->phantom == NULL)
    return read_frame (input, frame, dest, stride, error);
  oct_phantom_render (input->phantom, frame, dest, stride);
  return TRUE;
}
