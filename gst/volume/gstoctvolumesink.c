/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-octvolumesink
 *
 * Writes volumes to files that other programs read, one file for each volume:
 * NumPy, NIfTI, TIFF, HDF5, DICOM, OME-Zarr.
 *
 * |[
 * gst-launch-1.0 octsrc bscans=32 num-buffers=32 ! octreconstruct
 *   ! octvolumesink location=taken.nii
 * ]|
 */
#include "gstoctvolumesink.h"
#include "gstoctbus.h"

#include <string.h>
#include <unistd.h>

#include "gstocterror.h"
#include "gstoctframe.h"
#include "gstoctinstall.h"
#include "gstoctproperties.h"
#include "gstoctscan.h"
#include "gstoctscatterevents.h"
#include "oct-volume-file.h"

GST_DEBUG_CATEGORY_STATIC (gst_oct_volume_sink_debug);
#define GST_CAT_DEFAULT gst_oct_volume_sink_debug

/* Images of patients are for their owner alone. */
#define DEFAULT_FILE_MODE 0600
#define MAX_DIGITS 9
/* an ending with a point in it */
#define OME_ZARR ".ome.zarr"

typedef struct {
  char *location;
  OctVolumeFileKind kind;
  guint bscans;
  double x_spacing, y_spacing, z_spacing; /* metres, 0: as the stream says */
  double refractive_index;
  char *tags, *source;
  gboolean deidentify;
  guint file_mode;
  guint64 volumes; /* as it is asked for */
} Settings;

#define MAX_KINDS 8

static GType
volume_sink_get_kind_type (void)
{
  static GEnumValue values[MAX_KINDS + 2] = { { OCT_VOLUME_FILE_AUTO,
      "As `location` ends", "auto" } };
  static gsize type = 0;

  if (g_once_init_enter (&type)) {
    OctVolumeFileKind kind;
    const char *nick, *blurb;

    for (guint n = 0; (nick = oct_volume_file_describe (n, &kind, &blurb));
         n++) {
      g_assert (n < MAX_KINDS);
      values[n + 1] = (GEnumValue){ (gint)kind, blurb, nick };
    }
    g_once_init_leave (
        &type, g_enum_register_static ("GstOctVolumeFileKind", values));
  }
  return type;
}

static const GstOctProperty rows[] = {
  { "location", "File",
      "Path of the file (Zarr: folder), which must not exist; %d or %05d in it "
      "becomes the "
      "number of the volume, else the second volume is NAME-1 and so on",
      0, NULL, GST_OCT_STRING (Settings, location) },
  { "format", "File format", "Kind of the files", 0, NULL,
      GST_OCT_ENUM (
          Settings, kind, volume_sink_get_kind_type, OCT_VOLUME_FILE_AUTO) },
  { "bscans", "B-scans",
      "B-scans per volume, for a stream that does not say how many (0 = not "
      "given); en face: pictures per file (0 = 1)",
      0, NULL, GST_OCT_UINT (Settings, bscans, 0, OCT_MAX_LINES, 0) },
  { "x-spacing", "Spacing of A-lines",
      "Metres between A-lines, en face between columns (0 = as the stream "
      "says)",
      GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_DOUBLE (Settings, x_spacing, 0.0, 1.0, 0.0) },
  { "y-spacing", "Spacing of B-scans",
      "Metres between B-scans, en face between rows (0 = as the stream says)",
      GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_DOUBLE (Settings, y_spacing, 0.0, 1.0, 0.0) },
  { "z-spacing", "Spacing of depths",
      "Metres of air between depths (0 = as the stream says)",
      GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_DOUBLE (Settings, z_spacing, 0.0, 1.0, 0.0) },
  { "refractive-index", "Refractive index",
      "Refractive index of the sample: depths in air are divided by it, and "
      "the file states it (1 = air)",
      0, NULL,
      GST_OCT_DOUBLE (Settings, refractive_index, 1.0, 4.0, OCT_TISSUE_INDEX) },
  { "dicom-tags", "DICOM attributes",
      "Attributes to add to DICOM files, by the keywords of the standard: "
      "PatientName=Doe^Jane;PatientID=42;ImageLaterality=R (none = nothing)",
      0, NULL, GST_OCT_STRING (Settings, tags) },
  { "dicom-source", "DICOM file of the volume",
      "En face: DICOM file of the volume that the picture was made of. It must "
      "be there when the picture is written, which refers to it and takes its "
      "patient and study (none = no volume)",
      0, NULL, GST_OCT_STRING (Settings, source) },
  { "deidentify", "Deidentify",
      "DICOM files without names, identifiers, dates and comments, by the "
      "basic "
      "profile of PS3.15: of `dicom-tags` only those of the instrument, the "
      "eye "
      "and the scan are taken",
      0, NULL, GST_OCT_BOOLEAN (Settings, deidentify, FALSE) },
  { "file-mode", "File mode",
      "Permissions of the files, as in 0640 (octal), whatever the umask; the "
      "default, 0600, is for their owner alone",
      0, NULL,
      GST_OCT_UINT (Settings, file_mode, 0600, 0666, DEFAULT_FILE_MODE) },
  { "volumes", "Volumes", "Volumes written so far", GST_OCT_PROPERTY_READ_ONLY,
      NULL, GST_OCT_UINT64 (Settings, volumes, 0, G_MAXUINT64, 0) },
};
static const GstOctProperties properties = GST_OCT_PROPERTIES (Settings, rows);

