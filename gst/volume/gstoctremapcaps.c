/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctremapcaps.h"
#include "gstoctvolumecaps.h"

#define REMAP_VIDEO(format)                                                    \
  "video/x-raw, format = (string) " format ", width = " GST_OCT_SIZE_RANGE     \
  ", height = " GST_OCT_SIZE_RANGE ", framerate = " GST_OCT_RATE_RANGE

/* Images on a GPU are NV12, which the host can have of them. */
typedef struct {
  const char *caps;
  gboolean from_host, on_gpu;
} Kind;

static const Kind kinds[] = {
  { REMAP_VIDEO ("NV12"), FALSE, TRUE },
  { REMAP_VIDEO ("GRAY8"), TRUE, FALSE },
  { REMAP_VIDEO ("GRAY16_LE"), TRUE, FALSE },
  { GST_OCT_CAPS_ASCANS, TRUE, TRUE },
};
#define N_KINDS G_N_ELEMENTS (kinds)

/* Caps of a kind for the sink pad, or for the source pad; may be empty. */
static GstCaps *
remap_get_kind (const Kind *kind, gboolean is_sink, gboolean has_gpu)
{
  if (is_sink && !kind->from_host) {
    GstCaps *caps = gst_caps_new_empty ();

    if (has_gpu) {
      gst_caps_append (caps, gst_caps_from_string (kind->caps));
      gst_caps_set_features_simple (
          caps, gst_caps_features_new (GST_OCT_CUDA_FEATURE, NULL));
    }
    return caps;
  }
  return gst_oct_volume_caps_new (
      kind->caps, kind->caps, has_gpu && kind->on_gpu, TRUE);
}

/* Caps of the sink pad (`is_sink`) or the source pad, of the formats that
 * `there` has a place for: what the element on the other side of octremap takes
 * or delivers; NULL: of all. */
static GstCaps *
remap_caps_new (gboolean is_sink, gboolean has_gpu, GstCaps *there)
{
  GstCaps *caps = gst_caps_new_empty ();
  /* an element that takes anything does not ask for a GPU: NV12 last */
  guint first = there != NULL && gst_caps_is_any (there) ? 1 : 0;

  for (guint i = 0; i < N_KINDS; i++) {
    const Kind *kind = &kinds[(first + i) % N_KINDS];
    g_autoptr (GstCaps) other = remap_get_kind (kind, !is_sink, has_gpu);

    if (there == NULL || gst_caps_can_intersect (other, there))
      gst_caps_append (caps, remap_get_kind (kind, is_sink, has_gpu));
  }
  return caps;
}

void
gst_oct_remap_caps_answer (
    GstQuery *query, gboolean is_sink, gboolean has_gpu, GstPad *other)
{
  g_autoptr (GstCaps) there = gst_pad_peer_query_caps (other, NULL);
  g_autoptr (GstCaps) caps = remap_caps_new (is_sink, has_gpu, there);
  g_autoptr (GstCaps) both = NULL;
  GstCaps *filter;

  gst_query_parse_caps (query, &filter);
  if (filter != NULL)
    both = gst_caps_intersect_full (filter, caps, GST_CAPS_INTERSECT_FIRST);
  gst_query_set_caps_result (query, both != NULL ? both : caps);
}

GstPadTemplate *
gst_oct_remap_caps_new_template (GstPadDirection direction)
{
  gboolean is_sink = direction == GST_PAD_SINK;
  g_autoptr (GstCaps) caps = remap_caps_new (is_sink, TRUE, NULL);

  return gst_pad_template_new (
      is_sink ? "sink" : "src", direction, GST_PAD_ALWAYS, caps);
}

gboolean
gst_oct_remap_caps_may_be_on_gpu (const GstCaps *caps)
{
  for (guint i = 0; i < N_KINDS; i++) {
    g_autoptr (GstCaps) kind = gst_caps_from_string (kinds[i].caps);

    if (kinds[i].on_gpu && gst_caps_can_intersect (kind, caps))
      return TRUE;
  }
  return FALSE;
}
