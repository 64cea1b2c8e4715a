/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctcameradevice.h"
#include "gstoctcamerafeatures.h"

#define FAKE_PROTOCOL "Fake"
#define FAKE_PREFIX "Fake_"

/* Values of more bits come first: a pad that takes 16 bit gets the best there
 * is. Codes that Aravis has no name for are those of the Pixel Format Naming
 * Convention, as all others. */
static const GstOctCameraFormat formats[] = {
  { "Mono16", ARV_PIXEL_FORMAT_MONO_16, 16, GST_OCT_CAMERA_PLAIN },
  { "Mono14", ARV_PIXEL_FORMAT_MONO_14, 14, GST_OCT_CAMERA_PLAIN },
  { "Mono14p", 0x010e0104, 14, GST_OCT_CAMERA_BITS },
  { "Mono12", ARV_PIXEL_FORMAT_MONO_12, 12, GST_OCT_CAMERA_PLAIN },
  { "Mono12p", 0x010c0047, 12, GST_OCT_CAMERA_BITS },
  { "Mono12Packed", ARV_PIXEL_FORMAT_MONO_12_PACKED, 12, GST_OCT_CAMERA_PAIRS },
  { "Mono10", ARV_PIXEL_FORMAT_MONO_10, 10, GST_OCT_CAMERA_PLAIN },
  { "Mono10p", 0x010a0046, 10, GST_OCT_CAMERA_BITS },
  { "Mono10Packed", ARV_PIXEL_FORMAT_MONO_10_PACKED, 10, GST_OCT_CAMERA_PAIRS },
  { "Mono8", ARV_PIXEL_FORMAT_MONO_8, 8, GST_OCT_CAMERA_PLAIN },
};

typedef struct {
  gint least, most, now;
} Bounds;

struct _GstOctCameraDevice {
  ArvCamera *camera;
  char *id;
  gint gone; /* atomic */

  /* as it was when it had been set up */
  const GstOctCameraFormat *allowed[G_N_ELEMENTS (formats)]; /* NULL: no */
  const GstOctCameraFormat *format; /* NULL: one that is not of the table */
  Bounds width, height;
  double rate;       /* frames per second, 0 = not known */
  gboolean has_rate; /* it can be set */
};

/* ----------------------------------------------------------------- finding */

/* Those that there are, for a sentence. */
static char *
list_cameras (void)
{
  g_autoptr (GString) list = g_string_new (NULL);
  guint count = arv_get_n_devices ();

  for (guint i = 0; i < count; i++)
    g_string_append_printf (
        list, "%s%s", i > 0 ? ", " : "", arv_get_device_id (i));
  return g_string_free (g_steal_pointer (&list), FALSE);
}

/* The first that is real. */
static char *
find_first_camera (GError **error)
{
  guint count;

  arv_update_device_list ();
  count = arv_get_n_devices ();
  for (guint i = 0; i < count; i++)
    if (g_strcmp0 (arv_get_device_protocol (i), FAKE_PROTOCOL) != 0)
      return g_strdup (arv_get_device_id (i));
  g_set_error_literal (error, OCT_ERROR, OCT_ERROR_NOT_FOUND,
      "No GenICam camera was found; connect one and switch it on, or set "
      "`camera` of octcamerasrc to its address.");
  return NULL;
}

static ArvCamera *
open_camera (const char *id, GError **error)
{
  g_autoptr (GError) reason = NULL;
  g_autofree char *there = NULL;
  ArvCamera *camera;

  if (g_str_has_prefix (id, FAKE_PREFIX))
    arv_enable_interface (FAKE_PROTOCOL);
  camera = arv_camera_new (id, &reason);
  if (camera != NULL)
    return camera;
  arv_update_device_list ();
  there = list_cameras ();
  if (reason == NULL
      || g_error_matches (reason, ARV_DEVICE_ERROR, ARV_DEVICE_ERROR_NOT_FOUND))
    g_set_error (error, OCT_ERROR, OCT_ERROR_NOT_FOUND,
        "There is no camera \"%s\", but %s; set `camera` of octcamerasrc to "
        "the "
        "name or address of one that is connected and switched on.",
        id, *there != '\0' ? there : "none at all");
  else
    g_set_error (error, OCT_ERROR, OCT_ERROR_NOT_FOUND,
        "The camera \"%s\" cannot be opened (%s); check that it is switched on "
        "and that no other program uses it.",
        id, reason->message);
  return NULL;
}

