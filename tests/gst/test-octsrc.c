/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * octsrc on files: what it delivers of which file, when, how often, and from
 * where in memory.  The virtual system and the live source are in
 * test-octsrc-live.c.
 */
#include "oct-test-files.h"
#include "oct-test-source.h"

/* Small enough to read, odd enough to need padding: 5 samples x 3 lines. */
#define SAMPLES 5
#define LINES 3

/* Rows of a buffer, without the gaps, equal the bytes from `offset` on. */
static void
check_rows (GstBuffer *buffer, GBytes *bytes, gsize offset, gsize row,
    guint rows, gsize stride)
{
  const guint8 *expected = g_bytes_get_data (bytes, NULL);
  GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);
  GstMapInfo map;
  gsize start = 0;
  guint i;

  if (meta != NULL) {
    stride = meta->stride[0];
    start = meta->offset[0];
  }
  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  fail_unless (map.size >= start + (rows - 1) * stride + row);
  for (i = 0; i < rows; i++)
    fail_unless (
        memcmp (map.data + start + i * stride, expected + offset + i * row, row)
            == 0,
        "row %u differs", i);
  gst_buffer_unmap (buffer, &map);
}

/* ---------------------------------------------------------------- raw files */

static const struct {
  const char *properties;
  const char *caps;
  gsize header, row, stride;
} raw_files[] = {
  { "", "video/x-raw,format=GRAY16_LE", 0, 10, 12 },
  { "sample-format=gray8", "video/x-raw,format=GRAY8", 0, 5, 8 },
  { "header-size=7", "video/x-raw,format=GRAY16_LE", 7, 10, 12 },
  { "header-size=512 sample-format=gray8", "video/x-raw,format=GRAY8", 512, 5,
      8 },
};

