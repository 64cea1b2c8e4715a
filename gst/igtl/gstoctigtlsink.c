/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-octigtlsink
 *
 * Serves images, or whole volumes, to programs of navigation as 3D Slicer, by
 * OpenIGTLink: with their sizes in mm and the place of the scan.
 *
 * |[
 * gst-launch-1.0 octsrc bscans=32 num-buffers=64 ! octreconstruct
 *   ! octigtlsink port=0 volumes=true x-spacing=10e-6 y-spacing=30e-6
 * ]|
 */
#include "gstoctigtlsink.h"
#include "gstoctbus.h"

#include <string.h>

#include "gstoctcaps.h"
#include "gstocterror.h"
#include "gstoctframe.h"
#include "gstoctigtlpose.h"
#include "gstoctigtlserver.h"
#include "gstoctinstall.h"
#include "gstoctproperties.h"
#include "gstoctscan.h"

GST_DEBUG_CATEGORY_STATIC (gst_oct_igtl_sink_debug);
#define GST_CAT_DEFAULT gst_oct_igtl_sink_debug

#define DEFAULT_PORT 18944
#define DEFAULT_PEERS 8
#define DEFAULT_ADDRESS "127.0.0.1"
#define DEFAULT_NAME "OCT"
#define POSE_SUFFIX "-pose"
#define MOST_NAME 15
/* Each peer may hold two of them. */
#define MOST_BYTES ((guint64)512 << 20)
/* The protocol has 16 bits for it. */
#define MOST_SIZE 65535
/* Images that are older have times of another clock. */
#define OLDEST (10 * GST_SECOND)

enum { X, Z, Y };

typedef struct {
  char *address, *name, *pose;
  guint port, peers, bscans;
  gboolean volumes;
  double x_spacing, y_spacing, z_spacing; /* metres, 0: as the stream says */
  double refractive_index;
  /* as they are asked for */
  guint bound_port, connected;
  guint64 sent, skipped;
} Settings;

static const GstOctProperty rows[] = {
  { "address", "Address",
      "IP address to serve at; 127.0.0.1 is for this computer alone, and at "
      "any other everybody who reaches it gets the images, as OpenIGTLink has "
      "no passwords (none = 127.0.0.1)",
      0, NULL, GST_OCT_STRING (Settings, address) },
  { "port", "Port", "TCP port to serve at (0 = any free one: bound-port)", 0,
      NULL, GST_OCT_UINT (Settings, port, 0, 65535, DEFAULT_PORT) },
  { "peers", "Peers", "Most programs that are connected at the same time", 0,
      NULL, GST_OCT_UINT (Settings, peers, 1, 64, DEFAULT_PEERS) },
  { "device-name", "Device name",
      "Name of the images, at most 15 characters; the place of the scan has "
      "it with -pose after it (none = OCT)",
      0, NULL, GST_OCT_STRING (Settings, name) },
  { "pose", "Pose",
      "Place of the scan: 12 numbers, the rows of a 3 x 4 matrix whose columns "
      "are the directions of A-lines, depth and B-scans, and the centre of the "
      "images in mm (none = along x, y and z, at 0)",
      GST_OCT_PROPERTY_LIVE, NULL, GST_OCT_STRING (Settings, pose) },
  { "volumes", "Volumes",
      "Send whole volumes, each when it has ended, in place of B-scans", 0,
      NULL, GST_OCT_BOOLEAN (Settings, volumes, FALSE) },
  { "bscans", "B-scans",
      "B-scans per volume, if the stream does not say it (0 = as it says)", 0,
      NULL, GST_OCT_UINT (Settings, bscans, 0, MOST_SIZE, 0) },
  { "x-spacing", "x spacing",
      "Distance of A-lines in metres (0 = as the stream says)", 0, NULL,
      GST_OCT_DOUBLE (Settings, x_spacing, 0.0, 1.0, 0.0) },
  { "y-spacing", "y spacing",
      "Distance of B-scans in metres (0 = as the stream says)", 0, NULL,
      GST_OCT_DOUBLE (Settings, y_spacing, 0.0, 1.0, 0.0) },
  { "z-spacing", "z spacing",
      "Distance of depths in metres of air (0 = as the stream says)", 0, NULL,
      GST_OCT_DOUBLE (Settings, z_spacing, 0.0, 1.0, 0.0) },
  { "refractive-index", "Refractive index",
      "Refractive index of the sample, which makes lengths of air shorter", 0,
      NULL,
      GST_OCT_DOUBLE (Settings, refractive_index, 1.0, 4.0, OCT_TISSUE_INDEX) },
  { "bound-port", "Bound port", "Port that it serves at",
      GST_OCT_PROPERTY_READ_ONLY, NULL,
      GST_OCT_UINT (Settings, bound_port, 0, 65535, 0) },
  { "connected", "Connected", "Programs that are connected now",
      GST_OCT_PROPERTY_READ_ONLY, NULL,
      GST_OCT_UINT (Settings, connected, 0, G_MAXUINT, 0) },
  { "sent", "Sent", "Images or volumes sent, of all programs together",
      GST_OCT_PROPERTY_READ_ONLY, NULL,
      GST_OCT_UINT64 (Settings, sent, 0, G_MAXUINT64, 0) },
  { "skipped", "Skipped",
      "Images or volumes that a program was too slow for, of all together",
      GST_OCT_PROPERTY_READ_ONLY, NULL,
      GST_OCT_UINT64 (Settings, skipped, 0, G_MAXUINT64, 0) },
};
static const GstOctProperties properties = GST_OCT_PROPERTIES (Settings, rows);

