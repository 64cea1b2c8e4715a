/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-octigtlsrc
 *
 * Gets images and volumes of a program that serves OpenIGTLink, as octigtlsink
 * does, and posts the poses of trackers as messages.
 */
#include "gstoctigtlsrc.h"
#include "gstoctbus.h"

#include <math.h>
#include <string.h>

#include "gstoctcaps.h"
#include "gstocterror.h"
#include "gstoctigtlpeer.h"
#include "gstoctinstall.h"
#include "gstoctproperties.h"
#include "gstoctscanmeta.h"

GST_DEBUG_CATEGORY_STATIC (gst_oct_igtl_src_debug);
#define GST_CAT_DEFAULT gst_oct_igtl_src_debug

#define DEFAULT_HOST "127.0.0.1"
#define DEFAULT_PORT 18944
#define DEFAULT_TIMEOUT 5000
#define DEFAULT_MOST ((guint64)512 << 20)
/* Messages on the bus per second, and at once: nobody may read them. */
#define MOST_MESSAGES 200.0

typedef struct {
  char *host, *name;
  guint port, timeout;
  guint64 most_bytes;
  double refractive_index;
  guint64 images, skipped; /* as they are asked for */
} Settings;

static const GstOctProperty rows[] = {
  { "host", "Host", "Computer to connect to (none = 127.0.0.1)", 0, NULL,
      GST_OCT_STRING (Settings, host) },
  { "port", "Port", "TCP port of the server", 0, NULL,
      GST_OCT_UINT (Settings, port, 1, 65535, DEFAULT_PORT) },
  { "device-name", "Device name", "Name of the images to take (none = all)", 0,
      NULL, GST_OCT_STRING (Settings, name) },
  { "timeout", "Timeout",
      "Time in ms for the server to be there, and that it may stand still "
      "within a message",
      0, NULL, GST_OCT_UINT (Settings, timeout, 100, 600000, DEFAULT_TIMEOUT) },
  { "most-bytes", "Most bytes",
      "Largest message that is taken; a larger one is an error", 0, NULL,
      GST_OCT_UINT64 (
          Settings, most_bytes, 1, (guint64)1 << 33, DEFAULT_MOST) },
  { "refractive-index", "Refractive index",
      "Refractive index that lengths in depth are multiplied with, as caps "
      "have lengths of air",
      0, NULL,
      GST_OCT_DOUBLE (Settings, refractive_index, 1.0, 4.0, OCT_TISSUE_INDEX) },
  { "images", "Images", "Images or volumes taken since the start",
      GST_OCT_PROPERTY_READ_ONLY, NULL,
      GST_OCT_UINT64 (Settings, images, 0, G_MAXUINT64, 0) },
  { "skipped", "Skipped",
      "Images of other devices and of kinds that are not known, and poses that "
      "came too fast for messages",
      GST_OCT_PROPERTY_READ_ONLY, NULL,
      GST_OCT_UINT64 (Settings, skipped, 0, G_MAXUINT64, 0) },
};
static const GstOctProperties properties = GST_OCT_PROPERTIES (Settings, rows);

struct _GstOctIgtlSrc {
  GstOctPushSrc parent;

  Settings settings;    /* under the object lock */
  GstOctIgtlPeer *peer; /* from start to stop; it has a lock of its own */

  /* streaming thread */
  gboolean connected, silent, told_kind;
  double messages; /* that may be posted now */
  gint64 messages_at;
  OctIgtlImage image; /* whose slices are under way: in the peer's memory */
  guint slice;        /* the next of them */
  gboolean has_image;
  guint64 volume; /* its number */
};

static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS ("video/x-raw, format = (string) { GRAY8, GRAY16_LE, RGB }"
                     ", width = (int) [ 1, 65535 ]"
                     ", height = (int) [ 1, 65535 ]"
                     ", framerate = (fraction) 0/1"));

G_DEFINE_TYPE (GstOctIgtlSrc, gst_oct_igtl_src, GST_TYPE_OCT_PUSH_SRC);
GST_OCT_REGISTER_DEFINE (
    octigtlsrc, "octigtlsrc", GST_RANK_NONE, GST_TYPE_OCT_IGTL_SRC);

/* ----------------------------------------------------------------- messages */

static void
igtl_src_skip (GstOctIgtlSrc *self)
{
  GST_OBJECT_LOCK (self);
  self->settings.skipped++;
  GST_OBJECT_UNLOCK (self);
}

/* A bus that nobody reads must not fill the memory. */
static gboolean
igtl_src_may_post (GstOctIgtlSrc *self)
{
  gint64 now = g_get_monotonic_time ();

  self->messages += (double)(now - self->messages_at) * 1e-6 * MOST_MESSAGES;
  self->messages = MIN (self->messages, MOST_MESSAGES);
  self->messages_at = now;
  if (self->messages < 1.0) {
    igtl_src_skip (self);
    return FALSE;
  }
  self->messages -= 1.0;
  return TRUE;
}

