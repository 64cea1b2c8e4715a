/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Presets of octreconstruct: what belongs to an instrument is kept, and found
 * again by its name.  The folder is that of the test.
 */
#include "oct-test-pipelines.h"
#include "oct-test.h"

static GstElement *
new_element (void)
{
  GstElement *element = gst_element_factory_make ("octreconstruct", NULL);

  fail_unless (GST_IS_PRESET (element));
  return gst_object_ref_sink (element);
}

static void
set (GstElement *element, const char *name, const char *value)
{
  gst_util_set_object_arg (G_OBJECT (element), name, value);
}

static void
assert_value (GstElement *element, const char *name, const char *expected)
{
  GParamSpec *spec =
      g_object_class_find_property (G_OBJECT_GET_CLASS (element), name);
  GValue value = G_VALUE_INIT;
  g_autofree char *text = NULL;

  g_value_init (&value, spec->value_type);
  g_object_get_property (G_OBJECT (element), name, &value);
  text = G_VALUE_HOLDS_STRING (&value) ? g_value_dup_string (&value)
                                       : gst_value_serialize (&value);
  fail_unless (g_strcmp0 (text, expected) == 0, "%s is %s, not %s", name, text,
      expected);
  g_value_unset (&value);
}

/* Its own properties alone; nothing of the computer. */
GST_START_TEST (test_names)
{
  g_autoptr (GstElement) element = new_element ();
  g_auto (GStrv) names = gst_preset_get_property_names (GST_PRESET (element));
  const char *const *list = (const char *const *)names;
  guint i;

  fail_unless (g_strv_contains (list, "method"));
  fail_unless (g_strv_contains (list, "wavelength-polynomial"));
  fail_unless (g_strv_contains (list, "k-warp"));
  fail_unless (g_strv_contains (list, "a2"));
  fail_if (g_strv_contains (list, "backend"));
  fail_if (g_strv_contains (list, "cuda-device-id"));
  fail_if (g_strv_contains (list, "output"));
  for (i = 0; names[i] != NULL; i++)
    fail_unless (
        g_object_class_find_property (G_OBJECT_GET_CLASS (element), names[i])
        != NULL);
}
GST_END_TEST;

GST_START_TEST (test_save_and_load)
{
  static const char *const values[][2] = { { "method", "nufft" },
    { "wavelength-polynomial", "895.5,-0.05,1e-07" }, { "flip", "true" },
    { "k-warp", "0,0,0.02" }, { "a2", "-41.25" }, { "mode", "fixed-pattern" },
    { "depth-bins", "300" }, { "range", "manual" }, { "min", "12.5" },
    { "mask-file", "/tmp/a folder, with é.txt" } };
  g_autoptr (GstElement) one = new_element (), other = new_element ();
  g_auto (GStrv) names = NULL;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (values); i++)
    set (one, values[i][0], values[i][1]);
  fail_unless (gst_preset_save_preset (GST_PRESET (one), "Bench 3, left"));
  names = gst_preset_get_preset_names (GST_PRESET (other));
  fail_unless (g_strv_contains ((const char *const *)names, "Bench 3, left"));
  /* what it does not have goes */
  set (other, "calibration", "/tmp/another.csv");
  set (other, "a3", "7");
  set (other, "k-polynomial", "0,1");
  set (other, "backend", "cpu");
  fail_unless (gst_preset_load_preset (GST_PRESET (other), "Bench 3, left"));
  for (i = 0; i < G_N_ELEMENTS (values); i++)
    assert_value (other, values[i][0], values[i][1]);
  assert_value (other, "calibration", NULL);
  assert_value (other, "k-polynomial", NULL);
  assert_value (other, "a3", "0");
  assert_value (other, "backend", "cpu");
  fail_if (gst_preset_load_preset (GST_PRESET (other), "Bench 4"));
  assert_value (other, "a2", "-41.25");
  fail_unless (gst_preset_delete_preset (GST_PRESET (one), "Bench 3, left"));
}
GST_END_TEST;

/* In a launch line, with images that are those of its settings. */
GST_START_TEST (test_images)
{
  g_autoptr (GstElement) saver = new_element ();
  g_autofree char *by_hand = oct_test_launch (
      "octsrc samples=256 lines=16 num-buffers=2 ! octreconstruct "
      "method=nufft a2=20 k-warp=\"0,0,0.01\" depth-bins=60 ! capsfilter "
      "caps=video/x-raw,format=GRAY8 ! appsink name=sink sync=false");
  g_autofree char *by_name = oct_test_launch (
      "octsrc samples=256 lines=16 num-buffers=2 ! octreconstruct "
      "PRESET=launched ! capsfilter caps=video/x-raw,format=GRAY8 ! appsink "
      "name=sink sync=false");
  /* in the tests' launch lines an @ is a folder */
  g_auto (GStrv) halves = g_strsplit (by_name, "PRESET", 2);
  g_autofree char *full = g_strjoinv ("@preset", halves);
  GstElement *one, *other;

  set (saver, "method", "nufft");
  set (saver, "a2", "20");
  set (saver, "k-warp", "0,0,0.01");
  set (saver, "depth-bins", "60");
  fail_unless (gst_preset_save_preset (GST_PRESET (saver), "launched"));
  one = oct_test_start (by_hand);
  other = oct_test_start (full);
  oct_test_compare_pipelines (one, other, 2);
  oct_test_stop (one);
  oct_test_stop (other);
  fail_unless (gst_preset_delete_preset (GST_PRESET (saver), "launched"));
}
GST_END_TEST;

static Suite *
preset_suite (void)
{
  Suite *suite = suite_create ("preset");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_names);
  tcase_add_test (tcase, test_save_and_load);
  tcase_add_test (tcase, test_images);
  return suite;
}

GST_CHECK_MAIN (preset);
