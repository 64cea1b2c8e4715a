/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-recorder-sentences.h"

char *
oct_recorder_describe_full_disk (const char *folder, GstClockTime time)
{
  g_autofree char *name = g_filename_display_name (folder);

  return g_strdup_printf (
      "The disk with the folder '%s' is full: the recording was stopped after "
      "%.0f s, what was recorded is kept; make room or record to another disk.",
      name, time / (double)GST_SECOND);
}

char *
oct_recorder_describe_failed_disk (const char *folder, int code)
{
  g_autofree char *name = g_filename_display_name (folder);

  return g_strdup_printf (
      "The disk with the folder '%s' did not take what was recorded (%s), so "
      "that some of it may be lost; record to another disk.",
      name, g_strerror (code));
}

char *
oct_recorder_describe_format (GstMessage *error, GstCaps *caps, gboolean raw)
{
  g_autofree char *text = caps != NULL ? gst_caps_to_string (caps) : NULL;
  const GstStructure *details = NULL;
  gint flow = GST_FLOW_OK;

  gst_message_parse_error_details (error, &details);
  if (details != NULL)
    gst_structure_get_int (details, "flow-return", &flow);
  if (flow != GST_FLOW_NOT_NEGOTIATED)
    return NULL;
  return g_strdup_printf (
      "This stream cannot be recorded as %s (it is %s); %s.",
      raw ? "raw spectra" : "images", text,
      raw ? "spectra are GRAY8 or GRAY16_LE"
          : "images are video/x-raw of 16 x 16 pixels or more");
}
