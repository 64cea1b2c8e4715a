/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctsrcuri.h"

static GstURIType
get_type (GType type)
{
  return GST_URI_SRC;
}

static const char *const *
get_protocols (GType type)
{
  static const char *const protocols[] = { GST_OCT_URI_PROTOCOL, NULL };

  return protocols;
}

static char *
get_uri (GstURIHandler *handler)
{
  g_autofree char *location = NULL, *path = NULL, *escaped = NULL;

  g_object_get (handler, "location", &location, NULL);
  if (location == NULL)
    return g_strdup (GST_OCT_URI_PROTOCOL "://");
  path = g_canonicalize_filename (location, NULL);
  escaped =
      g_uri_escape_string (path, G_URI_RESERVED_CHARS_ALLOWED_IN_PATH, FALSE);
  return g_strconcat (GST_OCT_URI_PROTOCOL "://", escaped, NULL);
}

static void
set_bad (GError **error, const char *uri, const char *what)
{
  g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_BAD_URI,
      "'%s' %s; write oct:///folder/scan.npy, with properties of octsrc behind "
      "it where they are needed, such as ?samples=1024&lines=500",
      uri, what);
}

/* Whether a URI may set it: octsrc's own, and how many buffers are played.  Not
 * which file that is, which the path says, and none that is written, as URIs
 * come from elsewhere; the others of the base class are for programs. */
static gboolean
may_set (GObject *object, const GParamSpec *pspec)
{
  static const char *const never[] = { "location", "scan-mask-output", NULL };

  return (pspec->flags & G_PARAM_WRITABLE) != 0
         && (g_str_equal (pspec->name, "num-buffers")
             || (pspec->owner_type == G_OBJECT_TYPE (object)
                 && !g_strv_contains (never, pspec->name)));
}

/* Nothing is set unless all of it can be. */
static gboolean
set_properties (
    GObject *object, const char *uri, GHashTable *settings, GError **error)
{
  GHashTableIter iter;
  gpointer name, text;

  g_hash_table_iter_init (&iter, settings);
  while (g_hash_table_iter_next (&iter, &name, &text)) {
    GParamSpec *pspec =
        g_object_class_find_property (G_OBJECT_GET_CLASS (object), name);
    g_auto (GValue) value = G_VALUE_INIT;
    g_autofree char *what = NULL;

    if (pspec == NULL)
      what = g_strdup_printf (
          "sets '%s', which octsrc does not have", (const char *)name);
    else if (!may_set (object, pspec))
      what = g_strdup_printf (
          "sets '%s', which a URI may not set", (const char *)name);
    else
      g_value_init (&value, pspec->value_type);
    if (what == NULL
        && (text == NULL || !gst_value_deserialize (&value, text)
            || g_param_value_validate (pspec, &value)))
      what = g_strdup_printf ("sets '%s' to '%s', which it cannot be",
          (const char *)name, text != NULL ? (const char *)text : "");
    if (what != NULL) {
      set_bad (error, uri, what);
      return FALSE;
    }
  }
  g_hash_table_iter_init (&iter, settings);
  while (g_hash_table_iter_next (&iter, &name, &text))
    gst_util_set_object_arg (object, name, text);
  return TRUE;
}

static gboolean
set_uri (GstURIHandler *handler, const char *uri, GError **error)
{
  GstElement *element = GST_ELEMENT (handler);
  GstUri *parsed = gst_uri_from_string (uri);
  g_autofree char *path = parsed != NULL ? gst_uri_get_path (parsed) : NULL;
  GHashTable *settings =
      parsed != NULL ? gst_uri_get_query_table (parsed) : NULL;
  const char *host = parsed != NULL ? gst_uri_get_host (parsed) : NULL;
  gboolean ok = FALSE;

  if (GST_STATE (element) > GST_STATE_READY)
    g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_BAD_STATE,
        "'%s' cannot be taken while octsrc plays; stop it first", uri);
  else if (parsed == NULL || gst_uri_get_fragment (parsed) != NULL)
    set_bad (error, uri, "is no URI that octsrc can read");
  else if (host != NULL && *host != '\0')
    set_bad (error, uri, "names a computer, but files are of this one");
  else if (settings == NULL
           || set_properties (G_OBJECT (element), uri, settings, error))
    ok = TRUE;
  if (ok)
    g_object_set (
        element, "location", path != NULL && *path != '\0' ? path : NULL, NULL);
  g_clear_pointer (&settings, g_hash_table_unref);
  g_clear_pointer (&parsed, gst_uri_unref);
  return ok;
}

void
gst_oct_src_uri_handler_init (gpointer iface, gpointer data)
{
  GstURIHandlerInterface *handler = iface;

  handler->get_type = get_type;
  handler->get_protocols = get_protocols;
  handler->get_uri = get_uri;
  handler->set_uri = set_uri;
}
