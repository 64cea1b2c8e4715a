/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Another method of octreconstruct while images are made: every B-scan becomes
 * one image, what is not possible is refused with one warning, and seeks, other
 * sizes and changes of state come in between.
 */
#include "oct-test-files.h"
#include "oct-test-reconstruct.h"

#include <string.h>

/* images that do not depend on those before them */
#define MANUAL " range=manual min=0 max=60"
/* in step with its images: on a GPU no B-scans wait before it */
#define STEPWISE "octreconstruct name=reconstruct gather=never"

static GstElement *
get_reconstruct (GstElement *pipeline)
{
  return gst_bin_get_by_name (GST_BIN (pipeline), "reconstruct");
}

static const char *
get_method (GstElement *pipeline, const char *property)
{
  g_autoptr (GstElement) element = get_reconstruct (pipeline);
  gint method;

  g_object_get (element, property, &method, NULL);
  return oct_test_methods[method];
}

static void
set_in (GstElement *pipeline, const char *property, const char *value)
{
  g_autoptr (GstElement) element = get_reconstruct (pipeline);

  gst_util_set_object_arg (G_OBJECT (element), property, value);
}

/* As many warnings, each like `pattern`, and no error. */
static void
check_messages (GstElement *pipeline, guint warnings, const char *pattern)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  GstMessage *message;
  guint found = 0;

  while ((message = gst_bus_pop_filtered (
              bus, GST_MESSAGE_ERROR | GST_MESSAGE_WARNING))) {
    g_autoptr (GError) error = NULL;

    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
      gst_message_parse_error (message, &error, NULL);
    else
      gst_message_parse_warning (message, &error, NULL);
    found++;
    fail_unless (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING
                     && pattern != NULL
                     && g_pattern_match_simple (pattern, error->message),
        "%s: %s", GST_MESSAGE_SRC_NAME (message), error->message);
    gst_message_unref (message);
  }
  fail_unless_equals_int (found, warnings);
}

/* The next image is that of the i-th B-scan. */
static void
pull_number (GstElement *pipeline, guint i)
{
  GstSample *sample = oct_test_pull_from (pipeline, "sink");

  fail_unless (sample != NULL, "no image");
  fail_unless_equals_uint64 (
      GST_BUFFER_OFFSET (gst_sample_get_buffer (sample)), i);
  gst_sample_unref (sample);
}

/* ---------------------------------------------- another method while playing
 */

/* [method][B-scan of the file] */
typedef OctArray *Images[OCT_TEST_METHODS][4];

/* The same B-scans again and again; g_free(). */
static char *
describe_file (void)
{
  g_autofree char *path = oct_test_spectra_path ();

  return g_strdup_printf ("octsrc location=%s samples=256 lines=16 loop=true "
                          "preload=true wavelength-min=800 wavelength-max=870",
      path);
}

static void
make_images (Images images)
{
  g_autofree char *file = describe_file ();

  for (guint m = 0; m < OCT_TEST_METHODS; m++) {
    g_autofree char *chain =
        oct_test_describe_method (oct_test_methods[m], "", "", "");
    g_autofree char *launch = g_strdup_printf (
        "%s num-buffers=4 ! octdcsub%s ! octlogscale" MANUAL GREY SINK, file,
        chain);
    GstElement *pipeline = oct_test_start_filters (launch);

    for (guint i = 0; i < 4; i++)
      images[m][i] = oct_test_pull (pipeline, "sink");
    oct_test_stop (pipeline);
  }
}

static GstElement *
start_reconstruct (void)
{
  g_autofree char *file = describe_file ();
  g_autofree char *launch = g_strdup_printf (
      "%s ! " STEPWISE MANUAL GREY SINK " max-buffers=2", file);

  return oct_test_start_filters (launch);
}

static void
free_images (Images images)
{
  for (guint m = 0; m < OCT_TEST_METHODS; m++)
    for (guint i = 0; i < 4; i++)
      oct_array_free (images[m][i]);
}

/* The next image is that of B-scan `n` by one of the methods, which is
 * returned. */
