/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctpushsrc.h"
#include "gstocterror.h"

typedef struct {
  gint failed; /* atomic: an own error was posted */
} GstOctPushSrcPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (
    GstOctPushSrc, gst_oct_push_src, GST_TYPE_PUSH_SRC);

static GstOctPushSrcPrivate *
push_src_get_private (GstOctPushSrc *self)
{
  return gst_oct_push_src_get_instance_private (self);
}

void
gst_oct_push_src_begin (GstOctPushSrc *self)
{
  g_atomic_int_set (&push_src_get_private (self)->failed, FALSE);
}

void
gst_oct_push_src_fail (GstOctPushSrc *self, GError **error)
{
  gst_oct_element_error (GST_ELEMENT (self), error);
  g_atomic_int_set (&push_src_get_private (self)->failed, TRUE);
}

gboolean
gst_oct_push_src_has_failed (GstOctPushSrc *self)
{
  return g_atomic_int_get (&push_src_get_private (self)->failed);
}

/* One sentence for one mistake. */
static gboolean
gst_oct_push_src_post_message (GstElement *element, GstMessage *message)
{
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR
      && GST_MESSAGE_SRC (message) == GST_OBJECT (element)) {
    if (gst_oct_push_src_has_failed (GST_OCT_PUSH_SRC (element))) {
      gst_message_unref (message);
      return TRUE;
    }
    message = gst_oct_explain_flow (element, message);
  }
  return GST_ELEMENT_CLASS (gst_oct_push_src_parent_class)
      ->post_message (element, message);
}

static GstCaps *
gst_oct_push_src_get_caps (GstBaseSrc *base, GstCaps *filter)
{
  GstOctPushSrc *self = GST_OCT_PUSH_SRC (base);
  GstOctPushSrcClass *klass = GST_OCT_PUSH_SRC_GET_CLASS (self);
  g_autoptr (GstCaps) caps =
      klass->list_caps != NULL ? klass->list_caps (self) : NULL;

  if (caps == NULL)
    caps = gst_pad_get_pad_template_caps (GST_BASE_SRC_PAD (base));
  if (filter == NULL)
    return g_steal_pointer (&caps);
  return gst_caps_intersect_full (filter, caps, GST_CAPS_INTERSECT_FIRST);
}

static void
gst_oct_push_src_class_init (GstOctPushSrcClass *klass)
{
  GST_ELEMENT_CLASS (klass)->post_message = gst_oct_push_src_post_message;
  GST_BASE_SRC_CLASS (klass)->get_caps = gst_oct_push_src_get_caps;
  gst_type_mark_as_plugin_api (GST_TYPE_OCT_PUSH_SRC, 0);
}

static void
gst_oct_push_src_init (GstOctPushSrc *self)
{
  gst_base_src_set_format (GST_BASE_SRC (self), GST_FORMAT_TIME);
}