static void
check_raw (guint which, const char *more, gboolean video_meta)
{
  gsize frame = raw_files[which].row * LINES;
  gsize header = raw_files[which].header;
  g_autoptr (GBytes) bytes = oct_test_pattern (header + 4 * frame);
  g_autofree char *path = oct_test_file (
      "a.raw", g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  g_autoptr (Source) s = source_new (
      "octsrc name=src location=%s samples=5 lines=3 bscans=2 %s %s", path,
      raw_files[which].properties, more);
  guint i;

  if (video_meta)
    gst_harness_add_propose_allocation_meta (
        s->harness, GST_VIDEO_META_API_TYPE, NULL);
  source_play (s);
  source_collect (s);
  source_check_caps (s, raw_files[which].caps);
  source_check_caps (s, "video/x-raw,width=5,height=3,framerate=30/1");
  source_check_run (s, 0, 4, 30, 1);
  for (i = 0; i < 4; i++) {
    check_rows (source_get (s, i), bytes, header + i * frame,
        raw_files[which].row, LINES, raw_files[which].stride);
    source_check_scan (s, i, i % 2, 2, i / 2);
  }
}

GST_START_TEST (test_raw)
{
  check_raw (__i__, "", FALSE);
  check_raw (__i__, "preload=true", FALSE);
  check_raw (__i__, "", TRUE);
  check_raw (__i__, "preload=true", TRUE);
}
GST_END_TEST

/* The same file gives the same bytes, down to the gaps between its rows. */
GST_START_TEST (test_gaps_are_zero)
{
  g_autoptr (GBytes) bytes = oct_test_pattern (30);
  g_autofree char *path =
      oct_test_file ("a.raw", g_bytes_get_data (bytes, NULL), 30);
  g_autoptr (Source) s =
      source_new ("octsrc name=src location=%s samples=5 lines=3", path);
  GstMapInfo map;
  guint i;

  source_play (s);
  source_collect (s);
  fail_unless (gst_buffer_map (source_get (s, 0), &map, GST_MAP_READ));
  fail_unless_equals_int (map.size, 36);
  for (i = 0; i < LINES; i++)
    fail_unless (map.data[12 * i + 10] == 0 && map.data[12 * i + 11] == 0);
  gst_buffer_unmap (source_get (s, 0), &map);
}
GST_END_TEST

GST_START_TEST (test_leftover)
{
  g_autoptr (GBytes) bytes = oct_test_pattern (3 * 30 + 7);
  g_autofree char *path =
      oct_test_file ("a.raw", g_bytes_get_data (bytes, NULL), 97);
  g_autoptr (Source) s =
      source_new ("octsrc name=src location=%s samples=5 lines=3", path);

  source_play (s);
  source_collect (s);
  source_check_run (s, 0, 3, 30, 1);
}
GST_END_TEST

/* --------------------------------------------------------------- .npy files */

static const struct {
  const char *dictionary, *properties, *caps;
  gsize row;
  guint frames, bscans; /* per volume */
} npy_files[] = {
  { "{'descr': '|u1', 'fortran_order': False, 'shape': (24,), }", "",
      "video/x-raw,format=GRAY8,width=24,height=1", 24, 1, 1 },
  { "{'descr': '|u1', 'fortran_order': False, 'shape': (4, 6), }", "",
      "video/x-raw,format=GRAY8,width=6,height=4", 6, 1, 1 },
  { "{'descr': '<u2', 'fortran_order': False, 'shape': (24,), }", "",
      "video/x-raw,format=GRAY16_LE,width=24,height=1", 48, 1, 1 },
  { "{'descr': '<u2', 'fortran_order': False, 'shape': (3, 8), }", "",
      "video/x-raw,format=GRAY16_LE,width=8,height=3", 16, 1, 1 },
  { "{'descr': '<u2', 'fortran_order': False, 'shape': (3, 2, 4), }", "",
      "video/x-raw,format=GRAY16_LE,width=4,height=2", 8, 3, 3 },
  { "{'descr': '<f4', 'fortran_order': False, 'shape': (24,), }", "",
      "application/x-oct-spectra,format=F32LE,axis=wavelength,samples=24,"
      "lines=1",
      96, 1, 1 },
  { "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 4), }", "",
      "application/x-oct-spectra,format=F32LE,axis=wavelength,samples=4,"
      "lines=3",
      16, 2, 2 },
  /* lines grouped to B-scans */
  { "{'descr': '<u2', 'fortran_order': False, 'shape': (6, 4), }", "lines=2",
      "video/x-raw,format=GRAY16_LE,width=4,height=2", 8, 3, 3 },
  { "{'descr': '<u2', 'fortran_order': False, 'shape': (6, 4), }",
      "lines=2 bscans=2", "video/x-raw,format=GRAY16_LE,width=4,height=2", 8, 3,
      2 },
  { "{'descr': '<u2', 'fortran_order': False, 'shape': (6, 4), }", "lines=4",
      "video/x-raw,format=GRAY16_LE,width=4,height=4", 8, 1, 1 },
  /* a one-dimensional array of Fortran order is one of C order */
  { "{'descr': '<u2', 'fortran_order': True, 'shape': (24,), }", "",
      "video/x-raw,format=GRAY16_LE,width=24,height=1", 48, 1, 1 },
};

static guint
get_lines (Source *s)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (s->harness->sinkpad);
  GstStructure *structure = gst_caps_get_structure (caps, 0);
  gint lines = 0;

  if (!gst_structure_get_int (structure, "height", &lines))
    gst_structure_get_int (structure, "lines", &lines);
  return lines;
}

GST_START_TEST (test_npy)
{
  gsize size = strstr (npy_files[__i__].dictionary, "f4")   ? 96
               : strstr (npy_files[__i__].dictionary, "u1") ? 24
                                                            : 48;
  g_autoptr (GBytes) bytes = oct_test_pattern (size);
  g_autofree char *path = oct_test_npy ("spectra.dat",
      npy_files[__i__].dictionary, g_bytes_get_data (bytes, NULL), size);
  gsize row = npy_files[__i__].row;
  guint preload, i;

  for (preload = 0; preload < 2; preload++) {
    g_autoptr (Source) s =
        source_new ("octsrc name=src location=%s %s preload=%s", path,
            npy_files[__i__].properties, preload ? "true" : "false");

    source_play (s);
    source_collect (s);
    source_check_caps (s, npy_files[__i__].caps);
    source_check_run (s, 0, npy_files[__i__].frames, 30, 1);
    for (i = 0; i < npy_files[__i__].frames; i++) {
      guint bscans = npy_files[__i__].bscans;
      guint lines = get_lines (s);

      check_rows (source_get (s, i), bytes, i * lines * row, row, lines,
          GST_ROUND_UP_4 (row));
      source_check_scan (s, i, i % bscans, bscans, i / bscans);
    }
  }
}
GST_END_TEST

