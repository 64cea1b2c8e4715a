/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * octreconstruct against the same elements put together by hand: its images,
 * properties and errors.  Another method while images are made:
 * test-method-switch.c.
 */
#include "oct-test-files.h"
#include "oct-test-reconstruct.h"

#include <string.h>

/* On a GPU sums are taken in any order. */
static void
check_same (const OctArray *found, const OctArray *expected)
{
  if (oct_test_on_gpu ())
    oct_test_compare (found, expected, 1);
  else
    fail_unless (oct_array_equal (found, expected));
}

/* Each of the images, one pipeline after the other: plans are made alike. */
static void
check_same_images (const char *launch, const char *by_hand, guint count)
{
  OctArray *expected[8];
  GstElement *pipeline = oct_test_start_filters (by_hand);
  guint i;

  g_assert (count <= G_N_ELEMENTS (expected));
  for (i = 0; i < count; i++)
    expected[i] = oct_test_pull (pipeline, "sink");
  oct_test_stop (pipeline);
  pipeline = oct_test_start_filters (launch);
  for (i = 0; i < count; i++) {
    g_autoptr (OctArray) found = oct_test_pull (pipeline, "sink");

    check_same (found, expected[i]);
    oct_array_free (expected[i]);
  }
  fail_unless (oct_test_pull_from (pipeline, "sink") == NULL);
  oct_test_stop (pipeline);
}

/* ------------------------------------------------------- as put together by
 * hand
 */

/* Loops over the methods. */
GST_START_TEST (test_same_image)
{
  const char *method = oct_test_methods[__i__];
  g_autofree char *chain = oct_test_describe_method (method, "", "", "");
  g_autofree char *launch = g_strdup_printf (
      SOURCE " num-buffers=4 ! octreconstruct method=%s" GREY SINK, method);
  g_autofree char *by_hand = g_strdup_printf (
      SOURCE " num-buffers=4 ! octdcsub%s ! octlogscale" GREY SINK, chain);

  check_same_images (launch, by_hand, 4);
}
GST_END_TEST

/* Every setting that changes the image arrives. */
GST_START_TEST (test_same_image_with_settings)
{
  const char *method = oct_test_methods[__i__];
  gboolean cs = g_str_equal (method, "cs");
  const char *transform = "window=blackman depth-start=5 depth-bins=70";
  g_autofree char *all = g_strdup_printf ("%s%s", transform,
      cs ? " sampling-rate=0.6 iterations=4 tau=1.5 noise=9 mask=max-gap" : "");
  g_autofree char *chain =
      oct_test_describe_method (method, "a2=31 a3=-12", "method=linear", all);
  const char *first = "mode=running running-weight=0.4 wavelength-min=800 "
                      "wavelength-max=875";
  const char *last = "scale=log range=auto range-smoothing=0.7";
  g_autofree char *launch = g_strdup_printf (SOURCE
      " num-buffers=4 ! octreconstruct method=%s interpolation=linear"
      " a2=31 a3=-12 %s %s %s" GREY SINK,
      method, all, first, last);
  g_autofree char *by_hand = g_strdup_printf (SOURCE
      " num-buffers=4 ! octdcsub %s%s ! octlogscale %s" GREY SINK,
      first, chain, last);

  check_same_images (launch, by_hand, 4);
}
GST_END_TEST

/* Calibration and background in files, and a linear scale. */
GST_START_TEST (test_same_image_of_files)
{
  g_autofree char *spectra = oct_test_spectra_path ();
  g_autofree char *csv = oct_test_wavelengths ("wavelengths.csv", 256);
  g_autofree char *source =
      g_strdup_printf ("octsrc location=%s samples=256 lines=16", spectra);
  g_autofree char *files = g_strdup_printf (
      "calibration=%s mode=background background=%s", csv, spectra);
  const char *last = "scale=linear range=manual max=1e4";
  g_autofree char *launch = g_strdup_printf (
      "%s ! octreconstruct %s %s" GREY SINK, source, files, last);
  g_autofree char *by_hand =
      g_strdup_printf ("%s ! octdcsub %s ! octkresample ! octdispersion ! "
                       "octfft ! octlogscale %s" GREY SINK,
          source, files, last);

  check_same_images (launch, by_hand, 4);
}
GST_END_TEST