struct _GstOctVolumeSink {
  GstOctFileSink parent;

  /* under the object lock; what is set stays as it is while it runs */
  Settings settings;

  /* streaming thread */
  OctVolumeFileKind kind;
  GstOctInfo info;
  double spacing[3];  /* of the caps, metres: A-lines, B-scans, depths; 0 */
  gboolean is_enface; /* pictures from above, of their columns and rows */
  double bscan_time;  /* s, 0: the caps do not say */
  /* A-lines of a B-scan and B-scans of a volume that were taken in part, 0: in
   * whole */
  gint scan_lines, scan_bscans;
  guint repeats;         /* B-scans at each place */
  char *quantity, *unit; /* of values, or NULL */
  GstOctScan scan;
  OctVolumeFileInfo volume; /* of `voxels` */
  /* of the volume under way, one of the two; both NULL: none */
  guint8 *voxels;
  OctVolumeStream *stream;
  guint8 *there; /* [bscans] of it, whether it has come */
  guint stored;  /* how many have */
  gboolean told_spacing;
  char *study_uid, *series_uid; /* of all volumes since the start */
};

static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
        GST_STATIC_CAPS (
            "video/x-raw, format = (string) { GRAY8, GRAY16_LE }"
            ", width = " GST_OCT_SIZE_RANGE ", height = " GST_OCT_SIZE_RANGE
            ", framerate = " GST_OCT_RATE_RANGE "; " GST_OCT_CAPS_ASCANS
            "; " GST_OCT_CAPS_VALUES));

G_DEFINE_TYPE (GstOctVolumeSink, gst_oct_volume_sink, GST_TYPE_OCT_FILE_SINK);
GST_OCT_REGISTER_DEFINE (
    octvolumesink, "octvolumesink", GST_RANK_NONE, GST_TYPE_OCT_VOLUME_SINK);

/* -------------------------------------------------------------------- names */

/* Where "%d" or "%05d" begins in the file's name; `length` and `digits` of it,
 * which may be more than MAX_DIGITS.  NULL: there is none. */
static const char *
find_number (const char *location, gsize *length, guint64 *digits)
{
  const char *base = strrchr (location, G_DIR_SEPARATOR);
  const char *at = strchr (base != NULL ? base : location, '%');

  *digits = 0;
  for (; at != NULL; at = strchr (at + 1, '%')) {
    gsize count = strspn (at + 1, "0123456789");

    if (at[1 + count] != 'd')
      continue;
    *digits = g_ascii_strtoull (at + 1, NULL, 10);
    *length = count + 2;
    return at;
  }
  return NULL;
}

/* Before the pattern is given to printf. */
static gboolean
check_number (const char *location, GError **error)
{
  gsize length = 0;
  guint64 digits;
  const char *at = find_number (location, &length, &digits);
  g_autofree char *shown = NULL;

  if (at == NULL || digits <= MAX_DIGITS)
    return TRUE;
  shown = g_strndup (at, MIN (length, 20));
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "`location` has %s in it, but the number of a volume has at most %d "
      "digits; set it to a name with %%d or %%05d",
      shown, MAX_DIGITS);
  return FALSE;
}