/* i2 and f8 become float, also in a file that is held in memory. */
GST_START_TEST (test_npy_converted)
{
  static const gint16 integers[] = { -32768, -1, 0, 1, 2, 32767 };
  static const double doubles[] = { -1e30, -0.1, 0.0, 1.0 / 3.0, 65535.0, 7.5 };
  g_autofree char *path =
      __i__ < 2
          ? oct_test_npy ("i2.npy",
              "{'descr': '<i2', 'fortran_order': False, 'shape': (3, 1, 2)}",
              integers, sizeof integers)
          : oct_test_npy ("f8.npy",
              "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 1, 2)}",
              doubles, sizeof doubles);
  g_autoptr (Source) s = source_new ("octsrc name=src location=%s preload=%s",
      path, __i__ % 2 ? "true" : "false");
  guint i;

  source_play (s);
  source_collect (s);
  source_check_caps (s, "application/x-oct-spectra,format=F32LE,samples=2,"
                        "lines=1,axis=wavelength");
  source_check_run (s, 0, 3, 30, 1);
  for (i = 0; i < 6; i++) {
    float expected = __i__ < 2 ? integers[i] : (float)doubles[i], found;

    fail_unless_equals_int (
        gst_buffer_extract (source_get (s, i / 2), i % 2 * 4, &found, 4), 4);
    fail_unless (found == expected, "%g is not %g", found, expected);
  }
}
GST_END_TEST

/* Content decides, whatever the file is called. */
GST_START_TEST (test_sniffing)
{
  static const char npy[] =
      "{'descr': '|u1', 'fortran_order': False, 'shape': (3, 5), }";
  g_autoptr (GBytes) bytes = oct_test_pattern (30);
  const guint8 *data = g_bytes_get_data (bytes, NULL);
  g_autofree char *as_raw = oct_test_npy ("a.raw", npy, data, 15);
  g_autofree char *as_npy = oct_test_file ("b.npy", data, 30);
  g_autofree char *no_suffix = oct_test_npy ("c", npy, data, 15);
  g_autoptr (Source) a = source_new ("octsrc name=src location=%s", as_raw);
  g_autoptr (Source) b =
      source_new ("octsrc name=src location=%s samples=5 lines=3", as_npy);
  g_autoptr (Source) c = source_new ("octsrc name=src location=%s", no_suffix);
  /* and the user's word is above the content */
  g_autoptr (Source) d =
      source_new ("octsrc name=src location=%s format=raw samples=5 lines=3 "
                  "sample-format=gray8",
          as_raw);
  Source *sources[] = { a, b, c, d };
  static const char *formats[] = { "GRAY8", "GRAY16_LE", "GRAY8", "GRAY8" };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (sources); i++) {
    g_autofree char *caps =
        g_strdup_printf ("video/x-raw,format=%s,width=5,height=3", formats[i]);

    source_play (sources[i]);
    source_collect (sources[i]);
    source_check_caps (sources[i], caps);
  }
  check_rows (source_get (a, 0), bytes, 0, 5, 3, 8);
  check_rows (source_get (b, 0), bytes, 0, 10, 3, 12);
  check_rows (source_get (c, 0), bytes, 0, 5, 3, 8);
  fail_unless (source_count (d) > 1);
}
GST_END_TEST

/* Files of other programs, from the tests of core/; that of Thorlabs carries
 * its calibration, without which octkresample fails. */