static guint
pull_one_of (GstElement *pipeline, Images images, guint64 n)
{
  GstSample *sample = oct_test_pull_from (pipeline, "sink");
  g_autoptr (OctArray) image = NULL;
  guint m;

  fail_unless (sample != NULL);
  image = oct_test_read (
      gst_sample_get_buffer (sample), gst_sample_get_caps (sample));
  fail_unless_equals_uint64 (
      GST_BUFFER_OFFSET (gst_sample_get_buffer (sample)), n);
  gst_sample_unref (sample);
  for (m = 0; m < OCT_TEST_METHODS; m++)
    if (oct_array_equal (image, images[m][n % 4]))
      return m;
  fail ("image %" G_GUINT64_FORMAT " is that of no method", n);
  return m;
}

/* Every B-scan becomes one image, by the method before or the new one; the
 * calibration, which octsrc sent once, goes on. */
GST_START_TEST (test_change_while_playing)
{
  static const guint order[] = { 1, 2, 3, 0, 2, 0, 3, 1, 0, 1 };
  Images images;
  GstElement *pipeline;
  guint before = 0, i;
  guint64 n = 0;

  if (oct_test_skips_on_gpu ("images are not alike to the bit"))
    return;
  make_images (images);
  pipeline = start_reconstruct ();
  for (i = 0; i < 30; i++) {
    guint wanted = order[i % G_N_ELEMENTS (order)], used = before, k;

    set_in (pipeline, "method", oct_test_methods[wanted]);
    /* four are on their way at most */
    for (k = 0; k < 6 || used != wanted; k++) {
      guint now = pull_one_of (pipeline, images, n++);

      fail_unless (now == used || now == wanted);
      used = now;
      fail_unless (k < 6);
    }
    fail_unless_equals_string (
        get_method (pipeline, "method-in-use"), oct_test_methods[wanted]);
    fail_unless_equals_string (
        get_method (pipeline, "method"), oct_test_methods[wanted]);
    before = wanted;
  }
  check_messages (pipeline, 0, NULL);
  oct_test_stop (pipeline);
  free_images (images);
}
GST_END_TEST

static void
check_refused (const char *launch, const char *before, const char *refused,
    const char *pattern)
{
  GstElement *pipeline = oct_test_start_filters (launch);
  guint i;

  for (i = 0; i < 3; i++)
    oct_array_free (oct_test_pull (pipeline, "sink"));
  set_in (pipeline, "method", refused);
  for (i = 3; i < 12; i++)
    pull_number (pipeline, i);
  check_messages (pipeline, 1, pattern);
  fail_unless_equals_string (get_method (pipeline, "method"), before);
  fail_unless_equals_string (get_method (pipeline, "method-in-use"), before);
  oct_test_stop (pipeline);
}

/* One warning, and images as before, without a gap. */
GST_START_TEST (test_refused)
{
  check_refused (SOURCE " ! " STEPWISE " sampling-rate=0" GREY SINK
                        " max-buffers=1",
      "resample", "cs",
      "method=cs is not possible here: *sampling rate is 0* The previous "
      "method "
      "stays: resample.");
  check_refused (SOURCE " ! " STEPWISE " nufft::depth-start=200"
                        " method=cs" GREY SINK " max-buffers=1",
      "cs", "nufft",
      "method=nufft is not possible here: *depth-start=200* stays: cs.");
  check_refused (SOURCE " ! " STEPWISE " axis=wavenumber" GREY SINK
                        " max-buffers=1",
      "resample", "nufft",
      "method=nufft is not possible here: *axis=wavenumber* stays: resample.");
  /* a size that the elements downstream do not accept */
  check_refused (SOURCE " ! " STEPWISE " nufft::depth-bins=20"
                        " ! capsfilter caps=video/x-raw,height=128" SINK
                        " max-buffers=1",
      "resample", "nufft",
      "method=nufft is not possible here: * after them. The previous method "
      "stays: resample.");
}
GST_END_TEST

/* The same element with another method: octnufft is begun anew. */
GST_START_TEST (test_refused_of_one_element)
{
  if (oct_test_skips_on_gpu ("there it is possible"))
    return;
  check_refused ("octsrc samples=32768 lines=1 bscans=1 ! " STEPWISE
                 " method=nufft" GREY SINK " max-buffers=1",
      "nufft", "nudft",
      "method=nudft is not possible here: * The previous method stays: nufft.");
}
GST_END_TEST

/* A setting of the former method that it goes on without, with a warning, is
 * nothing that ends it when it is gone back to. */
