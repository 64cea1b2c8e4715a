/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctproperties.h"

#include <stddef.h>

/* ------------------------------------------------------------------- install
 */

static GParamFlags
param_flags (const GstOctProperty *row)
{
  GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

  if (!(row->flags & GST_OCT_PROPERTY_READ_ONLY)) {
    flags |= G_PARAM_WRITABLE;
    flags |= row->flags & GST_OCT_PROPERTY_LIVE ? GST_PARAM_MUTABLE_PLAYING
                                                : GST_PARAM_MUTABLE_READY;
  }
  if (row->flags & GST_OCT_PROPERTY_CONTROLLABLE)
    flags |= GST_PARAM_CONTROLLABLE;
  return flags;
}

GParamSpec *
gst_oct_property_new_spec (const GstOctProperty *row)
{
  GParamFlags flags = param_flags (row);

  switch (row->type) {
  case GST_OCT_TYPE_BOOLEAN:
    return g_param_spec_boolean (
        row->name, row->nick, row->blurb, row->whole.initial != 0, flags);
  case GST_OCT_TYPE_INT:
    return g_param_spec_int (row->name, row->nick, row->blurb,
        (gint)row->whole.low, (gint)row->whole.high, (gint)row->whole.initial,
        flags);
  case GST_OCT_TYPE_UINT:
    return g_param_spec_uint (row->name, row->nick, row->blurb,
        (guint)row->whole.low, (guint)row->whole.high,
        (guint)row->whole.initial, flags);
  case GST_OCT_TYPE_UINT64:
    return g_param_spec_uint64 (row->name, row->nick, row->blurb,
        (guint64)row->whole.low, row->whole.high, (guint64)row->whole.initial,
        flags);
  case GST_OCT_TYPE_DOUBLE:
    return g_param_spec_double (row->name, row->nick, row->blurb, row->real.low,
        row->real.high, row->real.initial, flags);
  case GST_OCT_TYPE_ENUM:
    gst_type_mark_as_plugin_api (row->enum_type (), 0);
    return g_param_spec_enum (row->name, row->nick, row->blurb,
        row->enum_type (), (gint)row->whole.initial, flags);
  case GST_OCT_TYPE_STRUCTURE:
    return g_param_spec_boxed (
        row->name, row->nick, row->blurb, GST_TYPE_STRUCTURE, flags);
  case GST_OCT_TYPE_STRING:
  case GST_OCT_TYPE_FILE:
    break;
  }
  return g_param_spec_string (row->name, row->nick, row->blurb, NULL, flags);
}

/* -------------------------------------------------------------------- values
 */

#define MEMBER(type, settings, at) G_STRUCT_MEMBER (type, settings, at)

static void
properties_open_file (const GstOctProperty *row, gpointer settings)
{
  gpointer *content = &MEMBER (gpointer, settings, row->content);
  const char *path = MEMBER (char *, settings, row->offset);

  if (*content != NULL)
    row->file->unref (*content);
  *content = path != NULL && *path != '\0' ? row->file->open (path) : NULL;
}

void
gst_oct_properties_init (const GstOctProperties *properties, gpointer settings)
{
  guint i;

  for (i = 0; i < properties->n_rows; i++) {
    const GstOctProperty *row = &properties->rows[i];

    switch (row->type) {
    case GST_OCT_TYPE_BOOLEAN:
    case GST_OCT_TYPE_INT:
    case GST_OCT_TYPE_UINT:
    case GST_OCT_TYPE_ENUM:
      MEMBER (gint, settings, row->offset) = (gint)row->whole.initial;
      break;
    case GST_OCT_TYPE_UINT64:
      MEMBER (guint64, settings, row->offset) = (guint64)row->whole.initial;
      break;
    case GST_OCT_TYPE_DOUBLE:
      MEMBER (double, settings, row->offset) = row->real.initial;
      break;
    case GST_OCT_TYPE_STRING:
    case GST_OCT_TYPE_FILE:
    case GST_OCT_TYPE_STRUCTURE:
      break;
    }
  }
}

