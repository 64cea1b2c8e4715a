/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Common to all filters: the caps they accept and refuse, how caps follow each
 * other, the events and metadata they pass on, the buffers they must not
 * change.
 */
#include "oct-test.h"

#include <link.h>

#define RAW "video/x-raw,format=GRAY16_LE,width=64,height=5,framerate=30/1"
#define SPECTRA(format, axis)                                                  \
  "application/x-oct-spectra,format=" format ",axis=" axis                     \
  ",samples=64,lines=5,framerate=30/1"
#define ASCANS                                                                 \
  "application/x-oct-ascans,format=CF32LE,samples=64,lines=5,framerate=30/1"
#define CALIBRATION "wavelength-min=800 wavelength-max=880"

typedef struct {
  const char *launch;
  char kind; /* of the values that go in */
  guint size;
  const char *axis;
} Filter;

static const Filter filters[] = {
  { "octdcsub", 'u', 2, NULL },
  { "octdcsub", 'u', 1, NULL },
  { "octdcsub", 'f', 4, "wavelength" },
  { "octkresample calibration=@/k-index-64.csv", 'f', 4, "wavelength" },
  { "octdispersion calibration=@/k-index-64.csv", 'f', 4, "wavenumber" },
  { "octfft", 'f', 4, "wavenumber" },
  { "octfft", 'c', 8, "wavenumber" },
  { "octdispersion calibration=@/k-index-64.csv", 'f', 4, "wavelength" },
  { "octnufft calibration=@/k-index-64.csv", 'f', 4, "wavelength" },
  { "octnufft calibration=@/k-index-64.csv", 'c', 8, "wavelength" },
  { "octcs calibration=@/k-index-64.csv", 'f', 4, "wavelength" },
  { "octcs calibration=@/k-index-64.csv", 'c', 8, "wavelength" },
  { "octcs transform=fft", 'f', 4, "wavenumber" },
  { "octnufft method=nudft calibration=@/k-index-64.csv", 'f', 4,
      "wavelength" },
  { "octlogscale", 'c', 8, "depth" },
};

static OctArray *
make_input (const Filter *filter)
{
  OctArray *array = oct_array_new (filter->kind, filter->size, 5, 64);
  guint i;

  for (i = 0; i < 5 * 64; i++) {
    guint value = (i * 7919 + 13) % 251;

    if (filter->kind == 'u' && filter->size == 1)
      array->data[i] = value;
    else if (filter->kind == 'u')
      ((guint16 *)array->data)[i] = value * 100;
    else if (filter->kind == 'f')
      ((float *)array->data)[i] = value - 120.f;
    else
      ((float *)array->data)[2 * i] = value - 120.f;
  }
  return array;
}

/* --------------------------------------------------------- what is passed on
 */