/* -------------------------------------------------------------- description */

static const GstOctCameraFormat *
find_format (guint32 code)
{
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    if (formats[i].code == code)
      return &formats[i];
  return NULL;
}

static gboolean
device_fails (GstOctCameraDevice *device, GError **reason, GError **error)
{
  if (*reason == NULL)
    return FALSE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_NOT_FOUND,
      "The camera \"%s\" does not tell what it delivers (%s); check its cable, "
      "and that no other program uses it.",
      device->id, (*reason)->message);
  return TRUE;
}

static gboolean
read_formats (GstOctCameraDevice *device, gboolean only_now, GError **error)
{
  g_autoptr (GError) reason = NULL;
  g_autofree gint64 *codes = NULL;
  guint count = 0;
  gboolean any = FALSE;

  device->format =
      find_format (arv_camera_get_pixel_format (device->camera, &reason));
  if (!only_now && reason == NULL)
    codes = arv_camera_dup_available_pixel_formats (
        device->camera, &count, &reason);
  if (device_fails (device, &reason, error))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    gboolean there = &formats[i] == device->format;

    for (guint j = 0; j < count && !there; j++)
      there = (guint32)codes[j] == formats[i].code;
    device->allowed[i] = there ? &formats[i] : NULL;
    any |= there;
  }
  if (!any)
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The camera \"%s\" delivers %s, but spectra are grey, from Mono8 to "
        "Mono16; set `features` of octcamerasrc to PixelFormat=Mono12, for "
        "example.",
        device->id,
        arv_camera_get_pixel_format_as_string (device->camera, NULL));
  return any;
}

static gboolean
read_sizes (GstOctCameraDevice *device, GError **error)
{
  g_autoptr (GError) reason = NULL;
  Bounds *w = &device->width, *h = &device->height;

  arv_camera_get_region (device->camera, NULL, NULL, &w->now, &h->now, &reason);
  if (reason == NULL)
    arv_camera_get_width_bounds (device->camera, &w->least, &w->most, &reason);
  if (reason == NULL)
    arv_camera_get_height_bounds (device->camera, &h->least, &h->most, &reason);
  if (device_fails (device, &reason, error))
    return FALSE;
  for (Bounds *bounds = w;; bounds = h) {
    bounds->least = CLAMP (bounds->least, 1, (gint)OCT_MAX_SAMPLES);
    bounds->most = CLAMP (bounds->most, bounds->least, (gint)OCT_MAX_SAMPLES);
    bounds->now = CLAMP (bounds->now, bounds->least, bounds->most);
    if (bounds == h)
      return TRUE;
  }
}

/* Line cameras often have none. */
static void
read_rate (GstOctCameraDevice *device, gboolean triggered)
{
  g_autoptr (GError) reason = NULL;

  device->has_rate =
      !triggered && arv_camera_is_frame_rate_available (device->camera, NULL);
  device->rate = device->has_rate
                     ? arv_camera_get_frame_rate (device->camera, &reason)
                     : 0.0;
  if (reason != NULL || !(device->rate > 0.0))
    device->rate = 0.0;
}

/* --------------------------------------------------------------------- open */

static void
on_control_lost (ArvDevice *device, gpointer data)
{
  g_atomic_int_set (&((GstOctCameraDevice *)data)->gone, TRUE);
}