struct _GstOctIgtlSink {
  GstOctFileSink parent;

  Settings settings;        /* under the object lock */
  GstOctIgtlServer *server; /* the same; NULL: not started */

  /* streaming thread */
  GstOctInfo info;
  double spacing[3]; /* of the caps, metres: A-lines, depths, B-scans; 0 */
  gboolean is_enface;
  guint repeats;
  GstOctScan scan;
  guint8 *voxels; /* of the volume under way, or NULL */
  guint bscans;   /* of it */
  char *pose_text;
  GstOctIgtlPose pose;
  gboolean told_spacing;
  gboolean ended; /* and peers have been told */
};

static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
        GST_STATIC_CAPS ("video/x-raw, format = (string) { GRAY8, GRAY16_LE }"
                         ", width = (int) [ 1, 65535 ]"
                         ", height = (int) [ 1, 65535 ]"
                         ", framerate = " GST_OCT_RATE_RANGE));

G_DEFINE_TYPE (GstOctIgtlSink, gst_oct_igtl_sink, GST_TYPE_OCT_FILE_SINK);
GST_OCT_REGISTER_DEFINE (
    octigtlsink, "octigtlsink", GST_RANK_NONE, GST_TYPE_OCT_IGTL_SINK);

/* ----------------------------------------------------------------- messages */

static const char *
igtl_sink_get_name (const GstOctIgtlSink *self)
{
  const char *name = self->settings.name;

  return name != NULL && *name != '\0' ? name : DEFAULT_NAME;
}

static gint64
igtl_sink_get_now (void)
{
  return g_get_real_time () * 1000;
}

static void
igtl_sink_send_status (GstOctIgtlSink *self, OctIgtlCode code, const char *text)
{
  GBytes *message = oct_igtl_make_status (
      igtl_sink_get_name (self), igtl_sink_get_now (), code, text);

  if (message != NULL)
    gst_oct_igtl_server_send (self->server, GST_OCT_IGTL_STATUS, message);
}

static void
igtl_sink_tell_begin (GstOctIgtlSink *self)
{
  self->ended = FALSE;
  igtl_sink_send_status (self, OCT_IGTL_OK, "Images come.");
}

