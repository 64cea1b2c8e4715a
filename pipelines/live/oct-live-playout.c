/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-playout.h"

#include <gst/rtp/rtp.h>

/* In units of 10 ms, 12 bits each.  With 0 for both Chromium does not wait for
 * packets in the wrong order and drops frames. */
#define LEAST 0
#define LARGEST 10
#define SIZE 3

typedef struct {
  GstRTPHeaderExtension parent;
} OctLivePlayout;

typedef struct {
  GstRTPHeaderExtensionClass parent_class;
} OctLivePlayoutClass;

GType oct_live_playout_get_type (void);
G_DEFINE_TYPE (OctLivePlayout, oct_live_playout, GST_TYPE_RTP_HEADER_EXTENSION)

static GstRTPHeaderExtensionFlags
playout_get_supported_flags (GstRTPHeaderExtension *extension)
{
  return GST_RTP_HEADER_EXTENSION_ONE_BYTE | GST_RTP_HEADER_EXTENSION_TWO_BYTE;
}

static gsize
playout_get_max_size (GstRTPHeaderExtension *extension, const GstBuffer *input)
{
  return SIZE;
}

static gssize
playout_write (GstRTPHeaderExtension *extension, const GstBuffer *input,
    GstRTPHeaderExtensionFlags flags, GstBuffer *output, guint8 *data,
    gsize size)
{
  if (size < SIZE)
    return -1;
  GST_WRITE_UINT24_BE (data, LEAST << 12 | LARGEST);
  return SIZE;
}

static void
oct_live_playout_class_init (OctLivePlayoutClass *klass)
{
  GstRTPHeaderExtensionClass *extension =
      GST_RTP_HEADER_EXTENSION_CLASS (klass);

  extension->get_supported_flags = playout_get_supported_flags;
  extension->get_max_size = playout_get_max_size;
  extension->write = playout_write;
  gst_rtp_header_extension_class_set_uri (extension, OCT_LIVE_PLAYOUT_URI);
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass),
      "Playout delay", GST_RTP_HDREXT_ELEMENT_CLASS,
      "How long a receiver may keep a frame", "The gst-oct developers");
}

static void
oct_live_playout_init (OctLivePlayout *self)
{
}

void
oct_live_playout_add (GstElement *payloader)
{
  GstRTPHeaderExtension *extension =
      g_object_new (oct_live_playout_get_type (), NULL);

  gst_rtp_header_extension_set_id (extension, OCT_LIVE_PLAYOUT_ID);
  g_signal_emit_by_name (payloader, "add-extension", extension);
  gst_object_unref (extension);
}
