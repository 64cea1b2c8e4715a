/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctoutputs.h"
#include "gstoctcaps.h"
#include "gstoctpieces.h"
#include "gstoctpinned.h"
#include "gstoctscanmeta.h"

static GstBuffer *
outputs_make_part (
    GstOctOutputs *outputs, GstBaseTransform *trans, GstBuffer *from, guint i)
{
  GstBuffer *buffer = gst_buffer_new ();

  gst_buffer_append_memory (buffer, gst_oct_pinned_part_new (outputs->block,
                                        i * outputs->step, outputs->size));
  GST_BASE_TRANSFORM_GET_CLASS (trans)->copy_metadata (trans, from, buffer);
  return buffer;
}

gboolean
gst_oct_outputs_begin_block (GstOctOutputs *outputs, GstBaseTransform *trans,
    GstOctAccess *access, GstBuffer *in, GstBuffer **first)
{
  GstAllocator *allocator = NULL;
  gsize all = 0;

  g_clear_pointer (&outputs->block, gst_memory_unref);
  if (access != NULL && gst_oct_access_expect (access, in, FALSE, NULL) > 1)
    all = gst_oct_access_get_block (access, &outputs->step, &outputs->size);
  if (all == 0)
    return FALSE;
  gst_base_transform_get_allocator (trans, &allocator, NULL);
  outputs->block = gst_oct_pinned_block_new (allocator, all);
  gst_clear_object (&allocator);
  if (outputs->block == NULL)
    return FALSE;
  *first = outputs_make_part (outputs, trans, in, 0);
  return TRUE;
}

GstFlowReturn
gst_oct_outputs_begin (GstOctOutputs *outputs, GstBaseTransform *trans,
    GstFlowReturn (*prepare) (GstBaseTransform *, GstBuffer *, GstBuffer **),
    GstBuffer *in, GstBuffer *first, guint n)
{
  GstFlowReturn ret = GST_FLOW_OK;
  guint pieces = gst_oct_pieces_count (in);

  outputs->from = pieces > 0 && n % pieces == 0 ? in : NULL;
  outputs->per = outputs->from != NULL ? n / pieces : n;
  outputs->buffers = g_renew (GstBuffer *, outputs->buffers, n);
  outputs->buffers[0] = first;
  for (outputs->n = 1; outputs->n < n; outputs->n++) {
    GstBuffer **buffer = &outputs->buffers[outputs->n];

    GstBuffer *from = outputs->from != NULL
                          ? gst_oct_pieces_get (in, outputs->n / outputs->per)
                          : in;

    *buffer = NULL;
    if (outputs->block != NULL)
      *buffer = outputs_make_part (outputs, trans, from, outputs->n);
    else
      ret = prepare (trans, from, buffer);
    if (ret != GST_FLOW_OK) {
      gst_oct_outputs_end (outputs, trans, FALSE);
      break;
    }
  }
  return ret;
}

/* Start of image `i` of `n` in a buffer: from its duration, else from the frame
 * rate. */
static GstClockTime
outputs_get_time (
    GstBaseTransform *trans, GstClockTime duration, guint i, guint n)
{
  g_autoptr (GstCaps) caps = NULL;
  gint rate = 0, per = 1;

  if (GST_CLOCK_TIME_IS_VALID (duration))
    return gst_util_uint64_scale (duration, i, n);
  caps = gst_pad_get_current_caps (GST_BASE_TRANSFORM_SRC_PAD (trans));
  if (caps == NULL
      || !gst_structure_get_fraction (
          gst_caps_get_structure (caps, 0), "framerate", &rate, &per)
      || rate <= 0)
    return GST_CLOCK_TIME_NONE;
  return gst_util_uint64_scale (i * GST_SECOND, per, rate);
}

static guint
outputs_get_repeats (GstBaseTransform *trans)
{
  g_autoptr (GstCaps) caps =
      gst_pad_get_current_caps (GST_BASE_TRANSFORM_SRC_PAD (trans));

  return caps != NULL
             ? gst_oct_structure_get_repeats (gst_caps_get_structure (caps, 0))
             : 1;
}

/* The buffers begin as copies of the metadata of the input. */
static void
outputs_stamp (GstBaseTransform *trans, GstBuffer *buffer, guint i, guint n)
{
  GstClockTime duration = GST_BUFFER_DURATION (buffer);
  GstClockTime start = outputs_get_time (trans, duration, i, n);
  GstClockTime end = outputs_get_time (trans, duration, i + 1, n);
  GstOctScanPosition position;

  if (GST_CLOCK_TIME_IS_VALID (start)) {
    if (GST_BUFFER_PTS_IS_VALID (buffer))
      GST_BUFFER_PTS (buffer) += start;
    if (GST_BUFFER_DTS_IS_VALID (buffer))
      GST_BUFFER_DTS (buffer) += start;
    GST_BUFFER_DURATION (buffer) = end - start;
  }
  if (GST_BUFFER_OFFSET_IS_VALID (buffer)) {
    GST_BUFFER_OFFSET (buffer) += i;
    GST_BUFFER_OFFSET_END (buffer) = GST_BUFFER_OFFSET (buffer) + 1;
  }
  if (gst_oct_scan_meta_get (buffer, &position)) {
    gst_oct_scan_position_select (&position, i, 1, outputs_get_repeats (trans));
    gst_oct_scan_meta_set (buffer, &position);
  }
  gst_oct_scan_meta_select_valid (buffer, i, n);
  if (i > 0)
    GST_BUFFER_FLAG_UNSET (
        buffer, GST_BUFFER_FLAG_DISCONT | GST_BUFFER_FLAG_RESYNC);
}

/* The first buffer was made with the metadata of all. */
static void
take_first (GstBuffer *buffer, GstBuffer *piece)
{
  GstOctScanPosition position;

  gst_oct_pieces_forget (buffer);
  GST_BUFFER_DURATION (buffer) = GST_BUFFER_DURATION (piece);
  GST_BUFFER_OFFSET_END (buffer) = GST_BUFFER_OFFSET_END (piece);
  if (gst_oct_scan_meta_get (piece, &position))
    gst_oct_scan_meta_set (buffer, &position);
}

void
gst_oct_outputs_end (
    GstOctOutputs *outputs, GstBaseTransform *trans, gboolean filled)
{
  guint i;

  for (i = 0; i < outputs->n; i++) {
    GstBuffer *buffer = outputs->buffers[i];

    if (i == 0 && filled && outputs->from != NULL)
      take_first (buffer, gst_oct_pieces_get (outputs->from, 0));
    /* a single one is all that the input, or its piece, is */
    if (filled && outputs->per > 1)
      outputs_stamp (trans, buffer, i % outputs->per, outputs->per);
    if (i > 0 && filled)
      g_queue_push_tail (&outputs->waiting, buffer);
    else if (i > 0)
      gst_buffer_unref (buffer);
  }
  outputs->n = 0;
  g_clear_pointer (&outputs->block, gst_memory_unref);
}

GstBuffer *
gst_oct_outputs_take (GstOctOutputs *outputs)
{
  return g_queue_pop_head (&outputs->waiting);
}

void
gst_oct_outputs_clear (GstOctOutputs *outputs)
{
  g_queue_clear_full (&outputs->waiting, (GDestroyNotify)gst_buffer_unref);
  g_clear_pointer (&outputs->buffers, g_free);
  g_clear_pointer (&outputs->block, gst_memory_unref);
  outputs->n = 0;
}