static gboolean
set_up_camera (GstOctCameraDevice *device, const GstOctCameraChoice *choice,
    GError **error)
{
  gboolean has_format = FALSE;

  /* a value out of range is an error, and none is an old one */
  arv_camera_set_range_check_policy (
      device->camera, ARV_RANGE_CHECK_POLICY_ENABLE);
  arv_camera_set_register_cache_policy (
      device->camera, ARV_REGISTER_CACHE_POLICY_DISABLE);
  if (!gst_oct_camera_set_features (
          device->camera, device->id, choice->features, &has_format, error)
      || !gst_oct_camera_set_trigger (
          device->camera, device->id, choice->trigger, error)
      || !read_formats (device, has_format, error)
      || !read_sizes (device, error))
    return FALSE;
  if (choice->lines > 0) {
    if ((gint)choice->lines < device->height.least
        || (gint)choice->lines > device->height.most) {
      g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
          "The camera \"%s\" puts %d to %d lines into a frame, not %u; set "
          "`lines` of octcamerasrc to a number of these.",
          device->id, device->height.least, device->height.most, choice->lines);
      return FALSE;
    }
    device->height.least = device->height.most = device->height.now =
        (gint)choice->lines;
  }
  read_rate (device, gst_oct_camera_is_triggered (choice->trigger));
  return TRUE;
}

GstOctCameraDevice *
gst_oct_camera_device_open (const GstOctCameraChoice *choice, GError **error)
{
  g_autofree char *id = choice->camera != NULL && *choice->camera != '\0'
                            ? g_strdup (choice->camera)
                            : find_first_camera (error);
  ArvCamera *camera = id != NULL ? open_camera (id, error) : NULL;
  GstOctCameraDevice *device;

  if (camera == NULL)
    return NULL;
  device = g_new0 (GstOctCameraDevice, 1);
  device->camera = camera;
  device->id = g_steal_pointer (&id);
  g_signal_connect (arv_camera_get_device (camera), "control-lost",
      G_CALLBACK (on_control_lost), device);
  if (!set_up_camera (device, choice, error)) {
    gst_oct_camera_device_close (device);
    return NULL;
  }
  return device;
}

void
gst_oct_camera_device_close (GstOctCameraDevice *device)
{
  if (device == NULL)
    return;
  g_signal_handlers_disconnect_by_data (
      arv_camera_get_device (device->camera), device);
  g_object_unref (device->camera);
  g_free (device->id);
  g_free (device);
}

const char *
gst_oct_camera_device_get_id (const GstOctCameraDevice *device)
{
  return device->id;
}

ArvCamera *
gst_oct_camera_device_get_camera (const GstOctCameraDevice *device)
{
  return device->camera;
}

/* --------------------------------------------------------------------- caps */

static const char *
get_video_format (const GstOctCameraFormat *format)
{
  return format->bits == 8 ? "GRAY8" : "GRAY16_LE";
}

static void
set_bounds (GstStructure *s, const char *name, const Bounds *bounds)
{
  if (bounds->least < bounds->most)
    gst_structure_set (
        s, name, GST_TYPE_INT_RANGE, bounds->least, bounds->most, NULL);
  else
    gst_structure_set (s, name, G_TYPE_INT, bounds->now, NULL);
}

static void
append_caps (
    const GstOctCameraDevice *device, GstCaps *caps, const char *format)
{
  GstStructure *s = gst_structure_new ("video/x-raw", "format", G_TYPE_STRING,
      format, "framerate", GST_TYPE_FRACTION_RANGE, 0, 1, G_MAXINT, 1, NULL);

  set_bounds (s, "width", &device->width);
  set_bounds (s, "height", &device->height);
  /* elements downstream may offer to take the lines for several B-scans */
  gst_structure_set (s, GST_OCT_BSCANS_FIELD, G_TYPE_INT, 1, NULL);
  gst_caps_append_structure (caps, s);
}