static const char *
find_data (void)
{
  const char *folder = g_getenv ("OCT_TEST_DATA");

  return folder != NULL ? folder : OCT_TEST_DATA;
}

/* Real spectra with their calibration, where they are there. */
GST_START_TEST (test_same_image_of_tissue)
{
  const char *method = oct_test_methods[__i__];
  g_autofree char *raw =
      g_build_filename (find_data (), "cscan_100x100x1024_u16.raw", NULL);
  g_autofree char *csv =
      g_build_filename (find_data (), "calibration.csv", NULL);
  g_autofree char *source =
      g_strdup_printf ("octsrc location=\"%s\" samples=1024 lines=100 "
                       "calibration=\"%s\" num-buffers=2",
          raw, csv);
  g_autofree char *chain = oct_test_describe_method (method, "", "", "");
  g_autofree char *launch = g_strdup_printf (
      "%s ! octreconstruct method=%s" GREY SINK, source, method);
  g_autofree char *by_hand = g_strdup_printf (
      "%s ! octdcsub%s ! octlogscale" GREY SINK, source, chain);

  if (g_file_test (raw, G_FILE_TEST_EXISTS))
    check_same_images (launch, by_hand, 2);
  else
    g_print ("SKIP: there is no '%s'\n", raw);
}
GST_END_TEST

/* Without octlogscale. */
/* The most B-scans in a buffer of octdcsub inside. */
static gint
get_most_inside (const char *launch)
{
  GstElement *pipeline = oct_test_start_filters (launch);
  GstElement *dcsub = gst_bin_get_by_name (GST_BIN (pipeline), "dcsub");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (dcsub, "sink");
  g_autoptr (GstCaps) caps = NULL;
  gint bscans = 1;

  gst_sample_unref (oct_test_pull_from (pipeline, "sink"));
  caps = gst_pad_get_current_caps (pad);
  gst_structure_get_int (gst_caps_get_structure (caps, 0), "bscans", &bscans);
  gst_object_unref (dcsub);
  oct_test_stop (pipeline);
  return bscans;
}

/* Short B-scans are gathered on a GPU unless that is switched off, and A-scans
 * are not; images are the same. */
GST_START_TEST (test_gather)
{
  static const struct {
    const char *properties;
    gint on_gpu;
  } rows[] = { { "", 16 }, { "gather=never", 1 }, { "gather=auto", 16 } };
  g_autofree char *chain = oct_test_describe_method ("resample", "", "", "");
  g_autofree char *launch =
      g_strdup_printf (SOURCE " num-buffers=8 ! octreconstruct %s" GREY SINK,
          rows[__i__].properties);
  g_autofree char *by_hand = g_strdup_printf (
      SOURCE " num-buffers=8 ! octdcsub%s ! octlogscale" GREY SINK, chain);

  fail_unless_equals_int (
      get_most_inside (launch), oct_test_on_gpu () ? rows[__i__].on_gpu : 1);
  fail_unless_equals_int (
      get_most_inside (
          SOURCE " num-buffers=2 ! octreconstruct output=ascans" SINK),
      1);
  check_same_images (launch, by_hand, 8);
}
GST_END_TEST;

GST_START_TEST (test_ascans)
{
  const char *method = oct_test_methods[__i__];
  g_autofree char *chain = oct_test_describe_method (method, "", "", "");
  g_autofree char *launch = g_strdup_printf (SOURCE
      " num-buffers=2 ! octreconstruct output=ascans method=%s" SINK,
      method);
  g_autofree char *by_hand =
      g_strdup_printf (SOURCE " num-buffers=2 ! octdcsub%s" SINK, chain);

  check_same_images (launch, by_hand, 2);
}
GST_END_TEST

/* Samples that are uniform in wavenumber need no resampling. */
GST_START_TEST (test_uniform)
{
  check_same_images (SOURCE
      " num-buffers=2 ! octreconstruct axis=wavenumber" GREY SINK,
      SOURCE " num-buffers=2 ! octdcsub axis=wavenumber ! octdispersion ! "
             "octfft ! octlogscale" GREY SINK,
      2);
  check_same_images (SOURCE
      " num-buffers=2 ! octreconstruct axis=wavenumber method=cs "
      "cs::transform=fft" GREY SINK,
      SOURCE " num-buffers=2 ! octdcsub axis=wavenumber ! octdispersion ! "
             "octcs transform=fft ! octlogscale" GREY SINK,
      2);
}
GST_END_TEST

