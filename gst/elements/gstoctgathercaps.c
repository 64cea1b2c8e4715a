/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctgathercaps.h"
#include "gstoctpieces.h"
#include "oct-backend.h"

/* Bytes of a buffer of as many B-scans as wait.  A copy to a GPU of so many
 * takes 77 us over PCI Express 5.0, and a buffer takes 26 us of calls of the
 * host, which the copy then covers.  More would only wait longer. */
#define WAITING_BYTES (4u * 1024 * 1024)

/* The most rows that are whole groups. */
static gint
get_most (gint group)
{
  return (gint)OCT_MAX_LINES / group * group;
}

/* A number of rows or B-scans times `group`, or a part of it; FALSE: there is
 * none.  More than there can be are said to be too many by check_caps(). */
static gboolean
scale_field (GstStructure *s, const char *name, gint value, gint group,
    gboolean multiply)
{
  if (!multiply && value % group != 0)
    return FALSE;
  gst_structure_set (s, name, G_TYPE_INT,
      multiply ? (gint)MIN ((gint64)value * group, get_most (group))
               : value / group,
      NULL);
  return TRUE;
}

gboolean
gst_oct_gather_transform_structure (
    GstStructure *s, GstPadDirection direction, guint group)
{
  gboolean multiply = direction == GST_PAD_SINK;
  gint rows_there, bscans = 1;
  gboolean has = gst_structure_has_field (s, GST_OCT_BSCANS_FIELD);
  gboolean fixed =
      !has || gst_structure_get_int (s, GST_OCT_BSCANS_FIELD, &bscans);

  /* as many as there can be may stand for more */
  if (!multiply && bscans == get_most ((gint)group))
    fixed = FALSE;
  if (gst_structure_has_name (s, "video/x-raw")) {
    if (!gst_structure_get_int (s, "height", &rows_there)
        || (!multiply && rows_there == get_most ((gint)group)))
      gst_structure_set (
          s, "height", GST_TYPE_INT_RANGE, 1, (gint)OCT_MAX_LINES, NULL);
    else if (!scale_field (s, "height", rows_there, (gint)group, multiply))
      return FALSE;
  }
  if (multiply && fixed)
    return scale_field (s, GST_OCT_BSCANS_FIELD, bscans, (gint)group, multiply);
  if (!multiply && has && fixed && bscans > 1
      && !scale_field (s, GST_OCT_BSCANS_FIELD, bscans, (gint)group, multiply))
    return FALSE;
  if (!fixed
      || (gst_structure_get_int (s, GST_OCT_BSCANS_FIELD, &bscans)
          && bscans == 1))
    gst_structure_remove_field (s, GST_OCT_BSCANS_FIELD);
  return TRUE;
}

void
gst_oct_gather_open_structure (GstStructure *s)
{
  gst_structure_remove_field (s, GST_OCT_BSCANS_FIELD);
  if (gst_structure_has_name (s, "video/x-raw"))
    gst_structure_set (
        s, "height", GST_TYPE_INT_RANGE, 1, (gint)OCT_MAX_LINES, NULL);
}

guint
gst_oct_gather_count_waiting (const GstOctInfo *info, guint most)
{
  guint fit =
      MIN (OCT_MAX_LINES, OCT_MAX_BSCAN_VALUES / info->columns) / info->rows;

  most = MIN (most / info->bscans, GST_OCT_PIECES_MOST);
  return MAX (1, MIN (MIN (most, fit), WAITING_BYTES / info->size));
}
