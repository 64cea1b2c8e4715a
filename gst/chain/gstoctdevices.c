/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctdevices.h"
#include <gst/base/gstbasetransform.h>
#include "gstoctcollect.h"
#include "gstoctreconstruct.h"
#include "gstoctscatter.h"
#include "oct-types.h"

#define MAX_DEVICES 64
#define HOST_CAPS                                                              \
  "video/x-raw; application/x-oct-spectra; application/x-oct-ascans"

struct _GstOctDevices {
  GstBin *bin; /* not owned */
  GArray *ids;
  /* children of the bin */
  GstElement *before, *scatter, *collect, *own_end;
  GPtrArray *workers; /* of the GPUs but the first */

  GMutex lock;
  GArray *failed; /* of gboolean, as `ids` */
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
      "devices=\"%s\" of octreconstruct is no list of GPUs; give each number "
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
follow (GObject *from, GObject *to)
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

static void
add_worker (GstOctDevices *devices, gint id, GstElement **parts, guint n_parts)
{
  g_autofree char *name = g_strdup_printf ("gpu%d", id);
  g_autofree char *end_name = g_strdup_printf ("gpu%d-end", id);
  GstElement *worker = devices_add (devices, GST_TYPE_OCT_RECONSTRUCT, name);
  GstElement *end = add_filter (devices, end_name);

  for (guint i = 0; i < n_parts; i++) {
    g_autoptr (GObject) part = gst_child_proxy_get_child_by_name (
        GST_CHILD_PROXY (worker), GST_OBJECT_NAME (parts[i]));

    follow (G_OBJECT (parts[i]), part);
  }
  for (guint i = 0; i < 2; i++)
    g_object_bind_property (devices->bin, i == 0 ? "output" : "method", worker,
        i == 0 ? "output" : "method", G_BINDING_SYNC_CREATE);
  g_object_set (worker, "cuda-device-id", id, NULL);
  gst_element_link_pads (devices->scatter, "src_%u", worker, "sink");
  gst_element_link (worker, end);
  gst_element_link_pads (end, "src", devices->collect, "sink_%u");
  g_ptr_array_add (devices->workers, worker);
  g_ptr_array_add (devices->workers, end);
}

GstOctDevices *
gst_oct_devices_new (
    GstBin *bin, GArray *ids, GstElement **parts, guint n_parts)
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
  devices->collect = devices_add (devices, GST_TYPE_OCT_COLLECT, "collect");
  devices->own_end = add_filter (devices, "own-end");
  gst_element_link (devices->before, devices->scatter);
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
drop (GstOctDevices *devices, GstElement *element)
{
  gst_element_set_state (element, GST_STATE_NULL);
  gst_bin_remove (devices->bin, element);
}

void
gst_oct_devices_free (GstOctDevices *devices)
{
  for (guint i = 0; i < devices->workers->len; i++)
    drop (devices, g_ptr_array_index (devices->workers, i));
  drop (devices, devices->before);
  drop (devices, devices->scatter);
  drop (devices, devices->collect);
  drop (devices, devices->own_end);
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
  return gst_element_get_static_pad (devices->collect, "src");
}

GstPad *
gst_oct_devices_get_own_sink (GstOctDevices *devices)
{
  return gst_element_get_static_pad (devices->own_end, "sink");
}

/* -------------------------------------------------------------------- messages
 */

/* Whose it is, as in `ids`; -1: of what all of them share. */
static gint
find_device (GstOctDevices *devices, GstObject *source)
{
  GstObject *shared[] = { GST_OBJECT (devices->before),
    GST_OBJECT (devices->scatter), GST_OBJECT (devices->collect),
    GST_OBJECT (devices->bin) };

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

GstMessage *
gst_oct_devices_take_message (GstOctDevices *devices, GstMessage *message)
{
  g_autoptr (GError) error = NULL, warning = NULL;
  GstMessage *instead;
  gint device;

  if (GST_MESSAGE_TYPE (message) != GST_MESSAGE_ERROR)
    return message;
  device = find_device (devices, GST_MESSAGE_SRC (message));
  if (device < 0 || devices_fail (devices, (guint)device))
    return message;
  gst_message_parse_error (message, &error, NULL);
  warning = g_error_new (error->domain, error->code,
      "GPU %d has failed and is left out, the others go on: %s",
      g_array_index (devices->ids, gint, device), error->message);
  instead = gst_message_new_warning (GST_MESSAGE_SRC (message), warning, NULL);
  gst_message_unref (message);
  return instead;
}
