/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-json.h"

#include <math.h>
#include <string.h>

#define EXACT 9007199254740992.0 /* 2^53 */

JsonBuilder *
oct_live_json_begin (const char *type)
{
  JsonBuilder *builder = json_builder_new_immutable ();

  json_builder_begin_object (builder);
  oct_live_json_add_string (builder, "type", type);
  return builder;
}

/* JSON cannot hold bytes that are not valid UTF-8: they are replaced. */
void
oct_live_json_add_string (
    JsonBuilder *builder, const char *name, const char *value)
{
  g_autofree char *valid = g_utf8_make_valid (value != NULL ? value : "", -1);

  json_builder_set_member_name (builder, name);
  json_builder_add_string_value (builder, valid);
}

/* json-glib adds ".0" to a number that is written without a point, to
 * "1e-300" too, which is not valid JSON then.  The neighbour of such a number
 * has digits after a point. */
static double
avoid_bare_exponent (double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  while (value != 0.0
         && strchr (g_ascii_dtostr (text, sizeof text, value), '.') == NULL
         && strchr (text, 'e') != NULL)
    value = nextafter (value, 0.0);
  return value;
}

void
oct_live_json_add_number (JsonBuilder *builder, const char *name, double value)
{
  json_builder_set_member_name (builder, name);
  if (!isfinite (value))
    json_builder_add_null_value (builder);
  else if (value == trunc (value) && fabs (value) < EXACT)
    json_builder_add_int_value (builder, (gint64)value);
  else
    json_builder_add_double_value (builder, avoid_bare_exponent (value));
}

void
oct_live_json_add_boolean (
    JsonBuilder *builder, const char *name, gboolean value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_boolean_value (builder, value);
}

void
oct_live_json_add_steps (JsonBuilder *builder, const char *name,
    const double *values, guint n, double step)
{
  json_builder_set_member_name (builder, name);
  json_builder_begin_array (builder);
  for (guint i = 0; i < n; i++) {
    double value = rint (values[i] / step);

    if (fabs (value) < EXACT)
      json_builder_add_int_value (builder, (gint64)value);
    else /* not-a-number, too */
      json_builder_add_null_value (builder);
  }
  json_builder_end_array (builder);
}

char *
oct_live_json_finish (JsonBuilder *builder)
{
  g_autoptr (JsonNode) root = NULL;

  json_builder_end_object (builder);
  root = json_builder_get_root (builder);
  g_object_unref (builder);
  return json_to_string (root, FALSE);
}
