/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctinput.h"
#include "gstoctorigin.h"
#include "gstocterror.h"
#include "gstoctscanmeta.h"
#include "oct-file.h"
#include "oct-number.h"
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
  OctScanPlaces *places; /* NULL: a raster, or not known */
  GstMemory *preloaded;  /* all B-scans, tightly packed */

  /* if volumes are cut down; NULL: they are not */
  OctScanMask *mask;
  OctReaderInfo whole; /* sizes before the cut, `info` has those after it */
  gpointer uncut;      /* memory for one B-scan of those */
};

static gsize
frame_size (const GstOctInput *input)
{
  return (gsize)input->info.samples * input->info.lines
         * oct_sample_format_size (input->info.sample_format);
}

/* The number that a B-scan has before volumes are cut down. */
static guint64
find_whole (const GstOctInput *input, guint64 frame)
{
  const OctScanMask *mask = input->mask;

  return mask == NULL ? frame
                      : frame / mask->taken_bscans * mask->bscans
                            + mask->bscan_of[frame % mask->taken_bscans];
}

gboolean
gst_oct_input_lacks (const GstOctInput *input, guint64 frame)
{
  return input->reader != NULL
         && oct_reader_lacks (input->reader, find_whole (input, frame));
}

guint64
gst_oct_input_count_missing (const GstOctInput *input)
{
  const GArray *gaps = input->recording != NULL
                           ? oct_recording_get_info (input->recording)->gaps
                           : NULL;
  guint64 missing = 0;

  if (input->reader != NULL)
    return oct_reader_count_missing (input->reader);
  for (guint i = 0; gaps != NULL && i < gaps->len; i++)
    missing += g_array_index (gaps, OctRecordingGap, i).count;
  return missing;
}

/* As it is stored, or simulated. */
static gboolean
read_whole (GstOctInput *input, guint64 frame, gpointer dest, gsize stride,
    GError **error)
{
  if (input->phantom != NULL && input->places != NULL) {
    oct_phantom_render_along (input->phantom, frame,
        input->places->points
            + (frame % input->places->bscans) * input->places->lines,
        dest, stride);
    return TRUE;
  }
  if (input->phantom != NULL) {
    oct_phantom_render (input->phantom, frame, dest, stride);
    return TRUE;
  }
  return input->recording != NULL
             ? oct_recording_read (input->recording, frame, dest, stride, error)
             : oct_reader_read (input->reader, frame, dest, stride, error);
}

/* Reads the A-lines of a B-scan that the mask keeps. */
static gboolean
read_frame (GstOctInput *input, guint64 frame, gpointer dest, gsize stride,
    GError **error)
{
  const OctScanMask *mask = input->mask;
  gsize row = (gsize)input->info.samples
              * oct_sample_format_size (input->info.sample_format);
  guint y;

  if (mask == NULL)
    return read_whole (input, frame, dest, stride, error);
  y = mask->bscan_of[frame % mask->taken_bscans];
  if (!read_whole (input, find_whole (input, frame), input->uncut, row, error))
    return FALSE;
  for (guint i = 0; i < mask->lines_each; i++)
    memcpy ((guint8 *)dest + i * stride,
        (guint8 *)input->uncut
            + (mask->places[mask->first[y] + i] - y * mask->lines) * row,
        row);
  return TRUE;
}

/* Memory that is promised and not there ends the whole process later on, so
 * that more than the machine has is not even asked for. */
static GstMemory *
input_allocate (guint64 size, GstAllocator *allocator)
{
  guint64 machine =
      (guint64)sysconf (_SC_PHYS_PAGES) * (guint64)sysconf (_SC_PAGESIZE);

  return size <= machine ? gst_allocator_alloc (allocator, size, NULL) : NULL;
}