void
gst_oct_properties_clear (const GstOctProperties *properties, gpointer settings)
{
  guint i;

  for (i = 0; i < properties->n_rows; i++) {
    const GstOctProperty *row = &properties->rows[i];

    if (row->type == GST_OCT_TYPE_STRUCTURE)
      gst_clear_structure (&MEMBER (GstStructure *, settings, row->offset));
    if (row->type != GST_OCT_TYPE_STRING && row->type != GST_OCT_TYPE_FILE)
      continue;
    g_clear_pointer (&MEMBER (char *, settings, row->offset), g_free);
    if (row->type == GST_OCT_TYPE_FILE)
      properties_open_file (row, settings);
  }
}

void
gst_oct_properties_set (
    const GstOctProperty *row, gpointer settings, const GValue *value)
{
  char *text;

  switch (row->type) {
  case GST_OCT_TYPE_BOOLEAN:
    MEMBER (gboolean, settings, row->offset) = g_value_get_boolean (value);
    break;
  case GST_OCT_TYPE_INT:
    MEMBER (gint, settings, row->offset) = g_value_get_int (value);
    break;
  case GST_OCT_TYPE_UINT:
    MEMBER (guint, settings, row->offset) = g_value_get_uint (value);
    break;
  case GST_OCT_TYPE_UINT64:
    MEMBER (guint64, settings, row->offset) = g_value_get_uint64 (value);
    break;
  case GST_OCT_TYPE_DOUBLE:
    MEMBER (double, settings, row->offset) = g_value_get_double (value);
    break;
  case GST_OCT_TYPE_ENUM:
    MEMBER (gint, settings, row->offset) = g_value_get_enum (value);
    break;
  case GST_OCT_TYPE_STRING:
  case GST_OCT_TYPE_FILE:
    text = g_value_dup_string (value);
    g_free (MEMBER (char *, settings, row->offset));
    MEMBER (char *, settings, row->offset) = text;
    if (row->type == GST_OCT_TYPE_FILE)
      properties_open_file (row, settings);
    break;
  case GST_OCT_TYPE_STRUCTURE:
    break;
  }
}

void
gst_oct_properties_get (
    const GstOctProperty *row, gconstpointer settings, GValue *value)
{
  switch (row->type) {
  case GST_OCT_TYPE_BOOLEAN:
    g_value_set_boolean (value, MEMBER (gboolean, settings, row->offset));
    break;
  case GST_OCT_TYPE_INT:
    g_value_set_int (value, MEMBER (gint, settings, row->offset));
    break;
  case GST_OCT_TYPE_UINT:
    g_value_set_uint (value, MEMBER (guint, settings, row->offset));
    break;
  case GST_OCT_TYPE_UINT64:
    g_value_set_uint64 (value, MEMBER (guint64, settings, row->offset));
    break;
  case GST_OCT_TYPE_DOUBLE:
    g_value_set_double (value, MEMBER (double, settings, row->offset));
    break;
  case GST_OCT_TYPE_ENUM:
    g_value_set_enum (value, MEMBER (gint, settings, row->offset));
    break;
  case GST_OCT_TYPE_STRING:
  case GST_OCT_TYPE_FILE:
    g_value_set_string (value, MEMBER (char *, settings, row->offset));
    break;
  case GST_OCT_TYPE_STRUCTURE:
    g_value_set_boxed (value, MEMBER (GstStructure *, settings, row->offset));
    break;
  }
}

static gsize
properties_get_size (const GstOctProperty *row)
{
  switch (row->type) {
  case GST_OCT_TYPE_UINT64:
    return sizeof (guint64);
  case GST_OCT_TYPE_DOUBLE:
    return sizeof (double);
  default:
    return sizeof (gint);
  }
}