static const struct {
  const char *launch, *caps;
  guint frames;
} other_files[] = {
#ifdef HAVE_ZLIB
  { "packed-u2.mat", "video/x-raw,format=GRAY16_LE,width=4,height=3", 2 },
  { "two.mat variable=more",
      "application/x-oct-spectra,format=F32LE,axis=wavelength,samples=4,"
      "lines=3",
      1 },
#endif
#ifdef HAVE_HDF5
  { "two.h5 dataset=a/spectra", "video/x-raw,format=GRAY16_LE,width=4,height=3",
      2 },
  { "matlab73.mat variable=spectra",
      "video/x-raw,format=GRAY16_LE,width=4,height=3", 2 },
#endif
#ifdef HAVE_ZIP
  { "several-in-one.oct", "video/x-raw,format=GRAY16_LE,width=16,height=3", 6 },
  { "lateral.oct",
      "video/x-raw,format=GRAY16_LE,width=16,height=3,x-spacing=0.0005,"
      "y-spacing=0.00025",
      2 },
  { "lateral.oct bscans-per-buffer=2 ! octdcsub ! octkresample ! octfft ! "
    "octlogscale",
      "video/x-raw,width=3,height=8,x-spacing=0.0005,y-spacing=0.00025,"
      "z-spacing=(double)[0.00001,0.00002]",
      2 },
  { "lateral.oct ! octdcsub ! octdispersion ! octnufft backend=cpu",
      "application/x-oct-ascans,lines=3,x-spacing=0.0005,y-spacing=0.00025",
      2 },
  { "regions.oct ! octdcsub ! octkresample backend=cpu",
      "application/x-oct-spectra,format=F32LE,axis=wavenumber,samples=16,"
      "lines=3",
      2 },
#endif
#ifdef HAVE_TIFF
  { "lzw.tif", "video/x-raw,format=GRAY16_LE,width=4,height=3", 2 },
  { "plain-f4.tif",
      "application/x-oct-spectra,format=F32LE,axis=wavelength,samples=4,"
      "lines=3",
      2 },
#endif
  { "plain-u1.tif format=raw samples=16 lines=2 header-size=238 "
    "packing=mono12p",
      "video/x-raw,format=GRAY16_LE,width=16,height=2", 2 },
};

GST_START_TEST (test_other_files)
{
  guint i;

  for (i = 0; i < G_N_ELEMENTS (other_files); i++) {
    g_autoptr (Source) s = source_new ("octsrc name=src location=%s/%s",
        oct_test_vectors (), other_files[i].launch);

    GST_INFO ("%s", other_files[i].launch);
    source_play (s);
    source_collect (s);
    source_check_caps (s, other_files[i].caps);
    fail_unless_equals_int (source_count (s), other_files[i].frames);
  }
}
GST_END_TEST

/* B-scans at each place: as the file says, through all elements to the images,
 * unless something else is set, or B-scans of a place are left out. */
static const struct {
  const char *more;
  gint repeats;
} repeated[] = {
  { "", 2 },
  { "bscans-per-buffer=4", 2 },
  { "repeats=4", 4 },
  { "repeats=1", 1 },
  { "bscans=3", 1 },
  { "scan-mask=scattered scan-rate=0.5", 2 },
  { "scan-mask=same-lines scan-rate=0.3", 1 },
};

GST_START_TEST (test_repeats)
{
  static const char xml[] =
      "<Monster><Volume_Size Width=\"16\" Height=\"8\" "
      "Number_of_Frames=\"8\" Number_of_Volumes=\"3\"/>"
      "<Scanning_Parameters Number_of_BM_scans=\"2\"/></Monster>";
  g_autofree char *settings = oct_test_text ("twice.xml", xml);
  g_autofree char *path = oct_test_sparse ("twice.unp", 3 * 8 * 8 * 16 * 2);
  g_autoptr (Source) s = source_new (
      "octsrc name=src location=%s wavelength-min=800 wavelength-max=880 %s "
      "! octdcsub ! octkresample ! octdispersion ! octfft ! octlogscale",
      path, repeated[__i__].more);
  g_autoptr (GstCaps) caps = NULL;
  gint repeats = 1;

  source_play (s);
  source_collect (s);
  caps = gst_pad_get_current_caps (s->harness->sinkpad);
  fail_unless (caps != NULL);
  gst_structure_get_int (gst_caps_get_structure (caps, 0), "repeats", &repeats);
  fail_unless_equals_int (repeats, repeated[__i__].repeats);
}
GST_END_TEST