static void
igtl_sink_send_pose (GstOctIgtlSink *self)
{
  g_autofree char *name =
      g_strconcat (igtl_sink_get_name (self), POSE_SUFFIX, NULL);
  GBytes *message =
      oct_igtl_make_transform (name, igtl_sink_get_now (), self->pose.matrix);

  if (message != NULL)
    gst_oct_igtl_server_send (self->server, GST_OCT_IGTL_TRANSFORM, message);
}

/* Another pose is in force from this image on; one that is not valid is told,
 * and the one before stays. */
static void
igtl_sink_update_pose (GstOctIgtlSink *self)
{
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  GstOctIgtlPose pose;

  GST_OBJECT_LOCK (self);
  text = g_strdup (self->settings.pose);
  GST_OBJECT_UNLOCK (self);
  if (g_strcmp0 (text, self->pose_text) == 0)
    return;
  g_free (self->pose_text);
  self->pose_text = g_strdup (text);
  if (!gst_oct_igtl_pose_parse (text, &pose, &error)) {
    gst_oct_element_warn_former (
        GST_ELEMENT (self), &error, "The previous pose stays in use");
    return;
  }
  self->pose = pose;
  igtl_sink_send_pose (self);
}

/* Distances in the sample, mm.  Those of B-scans are needed for volumes, and
 * for the place of a B-scan that is not in the centre (`slice`). */
static void
igtl_sink_get_spacing (GstOctIgtlSink *self, double slice, double spacing[3])
{
  const Settings *s = &self->settings;
  const double set[3] = { s->x_spacing, s->z_spacing, s->y_spacing };
  gboolean known = TRUE;

  for (guint i = 0; i < 3; i++) {
    spacing[i] = (set[i] > 0.0 ? set[i] : self->spacing[i]) * 1e3;
    if (i == Z && !self->is_enface)
      spacing[i] /= s->refractive_index;
    if (spacing[i] > 0.0)
      continue;
    spacing[i] = 1.0;
    known &= (i == Y && !s->volumes && !self->is_enface && slice == 0.0)
             || (i == Z && self->is_enface);
  }
  if (known || self->told_spacing)
    return;
  self->told_spacing = TRUE;
  GST_ELEMENT_WARNING (self, STREAM, FORMAT,
      ("The stream does not say how large its pixels are, and programs get "
       "1 mm for what is not known; set `x-spacing`, `y-spacing` and "
       "`z-spacing` of octigtlsink."),
      (NULL));
}

/* When the image was taken, ns since 1970. */
static gint64
igtl_sink_find_time (GstOctIgtlSink *self, GstBuffer *buffer)
{
  GstBaseSink *base = GST_BASE_SINK (self);
  g_autoptr (GstClock) clock = gst_element_get_clock (GST_ELEMENT (self));
  gint64 now = igtl_sink_get_now ();
  GstClockTime running, since;

  if (clock == NULL || base->segment.format != GST_FORMAT_TIME)
    return now;
  running = gst_segment_to_running_time (
      &base->segment, GST_FORMAT_TIME, GST_BUFFER_PTS (buffer));
  since = gst_clock_get_time (clock)
          - gst_element_get_base_time (GST_ELEMENT (self));
  if (!GST_CLOCK_TIME_IS_VALID (running) || running > since
      || since - running > OLDEST)
    return now;
  return now - (gint64)(since - running);
}

/* slices of data[], tightly packed. */
static gboolean
igtl_sink_send_image (GstOctIgtlSink *self, const guint8 *data, guint slices,
    double slice, gint64 time, GError **error)
{
  static const guint of_bscans[3] = { X, Z, Y }, of_enface[3] = { X, Y, Z };
  guint height = self->info.rows / self->info.bscans;
  gsize size = oct_sample_format_size (self->info.format);
  OctIgtlImage image = { .components = 1,
    .scalar = size == 1 ? OCT_IGTL_UINT8 : OCT_IGTL_UINT16,
    .size = { self->info.columns, height, slices },
    .data = data,
    .bytes = size * self->info.columns * height * slices };
  double spacing[3];
  GBytes *message;

  igtl_sink_get_spacing (self, slice, spacing);
  gst_oct_igtl_pose_apply (&self->pose, spacing,
      self->is_enface ? of_enface : of_bscans, slice, &image);
  message = oct_igtl_make_image (igtl_sink_get_name (self), time, &image);
  if (message == NULL) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_MEMORY,
        "There is no memory for a message of %" G_GSIZE_FORMAT
        " bytes; deliver less of the depth (`depth-bins`) or fewer `bscans`",
        image.bytes);
    return FALSE;
  }
  gst_oct_igtl_server_send (self->server, GST_OCT_IGTL_IMAGE, message);
  return TRUE;
}