/* `to` has been cleared or is zeros. */
static void
copy_row (const GstOctProperty *row, gpointer to, gconstpointer from)
{
  if (row->type != GST_OCT_TYPE_STRING && row->type != GST_OCT_TYPE_FILE) {
    memcpy (&MEMBER (char, to, row->offset), &MEMBER (char, from, row->offset),
        properties_get_size (row));
    return;
  }
  g_free (MEMBER (char *, to, row->offset));
  MEMBER (char *, to, row->offset) =
      g_strdup (MEMBER (char *, from, row->offset));
  if (row->type == GST_OCT_TYPE_FILE) {
    gpointer content = MEMBER (gpointer, from, row->content);

    if (content != NULL)
      row->file->ref (content);
    if (MEMBER (gpointer, to, row->content) != NULL)
      row->file->unref (MEMBER (gpointer, to, row->content));
    MEMBER (gpointer, to, row->content) = content;
  }
}

static gboolean
properties_is_same (const GstOctProperty *row, gconstpointer a, gconstpointer b)
{
  if (row->type != GST_OCT_TYPE_STRING && row->type != GST_OCT_TYPE_FILE)
    return memcmp (&MEMBER (char, a, row->offset),
               &MEMBER (char, b, row->offset), properties_get_size (row))
           == 0;
  return g_strcmp0 (
             MEMBER (char *, a, row->offset), MEMBER (char *, b, row->offset))
             == 0
         && (row->type == GST_OCT_TYPE_STRING
             || MEMBER (gpointer, a, row->content)
                    == MEMBER (gpointer, b, row->content));
}

/* ------------------------------------------------------------------ settings
 */

struct _GstOctSettings {
  gatomicrefcount references;
  const GstOctProperties *properties;
  max_align_t values[];
};

static GstOctSettings *
new_settings (const GstOctProperties *properties)
{
  GstOctSettings *settings =
      g_malloc0 (sizeof (GstOctSettings) + properties->size);

  g_atomic_ref_count_init (&settings->references);
  settings->properties = properties;
  return settings;
}

GstOctSettings *
gst_oct_settings_new (const GstOctProperties *properties)
{
  GstOctSettings *settings = new_settings (properties);

  gst_oct_properties_init (properties, settings->values);
  return settings;
}

GstOctSettings *
gst_oct_settings_ref (GstOctSettings *settings)
{
  g_atomic_ref_count_inc (&settings->references);
  return settings;
}

void
gst_oct_settings_unref (GstOctSettings *settings)
{
  if (!g_atomic_ref_count_dec (&settings->references))
    return;
  gst_oct_properties_clear (settings->properties, settings->values);
  g_free (settings);
}

gconstpointer
gst_oct_settings_get (const GstOctSettings *settings)
{
  return settings->values;
}

GstOctSettings *
gst_oct_settings_with_rows (
    const GstOctSettings *settings, const GstOctSettings *other, guint64 rows)
{
  const GstOctProperties *properties = settings->properties;
  GstOctSettings *copy = new_settings (properties);
  guint i;

  for (i = 0; i < properties->n_rows; i++)
    copy_row (&properties->rows[i], copy->values,
        rows >> i & 1 ? other->values : settings->values);
  return copy;
}

GstOctSettings *
gst_oct_settings_with_value (const GstOctSettings *settings,
    const GstOctProperty *row, const GValue *value)
{
  GstOctSettings *copy = gst_oct_settings_with_rows (settings, NULL, 0);

  gst_oct_properties_set (row, copy->values, value);
  return copy;
}

GstOctSettings *
gst_oct_settings_with_member (const GstOctSettings *settings, gsize offset,
    gconstpointer member, gsize size)
{
  GstOctSettings *copy = gst_oct_settings_with_rows (settings, NULL, 0);

  memcpy (&MEMBER (char, copy->values, offset), member, size);
  return copy;
}

GstOctSettings *
gst_oct_settings_reopened (const GstOctSettings *settings)
{
  const GstOctProperties *properties = settings->properties;
  GstOctSettings *copy = gst_oct_settings_with_rows (settings, NULL, 0);
  guint i;

  for (i = 0; i < properties->n_rows; i++)
    if (properties->rows[i].type == GST_OCT_TYPE_FILE)
      properties_open_file (&properties->rows[i], copy->values);
  return copy;
}