GST_START_TEST (test_passes_on)
{
  const Filter *filter = &filters[__i__];
  GstHarness *harness = oct_test_harness (filter->launch);
  g_autoptr (OctArray) input = make_input (filter);
  GstBuffer *buffer = oct_test_buffer (input, 0, 0);
  GstOctScanPosition meta;
  double volts = 0;
  GstSegment segment;
  const GstSegment *found;
  GstEvent *event;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = 5 * GST_SECOND;
  segment.rate = 0.5;
  oct_test_set_caps (harness, input, filter->axis);
  gst_harness_push_event (harness, gst_event_new_segment (&segment));
  GST_BUFFER_PTS (buffer) = 7 * GST_SECOND;
  GST_BUFFER_DURATION (buffer) = 33 * GST_MSECOND;
  GST_BUFFER_OFFSET (buffer) = 41;
  GST_BUFFER_OFFSET_END (buffer) = 42;
  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  oct_test_add_scan_meta (buffer, 17, 100, 3);
  gst_structure_set (gst_custom_meta_get_structure (
                         gst_buffer_get_custom_meta (buffer, "GstOctScanMeta")),
      "galvo-volts", G_TYPE_DOUBLE, -1.25, NULL);
  fail_unless_equals_int (oct_test_push_buffer (harness, buffer), GST_FLOW_OK);
  buffer = gst_harness_pull (harness);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), 7 * GST_SECOND);
  fail_unless_equals_uint64 (GST_BUFFER_DTS (buffer), GST_CLOCK_TIME_NONE);
  fail_unless_equals_uint64 (GST_BUFFER_DURATION (buffer), 33 * GST_MSECOND);
  fail_unless_equals_uint64 (GST_BUFFER_OFFSET (buffer), 41);
  fail_unless_equals_uint64 (GST_BUFFER_OFFSET_END (buffer), 42);
  fail_unless (GST_BUFFER_IS_DISCONT (buffer));
  meta = oct_test_get_scan_position (buffer);
  fail_unless (meta.bscans != 0, "GstOctScanMeta is lost");
  fail_unless_equals_int (meta.bscan, 17);
  fail_unless_equals_int (meta.bscans, 100);
  fail_unless_equals_uint64 (meta.volume, 3);
  fail_unless_equals_int (
      gst_buffer_get_n_meta (buffer, gst_meta_get_info ("GstOctScanMeta")->api),
      1);
  /* and what an application says beside it */
  fail_unless (gst_structure_get_double (
      gst_custom_meta_get_structure (
          gst_buffer_get_custom_meta (buffer, "GstOctScanMeta")),
      "galvo-volts", &volts));
  fail_unless_equals_float (volts, -1.25);
  gst_buffer_unref (buffer);

  event = gst_pad_get_sticky_event (harness->sinkpad, GST_EVENT_SEGMENT, 0);
  gst_event_parse_segment (event, &found);
  fail_unless_equals_uint64 (found->start, 5 * GST_SECOND);
  fail_unless (found->rate == 0.5);
  gst_event_unref (event);
  fail_unless (gst_harness_push_event (harness, gst_event_new_eos ()));
  event = gst_pad_get_sticky_event (harness->sinkpad, GST_EVENT_EOS, 0);
  fail_unless (event != NULL, "EOS is lost");
  gst_event_unref (event);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* After a tee two branches hold the same buffer. */
GST_START_TEST (test_leaves_shared_buffers)
{
  const Filter *filter = &filters[__i__];
  GstHarness *harness = oct_test_harness (filter->launch);
  g_autoptr (OctArray) input = make_input (filter);
  g_autoptr (OctArray) first = NULL, second = NULL, third = NULL;
  GstBuffer *buffer = oct_test_buffer (input, 0, 0);
  GstBuffer *original = oct_test_buffer (input, 0, 0);
  GstBuffer *twin;
  GstMapInfo map;

  oct_test_set_caps (harness, input, filter->axis);
  buffer = oct_test_place (harness, buffer);
  /* the same buffer, then another one with the same memory */
  first = oct_test_push (harness, gst_buffer_ref (buffer));
  twin = gst_buffer_copy (buffer);
  second = oct_test_push (harness, twin);
  fail_unless (gst_buffer_map (original, &map, GST_MAP_READ));
  fail_unless (gst_buffer_memcmp (buffer, 0, map.data, map.size) == 0,
      "%s changed a buffer that somebody else holds", filter->launch);
  gst_buffer_unmap (original, &map);
  gst_buffer_unref (original);
  /* now nobody else has it */
  third = oct_test_push (harness, buffer);
  fail_unless (oct_array_equal (first, second));
  fail_unless (oct_array_equal (first, third));
  gst_harness_teardown (harness);
}
GST_END_TEST;

