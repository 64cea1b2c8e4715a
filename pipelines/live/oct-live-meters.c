/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-meters.h"
#include "oct-live-json.h"

#include <math.h>

#define STEP 0.1
#define FULL_STEP 0.001

typedef enum {
  MEAN,
  HIGHEST,
} Reduction;

/* The mean is NaN if one of the values is; the highest value ignores NaN. */
static double
live_meters_reduce (const double *values, guint n, Reduction how)
{
  double highest = -INFINITY, sum = 0;

  for (guint i = 0; i < n; i++) {
    highest = values[i] > highest ? values[i] : highest;
    sum += values[i];
  }
  return how == MEAN ? sum / n : highest;
}

/* Returns how many samples there are; 0 without a curve, which has an empty
 * list then. */
static guint
live_meters_add_curve (JsonBuilder *builder, const char *member,
    const GValue *value, Reduction how, double step)
{
  double points[OCT_LIVE_METERS_POINTS];
  GstBuffer *buffer = NULL;
  GstMapInfo map;
  guint n = 0, count = 0;

  if (value != NULL && GST_VALUE_HOLDS_BUFFER (value))
    buffer = gst_value_get_buffer (value);
  if (buffer != NULL && gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    const double *values = (const double *)map.data;

    n = (guint)(map.size / sizeof *values);
    count = MIN (n, OCT_LIVE_METERS_POINTS);
    for (guint i = 0; i < count; i++) {
      guint first = (guint)((guint64)i * n / count);
      guint end = (guint)((guint64)(i + 1) * n / count);

      points[i] = live_meters_reduce (values + first, end - first, how);
    }
    gst_buffer_unmap (buffer, &map);
  }
  oct_live_json_add_steps (builder, member, points, count, step);
  return n;
}

static void
add_values (JsonBuilder *builder, const GstStructure *measurement)
{
  json_builder_set_member_name (builder, "values");
  json_builder_begin_object (builder);
  for (gint i = 0; i < gst_structure_n_fields (measurement); i++) {
    const char *name = gst_structure_nth_field_name (measurement, (guint)i);
    const GValue *value = gst_structure_get_value (measurement, name);

    if (G_VALUE_HOLDS_DOUBLE (value))
      oct_live_json_add_number (builder, name, g_value_get_double (value));
    else if (G_VALUE_HOLDS_UINT (value))
      oct_live_json_add_number (builder, name, g_value_get_uint (value));
    else if (G_VALUE_HOLDS_UINT64 (value))
      oct_live_json_add_number (
          builder, name, (double)g_value_get_uint64 (value));
  }
  json_builder_end_object (builder);
}

char *
oct_live_meters_describe (const GstStructure *measurement)
{
  JsonBuilder *builder = oct_live_json_begin ("meters");
  const char *of = gst_structure_get_string (measurement, "of");
  Reduction how = g_strcmp0 (of, "ascans") == 0 ? HIGHEST : MEAN;
  guint samples;

  oct_live_json_add_string (builder, "of", of);
  oct_live_json_add_string (
      builder, "problem", gst_structure_get_string (measurement, "problem"));
  add_values (builder, measurement);
  oct_live_json_add_number (builder, "step", STEP);
  samples = live_meters_add_curve (builder, "curve",
      gst_structure_get_value (measurement, "curve"), how, STEP);
  oct_live_json_add_number (builder, "samples", samples);
  live_meters_add_curve (builder, "full",
      gst_structure_get_value (measurement, "curve-full"), HIGHEST, FULL_STEP);
  return oct_live_json_finish (builder);
}