/* ------------------------------------------------------------------ volumes */

static gsize
igtl_sink_get_bscan_size (const GstOctIgtlSink *self)
{
  return (gsize)self->info.columns * (self->info.rows / self->info.bscans)
         * oct_sample_format_size (self->info.format);
}

static void
igtl_sink_drop_volume (GstOctIgtlSink *self)
{
  g_clear_pointer (&self->voxels, g_free);
}

/* B-scans that never come are black. */
static gboolean
igtl_sink_begin_volume (GstOctIgtlSink *self, guint bscans, GError **error)
{
  guint64 size = (guint64)bscans * igtl_sink_get_bscan_size (self);

  self->bscans = bscans;
  if (size <= MOST_BYTES && bscans <= MOST_SIZE)
    self->voxels = g_try_malloc0 ((gsize)size);
  if (self->voxels != NULL)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_MEMORY,
      "A volume of %u B-scans and %.0f MB cannot be sent, at most %u MB and %d "
      "B-scans; deliver less of the depth (`depth-bins`), or leave `volumes` "
      "out",
      bscans, (double)size * 1e-6, (guint)(MOST_BYTES / 1000000), MOST_SIZE);
  return FALSE;
}

static gboolean
igtl_sink_end_volume (GstOctIgtlSink *self, gint64 time, GError **error)
{
  GstOctIgtlCounts counts;
  gboolean ok = TRUE;

  gst_oct_igtl_server_get_counts (self->server, &counts);
  if (self->voxels != NULL && counts.peers > 0)
    ok = igtl_sink_send_image (
        self, self->voxels, self->bscans, 0.0, time, error);
  igtl_sink_drop_volume (self);
  return ok;
}

/* Tightly packed. */
static void
igtl_sink_copy (
    GstOctIgtlSink *self, const OctFrame *frame, guint image, guint8 *to)
{
  guint height = self->info.rows / self->info.bscans;
  OctFrame from = oct_frame_get_bscan (frame, image, height, 0);
  gsize row = igtl_sink_get_bscan_size (self) / height;

  for (guint i = 0; i < height; i++)
    memcpy (to + i * row,
        (const guint8 *)from.planes[0].data + i * from.planes[0].stride, row);
}

static gboolean
igtl_sink_take_runs (GstOctIgtlSink *self, const OctFrame *frame, guint bscans,
    gint64 time, GError **error)
{
  gsize size = igtl_sink_get_bscan_size (self);
  GstOctScanRun run;
  gboolean ok = TRUE;

  while (ok && gst_oct_scan_next (&self->scan, &run)) {
    if (run.drop)
      continue;
    if (run.ends_one)
      ok = igtl_sink_end_volume (self, time, error);
    if (ok && self->voxels == NULL)
      ok = igtl_sink_begin_volume (self, bscans, error);
    for (guint i = 0; ok && i < run.n; i++)
      igtl_sink_copy (self, frame, run.image + i,
          self->voxels + (gsize)(run.bscan + i) * size);
    if (ok && run.ends)
      ok = igtl_sink_end_volume (self, time, error);
  }
  return ok;
}