static gboolean
input_preload (GstOctInput *input, const char *path, GstAllocator *allocator,
    GError **error)
{
  gsize size = frame_size (input);
  guint64 frame, total = input->info.frames * size;
  gboolean ok = TRUE;
  GstMapInfo map;

  input->preloaded = input_allocate (total, allocator);
  if (input->preloaded == NULL
      || !gst_memory_map (input->preloaded, &map, GST_MAP_WRITE)) {
    g_autofree char *name = g_filename_display_name (path);

    g_set_error (error, OCT_ERROR, OCT_ERROR_MEMORY,
        "File '%s' cannot be preloaded, its spectra take %" G_GUINT64_FORMAT
        " MB and there is not as much memory; set `preload` to false",
        name, total / 1000000);
    return FALSE;
  }
  for (frame = 0; ok && frame < input->info.frames; frame++) {
    ok = read_frame (
        input, frame, map.data + frame * size, size / input->info.lines, error);
    /* it is not delivered */
    if (!ok && gst_oct_input_lacks (input, frame)) {
      g_clear_error (error);
      ok = TRUE;
    }
  }
  gst_memory_unmap (input->preloaded, &map);
  /* B-scans of it are handed out again and again */
  GST_MINI_OBJECT_FLAG_SET (input->preloaded, GST_MEMORY_FLAG_READONLY);
  gst_oct_origin_allow (input->preloaded);
  return ok;
}

/* A recording knows all of it: what is set has to agree. */
static gboolean
input_check_settings (const OctReaderSettings *settings,
    const OctReaderInfo *info, const char *path, GError **error)
{
  g_autofree char *name = NULL;

  if ((settings->samples == 0 || settings->samples == info->samples)
      && (settings->lines == 0 || settings->lines == info->lines)
      && settings->header_size == 0 && settings->packing == OCT_PACKING_NONE
      && settings->channel == 0 && settings->sample_dimension == 0)
    return TRUE;
  name = g_filename_display_name (path);
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "Recording '%s' has B-scans of %u lines of %u samples without a header, "
      "but something else is set; leave `samples`, `lines`, `header-size`, "
      "`channel` and `sample-dimension` 0, and `packing` none",
      name, info->lines, info->samples);
  return FALSE;
}

/* B-scans per volume: what is set, else what is recorded, else what the mask
 * says; 0: none of them. */
static guint
find_bscans (const OctRecording *recording, guint set)
{
  const OctRecordingInfo *info = oct_recording_get_info (recording);
  const OctScanMask *mask = oct_recording_get_mask (recording, 0);

  if (set != 0 || info->bscans != 0)
    return set != 0 ? set : info->bscans;
  if (oct_recording_get_places (recording) != NULL)
    return oct_recording_get_places (recording)->bscans;
  if (mask == NULL)
    return 0;
  return mask->lines_each == info->lines ? mask->taken_bscans : mask->bscans;
}

static gboolean
check_bscans (const GstOctInput *input, const char *path, GError **error)
{
  const OctReaderInfo *info = &input->info;
  const OctScanMask *mask = oct_recording_get_mask (input->recording, 0);
  g_autofree char *name = NULL;

  if (mask == NULL
      || (mask->lines_each == info->lines && mask->taken_bscans == info->bscans)
      || (mask->lines == info->lines && mask->bscans == info->bscans))
    return TRUE;
  name = g_filename_display_name (path);
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "Recording '%s' has a scan mask that takes A-lines of %u B-scans of a "
      "volume, but `bscans` is %u; leave it 0",
      name, mask->taken_bscans, info->bscans);
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
    .frames = oct_recording_get_frames (input->recording),
    .repeats = info->repeats };
  if (oct_recording_get_places (input->recording) != NULL)
    input->places =
        oct_scan_places_ref (oct_recording_get_places (input->recording));
  bscans = find_bscans (input->recording, settings->reader.bscans);
  input->info.bscans =
      bscans != 0 ? bscans
                  : (guint)MIN (input->info.frames, GST_OCT_SCAN_MOST_BSCANS);
  return input_check_settings (
             &settings->reader, &input->info, settings->location, error)
         && check_bscans (input, settings->location, error);
}

static gboolean
open_reader (
    GstOctInput *input, const GstOctInputSettings *settings, GError **error)
{
  input->reader =
      oct_reader_open (settings->location, &settings->reader, error);
  if (input->reader == NULL)
    return FALSE;
  input->info = *oct_reader_get_info (input->reader);
  if (settings->reader.bscans == 0)
    input->info.bscans = MIN (input->info.bscans, GST_OCT_SCAN_MOST_BSCANS);
  return TRUE;
}

static gboolean
input_open_file (
    GstOctInput *input, const GstOctInputSettings *settings, GError **error)
{
  gboolean recording = settings->reader.format == OCT_FILE_AUTO
                       && oct_recording_is_one (settings->location);
  GError *local = NULL;

  if (!(recording ? open_recording (input, settings, &local)
                  : open_reader (input, settings, &local))) {
    gst_oct_error_name_property (&local, "`location` of octsrc");
    g_propagate_error (error, local);
    return FALSE;
  }
  return TRUE;
}