GST_START_TEST (test_small_buffer)
{
  const Filter *filter = &filters[__i__];
  GstHarness *harness = oct_test_harness (filter->launch);
  g_autoptr (OctArray) input = make_input (filter);
  GstBuffer *buffer = oct_test_buffer (input, 0, 0);
  g_autofree char *found = g_strdup_printf ("%u", 5 * 64 * filter->size - 1);
  g_autofree char *should = g_strdup_printf ("%u", 5 * 64 * filter->size);

  oct_test_set_caps (harness, input, filter->axis);
  gst_buffer_resize (buffer, 0, 5 * 64 * filter->size - 1);
  fail_unless_equals_int (
      oct_test_push_buffer (harness, buffer), GST_FLOW_ERROR);
  oct_test_assert_error (oct_test_bus (harness), found, should, "64 x 5", NULL);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* ------------------------------------------------------ changes in mid-stream
 */

/* As if the element had just been started with that size. */
static void
check_next_size (const Filter *filter, GstHarness *harness, guint lines)
{
  GstHarness *fresh = oct_test_harness (filter->launch);
  g_autoptr (OctArray) all = make_input (filter);
  g_autoptr (OctArray) input = oct_array_rows (all, 0, lines);
  g_autoptr (OctArray) expected = oct_test_run (fresh, input, filter->axis);
  g_autoptr (OctArray) output = oct_test_run (harness, input, filter->axis);

  fail_unless (oct_array_equal (output, expected));
  gst_harness_teardown (fresh);
}

GST_START_TEST (test_lines_change)
{
  const Filter *filter = &filters[__i__];
  GstHarness *harness = oct_test_harness (filter->launch);

  check_next_size (filter, harness, 5);
  check_next_size (filter, harness, 1);
  check_next_size (filter, harness, 4);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* The same element with other samples and another kind of value. */
static void
check_change (const char *launch, const char *axis, const OctArray *one,
    const OctArray *other)
{
  GstHarness *harness = oct_test_harness (launch);
  GstHarness *fresh = oct_test_harness (launch);
  g_autoptr (OctArray) expected = oct_test_run (fresh, other, axis);
  g_autoptr (OctArray) first = oct_test_run (harness, one, axis);
  g_autoptr (OctArray) second = oct_test_run (harness, other, axis);
  g_autoptr (OctArray) third = oct_test_run (harness, one, axis);

  fail_unless (oct_array_equal (second, expected), "%s", launch);
  fail_unless (oct_array_equal (first, third), "%s", launch);
  gst_harness_teardown (harness);
  gst_harness_teardown (fresh);
}

GST_START_TEST (test_samples_and_format_change)
{
  g_autoptr (OctArray) u16 = oct_test_input ("u16");
  g_autoptr (OctArray) u8 = oct_test_input ("u8");
  g_autoptr (OctArray) f32 = oct_test_input ("f32");
  g_autoptr (OctArray) even = oct_test_input ("fringes-3x128");
  g_autoptr (OctArray) complex = make_input (&filters[6]);
  g_autoptr (OctArray) depths = oct_test_input ("a-scans");

  check_change ("octdcsub", NULL, u16, u8);
  check_change ("octdcsub", NULL, u8, f32);
  check_change ("octdcsub", NULL, f32, even);
  check_change ("octdcsub " CALIBRATION " ! octkresample", NULL, f32, even);
  check_change ("octdispersion", "wavenumber", f32, even);
  check_change ("octfft", "wavenumber", f32, even);
  check_change ("octfft", "wavenumber", f32, complex);
  check_change ("octlogscale", "depth", complex, depths);
  check_change ("octdcsub " CALIBRATION
                " ! octkresample ! octdispersion ! octfft ! octlogscale",
      NULL, u16, even);
}
GST_END_TEST;

/* ------------------------------------------------------------------- caps */

static const struct {
  const char *launch, *caps;
  gboolean accepted;
} takes[] = {
  { "octdcsub", RAW, TRUE },
  { "octdcsub", "video/x-raw,format=GRAY8,width=1,height=1", TRUE },
  { "octdcsub", SPECTRA ("F32LE", "wavelength"), TRUE },
  { "octdcsub", SPECTRA ("F32LE", "wavenumber"), TRUE },
  { "octdcsub", SPECTRA ("CF32LE", "wavelength"), FALSE },
  { "octdcsub", "video/x-raw,format=GRAY16_BE,width=64,height=5", FALSE },
  { "octdcsub", "video/x-raw,format=RGB,width=64,height=5", FALSE },
  { "octdcsub", "video/x-raw,format=GRAY8,width=65537,height=5", FALSE },
  { "octdcsub", ASCANS, FALSE },
  { "octkresample", SPECTRA ("F32LE", "wavelength"), TRUE },
  { "octkresample", SPECTRA ("F32LE", "wavenumber"), FALSE },
  { "octkresample", SPECTRA ("CF32LE", "wavelength"), FALSE },
  { "octkresample", RAW, FALSE },
  { "octdispersion", SPECTRA ("F32LE", "wavenumber"), TRUE },
  { "octdispersion", SPECTRA ("F32LE", "wavelength"), TRUE },
  { "octdispersion", SPECTRA ("CF32LE", "wavelength"), FALSE },
  { "octdispersion", SPECTRA ("CF32LE", "wavenumber"), FALSE },
  { "octfft", SPECTRA ("F32LE", "wavenumber"), TRUE },
  { "octfft", SPECTRA ("CF32LE", "wavenumber"), TRUE },
  { "octfft", SPECTRA ("F32LE", "wavelength"), FALSE },
  { "octfft", RAW, FALSE },
  { "octfft", ASCANS, FALSE },
  { "octnufft", SPECTRA ("F32LE", "wavelength"), TRUE },
  { "octnufft", SPECTRA ("CF32LE", "wavelength"), TRUE },
  { "octnufft", SPECTRA ("F32LE", "wavenumber"), FALSE },
  { "octnufft", RAW, FALSE },
  { "octcs", SPECTRA ("F32LE", "wavelength"), TRUE },
  { "octcs", SPECTRA ("CF32LE", "wavenumber"), TRUE },
  { "octcs", RAW, FALSE },
  { "octcs", ASCANS, FALSE },
  { "octlogscale", ASCANS, TRUE },
  { "octlogscale", ASCANS ",z-spacing=4e-6", TRUE },
  { "octlogscale", SPECTRA ("CF32LE", "wavenumber"), FALSE },
  { "octlogscale", RAW, FALSE },
};

GST_START_TEST (test_takes)
{
  GstElement *element = gst_element_factory_make (takes[__i__].launch, NULL);
  GstPad *pad = gst_element_get_static_pad (element, "sink");
  GstCaps *caps = gst_caps_from_string (takes[__i__].caps);

  fail_unless (caps != NULL);
  fail_unless (gst_pad_query_accept_caps (pad, caps) == takes[__i__].accepted,
      "%s and %s", takes[__i__].launch, takes[__i__].caps);
  gst_caps_unref (caps);
  gst_object_unref (pad);
  gst_object_unref (element);
}
GST_END_TEST;

/* The caps that the pad `name` of an element without a GPU can have with `caps`
 * on the other side. */
static GstCaps *
query_other_side (const char *launch, const char *name, const char *caps)
{
  gboolean downwards = g_str_equal (name, "src");
  GstElement *bin = gst_bin_new (NULL);
  g_autofree char *full = g_strconcat (launch,
      g_str_has_prefix (launch, "octgather") ? "" : " backend=cpu", NULL);
  GstElement *element = gst_parse_launch (full, NULL);
  GstElement *fixed = gst_element_factory_make ("capsfilter", NULL);
  GstElement *sink = gst_element_factory_make ("fakesink", NULL);
  GstPad *pad;
  GstCaps *result;

  gst_util_set_object_arg (G_OBJECT (fixed), "caps", caps);
  gst_bin_add_many (GST_BIN (bin), element, fixed, sink, NULL);
  fail_unless (downwards ? gst_element_link (fixed, element)
                         : gst_element_link (element, fixed),
      "%s refuses %s", launch, caps);
  /* a source pad that is not linked takes video, to say what is wrong with it */
  fail_unless (!downwards || gst_element_link (element, sink));
  pad = gst_element_get_static_pad (element, name);
  result = gst_pad_query_caps (pad, NULL);
  gst_object_unref (pad);
  gst_object_unref (bin);
  return result;
}

static const struct {
  const char *launch, *pad, *given, *expected;
} transforms[] = {
  { "octdcsub", "src", RAW, SPECTRA ("F32LE", "wavelength") },
  { "octdcsub axis=wavenumber", "src", RAW, SPECTRA ("F32LE", "wavenumber") },
  { "octdcsub", "src", SPECTRA ("F32LE", "wavenumber"),
      SPECTRA ("F32LE", "wavenumber") },
  { "octdcsub axis=wavelength", "src", SPECTRA ("F32LE", "wavenumber"),
      SPECTRA ("F32LE", "wavelength") },
  { "octdcsub", "sink", SPECTRA ("F32LE", "wavelength"),
      "video/x-raw,format={GRAY16_LE,GRAY8},width=64,height=5,framerate=30/1;"
      "video/x-raw,format={GRAY16_LE,GRAY8},width=64,height=[1,65536],"
      "bscans=[2,65536],"
      "framerate=30/1;" SPECTRA ("F32LE", "wavelength") },
  { "octkresample", "src", SPECTRA ("F32LE", "wavelength"),
      SPECTRA ("F32LE", "wavenumber") },
  { "octkresample", "sink", SPECTRA ("F32LE", "wavenumber"),
      SPECTRA ("F32LE", "wavelength") },
  { "octdispersion", "src", SPECTRA ("F32LE", "wavenumber"),
      SPECTRA ("CF32LE", "wavenumber") },
  { "octdispersion", "sink", SPECTRA ("CF32LE", "wavenumber"),
      SPECTRA ("F32LE", "wavenumber") },
  { "octfft", "src", SPECTRA ("F32LE", "wavenumber"),
      "application/x-oct-ascans,format=CF32LE,samples=32,lines=5,"
      "framerate=30/1" },
  { "octfft length=101 depth-start=7", "src", SPECTRA ("CF32LE", "wavenumber"),
      "application/x-oct-ascans,format=CF32LE,samples=43,lines=5,"
      "framerate=30/1,depth-start=(int)7" },
  { "octfft ", "sink", ASCANS,
      "application/x-oct-spectra,format={F32LE,CF32LE},axis=wavenumber,"
      "samples=[1,65536],lines=5,framerate=30/1" },
  { "octdispersion", "src", SPECTRA ("F32LE", "wavelength"),
      SPECTRA ("CF32LE", "wavelength") },
  { "octnufft", "src", SPECTRA ("F32LE", "wavelength"),
      "application/x-oct-ascans,format=CF32LE,samples=32,lines=5,"
      "framerate=30/1" },
  { "octnufft", "sink", ASCANS,
      "application/x-oct-spectra,format={F32LE,CF32LE},axis=wavelength,"
      "samples=[1,65536],lines=5,framerate=30/1" },
  { "octlogscale", "src", ASCANS,
      "video/x-raw,format={GRAY8,NV12,GRAY16_LE},width=5,height=64,"
      "framerate=30/1,colorimetry=1:4:0:0" },
  /* images, too, tell how far their depths are apart */
  { "octlogscale", "src", ASCANS ",z-spacing=4e-6",
      "video/x-raw,format={GRAY8,NV12,GRAY16_LE},width=5,height=64,"
      "framerate=30/1,colorimetry=1:4:0:0,z-spacing=4e-6" },
  { "octlogscale", "sink",
      "video/x-raw,format=NV12,width=5,height=64,framerate=30/1", ASCANS },
  /* several B-scans in a buffer: rows of them, and images of one each or of all
   */
  { "octdcsub", "src",
      "video/x-raw,format=GRAY8,width=64,height=15,bscans=3,framerate=30/1",
      SPECTRA ("F32LE", "wavelength") ",bscans=3" },
  { "octdcsub", "sink", SPECTRA ("F32LE", "wavelength") ",bscans=3",
      "video/x-raw,format={GRAY16_LE,GRAY8},width=64,height=15,bscans=3,"
      "framerate=30/1;" SPECTRA ("F32LE", "wavelength") ",bscans=3" },
  { "octfft", "src", SPECTRA ("F32LE", "wavenumber") ",bscans=3",
      "application/x-oct-ascans,format=CF32LE,samples=32,lines=5,bscans=3,"
      "framerate=30/1" },
  { "octlogscale", "src", ASCANS ",bscans=3",
      "video/x-raw,format={GRAY8,NV12,GRAY16_LE},width=5,height=64,bscans=1,"
      "framerate=30/1,colorimetry=1:4:0:0;"
      "video/x-raw,format={GRAY8,GRAY16_LE},width=5,height=192,bscans=3,"
      "framerate=30/1,colorimetry=1:4:0:0" },
  { "octlogscale", "sink",
      "video/x-raw,format=GRAY8,width=5,height=192,bscans=3,framerate=30/1",
      ASCANS ",bscans=3" },
  { "octgather bscans=3", "src",
      "video/x-raw,format=GRAY8,width=64,height=5,framerate=30/1",
      "video/x-raw,format=GRAY8,width=64,height=15,bscans=3,framerate=30/1" },
  { "octgather bscans=3", "sink",
      "video/x-raw,format=GRAY8,width=64,height=15,bscans=3,framerate=30/1",
      "video/x-raw,format=GRAY8,width=64,height=5,framerate=30/1" },
};

GST_START_TEST (test_transforms)
{
  GstCaps *found = query_other_side (
      transforms[__i__].launch, transforms[__i__].pad, transforms[__i__].given);
  GstCaps *expected = gst_caps_from_string (transforms[__i__].expected);
  g_autofree char *text = gst_caps_to_string (found);

  fail_unless (gst_caps_is_equal (found, expected), "%s %s: %s, expected %s",
      transforms[__i__].launch, transforms[__i__].pad, text,
      transforms[__i__].expected);
  gst_caps_unref (found);
  gst_caps_unref (expected);
}
GST_END_TEST;

/* ------------------------------------------------------------------ linking */

static const struct {
  const char *launch;
  gboolean links;
} chains[] = {
  { "octsrc ! octdcsub ! octkresample ! octdispersion ! octfft ! octlogscale "
    "! fakesink",
      TRUE },
  { "octsrc ! octdcsub axis=wavenumber ! octfft ! octlogscale ! fakesink",
      TRUE },
  { "octsrc ! octdcsub axis=wavenumber ! octdispersion ! octfft ! fakesink",
      TRUE },
  { "videotestsrc ! octdcsub ! octkresample ! octfft ! fakesink", TRUE },
  { "octsrc ! octdcsub ! octfft ! fakesink", FALSE },
  { "videotestsrc ! octdcsub ! octfft ! fakesink", FALSE },
  { "octdcsub axis=wavelength ! octfft ! fakesink", FALSE },
  { "octsrc ! octdcsub ! octdispersion ! octnufft ! octlogscale ! fakesink",
      TRUE },
  { "octsrc ! octdcsub ! octnufft ! octlogscale ! fakesink", TRUE },
  { "octsrc ! octdcsub ! octcs ! octlogscale ! fakesink", TRUE },
  { "octcs ! octfft ! fakesink", FALSE },
  { "octdcsub axis=wavelength ! octdispersion ! octfft ! fakesink", FALSE },
  { "octdcsub axis=wavenumber ! octnufft ! fakesink", FALSE },
  { "octkresample ! octdispersion ! octnufft ! fakesink", FALSE },
  { "octnufft ! octfft ! fakesink", FALSE },
  { "octdcsub axis=wavenumber ! octkresample ! fakesink", FALSE },
  { "octsrc ! octfft ! fakesink", FALSE },
  { "octsrc ! octlogscale ! fakesink", FALSE },
  { "octsrc ! octdcsub ! octlogscale ! fakesink", FALSE },
  { "octkresample ! octkresample ! fakesink", FALSE },
  { "octkresample ! octlogscale ! fakesink", FALSE },
  { "octdispersion ! octkresample ! fakesink", FALSE },
  { "octdispersion ! octdispersion ! fakesink", FALSE },
  { "octfft ! octdispersion ! fakesink", FALSE },
  { "octfft ! octfft ! fakesink", FALSE },
  { "octlogscale ! octfft ! fakesink", FALSE },
  { "octfft ! videoconvert ! fakesink", FALSE },
};

GST_START_TEST (test_links)
{
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch_full (
      chains[__i__].launch, NULL, GST_PARSE_FLAG_FATAL_ERRORS, &error);

  if (chains[__i__].links) {
    fail_unless (error == NULL, "%s: %s", chains[__i__].launch,
        error != NULL ? error->message : "");
  } else {
    fail_unless (g_error_matches (error, GST_PARSE_ERROR, GST_PARSE_ERROR_LINK),
        "%s links", chains[__i__].launch);
    g_error_free (error);
  }
  gst_clear_object (&pipeline);
}
GST_END_TEST;

/* ------------------------------------------------------------- the interface
 */

static int
find_fftw (struct dl_phdr_info *info, size_t size, gpointer data)
{
  if (strstr (info->dlpi_name, "libfftw3") != NULL)
    *(gboolean *)data = TRUE;
  return 0;
}

/* gst-inspect-1.0 shows the licence of the plugin as it was built, and no
 * linked library brings another: FFTW would, which is under the GPL. */
GST_START_TEST (test_license)
{
  GstPlugin *plugin = gst_plugin_load_by_name ("oct");
  gboolean has_fftw = FALSE;

  fail_unless (plugin != NULL);
  dl_iterate_phdr (find_fftw, &has_fftw);
  fail_unless_equals_string (gst_plugin_get_license (plugin), "LGPL");
  fail_if (has_fftw, "the plugin links FFTW");
  gst_object_unref (plugin);
}
GST_END_TEST;

/* Whatever has a unit or a meaning that is not plain says so, and what can be
 * changed while playing says so too. */
GST_START_TEST (test_properties_are_described)
{
  const char *names[] = { "octsrc", "octdcsub", "octkresample", "octdispersion",
    "octfft", "octnufft", "octcs", "octlogscale" };
  GstElement *element = gst_element_factory_make (names[__i__], NULL);
  g_autofree GParamSpec **specs = NULL;
  guint n, i;

  specs = g_object_class_list_properties (G_OBJECT_GET_CLASS (element), &n);
  for (i = 0; i < n; i++) {
    if (!g_str_has_prefix (g_type_name (specs[i]->owner_type), "GstOct"))
      continue;
    fail_unless (strlen (g_param_spec_get_blurb (specs[i])) > 10, "%s.%s",
        names[__i__], specs[i]->name);
  }
  gst_object_unref (element);
}
GST_END_TEST;

static Suite *
octfilters_suite (void)
{
  Suite *suite = suite_create ("octfilters");
  TCase *tcase = tcase_create ("general");
  const guint n = G_N_ELEMENTS (filters);

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, test_passes_on, 0, n);
  tcase_add_loop_test (tcase, test_leaves_shared_buffers, 0, n);
  tcase_add_loop_test (tcase, test_small_buffer, 0, n);
  tcase_add_loop_test (tcase, test_lines_change, 0, n);
  tcase_add_test (tcase, test_samples_and_format_change);
  tcase_add_loop_test (tcase, test_takes, 0, G_N_ELEMENTS (takes));
  tcase_add_loop_test (tcase, test_transforms, 0, G_N_ELEMENTS (transforms));
  tcase_add_loop_test (tcase, test_links, 0, G_N_ELEMENTS (chains));
  tcase_add_test (tcase, test_license);
  tcase_add_loop_test (tcase, test_properties_are_described, 0, 7);
  return suite;
}

GST_CHECK_MAIN (octfilters);
