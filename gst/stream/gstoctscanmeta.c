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

/* Fields by their quarks, as a name is hashed each time that it is asked for:
 * every B-scan has them, and every element reads them. */
typedef enum { BSCAN, BSCANS, VOLUME, COUNT, PLACE, REPEAT, N_FIELDS } Field;

static const GQuark *
get_fields (void)
{
  static const char *const names[N_FIELDS] = { GST_OCT_SCAN_BSCAN,
    GST_OCT_SCAN_BSCANS, GST_OCT_SCAN_VOLUME, GST_OCT_SCAN_COUNT,
    GST_OCT_SCAN_PLACE, GST_OCT_SCAN_REPEAT };
  static GQuark fields[N_FIELDS];
  static gsize known = 0;

  if (g_once_init_enter (&known)) {
    for (guint i = 0; i < N_FIELDS; i++)
      fields[i] = g_quark_from_static_string (names[i]);
    g_once_init_leave (&known, 1);
  }
  return fields;
}

/* Without asking for the kind of metadata by its name; NULL: there is none. */
static GstCustomMeta *
find_meta (GstBuffer *buffer)
{
  static gsize known = 0;

  if (g_once_init_enter (&known)) {
    gst_oct_scan_meta_register ();
    g_once_init_leave (&known, gst_meta_get_info (GST_OCT_SCAN_META_NAME)->api);
  }
  return (GstCustomMeta *)gst_buffer_get_meta (buffer, known);
}

static void
scan_meta_set_uint (GstStructure *fields, Field field, guint number)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_UINT);
  g_value_set_uint (&value, number);
  gst_structure_id_set_value (fields, get_fields ()[field], &value);
}

void
gst_oct_scan_meta_set (GstBuffer *buffer, const GstOctScanPosition *position)
{
  GstCustomMeta *meta = find_meta (buffer);
  gboolean is_new = meta == NULL;
  GValue volume = G_VALUE_INIT;
  GstStructure *fields;

  if (is_new)
    meta = gst_buffer_add_custom_meta (buffer, GST_OCT_SCAN_META_NAME);
  fields = gst_custom_meta_get_structure (meta);
  scan_meta_set_uint (fields, BSCAN, position->bscan);
  scan_meta_set_uint (fields, BSCANS, position->bscans);
  g_value_init (&volume, G_TYPE_UINT64);
  g_value_set_uint64 (&volume, position->volume);
  gst_structure_id_set_value (fields, get_fields ()[VOLUME], &volume);
  scan_meta_set_uint (fields, COUNT, position->count);
  if (position->has_place) {
    scan_meta_set_uint (fields, PLACE, position->place);
    scan_meta_set_uint (fields, REPEAT, position->repeat);
  } else if (!is_new) {
    gst_structure_remove_fields (
        fields, GST_OCT_SCAN_PLACE, GST_OCT_SCAN_REPEAT, NULL);
  }
}

typedef struct {
  const GValue *values[N_FIELDS]; /* NULL: not there */
} Values;

static gboolean
scan_meta_find_value (GQuark field, const GValue *value, gpointer data)
{
  for (guint i = 0; i < N_FIELDS; i++)
    if (field == get_fields ()[i])
      ((Values *)data)->values[i] = value;
  return TRUE;
}

/* A field of any integer type, as other languages choose the type of a number
 * by rules of their own.  FALSE: not there, no integer, or not in [min,
 * max]. */
