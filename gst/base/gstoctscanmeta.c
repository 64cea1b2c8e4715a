/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctscanmeta.h"

static gboolean
copy_field (GQuark field, const GValue *value, gpointer to)
{
  gst_structure_id_set_value (to, field, value);
  return TRUE;
}

gboolean
gst_oct_scan_meta_copy (GstBuffer *buffer, GstCustomMeta *meta)
{
  GstCustomMeta *copy =
      gst_buffer_add_custom_meta (buffer, GST_OCT_SCAN_META_NAME);

  if (copy == NULL)
    return FALSE;
  return gst_structure_foreach (gst_custom_meta_get_structure (meta),
      copy_field, gst_custom_meta_get_structure (copy));
}

/* Valid whatever happens to the values of the B-scan. */
static gboolean
scan_meta_transform (GstBuffer *dest, GstCustomMeta *meta, GstBuffer *buffer,
    GQuark type, gpointer data, gpointer user_data)
{
  return gst_oct_scan_meta_copy (dest, meta);
}

void
gst_oct_scan_meta_register (void)
{
  /* no tags: it belongs to the B-scan and not to a kind of memory */
  static const gchar *tags[] = { NULL };
  static gsize registered = 0;

  if (!g_once_init_enter (&registered))
    return;
  /* the elements may be in the process twice, as in a program that has them
   * linked and loads the plugin */
  if (gst_meta_get_info (GST_OCT_SCAN_META_NAME) == NULL)
    gst_meta_register_custom (
        GST_OCT_SCAN_META_NAME, tags, scan_meta_transform, NULL, NULL);
  g_once_init_leave (&registered, 1);
}

void
gst_oct_scan_meta_set (GstBuffer *buffer, const GstOctScanPosition *position)
{
  GstCustomMeta *meta =
      gst_buffer_get_custom_meta (buffer, GST_OCT_SCAN_META_NAME);
  GstStructure *fields;

  if (meta == NULL)
    meta = gst_buffer_add_custom_meta (buffer, GST_OCT_SCAN_META_NAME);
  fields = gst_custom_meta_get_structure (meta);
  gst_structure_set (fields, GST_OCT_SCAN_BSCAN, G_TYPE_UINT, position->bscan,
      GST_OCT_SCAN_BSCANS, G_TYPE_UINT, position->bscans, GST_OCT_SCAN_VOLUME,
      G_TYPE_UINT64, position->volume, GST_OCT_SCAN_COUNT, G_TYPE_UINT,
      position->count, NULL);
  if (position->has_place)
    gst_structure_set (fields, GST_OCT_SCAN_PLACE, G_TYPE_UINT, position->place,
        GST_OCT_SCAN_REPEAT, G_TYPE_UINT, position->repeat, NULL);
  else
    gst_structure_remove_fields (
        fields, GST_OCT_SCAN_PLACE, GST_OCT_SCAN_REPEAT, NULL);
}

/* A field of any integer type, as other languages choose the type of a number
 * by rules of their own.  FALSE: not there, no integer, or not in [min,
 * max]. */
static gboolean
scan_meta_get_number (const GstStructure *fields, const char *name, guint64 min,
    guint64 max, guint64 *number)
{
  const GValue *value = gst_structure_get_value (fields, name);

  if (value == NULL)
    return FALSE;
  if (G_VALUE_HOLDS_UINT (value))
    *number = g_value_get_uint (value);
  else if (G_VALUE_HOLDS_UINT64 (value))
    *number = g_value_get_uint64 (value);
  else if (G_VALUE_HOLDS_INT (value) && g_value_get_int (value) >= 0)
    *number = (guint64)g_value_get_int (value);
  else if (G_VALUE_HOLDS_INT64 (value) && g_value_get_int64 (value) >= 0)
    *number = (guint64)g_value_get_int64 (value);
  else if (G_VALUE_HOLDS_LONG (value) && g_value_get_long (value) >= 0)
    *number = (guint64)g_value_get_long (value);
  else if (G_VALUE_HOLDS_ULONG (value))
    *number = g_value_get_ulong (value);
  else
    return FALSE;
  return *number >= min && *number <= max;
}

