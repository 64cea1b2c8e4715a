/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Properties that follow a curve over time, as GStreamer's control sources give
 * it: the value of each B-scan is that of its time. */
#include <gst/controller/gstdirectcontrolbinding.h>
#include <gst/controller/gstinterpolationcontrolsource.h>
#include <math.h>

#include "oct-test.h"

/* `name` goes from `first` at 0 s to `last` at 2 s, straight. */
static void
ramp (GstHarness *harness, const char *type, const char *name, double first,
    double last)
{
  g_autoptr (GstElement) element = gst_harness_find_element (harness, type);
  GstControlSource *source = gst_interpolation_control_source_new ();
  GstTimedValueControlSource *values = GST_TIMED_VALUE_CONTROL_SOURCE (source);

  g_object_set (source, "mode", GST_INTERPOLATION_MODE_LINEAR, NULL);
  fail_unless (gst_timed_value_control_source_set (values, 0, first));
  fail_unless (
      gst_timed_value_control_source_set (values, 2 * GST_SECOND, last));
  fail_unless (gst_object_add_control_binding (
      GST_OBJECT (element), gst_direct_control_binding_new_absolute (
                                GST_OBJECT (element), name, source)));
  gst_object_unref (source);
}

/* One A-line of `second`. */
static GstBuffer *
make_buffer (const float *data, guint values, guint second)
{
  GstBuffer *buffer = gst_buffer_new_memdup (data, values * sizeof *data);

  GST_BUFFER_PTS (buffer) = second * GST_SECOND;
  GST_BUFFER_DURATION (buffer) = GST_SECOND;
  return buffer;
}

/* One of `values` values, all of them `value`; what comes out has `size` bytes
 * at least. */
static GstBuffer *
push_floats (
    GstHarness *harness, guint values, float value, guint second, gsize size)
{
  g_autofree float *data = g_new (float, values);
  GstBuffer *buffer;

  for (guint i = 0; i < values; i++)
    data[i] = value;
  buffer =
      gst_harness_push_and_pull (harness, make_buffer (data, values, second));
  fail_unless (buffer != NULL && gst_buffer_get_size (buffer) >= size);
  return buffer;
}

#define SAMPLES 64

static void
set_spectra (GstHarness *harness)
{
  gst_harness_set_src_caps_str (harness,
      "application/x-oct-spectra,format=F32LE,axis=wavenumber,samples=" //
      G_STRINGIFY (SAMPLES) ",lines=1,framerate=1/1");
}

/* |a|^2 = 3^2 + 3^2 is 12.55 dB, between a black of 0 dB and a white that goes
 * from 20 to 60 dB. */
GST_START_TEST (test_white)
{
  static const double white[] = { 20, 40, 60 };
  GstHarness *harness = oct_test_harness ("octlogscale range=manual min=0");

  ramp (harness, "octlogscale", "max", white[0], white[2]);
  gst_harness_set_src_caps_str (
      harness, "application/x-oct-ascans,format=CF32LE,samples=" G_STRINGIFY (
                   SAMPLES) ",lines=1,framerate=1/1");
  for (guint i = 0; i < 3; i++) {
    g_autoptr (GstBuffer) image =
        push_floats (harness, 2 * SAMPLES, 3, i, SAMPLES);
    double expected = 255 * 10 * log10 (18) / white[i];
    guint8 grey;

    gst_buffer_extract (image, 0, &grey, 1);
    fail_unless (fabs (grey - expected) <= 1, "%u s: %u instead of %g", i, grey,
        expected);
  }
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* Samples of 1 become exp (-i phase2 x^2). */
GST_START_TEST (test_dispersion)
{
  static const double phases[] = { 0, 1.5, 3 };
  GstHarness *harness = oct_test_harness ("octdispersion");

  ramp (harness, "octdispersion", "phase2", phases[0], phases[2]);
  set_spectra (harness);
  for (guint i = 0; i < 3; i++) {
    g_autoptr (GstBuffer) spectrum =
        push_floats (harness, SAMPLES, 1, i, 2 * SAMPLES * sizeof (float));
    float found[2 * SAMPLES];

    gst_buffer_extract (spectrum, 0, found, sizeof found);
    for (guint n = 0; n < SAMPLES; n++) {
      double x = 2.0 * n / (SAMPLES - 1) - 1, phase = -phases[i] * x * x;

      fail_unless (fabs (found[2 * n] - cos (phase)) < 1e-5
                       && fabs (found[2 * n + 1] - sin (phase)) < 1e-5,
          "%u s, sample %u: %g + %g i", i, n, found[2 * n], found[2 * n + 1]);
    }
  }
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* Its own properties, which are those of an element inside.  A spectrum of one
 * sample of 800 among 64 has |a|^2 = 800^2 / 64, or 40 dB, at every depth. */
GST_START_TEST (test_reconstruct)
{
  static const double white[] = { 50, 70, 90 };
  GstHarness *harness = oct_test_harness (
      "octreconstruct axis=wavenumber mode=none window=none range=manual min=0 "
      "! capsfilter caps=video/x-raw,format=GRAY8");
  float spectrum[SAMPLES] = { [5] = 800 };

  ramp (harness, "octreconstruct", "max", white[0], white[2]);
  set_spectra (harness);
  for (guint i = 0; i < 3; i++) {
    g_autoptr (OctArray) image =
        oct_test_push (harness, make_buffer (spectrum, SAMPLES, i));
    double expected = 255 * 40 / white[i];

    fail_unless_equals_int (image->rows, SAMPLES / 2);
    /* half a grey level of rounding, and that of the transform */
    for (guint z = 0; z < image->rows; z++)
      fail_unless (fabs (image->data[z] - expected) <= 0.51,
          "%u s, depth %u: %u instead of %g", i, z, image->data[z], expected);
  }
  gst_harness_teardown (harness);
}
GST_END_TEST

/* A threshold above all that there is leaves nothing: 1000 times a noise of 1,
 * where the reflector is 100 sqrt (64) / 2 = 400. */
GST_START_TEST (test_threshold)
{
  GstHarness *harness = oct_test_harness (
      "octreconstruct axis=wavenumber mode=none method=cs cs::transform=fft "
      "solver=continued noise=1 range=manual min=0 "
      "! capsfilter caps=video/x-raw,format=GRAY8");
  float spectrum[SAMPLES];

  for (guint n = 0; n < SAMPLES; n++)
    spectrum[n] = (float)(100 * cos (2 * G_PI * 9 * n / SAMPLES));
  ramp (harness, "octreconstruct", "tau", 1, 1000);
  set_spectra (harness);
  for (guint i = 0; i < 3; i += 2) {
    g_autoptr (OctArray) image =
        oct_test_push (harness, make_buffer (spectrum, SAMPLES, i));
    guint bright = 0;

    for (guint z = 0; z < image->rows; z++)
      bright += image->data[z] > 0;
    fail_unless ((bright > 0) == (i == 0), "%u s: %u values", i, bright);
  }
  gst_harness_teardown (harness);
}
GST_END_TEST

static Suite *
control_suite (void)
{
  Suite *suite = suite_create ("control");
  TCase *tcase = tcase_create ("ramps");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_white);
  tcase_add_test (tcase, test_dispersion);
  tcase_add_test (tcase, test_reconstruct);
  tcase_add_test (tcase, test_threshold);
  return suite;
}

GST_CHECK_MAIN (control);