static gboolean
igtl_src_take_transform (GstOctIgtlSrc *self, const OctIgtlHeader *header,
    const guint8 *body, GError **error)
{
  GValue list = G_VALUE_INIT, number = G_VALUE_INIT;
  GstStructure *s;
  double matrix[12];

  if (!oct_igtl_parse_transform (header, body, matrix, error))
    return FALSE;
  if (!igtl_src_may_post (self))
    return TRUE;
  g_value_init (&list, GST_TYPE_ARRAY);
  g_value_init (&number, G_TYPE_DOUBLE);
  for (guint i = 0; i < G_N_ELEMENTS (matrix); i++) {
    g_value_set_double (&number, matrix[i]);
    gst_value_array_append_value (&list, &number);
  }
  s = gst_structure_new ("oct-igtl-transform", "device", G_TYPE_STRING,
      header->name, "time", G_TYPE_INT64, header->time, NULL);
  gst_structure_take_value (s, "matrix", &list);
  gst_oct_bus_post (GST_ELEMENT (self), s);
  return TRUE;
}

static gboolean
igtl_src_take_status (GstOctIgtlSrc *self, const OctIgtlHeader *header,
    const guint8 *body, GError **error)
{
  g_autofree char *text = NULL;
  guint code;

  if (!oct_igtl_parse_status (header, body, &code, &text, error))
    return FALSE;
  if (igtl_src_may_post (self))
    gst_oct_bus_post (GST_ELEMENT (self),
        gst_structure_new ("oct-igtl-status", "device", G_TYPE_STRING,
            header->name, "code", G_TYPE_UINT, code, "text", G_TYPE_STRING,
            text, NULL));
  return TRUE;
}

/* ------------------------------------------------------------------- images */

static const char *
igtl_src_find_format (const OctIgtlImage *image)
{
  if (image->components == 3 && image->scalar == OCT_IGTL_UINT8)
    return "RGB";
  if (image->components != 1)
    return NULL;
  return image->scalar == OCT_IGTL_UINT8    ? "GRAY8"
         : image->scalar == OCT_IGTL_UINT16 ? "GRAY16_LE"
                                            : NULL;
}

/* Whether it is one that can be delivered: whole slices of a known kind. */
static gboolean
igtl_src_knows (GstOctIgtlSrc *self, const OctIgtlImage *image)
{
  if (igtl_src_find_format (image) != NULL && image->from[0] == 0
      && image->from[1] == 0 && image->part[0] == image->size[0]
      && image->part[1] == image->size[1])
    return TRUE;
  if (!self->told_kind)
    GST_ELEMENT_WARNING (self, STREAM, FORMAT,
        ("Images of %u components of type %u, or parts of slices, are left "
         "out: whole slices of grey levels of 8 or 16 bit and RGB are taken.",
            image->components, image->scalar),
        (NULL));
  self->told_kind = TRUE;
  return FALSE;
}

/* mm */
static double
igtl_get_length (const double step[3])
{
  return sqrt (step[0] * step[0] + step[1] * step[1] + step[2] * step[2]);
}

static GstCaps *
igtl_src_make_caps (GstOctIgtlSrc *self)
{
  static const char *const fields[3] = { "x-spacing", "z-spacing",
    "y-spacing" };
  const OctIgtlImage *image = &self->image;
  GstCaps *caps = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING,
      igtl_src_find_format (image), "width", G_TYPE_INT, (gint)image->size[0],
      "height", G_TYPE_INT, (gint)image->size[1], "framerate",
      GST_TYPE_FRACTION, 0, 1, NULL);

  for (guint i = 0; i < 3; i++) {
    double length = igtl_get_length (image->step[i]) * 1e-3;

    if (i == 1)
      length *= self->settings.refractive_index;
    if (length > 0.0)
      gst_caps_set_simple (caps, fields[i], G_TYPE_DOUBLE, length, NULL);
  }
  return caps;
}

static gboolean
igtl_src_set_caps (GstOctIgtlSrc *self)
{
  g_autoptr (GstCaps) caps = igtl_src_make_caps (self);
  g_autoptr (GstCaps) former =
      gst_pad_get_current_caps (GST_BASE_SRC_PAD (self));

  return (former != NULL && gst_caps_is_equal (caps, former))
         || gst_base_src_set_caps (GST_BASE_SRC (self), caps);
}