/* Both or neither.  A place counts as a B-scan at most, as volumes have no more
 * places than B-scans. */
static gboolean
scan_meta_get_place (const GstStructure *fields, GstOctScanPosition *position)
{
  guint64 place = 0, repeat = 0;

  position->has_place =
      gst_structure_has_field (fields, GST_OCT_SCAN_PLACE)
      || gst_structure_has_field (fields, GST_OCT_SCAN_REPEAT);
  if (position->has_place
      && (!scan_meta_get_number (
              fields, GST_OCT_SCAN_PLACE, 0, position->bscans - 1, &place)
          || !scan_meta_get_number (
              fields, GST_OCT_SCAN_REPEAT, 0, position->bscans - 1, &repeat)))
    return FALSE;
  position->place = (guint)place;
  position->repeat = (guint)repeat;
  return TRUE;
}

gboolean
gst_oct_scan_meta_get (GstBuffer *buffer, GstOctScanPosition *position)
{
  GstCustomMeta *meta =
      gst_buffer_get_custom_meta (buffer, GST_OCT_SCAN_META_NAME);
  guint64 bscan, bscans, volume = 0, count = 1;
  GstOctScanPosition found;
  const GstStructure *fields;

  if (meta == NULL)
    return FALSE;
  fields = gst_custom_meta_get_structure (meta);
  if (!scan_meta_get_number (fields, GST_OCT_SCAN_BSCANS, 1, G_MAXUINT, &bscans)
      || !scan_meta_get_number (
          fields, GST_OCT_SCAN_BSCAN, 0, bscans - 1, &bscan)
      || (gst_structure_has_field (fields, GST_OCT_SCAN_VOLUME)
          && !scan_meta_get_number (fields, GST_OCT_SCAN_VOLUME, 0,
              G_MAXUINT64 / bscans - 1, &volume))
      || (gst_structure_has_field (fields, GST_OCT_SCAN_COUNT)
          && !scan_meta_get_number (
              fields, GST_OCT_SCAN_COUNT, 1, G_MAXUINT, &count))) {
    GST_WARNING (
        "%" GST_PTR_FORMAT " is not a position of a B-scan: it needs "
        "bscan, from 0 and below bscans, and may have volume and count",
        fields);
    return FALSE;
  }
  found = (GstOctScanPosition){ .bscan = (guint)bscan,
    .bscans = (guint)bscans,
    .volume = volume,
    .count = (guint)count };
  if (!scan_meta_get_place (fields, &found)) {
    GST_WARNING ("%" GST_PTR_FORMAT " is not a position of a B-scan: it may "
                 "have both place and repeat, from 0 and below bscans",
        fields);
    return FALSE;
  }
  *position = found;
  return TRUE;
}

void
gst_oct_scan_position_get_place (const GstOctScanPosition *position,
    guint image, guint repeats, guint *place, guint *repeat)
{
  guint bscans = position->bscans;
  guint places = bscans / repeats + (bscans % repeats != 0);
  guint64 n = position->has_place ? position->repeat : position->bscan;

  *place = position->place;
  *repeat = position->repeat;
  if (position->has_place && image == 0)
    return;
  n += image;
  /* the division begins again with each volume */
  if (!position->has_place)
    n %= bscans;
  *place = (guint)((*place + n / repeats) % places);
  *repeat = (guint)(n % repeats);
}

void
gst_oct_scan_position_select (
    GstOctScanPosition *position, guint first, guint count, guint repeats)
{
  guint64 bscan = (guint64)position->bscan + first;

  if (position->has_place)
    gst_oct_scan_position_get_place (
        position, first, repeats, &position->place, &position->repeat);
  position->bscan = (guint)(bscan % position->bscans);
  position->volume += bscan / position->bscans;
  position->count = count;
}