GST_START_TEST (test_refused_with_former_settings)
{
  GstElement *pipeline = oct_test_start_filters (
      SOURCE " ! " STEPWISE " sampling-rate=0" GREY SINK " max-buffers=1");
  guint i;

  oct_array_free (oct_test_pull (pipeline, "sink"));
  set_in (pipeline, "depth-bins", "5000");
  for (i = 0; i < 6; i++)
    oct_array_free (oct_test_pull (pipeline, "sink"));
  check_messages (pipeline, 1, "*depth-bins=5000*");
  set_in (pipeline, "method", "cs");
  for (i = 0; i < 6; i++)
    oct_array_free (oct_test_pull (pipeline, "sink"));
  check_messages (pipeline, 1, "method=cs is not possible*");
  oct_test_stop (pipeline);
}
GST_END_TEST

/* The same where the other method is one of the same element, which is begun
 * anew for the trial and for the way back. */
GST_START_TEST (test_refused_of_one_element_with_former_settings)
{
  GstElement *pipeline = oct_test_start_filters (
      SOURCE " ! " STEPWISE " method=nufft" GREY SINK " max-buffers=1");
  guint i;

  oct_array_free (oct_test_pull (pipeline, "sink"));
  set_in (pipeline, "depth-bins", "5000");
  for (i = 0; i < 6; i++)
    oct_array_free (oct_test_pull (pipeline, "sink"));
  check_messages (pipeline, 1, "*depth-bins=5000*");
  set_in (pipeline, "method", "nudft");
  for (i = 0; i < 6; i++) {
    g_autoptr (OctArray) image = oct_test_pull (pipeline, "sink");

    fail_unless_equals_int (image->rows, 128);
  }
  check_messages (pipeline, 1,
      "method=nudft is not possible here: *depth-bins=5000* stays: nufft.");
  fail_unless_equals_string (get_method (pipeline, "method"), "nufft");
  /* and a setting that fits is taken again */
  set_in (pipeline, "depth-bins", "100");
  set_in (pipeline, "method", "nudft");
  for (i = 0; i < 6; i++)
    oct_array_free (oct_test_pull (pipeline, "sink"));
  check_messages (pipeline, 0, NULL);
  fail_unless_equals_string (get_method (pipeline, "method-in-use"), "nudft");
  oct_test_stop (pipeline);
}
GST_END_TEST

/* A refused method is accepted once it is possible. */
GST_START_TEST (test_refused_and_set_again)
{
  GstElement *pipeline = oct_test_start_filters (
      SOURCE " ! " STEPWISE " sampling-rate=0" GREY SINK " max-buffers=1");
  guint round, i;

  for (round = 0; round < 3; round++) {
    set_in (pipeline, "method", "resample");
    for (i = 0; i < 4; i++)
      oct_array_free (oct_test_pull (pipeline, "sink"));
    set_in (pipeline, "sampling-rate", "0");
    set_in (pipeline, "method", "cs");
    for (i = 0; i < 4; i++)
      oct_array_free (oct_test_pull (pipeline, "sink"));
    check_messages (pipeline, 1, "method=cs is not possible here*");
    set_in (pipeline, "sampling-rate", "0.5");
    set_in (pipeline, "method", "cs");
    for (i = 0; i < 4; i++)
      oct_array_free (oct_test_pull (pipeline, "sink"));
    check_messages (pipeline, 0, NULL);
    fail_unless_equals_string (get_method (pipeline, "method-in-use"), "cs");
  }
  oct_test_stop (pipeline);
}
GST_END_TEST

static GstPadProbeReturn
set_cs_once (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_CAPS) {
    gst_util_set_object_arg (data, "method", "cs");
    return GST_PAD_PROBE_REMOVE;
  }
  return GST_PAD_PROBE_OK;
}

/* A method set during the trial of another one waits for the next B-scan, and
 * the trial goes on: both are refused. */
GST_START_TEST (test_set_in_trial)
{
  GstElement *pipeline = oct_test_start_filters (
      SOURCE " ! " STEPWISE " nufft::depth-start=200"
             " sampling-rate=0" GREY SINK " max-buffers=1");
  g_autoptr (GstElement) element = get_reconstruct (pipeline);
  g_autoptr (GObject) nufft =
      gst_child_proxy_get_child_by_name (GST_CHILD_PROXY (element), "nufft");
  g_autoptr (GstPad) pad =
      gst_element_get_static_pad (GST_ELEMENT (nufft), "sink");
  guint i;

  for (i = 0; i < 3; i++)
    oct_array_free (oct_test_pull (pipeline, "sink"));
  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, set_cs_once, element, NULL);
  set_in (pipeline, "method", "nufft");
  for (; i < 12; i++)
    pull_number (pipeline, i);
  check_messages (
      pipeline, 2, "method=* is not possible here: * stays: resample.");
  fail_unless_equals_string (get_method (pipeline, "method"), "resample");
  oct_test_stop (pipeline);
}
GST_END_TEST