/* `there`: as it is in this buffer, which may have fewer B-scans. */
static gboolean
igtl_sink_take_volume (GstOctIgtlSink *self, GstBuffer *buffer,
    const GstOctInfo *there, const OctFrame *frame, gint64 time, GError **error)
{
  guint bscans =
      gst_oct_scan_begin (&self->scan, buffer, there, self->settings.bscans);

  if (bscans == 0) {
    g_set_error_literal (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The stream does not say how many B-scans a volume has; set `bscans` "
        "of octigtlsink");
    return FALSE;
  }
  if (self->voxels != NULL && bscans != self->bscans) {
    igtl_sink_drop_volume (self);
    gst_oct_scan_forget (&self->scan);
    bscans =
        gst_oct_scan_begin (&self->scan, buffer, there, self->settings.bscans);
  }
  return igtl_sink_take_runs (self, frame, bscans, time, error);
}

/* ------------------------------------------------------------------- images */

/* Each at its place in the volume, as far as that is known. */
static gboolean
igtl_sink_take_images (GstOctIgtlSink *self, GstBuffer *buffer,
    const GstOctInfo *there, const OctFrame *frame, gint64 time, GError **error)
{
  g_autofree guint8 *packed = g_try_malloc (igtl_sink_get_bscan_size (self));
  GstOctScanPosition position;
  gboolean placed = gst_oct_scan_meta_get (buffer, &position), ok = TRUE;

  if (packed == NULL) {
    g_set_error_literal (error, OCT_ERROR, OCT_ERROR_MEMORY,
        "There is no memory for an image; deliver less of the depth "
        "(`depth-bins`)");
    return FALSE;
  }
  for (guint i = 0; ok && i < there->bscans; i++) {
    guint place = 0, repeat;
    double slice = 0.0;

    if (placed && !self->is_enface) {
      gst_oct_scan_position_get_place (
          &position, i, self->repeats, &place, &repeat);
      slice = place - (MAX (position.bscans / self->repeats, 1) - 1) * 0.5;
    }
    igtl_sink_copy (self, frame, i, packed);
    ok = igtl_sink_send_image (self, packed, 1, slice, time, error);
  }
  return ok;
}

static gboolean
igtl_sink_take (GstOctIgtlSink *self, GstBuffer *buffer, GError **error)
{
  gint64 time = igtl_sink_find_time (self, buffer);
  GstOctMappedFrame mapped;
  GstOctIgtlCounts counts;
  GstOctInfo there;
  gboolean ok;

  gst_oct_igtl_server_get_counts (self->server, &counts);
  /* a volume has begun when somebody comes */
  if (counts.peers == 0 && !self->settings.volumes)
    return TRUE;
  gst_oct_info_of_buffer (&there, &self->info, buffer);
  if (!gst_oct_frame_map (&mapped, &there, buffer, GST_MAP_READ, error))
    return FALSE;
  ok = self->settings.volumes && !self->is_enface
           ? igtl_sink_take_volume (
               self, buffer, &there, &mapped.frame, time, error)
           : igtl_sink_take_images (
               self, buffer, &there, &mapped.frame, time, error);
  gst_oct_frame_unmap (&mapped);
  return ok;
}

static GstFlowReturn
gst_oct_igtl_sink_render (GstBaseSink *base, GstBuffer *buffer)
{
  GstOctIgtlSink *self = GST_OCT_IGTL_SINK (base);
  g_autoptr (GError) error = NULL;

  igtl_sink_update_pose (self);
  if (igtl_sink_take (self, buffer, &error))
    return GST_FLOW_OK;
  gst_oct_file_sink_fail (GST_OCT_FILE_SINK (self), &error);
  return GST_FLOW_ERROR;
}

/* ------------------------------------------------------------------- stream */