/* -------------------------------------------------------- B-scans in order */

/* A volume that the file breaks off is one of its own: after 8 B-scans of 3 a
 * volume, the next pass begins with volume 3. */
GST_START_TEST (test_loop)
{
  g_autoptr (Source) s = source_numbered ("loop=true num-buffers=30");
  guint i;

  source_play (s);
  source_collect (s);
  source_check_numbers (s, 0, 30);
  for (i = 0; i < 30; i++)
    source_check_scan (s, i, i % 8 % 3, 3, i / 8 * 3 + i % 8 / 3);
}
GST_END_TEST

/* Places of several B-scans are counted from the first one's, which goes on
 * from volume to volume, but not from a part of a volume to the next pass. */
GST_START_TEST (test_loop_several)
{
  static const guint together[] = { 0, 2, 3, 4, 5, 8, 9 };
  g_autofree char *more = g_strdup_printf (
      "loop=true num-buffers=12 bscans-per-buffer=%u preload=%s",
      together[__i__ / 2], __i__ % 2 == 0 ? "false" : "true");
  g_autoptr (Source) s = source_numbered (more);
  guint n = 0, i, k;

  source_play (s);
  source_collect (s);
  fail_unless_equals_int (source_count (s), 12);
  for (i = 0; i < 12; i++) {
    GstBuffer *buffer = source_get (s, i);
    GstOctScanPosition scan = oct_test_get_scan_position (buffer);

    fail_unless_equals_uint64 (GST_BUFFER_OFFSET (buffer), n);
    fail_unless_equals_uint64 (GST_BUFFER_OFFSET_END (buffer), n + scan.count);
    fail_unless_equals_int (
        gst_buffer_get_size (buffer), scan.count * 8 * 2 * 2);
    for (k = 0; k < scan.count; k++, n++) {
      guint64 place = scan.volume * 3 + scan.bscan + k;
      guint16 found;

      gst_buffer_extract (buffer, k * 8 * 2 * 2, &found, 2);
      fail_unless_equals_int (found, n % 8);
      fail_unless_equals_uint64 (place % 3, n % 8 % 3);
      fail_unless_equals_uint64 (place / 3, n / 8 * 3 + n % 8 / 3);
    }
  }
}
GST_END_TEST

/* start of B-scan n at 30 per second */
#define F(n) ((n)*GST_SECOND / 30)

/* ------------------------------------------------------------------ queries */

static void
check_convert (
    Source *s, GstFormat from, gint64 value, GstFormat to, gint64 expected)
{
  gint64 found = -2;

  fail_unless (gst_element_query_convert (s->src, from, value, to, &found));
  fail_unless_equals_int64 (found, expected);
}

static void
check_seeking (Source *s, GstFormat format, gboolean seekable, gint64 end)
{
  g_autoptr (GstQuery) query = gst_query_new_seeking (format);
  gboolean found_seekable;
  gint64 found_end;

  fail_unless (gst_element_query (s->src, query));
  gst_query_parse_seeking (query, NULL, &found_seekable, NULL, &found_end);
  fail_unless_equals_int (found_seekable, seekable);
  fail_unless_equals_int64 (found_end, end);
}