/* Both at once. */
GST_START_TEST (test_depths_and_method)
{
  GstElement *pipeline =
      oct_test_start_filters (SOURCE " ! " STEPWISE GREY SINK " max-buffers=1");
  guint i, k, rows = 128;

  for (i = 0; i < 12; i++) {
    guint wanted = 30 + i;
    char bins[8];

    oct_array_free (oct_test_pull (pipeline, "sink"));
    if (i % 2 == 0)
      set_in (pipeline, "method", oct_test_methods[i / 2 % OCT_TEST_METHODS]);
    g_snprintf (bins, sizeof bins, "%u", wanted);
    set_in (pipeline, "depth-bins", bins);
    set_in (pipeline, "method", oct_test_methods[(i + 1) % OCT_TEST_METHODS]);
    for (k = 0; k < 6; k++) {
      g_autoptr (OctArray) image = oct_test_pull (pipeline, "sink");

      fail_unless (image->rows == rows || image->rows == wanted);
      rows = image->rows;
    }
    fail_unless_equals_int (rows, wanted);
    fail_unless_equals_string (get_method (pipeline, "method-in-use"),
        oct_test_methods[(i + 1) % OCT_TEST_METHODS]);
  }
  check_messages (pipeline, 0, NULL);
  oct_test_stop (pipeline);
}
GST_END_TEST

static GstPadProbeReturn
drop (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  return GST_PAD_PROBE_DROP;
}

/* An element that gives nothing has not been tried with success. */
GST_START_TEST (test_refused_for_silence)
{
  GstElement *pipeline =
      oct_test_start_filters (SOURCE " ! " STEPWISE GREY SINK " max-buffers=1");
  g_autoptr (GstElement) element = get_reconstruct (pipeline);
  g_autoptr (GObject) nufft =
      gst_child_proxy_get_child_by_name (GST_CHILD_PROXY (element), "nufft");
  g_autoptr (GstPad) pad =
      gst_element_get_static_pad (GST_ELEMENT (nufft), "sink");
  guint i;

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, drop, NULL, NULL);
  oct_array_free (oct_test_pull (pipeline, "sink"));
  set_in (pipeline, "method", "nufft");
  for (i = 1; i < 8; i++)
    pull_number (pipeline, i);
  check_messages (pipeline, 1, "method=nufft is not possible here: *");
  oct_test_stop (pipeline);
}
GST_END_TEST

/* Without a B-scan the method is taken at the end. */
GST_START_TEST (test_change_at_the_end)
{
  GstElement *pipeline = oct_test_start_filters (
      SOURCE " num-buffers=1 ! octreconstruct name=reconstruct" GREY SINK);

  oct_array_free (oct_test_pull (pipeline, "sink"));
  fail_unless (oct_test_pull_from (pipeline, "sink") == NULL);
  set_in (pipeline, "method", "nufft");
  fail_unless_equals_string (get_method (pipeline, "method"), "nufft");
  fail_unless_equals_string (
      get_method (pipeline, "method-in-use"), "resample");
  gst_element_set_state (pipeline, GST_STATE_READY);
  fail_unless_equals_string (get_method (pipeline, "method-in-use"), "nufft");
  check_messages (pipeline, 0, NULL);
  oct_test_stop (pipeline);
}
GST_END_TEST

/* ------------------------------------------------------- seeks, sizes, states
 */

/* Changes with seeks in between: none is lost. */
GST_START_TEST (test_change_and_seek)
{
  Images images;
  GstElement *pipeline;
  guint i;

  if (oct_test_skips_on_gpu ("images are not alike to the bit"))
    return;
  make_images (images);
  pipeline = start_reconstruct ();
  for (i = 0; i < 60; i++) {
    guint64 n = 7 * i % 3;

    set_in (pipeline, "method", oct_test_methods[i % OCT_TEST_METHODS]);
    if (i % 3 == 0)
      pull_one_of (pipeline, images, 0);
    fail_unless (gst_element_seek_simple (pipeline, GST_FORMAT_DEFAULT,
        GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE, (gint64)n));
    pull_one_of (pipeline, images, n);
    pull_one_of (pipeline, images, n + 1);
    fail_unless (gst_element_seek_simple (pipeline, GST_FORMAT_DEFAULT,
        GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE, 0));
  }
  check_messages (pipeline, 0, NULL);
  oct_test_stop (pipeline);
  free_images (images);
}
GST_END_TEST

