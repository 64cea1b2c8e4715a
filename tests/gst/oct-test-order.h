/* SPDX-License-Identifier: LGPL-2.1-or-later */
/** Buffers and events as they leave an element, as letters. */
#pragma once

#include "oct-test.h"

/* b: buffer, s: another stream, S: segment, t: tags, g: gap, c: custom event,
 * e: end; others are left out. */
static inline GstPadProbeReturn
note_order (GstPad *pad, GstPadProbeInfo *info, gpointer order)
{
  static const struct {
    GstEventType type;
    char letter;
  } letters[] = { { GST_EVENT_STREAM_START, 's' }, { GST_EVENT_SEGMENT, 'S' },
    { GST_EVENT_TAG, 't' }, { GST_EVENT_GAP, 'g' },
    { GST_EVENT_CUSTOM_DOWNSTREAM, 'c' }, { GST_EVENT_EOS, 'e' } };

  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER)
    g_string_append_c (order, 'b');
  else
    for (guint i = 0; i < G_N_ELEMENTS (letters); i++)
      if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == letters[i].type)
        g_string_append_c (order, letters[i].letter);
  return GST_PAD_PROBE_OK;
}

static inline void
watch_order (GstHarness *harness, GString *order)
{
  gst_pad_add_probe (harness->sinkpad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
      note_order, order, NULL);
}

static inline void
check_order (GString *order, const char *expected)
{
  fail_unless_equals_string (order->str, expected);
  g_string_truncate (order, 0);
}

/* Tags, a gap and a custom event. */
static inline void
push_events (GstHarness *harness)
{
  GstEvent *events[] = { gst_event_new_tag (gst_tag_list_new (
                             GST_TAG_COMMENT, "of the next B-scans", NULL)),
    gst_event_new_gap (0, 1),
    gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
        gst_structure_new_empty ("application/x-test")) };

  for (guint i = 0; i < G_N_ELEMENTS (events); i++)
    fail_unless (gst_harness_push_event (harness, events[i]));
}