/* The name of the file of the n-th volume.  Whatever else `location` has in it
 * stays as it is. */
static char *
volume_sink_make_name (const char *location, guint64 n)
{
  gsize length = 0;
  guint64 digits = 0;
  const char *at = find_number (location, &length, &digits);
  g_autofree char *number = NULL;

  if (at == NULL && n == 0)
    return g_strdup (location);
  number = g_strdup_printf ("%0*" G_GUINT64_FORMAT, (int)digits, n);
  if (at == NULL) {
    const char *base = strrchr (location, G_DIR_SEPARATOR);
    const char *ending = g_str_has_suffix (location, OME_ZARR)
                             ? location + strlen (location) - strlen (OME_ZARR)
                             : strrchr (base != NULL ? base : location, '.');
    gsize stem =
        ending != NULL ? (gsize)(ending - location) : strlen (location);

    return g_strdup_printf (
        "%.*s-%s%s", (int)stem, location, number, ending != NULL ? ending : "");
  }
  return g_strdup_printf (
      "%.*s%s%s", (int)(at - location), location, number, at + length);
}

/* -------------------------------------------------------------------- start */

static gboolean
has_volume (const GstOctVolumeSink *self)
{
  return self->voxels != NULL || self->stream != NULL;
}

/* B-scans that have come are dropped; `keep`: as far as it is on the disk, it stays
 * there, without its name. */
static void
drop_volume (GstOctVolumeSink *self, gboolean keep)
{
  g_clear_pointer (&self->voxels, g_free);
  if (self->stream != NULL)
    oct_volume_stream_leave (g_steal_pointer (&self->stream), !keep);
}

static void
volume_sink_forget (GstOctVolumeSink *self)
{
  drop_volume (self, TRUE);
  g_clear_pointer (&self->there, g_free);
  g_clear_pointer (&self->study_uid, g_free);
  g_clear_pointer (&self->series_uid, g_free);
  g_clear_pointer (&self->quantity, g_free);
  g_clear_pointer (&self->unit, g_free);
  gst_oct_scan_clear (&self->scan);
}

static gboolean
gst_oct_volume_sink_start (GstBaseSink *base)
{
  GstOctVolumeSink *self = GST_OCT_VOLUME_SINK (base);
  g_autoptr (GError) error = NULL;
  const char *location = self->settings.location;

  gst_oct_file_sink_begin (GST_OCT_FILE_SINK (self));
  gst_oct_scan_clear (&self->scan);
  self->told_spacing = FALSE;
  GST_OBJECT_LOCK (self);
  self->settings.volumes = 0;
  GST_OBJECT_UNLOCK (self);
  self->kind = self->settings.kind;
  self->study_uid = oct_volume_file_make_uid ();
  self->series_uid = oct_volume_file_make_uid ();
  if (location == NULL || *location == '\0')
    g_set_error_literal (&error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "octvolumesink has no name for the file; set `location`");
  else if (check_number (location, &error)
           && self->kind == OCT_VOLUME_FILE_AUTO)
    self->kind = oct_volume_file_guess (location, &error);
  if (error == NULL) {
    g_autofree char *first = volume_sink_make_name (location, 0);

    (void)oct_volume_file_check_new (first, &error);
  }
  if (error == NULL)
    return TRUE;
  volume_sink_forget (self);
  gst_oct_file_sink_fail (GST_OCT_FILE_SINK (self), &error);
  return FALSE;
}

/* ------------------------------------------------------------------ volumes */