GstCaps *
gst_oct_camera_device_get_caps (const GstOctCameraDevice *device)
{
  GstCaps *caps = gst_caps_new_empty ();
  const char *first = NULL;

  if (device->format != NULL) {
    first = get_video_format (device->format);
    append_caps (device, caps, first);
  }
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    if (device->allowed[i] != NULL
        && g_strcmp0 (get_video_format (&formats[i]), first) != 0) {
      append_caps (device, caps, get_video_format (&formats[i]));
      if (first != NULL)
        break;
      first = get_video_format (&formats[i]);
    }
  return caps;
}

/* Those of `caps` in which all of these fields are as the camera is set, or all
 * if there are none.  Elements downstream may offer a size of their own first. */
static GstCaps *
keep_as_set (
    const GstOctCameraDevice *device, GstCaps *caps, gboolean also_format)
{
  GstCaps *set = gst_caps_new_simple ("video/x-raw", "width", G_TYPE_INT,
      device->width.now, "height", G_TYPE_INT, device->height.now, NULL);
  GstCaps *both;

  if (also_format && device->format != NULL)
    gst_caps_set_simple (
        set, "format", G_TYPE_STRING, get_video_format (device->format), NULL);
  both = gst_caps_intersect_full (caps, set, GST_CAPS_INTERSECT_FIRST);
  gst_caps_unref (set);
  if (gst_caps_is_empty (both)) {
    gst_caps_unref (both);
    return caps;
  }
  gst_caps_unref (caps);
  return both;
}

GstCaps *
gst_oct_camera_device_fixate (const GstOctCameraDevice *device, GstCaps *caps)
{
  GstStructure *s;
  gint n = 0, d = 1;

  caps = keep_as_set (device, keep_as_set (device, caps, FALSE), TRUE);
  caps = gst_caps_make_writable (gst_caps_truncate (caps));
  s = gst_caps_get_structure (caps, 0);
  if (device->rate > 0.0)
    gst_util_double_to_fraction (device->rate, &n, &d);
  gst_structure_fixate_field_nearest_int (s, "width", device->width.now);
  gst_structure_fixate_field_nearest_int (s, "height", device->height.now);
  gst_structure_fixate_field_nearest_fraction (s, "framerate", n, d);
  return caps;
}

/* The one that it is set to, if that fits. */
static const GstOctCameraFormat *
choose_format (const GstOctCameraDevice *device, const char *wanted)
{
  if (device->format != NULL
      && g_strcmp0 (get_video_format (device->format), wanted) == 0)
    return device->format;
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    if (device->allowed[i] != NULL
        && g_strcmp0 (get_video_format (&formats[i]), wanted) == 0)
      return &formats[i];
  return NULL;
}

static gboolean
device_check_layout (GstOctCameraDevice *device,
    const GstOctCameraLayout *layout, GError **error)
{
  gsize values = (gsize)layout->width * layout->height;
  gsize least = (values
                        * (layout->format->packing == GST_OCT_CAMERA_PLAIN
                                ? (layout->format->bits + 7) / 8 * 8
                            : layout->format->packing == GST_OCT_CAMERA_PAIRS
                                ? 12
                                : layout->format->bits)
                    + 7)
                / 8;

  if (layout->format->packing == GST_OCT_CAMERA_PAIRS && values % 2 != 0)
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "%s packs two values into three bytes, but a frame of %u x %u has an "
        "odd "
        "number of them; ask for an even width or height.",
        layout->format->name, layout->width, layout->height);
  else if (layout->size < least)
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The camera \"%s\" announces frames of %" G_GSIZE_FORMAT
        " bytes, but %u x %u values of %s take %" G_GSIZE_FORMAT
        "; set `features` of octcamerasrc so that it sends whole frames.",
        device->id, layout->size, layout->width, layout->height,
        layout->format->name, least);
  else
    return TRUE;
  return FALSE;
}