/* Along a path, the sizes of a volume are those of the path. */
static gboolean
look_along (GstOctInput *input, const GstOctScanLook *look,
    OctPhantomSettings *phantom, GError **error)
{
  OctScanSettings scan = { .kind = (OctScanKind)look->pattern,
    .line_rate = 1e5,
    .lines = MAX (phantom->lines, 2),
    .bscans = phantom->bscans,
    .width = look->width,
    .height = look->width,
    .repeats = 1,
    .group = 1,
    .limits = { { 1e4, 1e4 }, { 1e6, 1e6 }, { 1e9, 1e9 } } };

  if (look->pattern == GST_OCT_SCAN_LOOK_NONE)
    return TRUE;
  if (phantom->repeats > 1) {
    g_set_error_literal (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "A scan along a path takes each place once, but `repeats` of octsrc is "
        "more than 1; set it to 1, or `scan` to none");
    return FALSE;
  }
  if (look->pattern == OCT_SCAN_FILE && look->file == NULL) {
    g_set_error_literal (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "octsrc has scan=file, but no file; set `scan-file` to a text with a "
        "row of x and y in mm for each A-line");
    return FALSE;
  }
  input->places = look->pattern == OCT_SCAN_FILE
                      ? oct_scan_places_read (look->file, scan.lines, error)
                      : oct_scan_places_new_from_settings (&scan, error);
  if (input->places == NULL) {
    gst_oct_error_name_property (error, "`scan-file` of octsrc");
    return FALSE;
  }
  phantom->lines = input->places->lines;
  phantom->bscans = input->places->bscans;
  return TRUE;
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
  phantom.repeats = MAX (settings->repeats, 1);
  if (!look_along (input, &settings->look, &phantom, error))
    return FALSE;
  phantom.follows = input->places != NULL;
  /* any other type is for its own sentence to refuse */
  phantom.sample_format = sizes->stored == OCT_STORED_U1   ? OCT_SAMPLE_U8
                          : sizes->stored == OCT_STORED_U2 ? OCT_SAMPLE_U16
                                                           : OCT_SAMPLE_F32;
  input->info = (OctReaderInfo){ .sample_format = phantom.sample_format,
    .samples = phantom.samples,
    .lines = phantom.lines,
    .bscans = phantom.bscans,
    .frames = G_MAXUINT64 };
  if (phantom.kind == OCT_PHANTOM_FLOW) {
    input->info.line_rate = oct_flow_get_line_rate (&phantom);
    input->info.bscan_rate = oct_flow_get_bscan_rate (&phantom);
    input->info.x_spacing = OCT_FLOW_X * 1e-6;
    input->info.y_spacing = OCT_FLOW_Y * 1e-6;
  }
  input->phantom = oct_phantom_new (&phantom, error);
  return input->phantom != NULL;
}

/* The repeats that are set, else those of the file, if they fit the volumes
 * that are read.  The last place of a single volume may have fewer B-scans. */
static gboolean
take_repeats (GstOctInput *input, guint set, GError **error)
{
  OctReaderInfo *info = &input->info;
  guint repeats = set != 0 ? set : MAX (info->repeats, 1);
  gboolean fits =
      info->bscans % repeats == 0 || info->frames <= (guint64)info->bscans;

  info->repeats = fits ? repeats : 1;
  if (fits || set == 0)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "`repeats` of octsrc is %u, but a volume has %u B-scans, which are not a "
      "multiple of that; set `bscans` to the B-scans of a volume, all repeated "
      "ones counted, or `repeats` to a number that divides them",
      set, info->bscans);
  return FALSE;
}