/* -------------------------------------------------------------- properties */

static const char *const children[] = { "dcsub", "kresample", "dispersion",
  "fft", "nufft", "cs", "logscale" };

static char *
show (GObject *object, const char *name)
{
  GParamSpec *spec =
      g_object_class_find_property (G_OBJECT_GET_CLASS (object), name);
  GValue value = G_VALUE_INIT;
  char *text;

  fail_unless (spec != NULL, "%s", name);
  g_value_init (&value, spec->value_type);
  g_object_get_property (object, name, &value);
  text = g_strdup_value_contents (&value);
  g_value_unset (&value);
  return text;
}

/* The properties of the elements inside are the same on the bin. */
GST_START_TEST (test_properties)
{
  g_autoptr (GstElement) element =
      gst_object_ref_sink (gst_element_factory_make ("octreconstruct", NULL));
  guint n, found = 0, i, k;
  g_autofree GParamSpec **specs =
      g_object_class_list_properties (G_OBJECT_GET_CLASS (element), &n);

  for (i = 0; i < n; i++) {
    if (strcmp (g_type_name (specs[i]->owner_type), "GstOctReconstruct") != 0
        || g_str_equal (specs[i]->name, "method"))
      continue; /* octnufft has another one of that name */
    for (k = 0; k < G_N_ELEMENTS (children); k++) {
      g_autoptr (GObject) child = gst_child_proxy_get_child_by_name (
          GST_CHILD_PROXY (element), children[k]);
      GParamSpec *inner = g_object_class_find_property (
          G_OBJECT_GET_CLASS (child), specs[i]->name);
      g_autofree char *here = NULL, *there = NULL;

      if (inner == NULL)
        continue;
      found++;
      fail_unless (inner->value_type == specs[i]->value_type);
      fail_unless_equals_int (
          g_param_values_cmp (inner, g_param_spec_get_default_value (inner),
              g_param_spec_get_default_value (specs[i])),
          0);
      here = show (G_OBJECT (element), specs[i]->name);
      there = show (child, specs[i]->name);
      fail_unless_equals_string (here, there);
    }
  }
  /* backend and cuda-device-id in seven, window and depths in three */
  fail_unless (found >= 2 * 7 + 3 * 3 + 15, "%u", found);
}
GST_END_TEST

static void
check_child (GstElement *element, const char *child, const char *name,
    const char *expected)
{
  g_autoptr (GObject) object =
      gst_child_proxy_get_child_by_name (GST_CHILD_PROXY (element), child);
  g_autofree char *value = show (object, name);

  fail_unless (
      g_str_equal (value, expected), "%s::%s is %s", child, name, value);
}

/* Elements that the current method does not use keep their settings. */
GST_START_TEST (test_settings_stay)
{
  g_autoptr (GstElement) element =
      gst_object_ref_sink (gst_element_factory_make ("octreconstruct", NULL));

  g_object_set (element, "a2", 7.5, "depth-bins", 33, "range-smoothing", 0.5,
      "wavelength-min", 812.5, "iterations", 3, NULL);
  gst_child_proxy_set (GST_CHILD_PROXY (element), "kresample::upsample", 2,
      "nufft::kernel-width", 4, "cs::seed", G_GUINT64_CONSTANT (77), NULL);
  for (guint i = 0; i < 2 * OCT_TEST_METHODS; i++) {
    gst_util_set_object_arg (
        G_OBJECT (element), "method", oct_test_methods[i % OCT_TEST_METHODS]);
    gst_element_set_state (
        element, i % 3 == 0 ? GST_STATE_READY : GST_STATE_NULL);
    check_child (element, "dispersion", "a2", "7.500000");
    check_child (element, "fft", "depth-bins", "33");
    check_child (element, "nufft", "depth-bins", "33");
    check_child (element, "cs", "depth-bins", "33");
    check_child (element, "logscale", "range-smoothing", "0.500000");
    check_child (element, "dcsub", "wavelength-min", "812.500000");
    check_child (element, "cs", "iterations", "3");
    check_child (element, "kresample", "upsample", "2");
    check_child (element, "nufft", "kernel-width", "4");
    check_child (element, "cs", "seed", "77");
  }
  fail_unless (
      gst_child_proxy_get_child_by_name (GST_CHILD_PROXY (element), "nobody")
      == NULL);
  gst_element_set_state (element, GST_STATE_NULL);
}
GST_END_TEST

