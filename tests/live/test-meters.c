/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measurements sent to pages are valid JSON, whatever was measured. */
#include "oct-live-meters.h"

#include <json-glib/json-glib.h>
#include <math.h>

static GstStructure *
make_measurement (const char *of, const double *curve, guint n)
{
  g_autoptr (GstBuffer) buffer =
      gst_buffer_new_memdup (curve, n * sizeof *curve);

  return gst_structure_new ("oct-meter", "of", G_TYPE_STRING, of, "snr",
      G_TYPE_DOUBLE, 41.25, "lines", G_TYPE_UINT, 256u, "bscans", G_TYPE_UINT64,
      G_GUINT64_CONSTANT (123), "curve", GST_TYPE_BUFFER, buffer, NULL);
}

static JsonNode *
describe (GstStructure *measurement)
{
  g_autofree char *text = oct_live_meters_describe (measurement);
  g_autoptr (GError) error = NULL;
  JsonNode *root = json_from_string (text, &error);

  g_assert_no_error (error);
  gst_structure_free (measurement);
  return root;
}

static void
test_values (void)
{
  const double curve[] = { 1.04, -INFINITY, NAN, 1e300, -7 };
  g_autoptr (JsonNode) root = describe (make_measurement ("ascans", curve, 5));
  JsonObject *message = json_node_get_object (root);
  JsonObject *values = json_object_get_object_member (message, "values");
  JsonArray *points = json_object_get_array_member (message, "curve");

  g_assert_cmpstr (
      json_object_get_string_member (message, "type"), ==, "meters");
  g_assert_cmpstr (json_object_get_string_member (message, "of"), ==, "ascans");
  g_assert_cmpstr (json_object_get_string_member (message, "problem"), ==, "");
  g_assert_cmpuint (json_object_get_size (values), ==, 3);
  g_assert_cmpfloat (json_object_get_double_member (values, "snr"), ==, 41.25);
  g_assert_cmpint (json_object_get_int_member (values, "bscans"), ==, 123);
  g_assert_cmpint (json_object_get_int_member (message, "samples"), ==, 5);
  g_assert_cmpuint (json_array_get_length (points), ==, 5);
  g_assert_cmpint (json_array_get_int_element (points, 0), ==, 10);
  for (guint i = 1; i < 4; i++)
    g_assert_true (json_array_get_null_element (points, i));
  g_assert_cmpint (json_array_get_int_element (points, 4), ==, -70);
  g_assert_cmpuint (
      json_array_get_length (json_object_get_array_member (message, "full")),
      ==, 0);
}

/* 1300 values to 512 points: of an A-scan a peak of one bin stays, of a
 * spectrum it is the mean. */
static void
test_reduction (void)
{
  double curve[1300] = { 0 };
  const char *const kinds[] = { "ascans", "spectra" };

  curve[700] = 30;
  for (guint kind = 0; kind < 2; kind++) {
    g_autoptr (JsonNode) root =
        describe (make_measurement (kinds[kind], curve, G_N_ELEMENTS (curve)));
    JsonObject *message = json_node_get_object (root);
    JsonArray *points = json_object_get_array_member (message, "curve");
    /* point 276 is of the values 700 to 702 */
    gint64 expected = kind == 0 ? 300 : 100;

    g_assert_cmpint (json_object_get_int_member (message, "samples"), ==, 1300);
    g_assert_cmpuint (
        json_array_get_length (points), ==, OCT_LIVE_METERS_POINTS);
    for (guint i = 0; i < OCT_LIVE_METERS_POINTS; i++)
      g_assert_cmpint (json_array_get_int_element (points, i), ==,
          (i == 276 ? expected : 0));
  }
}

static void
test_nothing (void)
{
  g_autoptr (JsonNode) root =
      describe (gst_structure_new ("oct-meter", "of", G_TYPE_STRING, "spectra",
          "problem", G_TYPE_STRING, "It is \"dark\".", NULL));
  JsonObject *message = json_node_get_object (root);

  g_assert_cmpstr (json_object_get_string_member (message, "problem"), ==,
      "It is \"dark\".");
  g_assert_cmpint (json_object_get_int_member (message, "samples"), ==, 0);
  g_assert_cmpuint (
      json_array_get_length (json_object_get_array_member (message, "curve")),
      ==, 0);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/live/meters/values", test_values);
  g_test_add_func ("/live/meters/reduction", test_reduction);
  g_test_add_func ("/live/meters/nothing", test_nothing);
  return g_test_run ();
}