static void
fill_spacing (GstOctVolumeSink *self, OctVolumeFileInfo *volume)
{
  const Settings *s = &self->settings;

  GST_OBJECT_LOCK (self);
  volume->x_spacing = s->x_spacing > 0.0 ? s->x_spacing : self->spacing[0];
  volume->y_spacing = s->y_spacing > 0.0 ? s->y_spacing : self->spacing[1];
  volume->z_spacing = s->z_spacing > 0.0 ? s->z_spacing : self->spacing[2];
  if (volume->z_spacing > 0.0 && !self->is_enface) {
    volume->z_spacing /= s->refractive_index;
    volume->refractive_index = s->refractive_index;
  }
  GST_OBJECT_UNLOCK (self);
  if (self->told_spacing
      || (volume->x_spacing > 0.0 && volume->y_spacing > 0.0
          && (volume->z_spacing > 0.0 || self->is_enface)))
    return;
  self->told_spacing = TRUE;
  if (self->is_enface)
    GST_ELEMENT_INFO (self, STREAM, FORMAT,
        ("The stream does not say how far the pixels of its pictures en face "
         "are apart, so the files do not either; set `x-spacing` and "
         "`y-spacing` of octenface."),
        (NULL));
  else
    GST_ELEMENT_INFO (self, STREAM, FORMAT,
        ("The stream does not say how large its voxels are, so the files do "
         "not either; set `x-spacing`, `y-spacing` and `z-spacing`."),
        (NULL));
}

/* A file has one spacing for all A-lines and one for all B-scans, which is
 * wrong where a scan has left some out.  NumPy files have none. */
static gboolean
volume_sink_check_whole (GstOctVolumeSink *self, guint bscans, GError **error)
{
  const GstOctInfo *info = &self->info;
  guint lines = info->is_video ? info->columns : info->rows / info->bscans;
  guint of = (guint)self->scan_lines;
  guint of_bscans = (guint)self->scan_bscans;

  if (of == 0 || self->is_enface || self->kind == OCT_VOLUME_FILE_NPY
      || (lines == of && bscans == of_bscans))
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "The volume has %u B-scans of %u A-lines, the part that a scan mask "
      "takes "
      "of %u B-scans of %u A-lines, and its spacings would be wrong in a file; "
      "put octvolumecs in front of octvolumesink to fill in the rest.",
      bscans, lines, of_bscans, of);
  return FALSE;
}

/* The memory of this computer, bytes. */
static guint64
get_memory (void)
{
  long pages = sysconf (_SC_PHYS_PAGES), size = sysconf (_SC_PAGESIZE);

  return pages > 0 && size > 0 ? (guint64)pages * (guint64)size : G_MAXSIZE;
}

/* FALSE with an error: there is no room for it. */
static gboolean
volume_sink_take_room (GstOctVolumeSink *self, guint bscans, GError **error)
{
  const OctVolumeFileInfo *volume = &self->volume;
  guint64 size = (guint64)bscans * volume->rows * volume->columns
                 * oct_sample_format_size (volume->voxel);
  g_autofree char *path =
      volume_sink_make_name (self->settings.location, volume->number);

  self->stored = 0;
  g_free (self->there);
  self->there = g_try_malloc0 (bscans);
  if (self->there != NULL && oct_volume_file_is_streamed (self->kind)) {
    self->stream = oct_volume_stream_open (
        self->kind, path, volume, self->settings.file_mode, error);
    return self->stream != NULL;
  }
  /* B-scans that never come are black.  Memory that is not there is promised,
   * too, and then the program is killed. */
  if (self->there != NULL && size <= get_memory ())
    self->voxels = g_try_malloc0 ((gsize)size);
  if (self->voxels != NULL)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_MEMORY,
      "A volume of %.1f GB does not fit the memory; set `bscans` to fewer, "
      "deliver less of the depth (`depth-bins`), or set `format` to zarr",
      size * 1e-9);
  return FALSE;
}

static gboolean
volume_sink_begin_volume (GstOctVolumeSink *self, guint bscans, GError **error)
{
  OctVolumeFileInfo volume = { .voxel = self->info.format,
    .view = self->is_enface ? OCT_VOLUME_VIEW_ENFACE : OCT_VOLUME_VIEW_BSCANS,
    .bscans = bscans,
    .repeats = bscans % self->repeats == 0 ? self->repeats : 1,
    .rows = self->info.rows / self->info.bscans,
    .columns = self->info.columns,
    .study_uid = self->study_uid,
    .series_uid = self->series_uid,
    .number = self->settings.volumes,
    .bscan_time = self->bscan_time,
    .quantity = self->quantity,
    .unit = self->unit,
    .tags = self->settings.tags,
    .deidentify = self->settings.deidentify,
    .source = self->settings.source };

  if (!gst_oct_branch_allows_volumes (GST_ELEMENT (self), error)
      || !volume_sink_check_whole (self, bscans, error))
    return FALSE;
  fill_spacing (self, &volume);
  if (!oct_volume_file_check (self->kind, &volume, error))
    return FALSE;
  self->volume = volume;
  return volume_sink_take_room (self, bscans, error);
}

