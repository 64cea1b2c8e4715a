/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctdevices.h"
#include <gst/base/gstbasetransform.h>
#include "gstoctcollect.h"
#include "gstoctfilter.h"
#include "gstoctscatter.h"
#include "oct-types.h"

#define MAX_DEVICES 64
/* Images of each GPU that wait for the next element.  Reading an image waits
 * until it has arrived; in the thread of a branch its GPU would be idle
 * meanwhile. */
#define WAITING 2
#define HOST_CAPS                                                              \
  "video/x-raw; application/x-oct-spectra; application/x-oct-ascans"

struct _GstOctDevices {
  GstBin *bin; /* not owned */
  GArray *ids;
  /* children of the bin */
  GstElement *before, *scatter, *collect, *queue, *own_end;
  GPtrArray *workers; /* of the GPUs but the first */

  GMutex lock;
  GArray *failed; /* of gboolean, as `ids` */
  gboolean ended; /* by an error that is not of one GPU */
};

GArray *
gst_oct_devices_parse (const char *text, GError **error)
{
  g_auto (GStrv) words = g_strsplit (text, ",", -1);
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (gint));

  for (guint i = 0; words[i] != NULL; i++) {
    guint64 value;
    gint id;

    if (!g_ascii_string_to_unsigned (
            g_strstrip (words[i]), 10, 0, MAX_DEVICES - 1, &value, NULL))
      goto wrong;
    id = (gint)value;
    for (guint k = 0; k < ids->len; k++)
      if (g_array_index (ids, gint, k) == id)
        goto wrong;
    g_array_append_val (ids, id);
  }
  if (ids->len > 0)
    return g_steal_pointer (&ids);
wrong:
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "devices=\"%s\" of octreconstruct is not a list of GPUs; give each "
      "number "
      "of 0 to %d once, as in devices=0,1.",
      text, MAX_DEVICES - 1);
  return NULL;
}

/* -------------------------------------------------------------- same settings
 */

/* Whether all have the same value of it. */
static gboolean
is_shared (const GParamSpec *spec)
{
  static const char *const own[] = { "name", "parent", "cuda-device-id", NULL };
  const GParamFlags both = G_PARAM_READABLE | G_PARAM_WRITABLE;

  return (spec->flags & both) == both
         && (spec->flags & G_PARAM_CONSTRUCT_ONLY) == 0
         && spec->owner_type != GST_TYPE_OBJECT
         && spec->owner_type != GST_TYPE_ELEMENT
         && spec->owner_type != GST_TYPE_BIN
         && spec->owner_type != GST_TYPE_BASE_TRANSFORM
         && !g_strv_contains (own, spec->name);
}

static void
devices_follow (GObject *from, GObject *to)
{
  guint n;
  g_autofree GParamSpec **specs =
      g_object_class_list_properties (G_OBJECT_GET_CLASS (from), &n);

  for (guint i = 0; i < n; i++)
    if (is_shared (specs[i]))
      g_object_bind_property (
          from, specs[i]->name, to, specs[i]->name, G_BINDING_SYNC_CREATE);
}

/* -------------------------------------------------------------------- elements
 */

static GstElement *
devices_add (GstOctDevices *devices, GType type, const char *name)
{
  GstElement *element = g_object_new (type, "name", name, NULL);

  gst_bin_add (devices->bin, element);
  return element;
}

static GstElement *
add_filter (GstOctDevices *devices, const char *name)
{
  GstElement *filter = gst_element_factory_make ("capsfilter", name);
  g_autoptr (GstCaps) caps = gst_caps_from_string (HOST_CAPS);

  g_object_set (filter, "caps", caps, NULL);
  gst_bin_add (devices->bin, filter);
  return filter;
}

/* Downstream of octcollect, with a thread of its own. */
static GstElement *
add_queue (GstOctDevices *devices)
{
  GstElement *queue = gst_element_factory_make ("queue", "queue");

  g_object_set (queue, "max-size-buffers", WAITING * devices->ids->len,
      "max-size-bytes", 0, "max-size-time", G_GUINT64_CONSTANT (0), NULL);
  gst_bin_add (devices->bin, queue);
  return queue;
}

