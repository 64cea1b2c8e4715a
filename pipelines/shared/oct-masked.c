/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-masked.h"
#include "oct-scan-mask.h"
#include "oct/oct.h"

/* Streaming thread of the pad. */
typedef struct {
  OctScanMask *mask;
  gboolean noted;
  guint64 next; /* place of the B-scan that comes, since the start */
  GstClockTime last;
  guint together; /* B-scans in the buffer before */
} Masked;

static void
free_masked (gpointer data)
{
  oct_scan_mask_unref (((Masked *)data)->mask);
  g_free (data);
}

static GstEvent *
make_event (const OctScanMask *mask)
{
  gsize size = (gsize)mask->lines * mask->bscans;
  g_autoptr (GstBuffer) taken = gst_buffer_new_memdup (mask->taken, size);

  return gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM_STICKY,
      gst_structure_new (GST_OCT_SCAN_MASK_EVENT_NAME, GST_OCT_SCAN_MASK_LINES,
          G_TYPE_UINT, mask->lines, GST_OCT_SCAN_MASK_TAKEN, GST_TYPE_BUFFER,
          taken, NULL));
}

/* From the caps of raw spectra: A-lines of a B-scan, B-scans in a buffer. */
static void
read_caps (GstPad *pad, guint *lines, guint *together, gint *n, gint *d)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  const GstStructure *s =
      caps != NULL ? gst_caps_get_structure (caps, 0) : NULL;
  gint height = 0, bscans = 1;

  *n = 0;
  *d = 1;
  if (s != NULL) {
    gst_structure_get_int (s, "height", &height);
    gst_structure_get_int (s, GST_OCT_BSCANS_FIELD, &bscans);
    gst_structure_get_fraction (s, "framerate", n, d);
  }
  *together = (guint)MAX (1, bscans);
  *lines = (guint)height / *together;
}

/* As octrawsink does: by a rate and times that are not exact. */
static guint64
count_lost (const Masked *masked, GstClockTime time, gint n, gint d)
{
  guint64 steps;

  if (!GST_CLOCK_TIME_IS_VALID (time) || !GST_CLOCK_TIME_IS_VALID (masked->last)
      || time <= masked->last || n <= 0)
    return 0;
  steps = gst_util_uint64_scale_round (
      time - masked->last, (guint64)n, (guint64)d * GST_SECOND);
  return steps > masked->together ? steps - masked->together : 0;
}

static GstBuffer *
masked_place (Masked *masked, GstPad *pad, GstBuffer *buffer)
{
  const OctScanMask *mask = masked->mask;
  guint lines, together, bscans;
  GstCustomMeta *meta;
  gint n, d;

  read_caps (pad, &lines, &together, &n, &d);
  masked->next += count_lost (masked, GST_BUFFER_PTS (buffer), n, d);
  masked->last = GST_BUFFER_PTS (buffer);
  masked->together = together;
  if (gst_buffer_get_custom_meta (buffer, GST_OCT_SCAN_META_NAME) == NULL) {
    bscans = lines == mask->lines_each ? mask->taken_bscans : mask->bscans;
    buffer = gst_buffer_make_writable (buffer);
    meta = gst_buffer_add_custom_meta (buffer, GST_OCT_SCAN_META_NAME);
    gst_structure_set (gst_custom_meta_get_structure (meta), GST_OCT_SCAN_BSCAN,
        G_TYPE_UINT, (guint)(masked->next % bscans), GST_OCT_SCAN_BSCANS,
        G_TYPE_UINT, bscans, GST_OCT_SCAN_VOLUME, G_TYPE_UINT64,
        masked->next / bscans, GST_OCT_SCAN_COUNT, G_TYPE_UINT, together, NULL);
  }
  masked->next += together;
  return buffer;
}

static GstPadProbeReturn
masked_on_spectra (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Masked *masked = data;

  if (!masked->noted)
    gst_pad_push_event (pad, make_event (masked->mask));
  masked->noted = TRUE;
  GST_PAD_PROBE_INFO_DATA (info) =
      masked_place (masked, pad, GST_PAD_PROBE_INFO_BUFFER (info));
  return GST_PAD_PROBE_OK;
}

gboolean
oct_masked_tell (GstPad *pad, const char *path, GError **error)
{
  OctScanMask *mask = oct_scan_mask_read (path, error);
  Masked *masked;

  if (mask == NULL)
    return FALSE;
  masked = g_new0 (Masked, 1);
  masked->mask = mask;
  masked->last = GST_CLOCK_TIME_NONE;
  masked->together = 1;
  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_BUFFER, masked_on_spectra, masked, free_masked);
  return TRUE;
}