static void
post_written (GstOctVolumeSink *self, const char *path, guint64 number)
{
  guint missing = self->volume.bscans - self->stored;
  /* messages hold UTF-8; a name that is none is shown with marks in its place */
  g_autofree char *name = g_filename_display_name (path);

  gst_oct_bus_post (GST_ELEMENT (self),
      gst_structure_new ("oct-volume-file", "location", G_TYPE_STRING, name,
          "volume", G_TYPE_UINT64, number, "bscans", G_TYPE_UINT,
          self->volume.bscans, "missing", G_TYPE_UINT, missing, NULL));
}

/* Writes the B-scans of the current volume that have come. */
static gboolean
write_volume (GstOctVolumeSink *self, GError **error)
{
  guint64 number = self->settings.volumes;
  g_autofree char *path =
      volume_sink_make_name (self->settings.location, number);

  if (self->stream != NULL
          ? !oct_volume_stream_end (g_steal_pointer (&self->stream), error)
          : !oct_volume_file_write (self->kind, path, &self->volume,
              self->voxels, self->settings.file_mode, error))
    return FALSE;
  GST_INFO_OBJECT (self, "wrote %s", path);
  g_clear_pointer (&self->voxels, g_free);
  GST_OBJECT_LOCK (self);
  self->settings.volumes++;
  GST_OBJECT_UNLOCK (self);
  post_written (self, path, number);
  return TRUE;
}

/* The same where it does not go on. */
static gboolean
volume_sink_end_volume (GstOctVolumeSink *self, GError **error)
{
  if (!has_volume (self))
    return TRUE;
  GST_ELEMENT_WARNING (self, STREAM, FORMAT,
      ("The last volume has %u of %u B-scans; the others are black in its "
       "file.",
          self->stored, self->volume.bscans),
      (NULL));
  return write_volume (self, error);
}

/* Values of another quantity are another volume. */
static gboolean
volume_sink_set_quantity (
    GstOctVolumeSink *self, const GstStructure *s, GError **error)
{
  const char *quantity = gst_structure_get_string (s, GST_OCT_QUANTITY_FIELD);
  const char *unit = gst_structure_get_string (s, GST_OCT_UNIT_FIELD);

  if (g_strcmp0 (quantity, self->quantity) == 0
      && g_strcmp0 (unit, self->unit) == 0)
    return TRUE;
  if (!volume_sink_end_volume (self, error))
    return FALSE;
  gst_oct_scan_forget (&self->scan);
  g_free (self->quantity);
  g_free (self->unit);
  self->quantity = g_strdup (quantity);
  self->unit = g_strdup (unit);
  return TRUE;
}

static gboolean
gst_oct_volume_sink_set_caps (GstBaseSink *base, GstCaps *caps)
{
  GstOctVolumeSink *self = GST_OCT_VOLUME_SINK (base);
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  g_autoptr (GError) error = NULL;
  gint n = 0, d = 1;

  if (!volume_sink_set_quantity (self, s, &error)
      || !gst_oct_info_from_caps (&self->info, caps, &error)) {
    gst_oct_file_sink_fail (GST_OCT_FILE_SINK (self), &error);
    return FALSE;
  }
  self->spacing[0] = self->spacing[2] = 0.0;
  gst_structure_get_double (s, "x-spacing", &self->spacing[0]);
  self->spacing[1] = gst_oct_structure_get_bscan_spacing (s);
  gst_structure_get_double (s, "z-spacing", &self->spacing[2]);
  self->repeats = gst_oct_structure_get_repeats (s);
  self->is_enface = g_strcmp0 (gst_structure_get_string (s, GST_OCT_VIEW_FIELD),
                        GST_OCT_VIEW_ENFACE)
                    == 0;
  if (!gst_structure_get_int (s, GST_OCT_SCAN_LINES_FIELD, &self->scan_lines)
      || !gst_structure_get_int (
          s, GST_OCT_SCAN_BSCANS_FIELD, &self->scan_bscans))
    self->scan_lines = self->scan_bscans = 0;
  self->bscan_time =
      gst_structure_get_fraction (s, "framerate", &n, &d) && n > 0
          ? (double)d / n
          : 0.0;
  return TRUE;
}