GST_START_TEST (test_queries)
{
  g_autoptr (Source) s = source_numbered ("");
  g_autoptr (GstQuery) latency = gst_query_new_latency ();
  GstClockTime min;
  gboolean live;
  gint64 value;

  fail_if (gst_element_query_duration (s->src, GST_FORMAT_TIME, &value)
           && value != -1);
  source_play (s);
  source_collect (s);
  fail_unless (gst_element_query_duration (s->src, GST_FORMAT_TIME, &value));
  fail_unless_equals_uint64 (value, F (8));
  fail_unless (gst_element_query_duration (s->src, GST_FORMAT_DEFAULT, &value));
  fail_unless_equals_int64 (value, 8);
  fail_unless (gst_element_query_position (s->src, GST_FORMAT_TIME, &value));
  fail_unless_equals_uint64 (value, F (8));
  fail_unless (gst_element_query_position (s->src, GST_FORMAT_DEFAULT, &value));
  fail_unless_equals_int64 (value, 8);
  fail_unless (gst_element_query_position (s->src, GST_FORMAT_PERCENT, &value));
  fail_unless_equals_int64 (value, GST_FORMAT_PERCENT_MAX);
  check_convert (s, GST_FORMAT_DEFAULT, 7, GST_FORMAT_TIME, F (7));
  check_convert (s, GST_FORMAT_TIME, F (7), GST_FORMAT_DEFAULT, 7);
  check_convert (s, GST_FORMAT_TIME, F (7) - 2, GST_FORMAT_DEFAULT, 6);
  check_seeking (s, GST_FORMAT_TIME, TRUE, F (8));
  check_seeking (s, GST_FORMAT_DEFAULT, TRUE, 8);
  fail_unless (gst_element_query (s->src, latency));
  gst_query_parse_latency (latency, &live, &min, NULL);
  fail_if (live);
  fail_unless_equals_uint64 (min, 0);
}
GST_END_TEST

GST_START_TEST (test_queries_of_loop)
{
  g_autoptr (Source) s = source_numbered ("loop=true num-buffers=20");
  gint64 value = -1;

  source_play (s);
  source_collect (s);
  fail_if (gst_element_query_duration (s->src, GST_FORMAT_TIME, &value)
           && value != -1);
  check_seeking (s, GST_FORMAT_DEFAULT, TRUE, -1);
  fail_unless (gst_element_query_position (s->src, GST_FORMAT_DEFAULT, &value));
  fail_unless_equals_int64 (value, 20);
}
GST_END_TEST

/* --------------------------------------------------------------- frame rate */

static const struct {
  const char *launch;
  gint n, d;
} rates[] = {
  { "line-rate=0", 30, 1 },
  { "line-rate=100", 50, 1 },
  { "line-rate=70000", 35000, 1 },
  { "line-rate=1", 1, 2 },
  { "line-rate=6.25", 25, 8 },
  { "line-rate=7 bscans=4 volume-rate=5", 20, 1 },
  { "! capsfilter caps=video/x-raw,framerate=25/1", 25, 1 },
  { "! capsfilter caps=video/x-raw,framerate=(fraction)[50/1,100/1]", 50, 1 },
  { "line-rate=100 ! capsfilter "
    "caps=video/x-raw,framerate=(fraction)[1/1,100/1]",
      50, 1 },
};

GST_START_TEST (test_rate)
{
  g_autoptr (Source) s = source_numbered (rates[__i__].launch);
  g_autofree char *caps = g_strdup_printf (
      "video/x-raw,framerate=%d/%d", rates[__i__].n, rates[__i__].d);

  source_play (s);
  source_collect (s);
  source_check_caps (s, caps);
  source_check_run (s, 0, 8, rates[__i__].n, rates[__i__].d);
}
GST_END_TEST

/* Another frame rate while playing: times go on rising. */
GST_START_TEST (test_rate_change)
{
  g_autoptr (Source) s = source_numbered (
      "loop=true ! capsfilter name=filter caps=video/x-raw,framerate=30/1");
  g_autoptr (GstElement) filter =
      gst_bin_get_by_name (GST_BIN (s->harness->element), "filter");
  g_autoptr (GstCaps) caps =
      gst_caps_from_string ("video/x-raw,framerate=60/1");
  GstClockTime last = 0;
  GstBuffer *buffer;
  gboolean changed = FALSE;
  guint i;

  source_play (s);
  gst_buffer_unref (gst_harness_pull (s->harness));
  g_object_set (filter, "caps", caps, NULL);
  for (i = 0; i < 3; i++) {
    do {
      buffer = gst_harness_pull (s->harness);
      changed = GST_BUFFER_DURATION (buffer) < F (1);
      gst_buffer_unref (buffer);
    } while (!changed);
  }
  /* no B-scan is added any more */
  gst_element_set_state (s->harness->element, GST_STATE_READY);
  fail_unless (s->running_times->len > 3);
  for (i = 1; i < s->running_times->len; i++) {
    GstClockTime time = g_array_index (s->running_times, guint64, i);

    fail_unless (time > last, "%" GST_TIME_FORMAT " after %" GST_TIME_FORMAT,
        GST_TIME_ARGS (time), GST_TIME_ARGS (last));
    fail_unless (time <= last + F (1) + 1);
    last = time;
  }
}
GST_END_TEST