static OctScanMask *
input_read_mask (
    const GstOctScanCut *cut, const OctReaderInfo *info, GError **error)
{
  g_autoptr (OctScanMask) mask = NULL;
  g_autofree char *source = NULL;
  GError *local = NULL;

  if (cut->file == NULL || *cut->file == '\0') {
    g_set_error_literal (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "scan-mask=file needs a file and `scan-mask-file` of octsrc is empty; "
        "set it to a text file with one 0 or 1 for every A-line of a volume");
    return NULL;
  }
  mask = oct_scan_mask_read (cut->file, &local);
  if (mask == NULL) {
    gst_oct_error_name_property (&local, "`scan-mask-file` of octsrc");
    g_propagate_error (error, local);
    return NULL;
  }
  source = oct_file_describe ("Scan mask file", cut->file);
  if (mask->lines != info->lines || mask->bscans != info->bscans)
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "%s is for volumes of %u B-scans of %u A-lines, but these have %u of "
        "%u; set `scan-mask-file` to one that fits, or `lines` and `bscans`",
        source, mask->bscans, mask->lines, info->bscans, info->lines);
  else if (mask->lines_each == 0)
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "%s takes more A-lines of some B-scans than of others, but octsrc can "
        "only deliver equally many of each; leave `scan-mask` none and set the "
        "file on octvolumecs, which then ignores those that are left out",
        source);
  else
    return g_steal_pointer (&mask);
  return NULL;
}

static OctScanMask *
make_mask (const GstOctScanCut *cut, const OctReaderInfo *info, GError **error)
{
  OctScanMaskSettings settings = { .kind = OCT_SCAN_MASK_SAME_LINES,
    .lines = info->lines,
    .bscans = info->bscans,
    .rate = cut->rate,
    .max_gap = cut->max_gap,
    .seed = cut->seed };

  if (cut->kind == GST_OCT_SCAN_MASK_FILE)
    return input_read_mask (cut, info, error);
  if (cut->kind == GST_OCT_SCAN_MASK_SCATTERED)
    settings.kind = OCT_SCAN_MASK_SCATTERED;
  return oct_scan_mask_new (&settings, error);
}

/* B-scans of compact volumes; the last one may be a part. */
static guint64
count_taken (const OctScanMask *mask, guint64 frames)
{
  guint64 volumes = frames / mask->bscans, rest = frames % mask->bscans;
  guint n = 0;

  if (frames == G_MAXUINT64)
    return frames;
  while (n < mask->taken_bscans && mask->bscan_of[n] < rest)
    n++;
  return volumes * mask->taken_bscans + n;
}

/* A second mask makes no sense for a recording that has one, or has lost it. */
static gboolean
input_check_whole (const GstOctInput *input, GError **error)
{
  const OctRecordingInfo *info = input->recording != NULL
                                     ? oct_recording_get_info (input->recording)
                                     : NULL;

  if (info == NULL || info->masks == NULL)
    return TRUE;
  g_set_error_literal (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "The recording is of a scan that left A-lines out, and `scan-mask` of "
      "octsrc cuts whole volumes; leave it none");
  return FALSE;
}

static gboolean
cut_down (GstOctInput *input, const GstOctScanCut *cut, GError **error)
{
  OctReaderInfo *info = &input->info;

  if (cut->kind == GST_OCT_SCAN_MASK_NONE)
    return TRUE;
  if (input->places != NULL) {
    g_set_error_literal (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "`scan-mask` of octsrc leaves A-lines of a raster out, and this scan "
        "is a path; set one of `scan-mask` and `scan` to none");
    return FALSE;
  }
  if (!input_check_whole (input, error))
    return FALSE;
  input->mask = make_mask (cut, info, error);
  if (input->mask == NULL)
    return FALSE;
  if (cut->output != NULL && *cut->output != '\0'
      && !oct_scan_mask_write (input->mask, cut->output, error)) {
    gst_oct_error_name_property (error, "`scan-mask-output` of octsrc");
    return FALSE;
  }
  input->whole = *info;
  input->uncut = g_malloc (frame_size (input));
  info->lines = input->mask->lines_each;
  info->bscans = input->mask->taken_bscans;
  /* of some places not all B-scans are left */
  if (info->bscans != input->whole.bscans)
    info->repeats = 1;
  info->frames = count_taken (input->mask, info->frames);
  if (info->frames > 0)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "The scan mask takes the first A-lines of B-scan %u, but there are "
      "%" G_GUINT64_FORMAT
      " B-scans; set `bscans` of octsrc to those of a volume",
      input->mask->bscan_of[0], input->whole.frames);
  return FALSE;
}

GstOctInput *
gst_oct_input_open (const GstOctInputSettings *settings, GError **error)
{
  GstOctInput *input = g_new0 (GstOctInput, 1);

  if ((settings->location != NULL ? input_open_file (input, settings, error)
                                  : open_phantom (input, settings, error))
      && take_repeats (input, settings->repeats, error)
      && cut_down (input, &settings->cut, error)
      && (settings->location == NULL || !settings->preload
          || input_preload (
              input, settings->location, settings->allocator, error)))
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
  g_clear_pointer (&input->mask, oct_scan_mask_unref);
  g_clear_pointer (&input->places, oct_scan_places_unref);
  g_free (input->uncut);
  g_free (input);
}