/* ------------------------------------------------------------------ B-scans */

static gboolean
volume_sink_store (GstOctVolumeSink *self, const OctFrame *frame, guint image,
    guint bscan, GError **error)
{
  const OctVolumeFileInfo *volume = &self->volume;
  OctFrame from = oct_frame_get_bscan (frame, image, volume->rows, 0);
  gsize row = (gsize)volume->columns * oct_sample_format_size (volume->voxel);
  guint8 *to;

  self->stored += self->there[bscan] == 0;
  self->there[bscan] = 1;
  if (self->stream != NULL)
    return oct_volume_stream_put (
        self->stream, bscan, from.planes[0].data, from.planes[0].stride, error);
  to = self->voxels + (gsize)bscan * volume->rows * row;
  for (guint i = 0; i < volume->rows; i++)
    memcpy (to + i * row,
        (const guint8 *)from.planes[0].data + i * from.planes[0].stride, row);
  return TRUE;
}

static gboolean
is_same_volume (const GstOctVolumeSink *self, guint bscans)
{
  return self->volume.voxel == self->info.format
         && (self->volume.view == OCT_VOLUME_VIEW_ENFACE) == self->is_enface
         && self->volume.bscans == bscans
         && self->volume.columns == self->info.columns
         && self->volume.rows == self->info.rows / self->info.bscans;
}

static gboolean
volume_sink_take_runs (
    GstOctVolumeSink *self, const OctFrame *frame, guint bscans, GError **error)
{
  GstOctScanRun run;
  gboolean ok = TRUE;

  while (ok && gst_oct_scan_next (&self->scan, &run)) {
    if (run.drop)
      continue;
    if (run.ends_one && has_volume (self))
      ok = write_volume (self, error);
    if (ok && !has_volume (self))
      ok = volume_sink_begin_volume (self, bscans, error);
    for (guint i = 0; ok && i < run.n; i++)
      ok = volume_sink_store (self, frame, run.image + i, run.bscan + i, error);
    if (ok && run.ends)
      ok = write_volume (self, error);
  }
  return ok;
}

/* B-scans, or pictures en face, of a file, where buffers do not say it; 0: not
 * known.  Each picture is a file, unless more are asked for. */
static guint
volume_sink_get_bscans (const GstOctVolumeSink *self)
{
  return self->settings.bscans == 0 && self->is_enface ? 1
                                                       : self->settings.bscans;
}

static gboolean
volume_sink_take (GstOctVolumeSink *self, GstBuffer *buffer, GError **error)
{
  GstOctMappedFrame mapped;
  gboolean ok;
  guint bscans = gst_oct_scan_begin (
      &self->scan, buffer, &self->info, volume_sink_get_bscans (self));

  if (bscans == 0) {
    g_set_error_literal (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The stream does not say how many B-scans a volume has; set `bscans` "
        "of octvolumesink");
    return FALSE;
  }
  if (has_volume (self) && !is_same_volume (self, bscans)) {
    if (!volume_sink_end_volume (self, error))
      return FALSE;
    /* what comes is of another volume, whatever its number */
    gst_oct_scan_forget (&self->scan);
    bscans = gst_oct_scan_begin (
        &self->scan, buffer, &self->info, volume_sink_get_bscans (self));
  }
  if (!gst_oct_frame_map (&mapped, &self->info, buffer, GST_MAP_READ, error))
    return FALSE;
  ok = volume_sink_take_runs (self, &mapped.frame, bscans, error);
  gst_oct_frame_unmap (&mapped);
  return ok;
}