/* ------------------------------------------------------------------- memory */

static gpointer
get_address (GstBuffer *buffer)
{
  GstMapInfo map;
  gpointer address;

  fail_unless_equals_int (gst_buffer_n_memory (buffer), 1);
  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  address = map.data;
  gst_buffer_unmap (buffer, &map);
  return address;
}

/* Every pass hands out the same memory, one piece of the whole file. */
GST_START_TEST (test_preload)
{
  g_autoptr (Source) s = source_numbered ("preload=true loop=true "
                                          "num-buffers=24");
  guint8 *start;
  guint i;

  source_play (s);
  source_collect (s);
  source_check_numbers (s, 0, 24);
  start = get_address (source_get (s, 0));
  for (i = 0; i < 24; i++) {
    GstMemory *memory = gst_buffer_peek_memory (source_get (s, i), 0);

    fail_unless (get_address (source_get (s, i)) == start + i % 8 * 32);
    fail_unless (memory->parent
                 == gst_buffer_peek_memory (source_get (s, 0), 0)->parent);
    fail_unless (GST_MEMORY_IS_READONLY (memory));
  }
}
GST_END_TEST

/* An element that writes to such a buffer gets a copy: the next pass is
 * unchanged. */
GST_START_TEST (test_preload_is_safe)
{
  g_autoptr (Source) s = source_numbered ("preload=true loop=true "
                                          "num-buffers=16");
  GstBuffer *copy;

  source_play (s);
  source_collect (s);
  copy = gst_buffer_make_writable (gst_buffer_ref (source_get (s, 0)));
  gst_buffer_memset (copy, 0, 0xff, 32);
  gst_buffer_unref (copy);
  source_check_numbers (s, 0, 16);
}
GST_END_TEST

/* A pool with strides and offsets of its own, as capture hardware has it. */
#define POOL_STRIDE 64
#define POOL_OFFSET 32

typedef GstBufferPool TestPool;
typedef GstBufferPoolClass TestPoolClass;
static GType test_pool_get_type (void);
G_DEFINE_TYPE (TestPool, test_pool, GST_TYPE_BUFFER_POOL)

static GstFlowReturn
test_pool_alloc (
    GstBufferPool *pool, GstBuffer **buffer, GstBufferPoolAcquireParams *params)
{
  gsize offsets[GST_VIDEO_MAX_PLANES] = { POOL_OFFSET };
  gint strides[GST_VIDEO_MAX_PLANES] = { POOL_STRIDE };
  GstVideoMeta *meta;

  *buffer = gst_buffer_new_allocate (NULL, POOL_OFFSET + 2 * POOL_STRIDE, NULL);
  meta = gst_buffer_add_video_meta_full (*buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_FORMAT_GRAY16_LE, 8, 2, 1, offsets, strides);
  GST_META_FLAG_SET (meta, GST_META_FLAG_POOLED);
  return GST_FLOW_OK;
}

static void
test_pool_class_init (TestPoolClass *klass)
{
  klass->alloc_buffer = test_pool_alloc;
}

static void
test_pool_init (TestPool *pool)
{
}

static GstPadProbeReturn
offer_pool (GstPad *pad, GstPadProbeInfo *info, gpointer pool)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);

  if (GST_QUERY_TYPE (query) != GST_QUERY_ALLOCATION)
    return GST_PAD_PROBE_OK;
  gst_query_add_allocation_pool (
      query, pool, POOL_OFFSET + 2 * POOL_STRIDE, 4, 0);
  gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  return GST_PAD_PROBE_HANDLED;
}