static GstFlowReturn
igtl_src_take_image (GstOctIgtlSrc *self, const OctIgtlHeader *header,
    const guint8 *body, GError **error)
{
  const char *wanted = self->settings.name;

  if (!oct_igtl_parse_image (header, body, &self->image, error))
    return GST_FLOW_ERROR;
  if ((wanted != NULL && *wanted != '\0' && !g_str_equal (wanted, header->name))
      || !igtl_src_knows (self, &self->image)) {
    igtl_src_skip (self);
    return GST_FLOW_OK;
  }
  if (!igtl_src_set_caps (self))
    return GST_FLOW_NOT_NEGOTIATED;
  self->has_image = TRUE;
  self->slice = 0;
  return GST_FLOW_OK;
}

/* Rows with the strides of GStreamer; big endian becomes little. */
static GstBuffer *
igtl_src_copy_slice (GstOctIgtlSrc *self, const GstVideoInfo *info)
{
  const OctIgtlImage *image = &self->image;
  gsize row = image->bytes / image->part[2] / image->part[1];
  const guint8 *from = image->data + (gsize)self->slice * image->part[1] * row;
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, info->size, NULL);
  GstMapInfo map;

  if (buffer == NULL || !gst_buffer_map (buffer, &map, GST_MAP_WRITE)) {
    gst_clear_buffer (&buffer);
    return NULL;
  }
  memset (map.data, 0, map.size);
  for (guint i = 0; i < image->part[1]; i++) {
    guint8 *to = map.data + (gsize)i * (gsize)info->stride[0];

    memcpy (to, from + i * row, row);
    if (image->scalar == OCT_IGTL_UINT16 && image->is_big)
      for (gsize k = 0; k < row; k += 2) {
        to[k] = from[i * row + k + 1];
        to[k + 1] = from[i * row + k];
      }
  }
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

static GstFlowReturn
igtl_src_deliver (GstOctIgtlSrc *self, GstBuffer **buffer, GError **error)
{
  const OctIgtlImage *image = &self->image;
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (GST_BASE_SRC_PAD (self));
  GstVideoInfo info;

  if (caps == NULL || !gst_video_info_from_caps (&info, caps))
    return GST_FLOW_NOT_NEGOTIATED;
  *buffer = igtl_src_copy_slice (self, &info);
  if (*buffer == NULL) {
    g_set_error_literal (error, OCT_ERROR, OCT_ERROR_MEMORY,
        "There is no memory for an image of the peer; set `most-bytes` to "
        "less");
    return GST_FLOW_ERROR;
  }
  if (image->size[2] > 1)
    gst_oct_scan_meta_set (
        *buffer, &(GstOctScanPosition){ .bscan = image->from[2] + self->slice,
                     .bscans = image->size[2],
                     .volume = self->volume,
                     .count = 1 });
  self->slice++;
  if (self->slice == image->part[2]) {
    self->has_image = FALSE;
    self->volume += image->from[2] + image->part[2] == image->size[2];
    GST_OBJECT_LOCK (self);
    self->settings.images++;
    GST_OBJECT_UNLOCK (self);
  }
  return GST_FLOW_OK;
}

/* ------------------------------------------------------------------- stream */

static GstFlowReturn
igtl_src_take (GstOctIgtlSrc *self, const OctIgtlHeader *header,
    const guint8 *body, GError **error)
{
  if (g_str_equal (header->type, "IMAGE"))
    return igtl_src_take_image (self, header, body, error);
  if (g_str_equal (header->type, "TRANSFORM"))
    return igtl_src_take_transform (self, header, body, error) ? GST_FLOW_OK
                                                               : GST_FLOW_ERROR;
  return igtl_src_take_status (self, header, body, error) ? GST_FLOW_OK
                                                          : GST_FLOW_ERROR;
}

static void
igtl_src_tell_silence (GstOctIgtlSrc *self)
{
  if (!self->silent)
    GST_ELEMENT_WARNING (self, RESOURCE, READ,
        ("Nothing has come from the peer for %u ms; look at the program there.",
            self->settings.timeout),
        (NULL));
  self->silent = TRUE;
}

/* Connects, or takes a message. */
static GstFlowReturn
igtl_src_step (GstOctIgtlSrc *self, GError **error)
{
  static const char *const types[] = { "IMAGE", "TRANSFORM", "STATUS", NULL };
  const Settings *s = &self->settings;
  GstClockTime timeout = s->timeout * GST_MSECOND;
  const guint8 *body = NULL;
  OctIgtlHeader header;
  GstOctIgtlRead read;

  read = self->connected
             ? gst_oct_igtl_peer_read (
                 self->peer, types, timeout, &header, &body, error)
             : gst_oct_igtl_peer_connect (self->peer,
                 s->host != NULL && *s->host != '\0' ? s->host : DEFAULT_HOST,
                 s->port, timeout, error);
  switch (read) {
  case GST_OCT_IGTL_MESSAGE:
    self->silent = FALSE;
    if (self->connected)
      return igtl_src_take (self, &header, body, error);
    self->connected = TRUE;
    return GST_FLOW_OK;
  case GST_OCT_IGTL_END:
    return GST_FLOW_EOS;
  case GST_OCT_IGTL_INTERRUPTED:
    return GST_FLOW_FLUSHING;
  case GST_OCT_IGTL_SILENT:
    igtl_src_tell_silence (self);
    return GST_FLOW_OK;
  case GST_OCT_IGTL_FAILED:
    break;
  }
  return GST_FLOW_ERROR;
}

