/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstocterror.h"
#include "oct/oct.h"

/* A failure without a reason is a mistake of ours, and no reason to crash. */
static GError *
ensure_error (GstElement *element, GError **error)
{
  if (*error == NULL)
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "%s has failed without saying why; report it with what "
        "GST_DEBUG=oct*:5 "
        "shows",
        gst_oct_element_type_name (element));
  return *error;
}

void
gst_oct_element_error_at (GstElement *element, GError **error, const char *file,
    const char *function, gint line)
{
  GError *e = ensure_error (element, error);
  GQuark domain = GST_STREAM_ERROR;
  gint code = GST_STREAM_ERROR_FAILED;

  if (e->domain == OCT_ERROR) {
    switch ((OctError)e->code) {
    case OCT_ERROR_NOT_FOUND:
      domain = GST_RESOURCE_ERROR;
      code = GST_RESOURCE_ERROR_NOT_FOUND;
      break;
    case OCT_ERROR_READ:
      domain = GST_RESOURCE_ERROR;
      code = GST_RESOURCE_ERROR_READ;
      break;
    case OCT_ERROR_FORMAT:
      code = GST_STREAM_ERROR_FORMAT;
      break;
    case OCT_ERROR_SETTINGS:
      domain = GST_RESOURCE_ERROR;
      code = GST_RESOURCE_ERROR_SETTINGS;
      break;
    case OCT_ERROR_MEMORY:
      domain = GST_RESOURCE_ERROR;
      code = GST_RESOURCE_ERROR_NO_SPACE_LEFT;
      break;
    case OCT_ERROR_DEVICE:
      domain = GST_RESOURCE_ERROR;
      code = GST_RESOURCE_ERROR_FAILED;
      break;
    case OCT_ERROR_WRITE:
      domain = GST_RESOURCE_ERROR;
      code = GST_RESOURCE_ERROR_WRITE;
      break;
    case OCT_ERROR_DISK_FULL:
      domain = GST_RESOURCE_ERROR;
      code = GST_RESOURCE_ERROR_NO_SPACE_LEFT;
      break;
    }
  }
  gst_element_message_full (element, GST_MESSAGE_ERROR, domain, code,
      g_strconcat (
          e->message, g_str_has_suffix (e->message, ".") ? "" : ".", NULL),
      NULL, file, function, line);
  g_clear_error (error);
}

void
gst_oct_element_warn_former (
    GstElement *element, GError **error, const char *kept)
{
  const char *message = (*error)->message;

  GST_ELEMENT_WARNING (element, RESOURCE, SETTINGS,
      ("%s%s %s", message, g_str_has_suffix (message, ".") ? "" : ".", kept),
      (NULL));
  g_clear_error (error);
}

gboolean
gst_oct_element_refuses_property (GstElement *element, GParamSpec *pspec)
{
  const GParamFlags live = GST_PARAM_MUTABLE_PAUSED | GST_PARAM_MUTABLE_PLAYING;
  /* the base class of sinks starts them on the way to READY already */
  GstState first = GST_OBJECT_FLAG_IS_SET (element, GST_ELEMENT_FLAG_SINK)
                       ? GST_STATE_READY
                       : GST_STATE_PAUSED;
  GstState state;

  if ((pspec->flags & live) != 0)
    return FALSE;
  GST_OBJECT_LOCK (element);
  /* a change under way may have called start() */
  state = MAX (GST_STATE (element), GST_STATE_NEXT (element));
  GST_OBJECT_UNLOCK (element);
  if (state < first)
    return FALSE;
  GST_ELEMENT_WARNING (element, RESOURCE, SETTINGS,
      ("`%s` of %s can only be set before the start, so it stays as it is; "
       "stop the pipeline (state %s), set it and start again.",
          pspec->name, gst_oct_element_type_name (element),
          gst_element_state_get_name (first - 1)),
      (NULL));
  return TRUE;
}

const char *
gst_oct_element_type_name (GstElement *element)
{
  GstElementFactory *factory = gst_element_get_factory (element);

  return factory != NULL ? GST_OBJECT_NAME (factory)
                         : G_OBJECT_TYPE_NAME (element);
}

void
gst_oct_error_name_property (GError **error, const char *property)
{
  GError *named;

  if (!g_error_matches (*error, OCT_ERROR, OCT_ERROR_NOT_FOUND)
      && !g_error_matches (*error, OCT_ERROR, OCT_ERROR_READ)
      && !g_error_matches (*error, OCT_ERROR, OCT_ERROR_WRITE)
      && !g_error_matches (*error, OCT_ERROR, OCT_ERROR_DISK_FULL))
    return;
  named = g_error_new (
      (*error)->domain, (*error)->code, "%s (%s)", (*error)->message, property);
  g_clear_error (error);
  *error = named;
}

/* The element at which the way of the data ends without a link, NULL when there
 * is none or the way branches. */
static GstElement *
find_unlinked (GstElement *source)
{
  GstElement *element = gst_object_ref (source);

  while (element->numsrcpads == 1) {
    g_autoptr (GstPad) peer = gst_pad_get_peer (element->srcpads->data);

    if (peer == NULL)
      return element;
    gst_object_unref (element);
    element = gst_pad_get_parent_element (peer);
    if (element == NULL)
      return NULL;
  }
  gst_object_unref (element);
  return NULL;
}

GstMessage *
gst_oct_explain_flow (GstElement *source, GstMessage *message)
{
  const GstStructure *details = NULL;
  g_autofree char *text = NULL, *debug = NULL;
  g_autoptr (GstCaps) caps = NULL;
  g_autoptr (GstElement) unlinked = NULL;
  g_autoptr (GError) error = NULL;
  gint flow = GST_FLOW_OK;

  gst_message_parse_error_details (message, &details);
  if (details != NULL)
    gst_structure_get_int (details, "flow-return", &flow);
  if (flow == GST_FLOW_NOT_LINKED) {
    unlinked = find_unlinked (source);
    error = g_error_new (GST_CORE_ERROR, GST_CORE_ERROR_PAD,
        "The output of %s is not connected; link it to the next element, in "
        "the end to a sink.",
        unlinked != NULL ? GST_OBJECT_NAME (unlinked)
                         : "an element downstream");
  } else if (flow == GST_FLOW_NOT_NEGOTIATED) {
    caps = gst_caps_make_writable (
        gst_pad_query_caps (source->srcpads->data, NULL));
    /* any will do */
    gst_structure_remove_fields (gst_caps_get_structure (caps, 0), "framerate",
        GST_OCT_LINE_RATE_FIELD, GST_OCT_WAVELENGTH_FIELD, NULL);
    text = gst_caps_to_string (caps);
    error = g_error_new (GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
        "The elements after %s do not go together for its stream (%s); "
        "check their order, caps filters and `axis` of octdcsub.",
        gst_oct_element_type_name (source), text);
  } else if (flow == GST_FLOW_ERROR) {
    error = g_error_new (GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED,
        "%s stops because an element after it has failed; the message "
        "before this one says why, or else GST_DEBUG=2.",
        gst_oct_element_type_name (source));
  }
  if (error == NULL)
    return message;
  gst_message_parse_error (message, NULL, &debug);
  gst_message_unref (message);
  return gst_message_new_error (GST_OBJECT (source), error, debug);
}
