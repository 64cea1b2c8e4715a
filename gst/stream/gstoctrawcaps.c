/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctrawcaps.h"

void
gst_oct_raw_set_lines (const GstStructure *raw, GstStructure *spectra)
{
  gint rows, bscans;

  if (!gst_structure_has_field (raw, GST_OCT_BSCANS_FIELD))
    return;
  /* what does not go together is reported with a sentence when it is set */
  if (gst_structure_get_int (raw, "height", &rows)
      && gst_structure_get_int (raw, GST_OCT_BSCANS_FIELD, &bscans)
      && bscans >= 1)
    gst_structure_set (
        spectra, "lines", G_TYPE_INT, MAX (1, rows / bscans), NULL);
  else
    gst_structure_set (
        spectra, "lines", GST_TYPE_INT_RANGE, 1, (gint)OCT_MAX_LINES, NULL);
}

void
gst_oct_raw_append (const GstStructure *from, GstCaps *result)
{
  GstStructure *one = gst_oct_video_structure (
      "{ GRAY16_LE, GRAY8 }", from, "samples", "lines");
  GstStructure *several;
  gint lines, bscans = 0;

  if (!gst_structure_get_int (from, "lines", &lines)) {
    gst_oct_structure_copy_field (
        from, GST_OCT_BSCANS_FIELD, one, GST_OCT_BSCANS_FIELD);
    gst_caps_append_structure (result, one);
    return;
  }
  if (gst_structure_has_field (from, GST_OCT_BSCANS_FIELD)
      && (!gst_structure_get_int (from, GST_OCT_BSCANS_FIELD, &bscans)
          || bscans > 1))
    gst_structure_free (one);
  else
    gst_caps_append_structure (result, one);
  if (bscans == 1)
    return;
  several = gst_oct_video_structure (
      "{ GRAY16_LE, GRAY8 }", from, "samples", "height");
  gst_structure_set (several, "height", GST_TYPE_INT_RANGE, 1,
      (gint)OCT_MAX_LINES, GST_OCT_BSCANS_FIELD, GST_TYPE_INT_RANGE, 2,
      (gint)OCT_MAX_LINES, NULL);
  if (bscans > 1)
    gst_structure_set (several, "height", G_TYPE_INT,
        (gint)MIN ((gint64)lines * bscans, G_MAXINT), GST_OCT_BSCANS_FIELD,
        G_TYPE_INT, bscans, NULL);
  gst_caps_append_structure (result, several);
}