/* The first B-scan comes in the middle of a seek. */
static GstPadProbeReturn
flush_once (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  if (!g_atomic_int_compare_and_exchange ((gint *)data, FALSE, TRUE))
    return GST_PAD_PROBE_OK;
  gst_clear_buffer ((GstBuffer **)&GST_PAD_PROBE_INFO_DATA (info));
  GST_PAD_PROBE_INFO_FLOW_RETURN (info) = GST_FLOW_FLUSHING;
  return GST_PAD_PROBE_HANDLED;
}

/* If a seek interrupts the trial of a method, the trial takes place with the
 * B-scan after the seek: an impossible method is refused as usual. */
GST_START_TEST (test_seek_in_trial)
{
  static const char *const rates[] = { "0", "0.5" };
  static const char *const methods[] = { "resample", "cs" };
  guint i, k;

  for (i = 0; i < G_N_ELEMENTS (rates); i++) {
    GstElement *pipeline = oct_test_start_filters (
        SOURCE " ! octreconstruct name=reconstruct" GREY SINK " max-buffers=1");
    g_autoptr (GstElement) element = get_reconstruct (pipeline);
    g_autoptr (GstElement) sink =
        gst_bin_get_by_name (GST_BIN (pipeline), "sink");
    g_autoptr (GObject) cs =
        gst_child_proxy_get_child_by_name (GST_CHILD_PROXY (element), "cs");
    g_autoptr (GstPad) pad =
        gst_element_get_static_pad (GST_ELEMENT (cs), "sink");
    gint flushed = FALSE;

    gst_pad_add_probe (
        pad, GST_PAD_PROBE_TYPE_BUFFER, flush_once, &flushed, NULL);
    oct_array_free (oct_test_pull (pipeline, "sink"));
    set_in (pipeline, "sampling-rate", rates[i]);
    set_in (pipeline, "method", "cs");
    for (k = 0; k < 3000 && !g_atomic_int_get (&flushed); k++) {
      g_autoptr (GstSample) sample = NULL;

      g_signal_emit_by_name (
          sink, "try-pull-sample", 10 * GST_MSECOND, &sample);
    }
    fail_unless (gst_element_seek_simple (pipeline, GST_FORMAT_DEFAULT,
        GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE, 0));
    for (k = 0; k < 6; k++)
      oct_array_free (oct_test_pull (pipeline, "sink"));
    check_messages (
        pipeline, i == 0 ? 1 : 0, "method=cs is not possible here: *");
    fail_unless_equals_string (
        get_method (pipeline, "method-in-use"), methods[i]);
    fail_unless_equals_string (get_method (pipeline, "method"), methods[i]);
    oct_test_stop (pipeline);
  }
}
GST_END_TEST

typedef struct {
  GstElement *element;
  gint stop; /* atomic */
} Setter;

static gpointer
keep_setting (gpointer data)
{
  Setter *setter = data;

  for (guint i = 0; !g_atomic_int_get (&setter->stop); i++) {
    gst_util_set_object_arg (G_OBJECT (setter->element), "method",
        oct_test_methods[i % OCT_TEST_METHODS]);
    g_usleep (500);
  }
  return NULL;
}

/* From another thread, at whatever moment. */
GST_START_TEST (test_change_and_states)
{
  GstElement *pipeline = oct_test_start_filters (
      SOURCE " ! octreconstruct name=reconstruct" GREY SINK);
  g_autoptr (GstElement) element = get_reconstruct (pipeline);
  g_autoptr (GstElement) sink =
      gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  Setter setter = { element, FALSE };
  GThread *thread = g_thread_new ("setter", keep_setting, &setter);
  guint i;

  g_object_set (sink, "max-buffers", 2, "drop", TRUE, NULL);
  for (i = 0; i < 40; i++) {
    oct_array_free (oct_test_pull (pipeline, "sink"));
    gst_element_set_state (
        pipeline, i % 2 == 0 ? GST_STATE_READY : GST_STATE_NULL);
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
  }
  g_atomic_int_set (&setter.stop, TRUE);
  g_thread_join (thread);
  check_messages (pipeline, 0, NULL);
  oct_test_stop (pipeline);
}
GST_END_TEST