static GstFlowReturn
gst_oct_volume_sink_render (GstBaseSink *base, GstBuffer *buffer)
{
  GstOctVolumeSink *self = GST_OCT_VOLUME_SINK (base);
  g_autoptr (GError) error = NULL;

  /* its A-lines come once more, when the scan has ended */
  if (gst_oct_scan_meta_is_unfinished (buffer)
      || volume_sink_take (self, buffer, &error))
    return GST_FLOW_OK;
  gst_oct_file_sink_fail (GST_OCT_FILE_SINK (self), &error);
  return GST_FLOW_ERROR;
}

static gboolean
gst_oct_volume_sink_event (GstBaseSink *base, GstEvent *event)
{
  GstOctVolumeSink *self = GST_OCT_VOLUME_SINK (base);
  g_autoptr (GError) error = NULL;

  switch (GST_EVENT_TYPE (event)) {
  case GST_EVENT_EOS:
    if (!volume_sink_end_volume (self, &error))
      gst_oct_file_sink_fail (GST_OCT_FILE_SINK (self), &error);
    break;
  case GST_EVENT_SEGMENT:
    gst_oct_scan_take_segment (&self->scan, event);
    break;
  case GST_EVENT_FLUSH_STOP:
    /* what comes now is from elsewhere, and the rest of it will not come */
    drop_volume (self, FALSE);
    gst_oct_scan_forget (&self->scan);
    break;
  default:
    break;
  }
  return GST_BASE_SINK_CLASS (gst_oct_volume_sink_parent_class)
      ->event (base, event);
}

/* Stopped without an end of stream: what has come is kept all the same, and
 * what comes after another start belongs to another volume.  The base class
 * stops with the element, which may be started again without. */
static GstStateChangeReturn
gst_oct_volume_sink_change_state (
    GstElement *element, GstStateChange transition)
{
  GstOctVolumeSink *self = GST_OCT_VOLUME_SINK (element);
  GstStateChangeReturn result =
      GST_ELEMENT_CLASS (gst_oct_volume_sink_parent_class)
          ->change_state (element, transition);
  g_autoptr (GError) error = NULL;

  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) {
    if (!gst_oct_file_sink_has_failed (GST_OCT_FILE_SINK (self))
        && !volume_sink_end_volume (self, &error))
      gst_oct_file_sink_fail (GST_OCT_FILE_SINK (self), &error);
    drop_volume (self, TRUE);
    gst_oct_scan_forget (&self->scan);
  }
  return result;
}

static gboolean
gst_oct_volume_sink_stop (GstBaseSink *base)
{
  volume_sink_forget (GST_OCT_VOLUME_SINK (base));
  return TRUE;
}

/* ------------------------------------------------------------------- object */

static void
gst_oct_volume_sink_finalize (GObject *object)
{
  gst_oct_properties_clear (
      &properties, &GST_OCT_VOLUME_SINK (object)->settings);
  G_OBJECT_CLASS (gst_oct_volume_sink_parent_class)->finalize (object);
}

static const GstOctHolder holder = {
  .properties = &properties,
  .offset = G_STRUCT_OFFSET (GstOctVolumeSink, settings),
};

static void
gst_oct_volume_sink_class_init (GstOctVolumeSinkClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseSinkClass *base_class = GST_BASE_SINK_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (
      gst_oct_volume_sink_debug, "octvolumesink", 0, "OCT volume sink");
  object_class->finalize = gst_oct_volume_sink_finalize;
  gst_oct_holder_install (&holder, object_class, 1);
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_set_static_metadata (element_class, "OCT volume sink",
      "Sink/File",
      "Writes OCT volumes as NumPy, NIfTI, TIFF, HDF5, DICOM, Zarr",
      "The gst-oct developers");
  element_class->change_state = gst_oct_volume_sink_change_state;
  base_class->start = gst_oct_volume_sink_start;
  base_class->stop = gst_oct_volume_sink_stop;
  base_class->set_caps = gst_oct_volume_sink_set_caps;
  base_class->event = gst_oct_volume_sink_event;
  base_class->render = gst_oct_volume_sink_render;
  gst_type_mark_as_plugin_api (volume_sink_get_kind_type (), 0);
}

static void
gst_oct_volume_sink_init (GstOctVolumeSink *self)
{
  gst_oct_properties_init (&properties, &self->settings);
  gst_oct_scan_clear (&self->scan);
}