static gboolean
scan_meta_get_number (const Values *values, Field field, guint64 min,
    guint64 max, guint64 *number)
{
  const GValue *value = values->values[field];

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
scan_meta_get_place (const Values *values, GstOctScanPosition *position)
{
  guint64 place = 0, repeat = 0;

  position->has_place =
      values->values[PLACE] != NULL || values->values[REPEAT] != NULL;
  if (position->has_place
      && (!scan_meta_get_number (values, PLACE, 0, position->bscans - 1, &place)
          || !scan_meta_get_number (
              values, REPEAT, 0, position->bscans - 1, &repeat)))
    return FALSE;
  position->place = (guint)place;
  position->repeat = (guint)repeat;
  return TRUE;
}

gboolean
gst_oct_scan_meta_get (GstBuffer *buffer, GstOctScanPosition *position)
{
  GstCustomMeta *meta = find_meta (buffer);
  guint64 bscan, bscans, volume = 0, count = 1;
  Values values = { { NULL } };
  GstOctScanPosition found;
  const GstStructure *fields;

  if (meta == NULL)
    return FALSE;
  fields = gst_custom_meta_get_structure (meta);
  gst_structure_foreach (fields, scan_meta_find_value, &values);
  if (!scan_meta_get_number (
          &values, BSCANS, 1, GST_OCT_SCAN_MOST_BSCANS, &bscans)
      || !scan_meta_get_number (&values, BSCAN, 0, bscans - 1, &bscan)
      || (values.values[VOLUME] != NULL
          && !scan_meta_get_number (
              &values, VOLUME, 0, G_MAXUINT64 / bscans - 1, &volume))
      || (values.values[COUNT] != NULL
          && !scan_meta_get_number (&values, COUNT, 1, G_MAXUINT, &count))) {
    GST_WARNING (
        "%" GST_PTR_FORMAT " is not a position of a B-scan: it needs "
        "bscan, from 0 and below bscans, which is at most %d, and may have "
        "volume and count",
        fields, GST_OCT_SCAN_MOST_BSCANS);
    return FALSE;
  }
  found = (GstOctScanPosition){ .bscan = (guint)bscan,
    .bscans = (guint)bscans,
    .volume = volume,
    .count = (guint)count };
  if (!scan_meta_get_place (&values, &found)) {
    GST_WARNING ("%" GST_PTR_FORMAT " is not a position of a B-scan: it may "
                 "have both place and repeat, from 0 and below bscans",
        fields);
    return FALSE;
  }
  *position = found;
  return TRUE;
}

void
gst_oct_scan_meta_set_valid (
    GstBuffer *buffer, const guint8 *valid, guint count)
{
  GstCustomMeta *meta = find_meta (buffer);
  GstBuffer *bytes = gst_buffer_new_memdup (valid, count);

  g_return_if_fail (meta != NULL);
  gst_structure_set (gst_custom_meta_get_structure (meta), GST_OCT_SCAN_VALID,
      GST_TYPE_BUFFER, bytes, NULL);
  gst_buffer_unref (bytes);
}

/* No new reference; NULL: there is none. */
static GstBuffer *
scan_meta_find_valid (GstBuffer *buffer)
{
  GstCustomMeta *meta = find_meta (buffer);
  const GValue *value =
      meta != NULL ? gst_structure_get_value (
          gst_custom_meta_get_structure (meta), GST_OCT_SCAN_VALID)
                   : NULL;

  return value != NULL && GST_VALUE_HOLDS_BUFFER (value)
             ? gst_value_get_buffer (value)
             : NULL;
}

gboolean
gst_oct_scan_meta_get_valid (GstBuffer *buffer, guint8 *valid, guint count)
{
  GstBuffer *bytes = scan_meta_find_valid (buffer);

  if (bytes == NULL)
    return FALSE;
  if (gst_buffer_get_size (bytes) == count)
    return gst_buffer_extract (bytes, 0, valid, count) == count;
  GST_WARNING ("`valid` of a scan position has %" G_GSIZE_FORMAT
               " bytes, but the buffer has %u A-lines",
      gst_buffer_get_size (bytes), count);
  return FALSE;
}

guint
gst_oct_scan_meta_count_lost (GstBuffer *buffer, guint count)
{
  g_autofree guint8 *valid = NULL;
  guint lost = 0;

  if (!gst_oct_scan_meta_has_valid (buffer))
    return 0;
  valid = g_malloc (count);
  if (!gst_oct_scan_meta_get_valid (buffer, valid, count))
    return 0;
  for (guint i = 0; i < count; i++)
    lost += valid[i] == 0;
  return lost;
}

void
gst_oct_scan_meta_select_valid (GstBuffer *buffer, guint image, guint images)
{
  GstBuffer *bytes = scan_meta_find_valid (buffer);
  gsize size = bytes != NULL ? gst_buffer_get_size (bytes) / images : 0;
  g_autofree guint8 *valid = NULL;

  if (size == 0 || size > G_MAXUINT
      || gst_buffer_get_size (bytes) != size * images)
    return;
  valid = g_malloc (size);
  gst_buffer_extract (bytes, image * size, valid, size);
  gst_oct_scan_meta_set_valid (buffer, valid, (guint)size);
}

gboolean
gst_oct_scan_meta_has_valid (GstBuffer *buffer)
{
  return scan_meta_find_valid (buffer) != NULL;
}

void
gst_oct_scan_meta_set_unfinished (GstBuffer *buffer)
{
  GstCustomMeta *meta = find_meta (buffer);

  g_return_if_fail (meta != NULL);
  gst_structure_set (gst_custom_meta_get_structure (meta),
      GST_OCT_SCAN_UNFINISHED, G_TYPE_BOOLEAN, TRUE, NULL);
}

gboolean
gst_oct_scan_meta_is_unfinished (GstBuffer *buffer)
{
  GstCustomMeta *meta = find_meta (buffer);
  gboolean unfinished = FALSE;

  return meta != NULL
         && gst_structure_get_boolean (gst_custom_meta_get_structure (meta),
             GST_OCT_SCAN_UNFINISHED, &unfinished)
         && unfinished;
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

guint
gst_oct_scan_position_get_index (
    const GstOctScanPosition *position, guint repeats)
{
  guint64 index = (guint64)position->place * repeats + position->repeat;

  /* the caps may know of no repeats */
  return position->has_place && position->repeat < repeats
                 && index < position->bscans
             ? (guint)index
             : position->bscan;
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
