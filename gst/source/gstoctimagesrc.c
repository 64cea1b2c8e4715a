/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-octimagesrc
 *
 * Delivers the images of a file of spectra, by a URI such as
 * octimage:///data/scan.oct. It contains octsrc and octreconstruct, for
 * players that know nothing of OCT.
 *
 * |[
 * gst-launch-1.0 octimagesrc source::num-buffers=100 ! videoconvert !
 * autovideosink
 * ]|
 */
/* Why a source: counts of a camera are video to GStreamer (GRAY8, GRAY16_LE),
 * so decodebin shows them as they are and asks no decoder, and a decoder that
 * took all grey video would spoil the films of everybody else. */
#include "gstoctimagesrc.h"
#include "gstoctbus.h"
#include "gstoctreconstruct.h"
#include "gstoctsrc.h"
#include "gstoctsrcuri.h"

#define PROTOCOL "octimage"

struct _GstOctImageSrc {
  GstBin parent;

  GstElement *src, *reconstruct; /* the bin has them */
};

static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS,
        GST_STATIC_CAPS (
            "video/x-raw, format=(string){ GRAY8, NV12, GRAY16_LE }; "
            "video/x-raw(memory:CUDAMemory), format=(string){ NV12, RGBA }"));

static void uri_handler_init (gpointer iface, gpointer data);

G_DEFINE_TYPE_WITH_CODE (GstOctImageSrc, gst_oct_image_src, GST_TYPE_BIN,
    G_IMPLEMENT_INTERFACE (GST_TYPE_URI_HANDLER, uri_handler_init));
GST_OCT_REGISTER_DEFINE (
    octimagesrc, "octimagesrc", GST_RANK_NONE, GST_TYPE_OCT_IMAGE_SRC);

/* --------------------------------------------------------------------- URIs */

static GstURIType
image_src_get_type (GType type)
{
  return GST_URI_SRC;
}

static const char *const *
image_src_get_protocols (GType type)
{
  static const char *const protocols[] = { PROTOCOL, NULL };

  return protocols;
}

static char *
image_src_get_uri (GstURIHandler *handler)
{
  return gst_oct_uri_make (
      PROTOCOL, G_OBJECT (GST_OCT_IMAGE_SRC (handler)->src));
}

static gboolean
image_src_set_uri (GstURIHandler *handler, const char *uri, GError **error)
{
  GstOctImageSrc *self = GST_OCT_IMAGE_SRC (handler);
  const GstOctUri target = { .protocol = PROTOCOL,
    .src = G_OBJECT (self->src),
    .reconstruct = G_OBJECT (self->reconstruct) };

  return gst_oct_uri_set (&target, GST_ELEMENT (self), uri, error);
}

static void
uri_handler_init (gpointer iface, gpointer data)
{
  GstURIHandlerInterface *handler = iface;

  handler->get_type = image_src_get_type;
  handler->get_protocols = image_src_get_protocols;
  handler->get_uri = image_src_get_uri;
  handler->set_uri = image_src_set_uri;
}

/* ------------------------------------------------------------------- object */

static void
gst_oct_image_src_class_init (GstOctImageSrcClass *klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "OCT images of a file",
      "Source/Video",
      "Delivers the images of a file of spectra, for players: octimage://",
      "The gst-oct developers");
}

static void
gst_oct_image_src_init (GstOctImageSrc *self)
{
  g_autoptr (GstPad) end = NULL;

  self->src = g_object_new (GST_TYPE_OCT_SRC, "name", "source", NULL);
  self->reconstruct =
      g_object_new (GST_TYPE_OCT_RECONSTRUCT, "name", "reconstruct", NULL);
  gst_bin_add_many (GST_BIN (self), self->src, self->reconstruct, NULL);
  gst_element_link (self->src, self->reconstruct);
  end = gst_element_get_static_pad (self->reconstruct, "src");
  gst_element_add_pad (
      GST_ELEMENT (self), gst_ghost_pad_new_from_template ("src", end,
                              gst_element_class_get_pad_template (
                                  GST_ELEMENT_GET_CLASS (self), "src")));
}