/* A place in the scan that is wrong would be worse than none. */
static gboolean
igtl_sink_check_scan (
    GstOctIgtlSink *self, const GstStructure *s, GError **error)
{
  gint lines = 0;

  if (gst_structure_get_int (s, GST_OCT_SCAN_LINES_FIELD, &lines)
      && (guint)lines != self->info.columns && !self->is_enface) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The images have %u of the %d A-lines of their scan, and their places "
        "would be wrong; put octvolumecs in front of octigtlsink to fill in "
        "the rest",
        self->info.columns, lines);
    return FALSE;
  }
  if (self->repeats > 1 && self->settings.volumes) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The scan has %u B-scans at each place, and a volume has one; put "
        "octaverage or octangio in front of octigtlsink, or leave `volumes` "
        "out",
        self->repeats);
    return FALSE;
  }
  return TRUE;
}

static gboolean
gst_oct_igtl_sink_set_caps (GstBaseSink *base, GstCaps *caps)
{
  GstOctIgtlSink *self = GST_OCT_IGTL_SINK (base);
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  g_autoptr (GError) error = NULL;

  igtl_sink_drop_volume (self);
  gst_oct_scan_forget (&self->scan);
  if (!gst_oct_info_from_caps (&self->info, caps, &error)) {
    gst_oct_file_sink_fail (GST_OCT_FILE_SINK (self), &error);
    return FALSE;
  }
  memset (self->spacing, 0, sizeof self->spacing);
  gst_structure_get_double (s, "x-spacing", &self->spacing[X]);
  gst_structure_get_double (s, "z-spacing", &self->spacing[Z]);
  self->spacing[Y] = gst_oct_structure_get_bscan_spacing (s);
  self->repeats = gst_oct_structure_get_repeats (s);
  self->is_enface = g_strcmp0 (gst_structure_get_string (s, GST_OCT_VIEW_FIELD),
                        GST_OCT_VIEW_ENFACE)
                    == 0;
  if (!igtl_sink_check_scan (self, s, &error)) {
    gst_oct_file_sink_fail (GST_OCT_FILE_SINK (self), &error);
    return FALSE;
  }
  igtl_sink_tell_begin (self);
  return TRUE;
}

static gboolean
gst_oct_igtl_sink_event (GstBaseSink *base, GstEvent *event)
{
  GstOctIgtlSink *self = GST_OCT_IGTL_SINK (base);

  switch (GST_EVENT_TYPE (event)) {
  case GST_EVENT_SEGMENT:
    gst_oct_scan_take_segment (&self->scan, event);
    if (self->ended) /* a seek after the end, with the caps as before */
      igtl_sink_tell_begin (self);
    break;
  case GST_EVENT_FLUSH_STOP:
    igtl_sink_drop_volume (self);
    gst_oct_scan_forget (&self->scan);
    break;
  case GST_EVENT_EOS:
    self->ended = TRUE;
    igtl_sink_send_status (self, OCT_IGTL_NOT_READY, "The stream has ended.");
    break;
  default:
    break;
  }
  return GST_BASE_SINK_CLASS (gst_oct_igtl_sink_parent_class)
      ->event (base, event);
}

static gboolean
igtl_sink_open (GstOctIgtlSink *self, GError **error)
{
  const Settings *s = &self->settings;
  GstOctIgtlServer *server;

  if (strlen (igtl_sink_get_name (self)) > MOST_NAME) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "`device-name` is '%.60s', and OpenIGTLink has room for %d characters; "
        "set a shorter one",
        s->name, MOST_NAME);
    return FALSE;
  }
  g_free (self->pose_text);
  GST_OBJECT_LOCK (self);
  self->pose_text = g_strdup (s->pose);
  GST_OBJECT_UNLOCK (self);
  if (!gst_oct_igtl_pose_parse (self->pose_text, &self->pose, error))
    return FALSE;
  server = gst_oct_igtl_server_new (
      s->address != NULL && *s->address != '\0' ? s->address : DEFAULT_ADDRESS,
      s->port, s->peers, error);
  GST_OBJECT_LOCK (self);
  self->server = server;
  GST_OBJECT_UNLOCK (self);
  return server != NULL;
}