/* Sets the values that differ, and reads them again. */
static gboolean
set_region (GstOctCameraDevice *device, gint width, gint height,
    GstOctCameraLayout *layout, GError **error)
{
  ArvCamera *camera = device->camera;
  g_autoptr (GError) reason = NULL;
  gint w = 0, h = 0;

  if (layout->format != device->format) {
    arv_camera_set_pixel_format_from_string (
        camera, layout->format->name, &reason);
    if (reason == NULL)
      device->format = layout->format;
  }
  if (reason == NULL)
    arv_camera_get_region (camera, NULL, NULL, &w, &h, &reason);
  if (reason == NULL && (w != width || h != height)) {
    /* offsets stay */
    arv_camera_set_region (camera, -1, -1, width, height, &reason);
    if (reason == NULL)
      arv_camera_get_region (camera, NULL, NULL, &w, &h, &reason);
  }
  if (reason == NULL)
    layout->size = arv_camera_get_payload (camera, &reason);
  if (reason == NULL && w == width && h == height) {
    layout->width = (guint)w;
    layout->height = (guint)h;
    return TRUE;
  }
  if (reason != NULL)
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The camera \"%s\" refuses frames of %d x %d in %s (%s); ask for a "
        "size "
        "that it has, or set Width and Height in `features` of octcamerasrc.",
        device->id, width, height, layout->format->name, reason->message);
  else
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The camera \"%s\" was asked for frames of %d x %d and delivers %d x "
        "%d; "
        "ask for these, or for a multiple of its steps.",
        device->id, width, height, w, h);
  return FALSE;
}

static gboolean
set_rate (GstOctCameraDevice *device, const GstStructure *s, GError **error)
{
  g_autoptr (GError) reason = NULL;
  gint n = 0, d = 1;
  double rate;

  if (!device->has_rate || !gst_structure_get_fraction (s, "framerate", &n, &d)
      || n <= 0)
    return TRUE;
  rate = (double)n / d;
  if (ABS (rate - device->rate) <= 1e-3 * rate)
    return TRUE;
  arv_camera_set_frame_rate (device->camera, rate, &reason);
  if (reason == NULL)
    device->rate = arv_camera_get_frame_rate (device->camera, &reason);
  if (reason == NULL && ABS (rate - device->rate) <= 1e-2 * rate)
    return TRUE;
  if (reason != NULL)
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The camera \"%s\" refuses %g frames per second (%s); ask for another "
        "framerate.",
        device->id, rate, reason->message);
  else
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The camera \"%s\" was asked for %g frames per second and delivers %g; "
        "ask for that framerate, or set a shorter exposure in `features` of "
        "octcamerasrc.",
        device->id, rate, device->rate);
  return FALSE;
}

gboolean
gst_oct_camera_device_configure (GstOctCameraDevice *device,
    const GstCaps *caps, GstOctCameraLayout *layout, GError **error)
{
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  gint width = 0, height = 0;

  *layout = (GstOctCameraLayout){ .format = choose_format (device,
                                      gst_structure_get_string (s, "format")) };
  gst_structure_get_int (s, "width", &width);
  gst_structure_get_int (s, "height", &height);
  if (layout->format == NULL) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The camera \"%s\" does not deliver %s any more; start again.",
        device->id, gst_structure_get_string (s, "format"));
    return FALSE;
  }
  return set_region (device, width, height, layout, error)
         && device_check_layout (device, layout, error)
         && set_rate (device, s, error);
}

/* -------------------------------------------------------------- is it there? */

gboolean
gst_oct_camera_device_is_there (const GstOctCameraDevice *device)
{
  return !g_atomic_int_get (&device->gone);
}

gboolean
gst_oct_camera_device_answers (GstOctCameraDevice *device)
{
  g_autoptr (GError) reason = NULL;
  gint width;

  arv_camera_get_region (device->camera, NULL, NULL, &width, NULL, &reason);
  if (reason != NULL)
    g_atomic_int_set (&device->gone, TRUE);
  return reason == NULL;
}

gboolean
gst_oct_camera_device_numbers_all (const GstOctCameraDevice *device)
{
  return arv_camera_is_gv_device (device->camera)
         || arv_camera_is_uv_device (device->camera);
}