/* Other sizes and rates in mid-stream, with another method in between. */
GST_START_TEST (test_other_sizes)
{
  static const guint sizes[][2] = { { 64, 8 }, { 128, 3 }, { 64, 8 },
    { 101, 5 } };
  GstHarness *harness =
      oct_test_harness ("octreconstruct wavelength-min=800 wavelength-max=880");
  GstElement *element = gst_harness_find_element (harness, "octreconstruct");
  guint i;

  for (i = 0; i < 2 * G_N_ELEMENTS (sizes); i++) {
    guint samples = sizes[i % G_N_ELEMENTS (sizes)][0];
    guint lines = sizes[i % G_N_ELEMENTS (sizes)][1];
    g_autoptr (OctArray) spectra = oct_array_new ('u', 2, lines, samples);
    g_autoptr (OctArray) image = NULL;
    GstCaps *caps = oct_test_caps (spectra, lines, NULL);
    GstStructure *output;
    gint rate;

    for (guint k = 0; k < samples * lines; k++)
      ((guint16 *)spectra->data)[k] = (guint16)(k * 37 % 4001);
    gst_caps_set_simple (
        caps, "framerate", GST_TYPE_FRACTION, 10 + (gint)i, 1, NULL);
    gst_harness_set_src_caps (harness, caps);
    gst_util_set_object_arg (
        G_OBJECT (element), "method", oct_test_methods[i % OCT_TEST_METHODS]);
    image = oct_test_push (harness, oct_test_buffer (spectra, 0, 0));
    fail_unless_equals_int (image->columns, lines);
    fail_unless_equals_int (image->rows, samples / 2);
    output = oct_test_output (harness);
    fail_unless (
        gst_structure_get_fraction (output, "framerate", &rate, &(gint){ 0 }));
    fail_unless_equals_int (rate, 10 + (gint)i);
    gst_structure_free (output);
  }
  oct_test_assert_quiet (oct_test_bus (harness));
  gst_object_unref (element);
  gst_harness_teardown (harness);
}
GST_END_TEST

/* One that could not be started can be, with another method. */
GST_START_TEST (test_error_and_start_again)
{
  g_autofree char *launch =
      oct_test_launch (SOURCE " ! octreconstruct name=reconstruct method=nufft "
                              "axis=wavenumber" GREY SINK);
  GstElement *pipeline = oct_test_make (launch);
  g_autofree char *error = NULL;

  fail_unless_equals_int (gst_element_set_state (pipeline, GST_STATE_PLAYING),
      GST_STATE_CHANGE_FAILURE);
  error = oct_test_take_error (pipeline);
  fail_unless (error != NULL && strstr (error, "axis=wavenumber") != NULL);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  set_in (pipeline, "method", "resample");
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  oct_array_free (oct_test_pull (pipeline, "sink"));
  gst_element_set_state (pipeline, GST_STATE_NULL);
  set_in (pipeline, "axis", "auto");
  set_in (pipeline, "method", "nufft");
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  oct_array_free (oct_test_pull (pipeline, "sink"));
  check_messages (pipeline, 0, NULL);
  oct_test_stop (pipeline);
}
GST_END_TEST

static Suite *
method_switch_suite (void)
{
  Suite *suite = suite_create ("method-switch");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, NULL, oct_test_remove_files);
  tcase_add_test (tcase, test_change_while_playing);
  tcase_add_test (tcase, test_refused);
  tcase_add_test (tcase, test_refused_of_one_element);
  tcase_add_test (tcase, test_refused_with_former_settings);
  tcase_add_test (tcase, test_refused_of_one_element_with_former_settings);
  tcase_add_test (tcase, test_refused_and_set_again);
  tcase_add_test (tcase, test_set_in_trial);
  tcase_add_test (tcase, test_depths_and_method);
  tcase_add_test (tcase, test_refused_for_silence);
  tcase_add_test (tcase, test_change_at_the_end);
  tcase_add_test (tcase, test_change_and_seek);
  tcase_add_test (tcase, test_seek_in_trial);
  tcase_add_test (tcase, test_change_and_states);
  tcase_add_test (tcase, test_other_sizes);
  tcase_add_test (tcase, test_error_and_start_again);
  return suite;
}

GST_CHECK_MAIN (method_switch);