guint64
gst_oct_settings_compare (const GstOctSettings *a, const GstOctSettings *b)
{
  const GstOctProperties *properties = a->properties;
  guint64 rows = 0;
  guint i;

  if (a == b)
    return 0;
  for (i = 0; i < properties->n_rows; i++)
    if (!(properties->rows[i].flags & GST_OCT_PROPERTY_READ_ONLY)
        && !properties_is_same (&properties->rows[i], a->values, b->values))
      rows |= G_GUINT64_CONSTANT (1) << i;
  return rows;
}

guint64
gst_oct_properties_get_group (const GstOctProperties *properties, guint i)
{
  guint64 rows = G_GUINT64_CONSTANT (1) << i;
  guint k;

  if (properties->rows[i].group == NULL)
    return rows;
  for (k = 0; k < properties->n_rows; k++)
    if (g_strcmp0 (properties->rows[k].group, properties->rows[i].group) == 0)
      rows |= G_GUINT64_CONSTANT (1) << k;
  return rows;
}

static char *
describe_row (const GstOctProperty *row, gconstpointer settings)
{
  g_autoptr (GEnumClass) values = NULL;
  const char *text;

  switch (row->type) {
  case GST_OCT_TYPE_BOOLEAN:
    return g_strdup (
        MEMBER (gboolean, settings, row->offset) ? "true" : "false");
  case GST_OCT_TYPE_INT:
    return g_strdup_printf ("%d", MEMBER (gint, settings, row->offset));
  case GST_OCT_TYPE_UINT:
    return g_strdup_printf ("%u", MEMBER (guint, settings, row->offset));
  case GST_OCT_TYPE_UINT64:
    return g_strdup_printf (
        "%" G_GUINT64_FORMAT, MEMBER (guint64, settings, row->offset));
  case GST_OCT_TYPE_DOUBLE:
    return g_strdup_printf ("%g", MEMBER (double, settings, row->offset));
  case GST_OCT_TYPE_ENUM:
    values = g_type_class_ref (row->enum_type ());
    return g_strdup (
        g_enum_get_value (values, MEMBER (gint, settings, row->offset))
            ->value_nick);
  case GST_OCT_TYPE_STRING:
    text = MEMBER (char *, settings, row->offset);
    return g_strdup (text != NULL ? text : "");
  case GST_OCT_TYPE_FILE:
  case GST_OCT_TYPE_STRUCTURE:
    break;
  }
  text = MEMBER (char *, settings, row->offset);
  return text != NULL ? g_filename_display_name (text) : g_strdup ("");
}

char *
gst_oct_settings_describe (const GstOctSettings *settings, guint64 rows)
{
  const GstOctProperties *properties = settings->properties;
  GString *text = g_string_new (NULL);
  guint i;

  for (i = 0; i < properties->n_rows; i++) {
    g_autofree char *value = NULL;

    if (!(rows >> i & 1))
      continue;
    value = describe_row (&properties->rows[i], settings->values);
    if (text->len > 0)
      g_string_append (text, ", ");
    if (*value != '\0')
      g_string_append_printf (text, "%s=%s", properties->rows[i].name, value);
    else
      g_string_append_printf (text, "%s not set", properties->rows[i].name);
  }
  return g_string_free (text, FALSE);
}

/* ---------------------------------------------------------------------- time
 */

void
gst_oct_properties_sync (
    GstObject *object, const GstSegment *segment, GstClockTime time)
{
  if (!GST_CLOCK_TIME_IS_VALID (time) || segment->format != GST_FORMAT_TIME)
    return;
  time = gst_segment_to_stream_time (segment, GST_FORMAT_TIME, time);
  if (GST_CLOCK_TIME_IS_VALID (time))
    gst_object_sync_values (object, time);
}