static void
add_worker (GstOctDevices *devices, gint id, GstElement **parts, guint n_parts)
{
  g_autofree char *name = g_strdup_printf ("gpu%d", id);
  g_autofree char *end_name = g_strdup_printf ("gpu%d-end", id);
  GstElement *worker =
      devices_add (devices, G_OBJECT_TYPE (devices->bin), name);
  GstElement *end = add_filter (devices, end_name);

  for (guint i = 0; i < n_parts; i++) {
    g_autoptr (GObject) part = gst_child_proxy_get_child_by_name (
        GST_CHILD_PROXY (worker), GST_OBJECT_NAME (parts[i]));

    devices_follow (G_OBJECT (parts[i]), part);
    gst_oct_filter_set_device (GST_OCT_FILTER (part), id);
  }
  for (guint i = 0; i < 2; i++)
    g_object_bind_property (devices->bin, i == 0 ? "output" : "method", worker,
        i == 0 ? "output" : "method", G_BINDING_SYNC_CREATE);
  gst_element_link_pads (devices->scatter, "src_%u", worker, "sink");
  gst_element_link (worker, end);
  gst_element_link_pads (end, "src", devices->collect, "sink_%u");
  g_ptr_array_add (devices->workers, worker);
  g_ptr_array_add (devices->workers, end);
}

GstOctDevices *
gst_oct_devices_new (GstBin *bin, const char *text, GArray *ids,
    GstElement **parts, guint n_parts)
{
  GstOctDevices *devices = g_new0 (GstOctDevices, 1);
  gboolean failed = FALSE;

  g_mutex_init (&devices->lock);
  devices->bin = bin;
  devices->ids = g_array_ref (ids);
  devices->failed = g_array_new (FALSE, TRUE, sizeof (gboolean));
  devices->workers = g_ptr_array_new ();
  devices->before = add_filter (devices, "begin");
  devices->scatter = devices_add (devices, GST_TYPE_OCT_SCATTER, "scatter");
  gst_oct_scatter_set_devices (GST_OCT_SCATTER (devices->scatter), text);
  devices->collect = devices_add (devices, GST_TYPE_OCT_COLLECT, "collect");
  devices->queue = add_queue (devices);
  devices->own_end = add_filter (devices, "own-end");
  gst_element_link (devices->before, devices->scatter);
  gst_element_link (devices->collect, devices->queue);
  gst_element_link_pads (devices->scatter, "src_%u", parts[0], "sink");
  gst_element_link_pads (devices->own_end, "src", devices->collect, "sink_%u");
  for (guint i = 0; i < ids->len; i++) {
    g_array_append_val (devices->failed, failed);
    if (i > 0)
      add_worker (devices, g_array_index (ids, gint, i), parts, n_parts);
  }
  return devices;
}

static void
devices_drop (GstOctDevices *devices, GstElement *element)
{
  gst_element_set_state (element, GST_STATE_NULL);
  gst_bin_remove (devices->bin, element);
}

void
gst_oct_devices_free (GstOctDevices *devices)
{
  for (guint i = 0; i < devices->workers->len; i++)
    devices_drop (devices, g_ptr_array_index (devices->workers, i));
  devices_drop (devices, devices->before);
  devices_drop (devices, devices->scatter);
  devices_drop (devices, devices->collect);
  devices_drop (devices, devices->queue);
  devices_drop (devices, devices->own_end);
  g_ptr_array_unref (devices->workers);
  g_array_unref (devices->failed);
  g_array_unref (devices->ids);
  g_mutex_clear (&devices->lock);
  g_free (devices);
}

GstPad *
gst_oct_devices_get_sink (GstOctDevices *devices)
{
  return gst_element_get_static_pad (devices->before, "sink");
}

GstPad *
gst_oct_devices_get_src (GstOctDevices *devices)
{
  return gst_element_get_static_pad (devices->queue, "src");
}

GstPad *
gst_oct_devices_get_own_sink (GstOctDevices *devices)
{
  return gst_element_get_static_pad (devices->own_end, "sink");
}

/* -------------------------------------------------------------------- messages
 */

/* Index in `ids` of the GPU that `source` belongs to; -1 for shared
 * elements. */
static gint
find_device (GstOctDevices *devices, GstObject *source)
{
  GstObject *shared[] = { GST_OBJECT (devices->before),
    GST_OBJECT (devices->scatter), GST_OBJECT (devices->collect),
    GST_OBJECT (devices->queue), GST_OBJECT (devices->bin) };

  for (guint i = 0; i < devices->workers->len; i++)
    if (gst_object_has_as_ancestor (
            source, g_ptr_array_index (devices->workers, i)))
      return (gint)(i / 2 + 1);
  for (guint i = 0; i < G_N_ELEMENTS (shared); i++)
    if (source == shared[i])
      return -1;
  return 0;
}