const OctReaderInfo *
gst_oct_input_get_info (const GstOctInput *input)
{
  return &input->info;
}

OctScanMask *
gst_oct_input_get_scan_mask (const GstOctInput *input, guint64 frame)
{
  return input->mask == NULL && input->recording != NULL
             ? oct_recording_get_mask (input->recording, frame)
             : input->mask;
}

OctScanPlaces *
gst_oct_input_get_places (const GstOctInput *input)
{
  return input->places;
}

gboolean
gst_oct_input_follow (GstOctInput *input, OctScanPlaces *places)
{
  if (input->phantom == NULL || input->places == NULL
      || input->places->lines != places->lines
      || input->places->bscans != places->bscans)
    return FALSE;
  oct_scan_places_ref (places);
  oct_scan_places_unref (input->places);
  input->places = places;
  return TRUE;
}

/* Whether a recording says where its B-scans are in volumes; that is not known
 * for volumes that are cut down or of another size. */
static gboolean
has_places (const GstOctInput *input)
{
  return input->recording != NULL && input->mask == NULL
         && (oct_recording_get_info (input->recording)->bscans
                 == input->info.bscans
             || oct_recording_get_mask (input->recording, 0) != NULL);
}

guint64
gst_oct_input_get_place (const GstOctInput *input, guint64 frame)
{
  if (!has_places (input))
    return frame;
  return frame < input->info.frames
             ? oct_recording_get_place (input->recording, frame)
             : oct_recording_get_place (input->recording, frame - 1) + 1;
}

static guint64
count_without_gaps (const GstOctInput *input, guint64 frame)
{
  guint64 frames = input->info.frames;

  if (frames == G_MAXUINT64)
    return frames;
  /* whole volumes of one mask go on with the first one */
  if (gst_oct_input_get_place (input, 0) == 0
      && gst_oct_input_get_place (input, frames) == frames
      && frames % input->info.bscans == 0
      && (!has_places (input)
          || oct_recording_count_alike (input->recording, 0) == frames))
    return G_MAXUINT64;
  return has_places (input)
             ? oct_recording_count_alike (input->recording, frame)
             : frames - frame;
}

gboolean
gst_oct_input_get_valid (const GstOctInput *input, guint64 frame, guint8 *valid)
{
  return input->recording != NULL && input->mask == NULL
         && oct_recording_get_valid (input->recording, frame, valid);
}

guint64
gst_oct_input_get_begin (GstOctInput *input, guint64 n, guint per_buffer)
{
  if (per_buffer == 1 || per_buffer != gst_oct_input_get_info (input)->bscans)
    return n;
  return n - n % per_buffer;
}

guint64
gst_oct_input_count_alike (
    const GstOctInput *input, guint64 frame, guint64 most)
{
  guint64 count = MIN (count_without_gaps (input, frame), most), n;

  if (input->reader == NULL || oct_reader_count_missing (input->reader) == 0)
    return count;
  for (n = 1; n < count; n++)
    if (gst_oct_input_lacks (input, (frame + n) % input->info.frames))
      break;
  return n;
}

OctCalibration *
gst_oct_input_get_calibration (GstOctInput *input)
{
  if (input->recording != NULL)
    return oct_recording_get_info (input->recording)->calibration;
  if (input->reader != NULL)
    return oct_reader_get_calibration (input->reader);
  return input->phantom != NULL ? oct_phantom_get_calibration (input->phantom)
                                : NULL;
}

static char *
describe_gaps (const GstOctInput *input, const char *name)
{
  const GArray *gaps = oct_recording_get_info (input->recording)->gaps;
  g_autofree char *lost =
      oct_number_count (gst_oct_input_count_missing (input), "B-scan");

  return g_strdup_printf (
      "Recording '%s' lacks %s (gaps: %u), the "
      "first before B-scan %" G_GUINT64_FORMAT ", since the disk was too slow, "
      "the camera stopped or a part was taken away; from there on times %sare "
      "not those of the scan.",
      name, lost, gaps->len, g_array_index (gaps, OctRecordingGap, 0).frame,
      has_places (input) ? "" : "and places in the volume ");
}

