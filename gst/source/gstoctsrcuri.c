/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctsrcuri.h"

static GstURIType
src_uri_get_type (GType type)
{
  return GST_URI_SRC;
}

static const char *const *
src_uri_get_protocols (GType type)
{
  static const char *const protocols[] = { GST_OCT_URI_PROTOCOL, NULL };

  return protocols;
}

char *
gst_oct_uri_make (const char *protocol, GObject *src)
{
  g_autofree char *location = NULL, *path = NULL, *escaped = NULL;

  g_object_get (src, "location", &location, NULL);
  if (location == NULL)
    return g_strconcat (protocol, "://", NULL);
  path = g_canonicalize_filename (location, NULL);
  escaped =
      g_uri_escape_string (path, G_URI_RESERVED_CHARS_ALLOWED_IN_PATH, FALSE);
  return g_strconcat (protocol, "://", escaped, NULL);
}

static void
set_bad (
    const GstOctUri *target, GError **error, const char *uri, const char *what)
{
  g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_BAD_URI,
      "'%s' %s; write %s:///folder/scan.npy, with properties of octsrc%s "
      "after "
      "it where they are needed, such as ?samples=1024&lines=500",
      uri, what, target->protocol,
      target->reconstruct != NULL ? " and octreconstruct" : "");
}

/* Whether a URI may set it: the element's own, and how many buffers are played.
 * Not which file that is, which the path says, and none that is written, as
 * URIs come from elsewhere; images are what players take.  The others of the
 * base class are for programs. */
static gboolean
may_set (GObject *object, const GParamSpec *pspec)
{
  static const char *const never[] = { "location", "scan-mask-output", "output",
    NULL };

  return (pspec->flags & G_PARAM_WRITABLE) != 0
         && (g_str_equal (pspec->name, "num-buffers")
             || (pspec->owner_type == G_OBJECT_TYPE (object)
                 && !g_strv_contains (never, pspec->name)));
}

/* The element that the setting is for: octsrc if both have it, as the
 * calibration, which octsrc passes on.  NULL: neither. */
static GObject *
find_taker (const GstOctUri *target, const char *name)
{
  GObject *const objects[] = { target->src, target->reconstruct };
  GObject *taker = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (objects); i++) {
    GParamSpec *pspec = objects[i] != NULL ? g_object_class_find_property (
                            G_OBJECT_GET_CLASS (objects[i]), name)
                                           : NULL;

    if (pspec != NULL && may_set (objects[i], pspec))
      return objects[i];
    if (pspec != NULL && taker == NULL)
      taker = objects[i];
  }
  return taker;
}

/* Why it cannot be set, to be freed, or NULL: it can. */
static char *
find_fault (const GstOctUri *target, const char *name, const char *text)
{
  GObject *object = find_taker (target, name);
  GParamSpec *pspec = object != NULL ? g_object_class_find_property (
                          G_OBJECT_GET_CLASS (object), name)
                                     : NULL;
  g_auto (GValue) value = G_VALUE_INIT;

  if (pspec == NULL)
    return g_strdup_printf ("sets '%s', which %s", name,
        target->reconstruct != NULL ? "neither octsrc nor octreconstruct has"
                                    : "octsrc does not have");
  if (!may_set (object, pspec))
    return g_strdup_printf ("sets '%s', which a URI may not set", name);
  g_value_init (&value, pspec->value_type);
  if (text == NULL || !gst_value_deserialize (&value, text)
      || g_param_value_validate (pspec, &value))
    return g_strdup_printf ("sets '%s' to '%s', which is not possible", name,
        text != NULL ? text : "");
  return NULL;
}

/* Nothing is set unless all of it can be. */
static gboolean
set_properties (const GstOctUri *target, const char *uri, GHashTable *settings,
    GError **error)
{
  /* both compute on the backend that is set */
  static const char *const of_computer[] = { "backend", "cuda-device-id",
    NULL };
  GHashTableIter iter;
  gpointer name, text;

  g_hash_table_iter_init (&iter, settings);
  while (g_hash_table_iter_next (&iter, &name, &text)) {
    g_autofree char *fault = find_fault (target, name, text);

    if (fault != NULL) {
      set_bad (target, error, uri, fault);
      return FALSE;
    }
  }
  g_hash_table_iter_init (&iter, settings);
  while (g_hash_table_iter_next (&iter, &name, &text)) {
    gst_util_set_object_arg (find_taker (target, name), name, text);
    if (target->reconstruct != NULL && g_strv_contains (of_computer, name))
      gst_util_set_object_arg (target->reconstruct, name, text);
  }
  return TRUE;
}

gboolean
gst_oct_uri_set (const GstOctUri *target, GstElement *element, const char *uri,
    GError **error)
{
  GstUri *parsed = gst_uri_from_string (uri);
  g_autofree char *path = parsed != NULL ? gst_uri_get_path (parsed) : NULL;
  GHashTable *settings =
      parsed != NULL ? gst_uri_get_query_table (parsed) : NULL;
  const char *host = parsed != NULL ? gst_uri_get_host (parsed) : NULL;
  gboolean ok = FALSE;

  if (GST_STATE (element) > GST_STATE_READY)
    g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_BAD_STATE,
        "The URI '%s' cannot be set while octsrc plays; stop it first", uri);
  else if (parsed == NULL || gst_uri_get_fragment (parsed) != NULL)
    set_bad (target, error, uri, "is not a URI that octsrc can read");
  else if (host != NULL && *host != '\0')
    set_bad (target, error, uri,
        "names a computer, but only files of this one can be read");
  else if (settings == NULL || set_properties (target, uri, settings, error))
    ok = TRUE;
  if (ok)
    g_object_set (target->src, "location",
        path != NULL && *path != '\0' ? path : NULL, NULL);
  g_clear_pointer (&settings, g_hash_table_unref);
  g_clear_pointer (&parsed, gst_uri_unref);
  return ok;
}

static char *
src_uri_get_uri (GstURIHandler *handler)
{
  return gst_oct_uri_make (GST_OCT_URI_PROTOCOL, G_OBJECT (handler));
}

static gboolean
src_uri_set_uri (GstURIHandler *handler, const char *uri, GError **error)
{
  const GstOctUri target = { .protocol = GST_OCT_URI_PROTOCOL,
    .src = G_OBJECT (handler) };

  return gst_oct_uri_set (&target, GST_ELEMENT (handler), uri, error);
}

void
gst_oct_src_uri_handler_init (gpointer iface, gpointer data)
{
  GstURIHandlerInterface *handler = iface;

  handler->get_type = src_uri_get_type;
  handler->get_protocols = src_uri_get_protocols;
  handler->get_uri = src_uri_get_uri;
  handler->set_uri = src_uri_set_uri;
}