/* Whether it was the last one. */
static gboolean
devices_fail (GstOctDevices *devices, guint device)
{
  gboolean last = TRUE;

  g_mutex_lock (&devices->lock);
  g_array_index (devices->failed, gboolean, device) = TRUE;
  for (guint i = 0; i < devices->failed->len; i++)
    last &= g_array_index (devices->failed, gboolean, i);
  g_mutex_unlock (&devices->lock);
  return last;
}

/* About settings or their files, which all of them have. */
static gboolean
is_of_settings (const GError *error)
{
  return g_error_matches (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT)
         || (error->domain == GST_RESOURCE_ERROR
             && (error->code == GST_RESOURCE_ERROR_SETTINGS
                 || error->code == GST_RESOURCE_ERROR_NOT_FOUND
                 || error->code == GST_RESOURCE_ERROR_READ));
}

/* The element of GPU `device` that does the same as `part`; NULL: none. */
static GObject *
ref_counterpart (GstOctDevices *devices, guint device, GstObject *part)
{
  gpointer bin = device == 0
                     ? GST_OBJECT (devices->bin)
                     : g_ptr_array_index (devices->workers, 2 * (device - 1));

  return gst_child_proxy_get_child_by_name (
      GST_CHILD_PROXY (bin), GST_OBJECT_NAME (part));
}

static gboolean
same_settings (GObject *a, GObject *b)
{
  gboolean same = G_OBJECT_TYPE (a) == G_OBJECT_TYPE (b);
  guint n;
  g_autofree GParamSpec **specs =
      g_object_class_list_properties (G_OBJECT_GET_CLASS (a), &n);

  for (guint i = 0; same && i < n; i++) {
    g_auto (GValue) first = G_VALUE_INIT, second = G_VALUE_INIT;

    if (!is_shared (specs[i]))
      continue;
    g_object_get_property (a, specs[i]->name, &first);
    g_object_get_property (b, specs[i]->name, &second);
    same = g_param_values_cmp (specs[i], &first, &second) == 0;
  }
  return same;
}

/* Whether a warning repeats an error, or a previous GPU has the same settings
 * in an element at work, which says the same about them. */
static gboolean
is_repeated (GstOctDevices *devices, gint device, GstMessage *message,
    const GError *warning)
{
  GstObject *source = GST_MESSAGE_SRC (message);
  gboolean repeated;

  g_mutex_lock (&devices->lock);
  repeated = devices->ended && source == GST_OBJECT (devices->scatter);
  g_mutex_unlock (&devices->lock);
  if (device < 1 || !GST_IS_OCT_FILTER (source) || !is_of_settings (warning))
    return repeated;
  for (guint i = 0; !repeated && i < (guint)device; i++) {
    g_autoptr (GObject) other = ref_counterpart (devices, i, source);
    gboolean failed;

    g_mutex_lock (&devices->lock);
    failed = g_array_index (devices->failed, gboolean, i);
    g_mutex_unlock (&devices->lock);
    repeated =
        !failed && other != NULL && same_settings (other, G_OBJECT (source));
  }
  return repeated;
}

/* An error that all of them run into ends the stream.  Whether one has. */
static gboolean
devices_end (GstOctDevices *devices)
{
  gboolean ended;

  g_mutex_lock (&devices->lock);
  ended = devices->ended;
  devices->ended = TRUE;
  g_mutex_unlock (&devices->lock);
  return ended;
}

GstMessage *
gst_oct_devices_take_message (GstOctDevices *devices, GstMessage *message)
{
  g_autoptr (GError) error = NULL, warning = NULL;
  GstMessage *instead;
  gint device;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING)
    gst_message_parse_warning (message, &error, NULL);
  else
    return message;
  device = find_device (devices, GST_MESSAGE_SRC (message));
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING
          ? is_repeated (devices, device, message, error)
          : device >= 0 && is_of_settings (error) && devices_end (devices)) {
    gst_message_unref (message);
    return NULL;
  }
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING
      || is_of_settings (error))
    return message;
  if (device < 0 || devices_fail (devices, (guint)device))
    return message;
  warning = g_error_new (error->domain, error->code,
      "GPU %d has failed and is left out, the others go on: %s",
      g_array_index (devices->ids, gint, device), error->message);
  instead = gst_message_new_warning (GST_MESSAGE_SRC (message), warning, NULL);
  gst_message_unref (message);
  return instead;
}