static char *
describe_recording (const GstOctInput *input, const char *name)
{
  const OctRecording *recording = input->recording;
  const OctRecordingInfo *info = oct_recording_get_info (recording);
  guint64 leftover = oct_recording_get_leftover (recording);
  g_autoptr (GPtrArray) flaws = g_ptr_array_new_with_free_func (g_free);

  if (info->gaps != NULL)
    g_ptr_array_add (flaws, describe_gaps (input, name));
  if (oct_recording_get_mask_problem (recording) != NULL)
    g_ptr_array_add (
        flaws, g_strdup (oct_recording_get_mask_problem (recording)));
  if (oct_recording_get_lost_problem (recording) != NULL)
    g_ptr_array_add (
        flaws, g_strdup (oct_recording_get_lost_problem (recording)));
  if (oct_recording_get_places_problem (recording) != NULL)
    g_ptr_array_add (
        flaws, g_strdup (oct_recording_get_places_problem (recording)));
  if (leftover != 0)
    g_ptr_array_add (flaws,
        g_strdup_printf (
            "Parts of recording '%s' end with %" G_GUINT64_FORMAT
            " bytes that are "
            "not a whole B-scan of %u lines of %u samples, as after a crash, "
            "and "
            "are "
            "left out; if the image is skewed, sizes in the text were changed.",
            name, leftover, info->lines, info->samples));
  if (info->calibration_until != 0)
    g_ptr_array_add (
        flaws, g_strdup_printf (
                   "The calibration in recording '%s' is that of the first "
                   "%" G_GUINT64_FORMAT " B-scans; those after them had "
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
  const OctReaderInfo *info =
      input->mask != NULL ? &input->whole : &input->info;
  g_autofree char *name =
      location != NULL ? g_filename_display_name (location) : NULL;
  g_autofree char *frames = oct_number_count (info->frames, "whole B-scan");
  g_autofree char *left = oct_number_count (info->leftover_bytes, "byte");
  char *doubt =
      input->reader != NULL ? oct_reader_describe_doubt (input->reader) : NULL;

  if (input->recording != NULL)
    return describe_recording (input, name);
  /* the wrong type explains bytes that are left over */
  if (doubt != NULL)
    return doubt;
  /* the rest of a B-scan that is missing is not worth a word of its own */
  if (input->reader != NULL && oct_reader_count_missing (input->reader) > 0)
    return oct_reader_describe_missing (input->reader);
  if (info->leftover_bytes == 0)
    return NULL;
  return g_strdup_printf (
      "File '%s' holds %s of %u lines of %u samples and %s more, which %s left "
      "out; if the image is skewed, set "
      "`samples`, `lines` or `header-size` to what was recorded.",
      name, frames, info->lines, info->samples, left,
      oct_number_be (info->leftover_bytes));
}

double
gst_oct_input_get_bscan_rate (const GstOctInput *input)
{
  const OctRecordingInfo *recording =
      input->recording != NULL ? oct_recording_get_info (input->recording)
                               : NULL;

  /* of B-scans that lost A-lines by a mask there are more per second */
  if (recording != NULL && recording->bscan_rate > 0.0)
    return recording->bscan_rate * recording->lines / input->info.lines;
  if (recording == NULL && input->info.bscan_rate > 0.0)
    return input->info.bscan_rate;
  return (recording != NULL ? recording->line_rate : input->info.line_rate)
         / input->info.lines;
}

double
gst_oct_input_get_line_rate (const GstOctInput *input)
{
  const OctRecordingInfo *recording =
      input->recording != NULL ? oct_recording_get_info (input->recording)
                               : NULL;

  if (recording == NULL)
    return input->info.line_rate;
  /* else it is what the frame rate of the recording came to */
  return recording->bscan_rate > 0.0 ? recording->line_rate : 0.0;
}

double
gst_oct_input_get_wavelength (GstOctInput *input)
{
  OctCalibration *calibration = gst_oct_input_get_calibration (input);
  double found = input->recording != NULL
                     ? oct_recording_get_info (input->recording)->wavelength
                     : input->info.wavelength;

  return found > 0.0 || calibration == NULL
             ? found
             : oct_calibration_get_wavelength (calibration);
}

gboolean
gst_oct_input_has_k_clock (const GstOctInput *input)
{
  return input->recording != NULL
         && oct_recording_get_info (input->recording)->k_clock;
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
  return read_frame (input, frame, dest, stride, error);
}