static GstFlowReturn
igtl_src_create (GstPushSrc *push, GstBuffer **buffer)
{
  GstOctIgtlSrc *self = GST_OCT_IGTL_SRC (push);
  GstFlowReturn ret = GST_FLOW_OK;
  g_autoptr (GError) error = NULL;

  while (ret == GST_FLOW_OK && !self->has_image)
    ret = igtl_src_step (self, &error);
  if (ret == GST_FLOW_OK)
    ret = igtl_src_deliver (self, buffer, &error);
  if (error != NULL)
    gst_oct_push_src_fail (GST_OCT_PUSH_SRC (self), &error);
  return ret;
}

/* Caps are those of an image, which sets them. */
static gboolean
igtl_src_negotiate (GstBaseSrc *base)
{
  return TRUE;
}

static gboolean
igtl_src_start (GstBaseSrc *base)
{
  GstOctIgtlSrc *self = GST_OCT_IGTL_SRC (base);

  gst_oct_push_src_begin (GST_OCT_PUSH_SRC (self));
  self->connected = self->silent = self->told_kind = self->has_image = FALSE;
  self->volume = 0;
  self->messages = MOST_MESSAGES;
  self->messages_at = g_get_monotonic_time ();
  GST_OBJECT_LOCK (self);
  self->settings.images = self->settings.skipped = 0;
  GST_OBJECT_UNLOCK (self);
  self->peer = gst_oct_igtl_peer_new (self->settings.most_bytes);
  return TRUE;
}

static gboolean
igtl_src_stop (GstBaseSrc *base)
{
  g_clear_pointer (&GST_OCT_IGTL_SRC (base)->peer, gst_oct_igtl_peer_free);
  return TRUE;
}

/* A flush may come before the start, or after the end. */
static gboolean
igtl_src_interrupt (GstBaseSrc *base, gboolean on)
{
  GstOctIgtlSrc *self = GST_OCT_IGTL_SRC (base);

  if (self->peer != NULL)
    gst_oct_igtl_peer_interrupt (self->peer, on);
  return TRUE;
}

static gboolean
igtl_src_unlock (GstBaseSrc *base)
{
  return igtl_src_interrupt (base, TRUE);
}

static gboolean
igtl_src_unlock_stop (GstBaseSrc *base)
{
  return igtl_src_interrupt (base, FALSE);
}

/* ------------------------------------------------------------------- object */

static const GstOctHolder holder = {
  .properties = &properties,
  .offset = G_STRUCT_OFFSET (GstOctIgtlSrc, settings),
};

static void
gst_oct_igtl_src_finalize (GObject *object)
{
  gst_oct_properties_clear (&properties, &GST_OCT_IGTL_SRC (object)->settings);
  G_OBJECT_CLASS (gst_oct_igtl_src_parent_class)->finalize (object);
}

static void
gst_oct_igtl_src_class_init (GstOctIgtlSrcClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseSrcClass *base_class = GST_BASE_SRC_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (
      gst_oct_igtl_src_debug, "octigtlsrc", 0, "OCT OpenIGTLink source");
  gst_oct_holder_install (&holder, object_class, 1);
  object_class->finalize = gst_oct_igtl_src_finalize;
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class,
      "OCT OpenIGTLink source", "Source/Network",
      "Gets images, volumes and poses of a server of OpenIGTLink",
      "The gst-oct developers");
  base_class->start = igtl_src_start;
  base_class->stop = igtl_src_stop;
  base_class->unlock = igtl_src_unlock;
  base_class->unlock_stop = igtl_src_unlock_stop;
  base_class->negotiate = igtl_src_negotiate;
  GST_PUSH_SRC_CLASS (klass)->create = igtl_src_create;
}

static void
gst_oct_igtl_src_init (GstOctIgtlSrc *self)
{
  GstBaseSrc *base = GST_BASE_SRC (self);

  gst_oct_properties_init (&properties, &self->settings);
  gst_base_src_set_live (base, TRUE);
  gst_base_src_set_do_timestamp (base, TRUE);
}