static gboolean
gst_oct_igtl_sink_start (GstBaseSink *base)
{
  GstOctIgtlSink *self = GST_OCT_IGTL_SINK (base);
  g_autoptr (GError) error = NULL;

  gst_oct_file_sink_begin (GST_OCT_FILE_SINK (self));
  gst_oct_scan_clear (&self->scan);
  self->told_spacing = self->ended = FALSE;
  if (!igtl_sink_open (self, &error)) {
    gst_oct_file_sink_fail (GST_OCT_FILE_SINK (self), &error);
    return FALSE;
  }
  if (!gst_oct_igtl_server_is_local (self->server))
    GST_ELEMENT_INFO (self, RESOURCE, OPEN_WRITE,
        ("Everybody who reaches port %u of %s gets the images, as OpenIGTLink "
         "has no passwords; let a firewall admit only those who may.",
            gst_oct_igtl_server_get_port (self->server),
            self->settings.address),
        (NULL));
  igtl_sink_send_status (self, OCT_IGTL_NOT_READY, "No image has come yet.");
  igtl_sink_send_pose (self);
  return TRUE;
}

static gboolean
gst_oct_igtl_sink_stop (GstBaseSink *base)
{
  GstOctIgtlSink *self = GST_OCT_IGTL_SINK (base);
  GstOctIgtlServer *server;

  igtl_sink_send_status (self, OCT_IGTL_SHUTDOWN, "The source ends.");
  GST_OBJECT_LOCK (self);
  server = g_steal_pointer (&self->server);
  GST_OBJECT_UNLOCK (self);
  gst_oct_igtl_server_free (server);
  igtl_sink_drop_volume (self);
  gst_oct_scan_clear (&self->scan);
  return TRUE;
}

/* ------------------------------------------------------------------- object */

static const GstOctHolder holder = {
  .properties = &properties,
  .offset = G_STRUCT_OFFSET (GstOctIgtlSink, settings),
};

static void
gst_oct_igtl_sink_get_property (
    GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstOctIgtlSink *self = GST_OCT_IGTL_SINK (object);
  GstOctIgtlCounts counts = { 0 };

  GST_OBJECT_LOCK (self);
  if (self->server != NULL) {
    gst_oct_igtl_server_get_counts (self->server, &counts);
    self->settings.bound_port = gst_oct_igtl_server_get_port (self->server);
    self->settings.sent = counts.sent;
    self->settings.skipped = counts.skipped;
  }
  self->settings.connected = counts.peers;
  GST_OBJECT_UNLOCK (self);
  gst_oct_installed_get_property (object, id, value, pspec);
}

static void
gst_oct_igtl_sink_finalize (GObject *object)
{
  GstOctIgtlSink *self = GST_OCT_IGTL_SINK (object);

  g_free (self->pose_text);
  gst_oct_properties_clear (&properties, &self->settings);
  G_OBJECT_CLASS (gst_oct_igtl_sink_parent_class)->finalize (object);
}

static void
gst_oct_igtl_sink_class_init (GstOctIgtlSinkClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseSinkClass *base_class = GST_BASE_SINK_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (
      gst_oct_igtl_sink_debug, "octigtlsink", 0, "OCT OpenIGTLink sink");
  gst_oct_holder_install (&holder, object_class, 1);
  object_class->get_property = gst_oct_igtl_sink_get_property;
  object_class->finalize = gst_oct_igtl_sink_finalize;
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_set_static_metadata (element_class, "OCT OpenIGTLink sink",
      "Sink/Network",
      "Serves images and volumes to programs of navigation by OpenIGTLink",
      "The gst-oct developers");
  base_class->start = gst_oct_igtl_sink_start;
  base_class->stop = gst_oct_igtl_sink_stop;
  base_class->set_caps = gst_oct_igtl_sink_set_caps;
  base_class->event = gst_oct_igtl_sink_event;
  base_class->render = gst_oct_igtl_sink_render;
}

static void
gst_oct_igtl_sink_init (GstOctIgtlSink *self)
{
  gst_oct_properties_init (&properties, &self->settings);
}