GST_START_TEST (test_foreign_pool)
{
  g_autoptr (Source) s = source_numbered ("");
  g_autoptr (GstBufferPool) pool = g_object_new (test_pool_get_type (), NULL);
  guint16 row[8];
  guint i, j;

  gst_object_ref_sink (pool);
  gst_object_ref (pool);
  gst_pad_add_probe (s->harness->sinkpad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM,
      offer_pool, pool, gst_object_unref);
  source_play (s);
  source_collect (s);
  source_check_run (s, 0, 8, 30, 1);
  for (i = 0; i < 8; i++) {
    fail_unless (source_get (s, i)->pool == pool);
    gst_buffer_extract (
        source_get (s, i), POOL_OFFSET + POOL_STRIDE, row, sizeof row);
    for (j = 0; j < 8; j++)
      fail_unless_equals_int (row[j], i);
  }
}
GST_END_TEST

/* Buffers that were given back are used again: no B-scan costs memory. */
GST_START_TEST (test_own_pool)
{
  g_autoptr (Source) s = source_numbered ("");

  source_play (s);
  source_collect (s);
  fail_unless (source_get (s, 0)->pool != NULL);
  fail_unless (GST_IS_BUFFER_POOL (source_get (s, 0)->pool));
}
GST_END_TEST

/* ------------------------------------------------------------------- states */

GST_START_TEST (test_again)
{
  g_autoptr (Source) s = source_numbered ("");
  guint64 frames;
  guint i;

  for (i = 0; i < 3; i++) {
    source_play (s);
    source_collect (s);
    source_check_numbers (s, 0, 8);
    g_object_get (s->src, "frames", &frames, NULL);
    fail_unless_equals_uint64 (frames, 8);
    source_stop (s);
  }
}
GST_END_TEST

GST_START_TEST (test_another_location)
{
  g_autoptr (Source) s = source_numbered ("");
  g_autoptr (GBytes) bytes = oct_test_pattern (64);
  g_autofree char *other =
      oct_test_file ("other.raw", g_bytes_get_data (bytes, NULL), 64);

  source_play (s);
  source_collect (s);
  source_check_numbers (s, 0, 8);
  gst_element_set_state (s->harness->element, GST_STATE_READY);
  source_forget (s);
  g_object_set (s->src, "location", other, NULL);
  source_play (s);
  source_collect (s);
  source_check_run (s, 0, 2, 30, 1);
  check_rows (source_get (s, 1), bytes, 32, 16, 2, 16);
}
GST_END_TEST

static Suite *
octsrc_suite (void)
{
  Suite *suite = suite_create ("octsrc");
  TCase *tc = tcase_create ("files");

  suite_add_tcase (suite, tc);
  tcase_add_checked_fixture (tc, NULL, oct_test_remove_files);
  tcase_add_loop_test (tc, test_raw, 0, G_N_ELEMENTS (raw_files));
  tcase_add_test (tc, test_gaps_are_zero);
  tcase_add_test (tc, test_leftover);
  tcase_add_loop_test (tc, test_npy, 0, G_N_ELEMENTS (npy_files));
  tcase_add_loop_test (tc, test_npy_converted, 0, 4);
  tcase_add_test (tc, test_sniffing);
  tcase_add_test (tc, test_other_files);
  tcase_add_loop_test (tc, test_repeats, 0, G_N_ELEMENTS (repeated));
  tcase_add_test (tc, test_loop);
  tcase_add_loop_test (tc, test_loop_several, 0, 14);
  tcase_add_test (tc, test_queries);
  tcase_add_test (tc, test_queries_of_loop);
  tcase_add_loop_test (tc, test_rate, 0, G_N_ELEMENTS (rates));
  tcase_add_test (tc, test_rate_change);
  tcase_add_test (tc, test_preload);
  tcase_add_test (tc, test_preload_is_safe);
  tcase_add_test (tc, test_foreign_pool);
  tcase_add_test (tc, test_own_pool);
  tcase_add_test (tc, test_again);
  tcase_add_test (tc, test_another_location);
  return suite;
}

GST_CHECK_MAIN (octsrc)