static char *
list_children (GstElement *element)
{
  g_autoptr (GString) list = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (children); i++) {
    GstElement *child = gst_bin_get_by_name (GST_BIN (element), children[i]);

    if (child != NULL)
      g_string_append_printf (list, "%s ", children[i]);
    gst_clear_object (&child);
  }
  return g_string_free (g_steal_pointer (&list), FALSE);
}

/* In the bin is what the method needs. */
GST_START_TEST (test_elements_inside)
{
  static const char *const expected[] = {
    "dcsub kresample dispersion fft logscale ",
    "dcsub dispersion nufft logscale ", "dcsub dispersion nufft logscale ",
    "dcsub dispersion cs logscale "
  };
  g_autoptr (GstElement) element =
      gst_object_ref_sink (gst_element_factory_make ("octreconstruct", NULL));

  for (guint i = 0; i < 2 * OCT_TEST_METHODS; i++) {
    g_autofree char *list = NULL;

    gst_util_set_object_arg (
        G_OBJECT (element), "method", oct_test_methods[i % OCT_TEST_METHODS]);
    list = list_children (element);
    fail_unless_equals_string (list, expected[i % OCT_TEST_METHODS]);
  }
}
GST_END_TEST

/* ------------------------------------------------------------------- errors
 */

static void
check_error (const char *launch, const char *pattern)
{
  g_autofree char *full = oct_test_launch (launch);
  GstElement *pipeline = oct_test_make (full);
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GError) error = NULL;
  GstMessage *message;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (
      bus, 30 * GST_SECOND, GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
  fail_unless (message != NULL);
  fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_ERROR);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (
      g_pattern_match_simple (pattern, error->message), "%s", error->message);
  gst_message_unref (message);
  oct_test_stop (pipeline);
}

/* Each by the element that it happens in, in its own words. */
GST_START_TEST (test_errors)
{
  check_error (SOURCE " ! octreconstruct method=nufft axis=wavenumber" SINK,
      "method=nufft of octreconstruct takes spectra as measured, but "
      "axis=wavenumber *; set method=resample, or axis=auto.");
  check_error (SOURCE " ! octreconstruct depth-start=500" SINK,
      "The depth bins asked of octfft (depth-start=500, *");
  check_error (SOURCE " ! octreconstruct calibration=/nowhere.csv" SINK,
      "*'/nowhere.csv'*");
  check_error ("videotestsrc ! video/x-raw,format=GRAY8,width=64,height=4,"
               "framerate=30/1 ! octreconstruct" SINK,
      "octkresample needs a spectral calibration and found none; *");
  check_error (SOURCE " ! octreconstruct",
      "The output of octreconstruct* is not connected; *");
  check_error (SOURCE " ! octreconstruct method=cs sampling-rate=0" SINK,
      "*sampling rate is 0*");
}
GST_END_TEST

static Suite *
octreconstruct_suite (void)
{
  Suite *suite = suite_create ("octreconstruct");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, test_gather, 0, 3);
  tcase_add_checked_fixture (tcase, NULL, oct_test_remove_files);
  tcase_add_loop_test (tcase, test_same_image, 0, OCT_TEST_METHODS);
  tcase_add_loop_test (
      tcase, test_same_image_with_settings, 0, OCT_TEST_METHODS);
  tcase_add_test (tcase, test_same_image_of_files);
  tcase_add_loop_test (tcase, test_same_image_of_tissue, 0, OCT_TEST_METHODS);
  tcase_add_loop_test (tcase, test_ascans, 0, OCT_TEST_METHODS);
  tcase_add_test (tcase, test_uniform);
  tcase_add_test (tcase, test_properties);
  tcase_add_test (tcase, test_settings_stay);
  tcase_add_test (tcase, test_elements_inside);
  tcase_add_test (tcase, test_errors);
  return suite;
}

GST_CHECK_MAIN (octreconstruct);
