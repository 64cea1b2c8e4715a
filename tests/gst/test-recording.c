/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * octrawsink records, octsrc plays: the same spectra, times, places and
 * calibration come back with nothing but the file's name.
 */
#include "oct-test-files.h"
#include "oct-test-source.h"

#include <glib/gstdio.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHAIN                                                                  \
  " ! octdcsub ! octkresample ! octdispersion ! octfft ! "                     \
  "octlogscale range=manual max=90"

/* The images of the recording are those of the source, to the last bit: sizes,
 * formats with gaps between rows (an odd number of samples), a calibration that
 * comes from the phantom, from properties, or from both. */
static const char *const sources[] = {
  "octsrc num-buffers=7 samples=256 lines=20 bscans=3 line-rate=70000",
  "octsrc num-buffers=5 samples=255 lines=9 bscans=1 dispersion-a2=33 "
  "dispersion-a3=-7",
  "octsrc num-buffers=5 samples=251 lines=4 sample-format=gray8 line-rate=90 "
  "wavelength-min=800 wavelength-max=880",
  "octsrc num-buffers=4 samples=64 lines=3 line-rate=1 k-polynomial=0,60,3",
};

GST_START_TEST (test_same_images)
{
  const char *source = sources[__i__];
  g_autofree char *path = oct_test_record ("again", source, "part-size=25000");
  g_autoptr (Source) direct = source_new ("%s name=src" CHAIN, source);
  g_autoptr (Source) played =
      source_new ("octsrc name=src location=%s.oct" CHAIN, path);

  source_play (direct);
  source_collect (direct);
  source_play (played);
  source_collect (played);
  fail_unless (source_count (direct) > 3);
  source_check_same (direct, played);
}
GST_END_TEST

GST_START_TEST (test_places_and_times)
{
  g_autofree char *path =
      oct_test_record ("places", sources[0], "part-size=25000 name=sink");
  g_autoptr (Source) s = source_new ("octsrc name=src location=%s.oct", path);

  source_play (s);
  source_collect (s);
  source_check_caps (s, "video/x-raw,format=GRAY16_LE,width=256,height=20,"
                        "framerate=3500/1");
  source_check_run (s, 0, 7, 3500, 1);
  for (guint i = 0; i < 7; i++)
    source_check_scan (s, i, i % 3, 3, i / 3);
  fail_unless (source_seek (
      s, gst_event_new_seek (1.0, GST_FORMAT_DEFAULT, GST_SEEK_FLAG_FLUSH,
             GST_SEEK_TYPE_SET, 4, GST_SEEK_TYPE_NONE, -1)));
  source_collect (s);
  source_check_run (s, 4, 3, 3500, 1);
}
GST_END_TEST

/* B-scans of a place: the recording says how many there are, and what is set
 * wins over it. */
GST_START_TEST (test_repeats)
{
  g_autofree char *path = oct_test_record ("repeats",
      "octsrc num-buffers=8 samples=64 lines=4 bscans=4 repeats=2", "");
  g_autofree char *text_path = g_strconcat (path, ".oct", NULL);
  g_autofree char *text = NULL;
  g_autoptr (Source) s = source_new ("octsrc name=src location=%s.oct", path);
  g_autoptr (Source) set =
      source_new ("octsrc name=src location=%s.oct repeats=4", path);

  fail_unless (g_file_get_contents (text_path, &text, NULL, NULL));
  fail_unless (strstr (text, "\nrepeats=2\n") != NULL);
  source_play (s);
  source_collect (s);
  source_check_caps (s, "video/x-raw,width=64,height=4,repeats=2");
  source_play (set);
  source_collect (set);
  source_check_caps (set, "video/x-raw,width=64,height=4,repeats=4");
}
GST_END_TEST

/* A scanner that flies back: A-lines come faster than B-scans say, and both are
 * told again, with the wavelength. */
GST_START_TEST (test_rates)
{
  g_autofree char *path = oct_test_record ("rates",
      "octsrc phantom=flow num-buffers=4 samples=64 lines=4 bscans=4 "
      "line-rate=100000 volume-rate=1000",
      "");
  g_autoptr (Source) s = source_new ("octsrc name=src location=%s.oct", path);
  g_autoptr (GstCaps) caps = NULL;
  double wavelength = 0.0;

  source_play (s);
  source_collect (s);
  source_check_caps (s, "video/x-raw,width=64,height=4,framerate=4000/1,"
                        "line-rate=(fraction)100000/1");
  caps = gst_pad_get_current_caps (s->src->srcpads->data);
  fail_unless (gst_structure_get_double (
      gst_caps_get_structure (caps, 0), "wavelength", &wavelength));
  /* of wavenumbers between those of 790 and 900 nm */
  fail_unless (fabs (wavelength - 2e-9 / (1.0 / 790 + 1.0 / 900)) < 2e-9, "%g",
      wavelength);
}
GST_END_TEST

/* A k-clock that is recorded with the spectra is told again, so that no element
 * takes it for more of them. */
GST_START_TEST (test_k_clock)
{
  g_autofree char *path = oct_test_file_path ("clock");
  g_autofree char *launch =
      g_strdup_printf ("octrawsink async=false location=%s", path);
  GstHarness *h = gst_harness_new_parse (launch);
  g_autoptr (Source) s = NULL;

  gst_harness_set_src_caps_str (h,
      "video/x-raw,format=GRAY8,width=8,height=2,framerate=30/1,"
      "k-clock=(boolean)true");
  fail_unless_equals_int (
      gst_harness_push (h, gst_buffer_new_allocate (NULL, 16, NULL)),
      GST_FLOW_OK);
  gst_element_set_state (h->element, GST_STATE_NULL);
  gst_harness_teardown (h);
  s = source_new ("octsrc name=src location=%s.oct", path);
  source_play (s);
  source_collect (s);
  source_check_caps (s, "video/x-raw,width=8,k-clock=(boolean)true");
}
GST_END_TEST;

/* Preloaded and live, both from a recording of several parts. */
GST_START_TEST (test_other_ways_to_play)
{
  g_autofree char *path =
      oct_test_record ("ways", sources[0], "part-size=25000");
  g_autoptr (Source) plain =
      source_new ("octsrc name=src location=%s.oct", path);
  g_autoptr (Source) held =
      source_new ("octsrc name=src location=%s.oct preload=true", path);
  g_autofree char *live = g_strdup_printf (
      "octsrc location=%s.oct is-live=true ! fakesink sync=true", path);

  source_play (plain);
  source_collect (plain);
  source_play (held);
  source_collect (held);
  source_check_same (plain, held);
  oct_test_run_to_end (live);
}
GST_END_TEST

/* A recording that ends in a crash. */
GST_START_TEST (test_cut_off)
{
  g_autofree char *path =
      oct_test_record ("cut", sources[0], "part-size=25000");
  g_autofree char *last = g_strconcat (path, "-00003.raw", NULL);
  g_autofree char *before = g_strconcat (path, "-00002.raw", NULL);
  g_autoptr (Source) s = source_new ("octsrc name=src location=%s.oct", path);

  fail_unless_equals_int (truncate (last, 100), 0);
  fail_unless_equals_int (truncate (before, 2 * 256 * 20 + 1), 0);
  source_play (s);
  source_collect (s);
  source_check_run (s, 0, 5, 3500, 1);
  source_check_warning (s->bus, "101 bytes", "whole B-scan");
}
GST_END_TEST

/* Notes in front, and what editors make of the lines' ends and beginning. */
GST_START_TEST (test_edited)
{
  g_autofree char *path = oct_test_record ("edited", sources[0], "");
  g_autofree char *text_path = g_strconcat (path, ".oct", NULL);
  g_autofree char *text = NULL, *edited = NULL;
  g_auto (GStrv) lines = NULL;
  g_autoptr (Source) s = NULL;

  fail_unless (g_file_get_contents (text_path, &text, NULL, NULL));
  lines = g_strsplit (text, "\n", -1);
  g_free (text);
  text = g_strjoinv ("\r\n", lines);
  edited = g_strconcat (
      "\xef\xbb\xbf# right eye\r\n\r\n# patient 17\r\n", text, NULL);
  fail_unless (g_file_set_contents (text_path, edited, -1, NULL));
  s = source_new ("octsrc name=src location=%s", text_path);
  source_play (s);
  source_collect (s);
  source_check_run (s, 0, 7, 3500, 1);
}
GST_END_TEST

/* The calibration that octrawsink is given wins over the one upstream. */
GST_START_TEST (test_own_calibration)
{
  const char *virtual_system = "octsrc num-buffers=2 samples=128 lines=4";
  g_autofree char *own = oct_test_record (
      "own", virtual_system, "wavelength-min=700 wavelength-max=710");
  g_autoptr (Source) direct =
      source_new ("%s name=src wavelength-min=700 wavelength-max=710" CHAIN,
          virtual_system);
  g_autoptr (Source) played =
      source_new ("octsrc name=src location=%s.oct" CHAIN, own);

  source_play (direct);
  source_collect (direct);
  source_play (played);
  source_collect (played);
  source_check_same (direct, played);
}
GST_END_TEST

/* B-scans that never came are told when the recording is played. */
GST_START_TEST (test_gaps)
{
  g_autofree char *path = oct_test_file_path ("gaps");
  g_autofree char *launch =
      g_strdup_printf ("octrawsink async=false location=%s", path);
  GstHarness *h = gst_harness_new_parse (launch);
  g_autofree char *text_path = g_strconcat (path, ".oct", NULL);
  g_autofree char *text = NULL;
  g_autoptr (Source) s = NULL;
  const guint numbers[] = { 0, 1, 4, 5, 6, 17 };

  gst_harness_set_src_caps_str (
      h, "video/x-raw,format=GRAY8,width=8,height=2,framerate=30/1");
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++) {
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, 16, NULL);

    gst_buffer_memset (buffer, 0, i, 16);
    /* a clock that is not exact */
    GST_BUFFER_PTS (buffer) =
        GST_SECOND + numbers[i] * GST_SECOND / 30 + (i % 2) * 9 * GST_MSECOND;
    fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  }
  gst_element_set_state (h->element, GST_STATE_NULL);
  gst_harness_teardown (h);
  fail_unless (g_file_get_contents (text_path, &text, NULL, NULL));
  fail_unless (strstr (text, "missing=2:2;5:10;\n") != NULL, "%s", text);
  s = source_new ("octsrc name=src location=%s", text_path);
  source_play (s);
  source_collect (s);
  source_check_run (s, 0, 6, 30, 1);
  source_check_warning (s->bus, "12 B-scans (gaps: 2)", "before B-scan 2,");
}
GST_END_TEST

/* A camera that is triggered at any time numbers its B-scans: one is lost
 * before the fourth.  Before the last it was away, and its numbers go on all
 * the same. */
GST_START_TEST (test_numbered_gaps)
{
  static const guint numbers[] = { 0, 1, 2, 4, 5, 6, 7 };
  static const guint times[] = { 0, 3, 4, 5, 9, 10, 21 };
  g_autofree char *path = oct_test_file_path ("numbered");
  g_autofree char *launch =
      g_strdup_printf ("octrawsink async=false location=%s", path);
  g_autofree char *text_path = g_strconcat (path, ".oct", NULL);
  GstHarness *h = gst_harness_new_parse (launch);
  g_autofree char *text = NULL;

  gst_harness_set_src_caps_str (
      h, "video/x-raw,format=GRAY8,width=8,height=2,framerate=30/1");
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++) {
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, 16, NULL);

    gst_buffer_memset (buffer, 0, i, 16);
    GST_BUFFER_PTS (buffer) = times[i] * GST_SECOND / 30;
    GST_BUFFER_OFFSET (buffer) = numbers[i];
    GST_BUFFER_OFFSET_END (buffer) = numbers[i] + 1;
    if (i == 3 || i == 6)
      GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
    fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  }
  gst_element_set_state (h->element, GST_STATE_NULL);
  gst_harness_teardown (h);
  fail_unless (g_file_get_contents (text_path, &text, NULL, NULL));
  fail_unless (strstr (text, "missing=3:1;6:10;\n") != NULL, "%s", text);
}
GST_END_TEST

/* As an application sends it: samples read at their own places, moved by a part
 * of one. */
static GstEvent *
make_calibration_event (double shift)
{
  double positions[8];

  for (guint i = 0; i < G_N_ELEMENTS (positions); i++)
    positions[i] = i + shift * (i > 0 && i < 7);
  return gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM_STICKY,
      gst_structure_new ("application/x-oct-calibration", "k-index",
          GST_TYPE_BUFFER, gst_buffer_new_memdup (positions, sizeof positions),
          NULL));
}

/* A swept source: another calibration with every B-scan from the fourth on. The
 * recording has the first one, says for how long it is right, and what plays it
 * says so too.  `properties` are a calibration of its own, which wins. */
static void
check_changing (const char *properties, gboolean noted)
{
  g_autofree char *path = oct_test_file_path ("changing");
  g_autofree char *launch = g_strdup_printf (
      "octrawsink async=false location=%s %s", path, properties);
  GstHarness *h = gst_harness_new_parse (launch);
  g_autofree char *text_path = g_strconcat (path, ".oct", NULL);
  g_autofree char *text = NULL;
  g_autoptr (Source) s = NULL;
  GstBus *bus = gst_bus_new ();

  gst_element_set_bus (h->element, bus);
  gst_harness_set_src_caps_str (
      h, "video/x-raw,format=GRAY8,width=8,height=2,framerate=30/1");
  for (guint i = 0; i < 40; i++) {
    fail_unless (gst_harness_push_event (
        h, make_calibration_event (i < 4 ? 0.25 : i / 100.0)));
    fail_unless_equals_int (
        gst_harness_push (h, gst_buffer_new_allocate (NULL, 16, NULL)),
        GST_FLOW_OK);
  }
  if (noted)
    source_check_warning (bus, "at B-scan 4,", "calibration");
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING) == NULL);
  gst_element_set_bus (h->element, NULL);
  gst_element_set_state (h->element, GST_STATE_NULL);
  gst_harness_teardown (h);
  gst_object_unref (bus);
  fail_unless (g_file_get_contents (text_path, &text, NULL, NULL));
  fail_unless_equals_int (
      strstr (text, "calibration-until=4\n") != NULL, noted);
  fail_unless_equals_int (
      strstr (text, "positions=0;1.25;2.25;") != NULL, noted);
  s = source_new ("octsrc name=src location=%s", text_path);
  source_play (s);
  source_collect (s);
  fail_unless_equals_int (source_count (s), 40);
  if (noted)
    source_check_warning (s->bus, "first 4 B-scans", "calibration");
  fail_unless (gst_bus_pop_filtered (s->bus, GST_MESSAGE_WARNING) == NULL);
}

GST_START_TEST (test_changing_calibration)
{
  check_changing ("", TRUE);
}
GST_END_TEST

GST_START_TEST (test_changing_calibration_but_own)
{
  check_changing ("wavelength-min=700 wavelength-max=710", FALSE);
}
GST_END_TEST

/* The wavenumbers of a recording's text. */
static char *
read_positions (const char *text_path)
{
  g_autofree char *text = NULL;
  const char *line;

  fail_unless (g_file_get_contents (text_path, &text, NULL, NULL));
  line = strstr (text, "\npositions=");
  fail_unless (line != NULL, "%s", text);
  return g_strndup (line, strcspn (line + 1, "\n") + 1);
}

/* A wrong setting in mid-recording is one warning.  The text has the
 * calibration before it, or the next one that fits, and the recording goes
 * on. */
GST_START_TEST (test_wrong_calibration)
{
  g_autofree char *path = oct_test_file_path ("wrong");
  g_autofree char *good = oct_test_wavelengths ("good.csv", 8);
  g_autofree char *launch = g_strdup_printf (
      "octrawsink async=false location=%s calibration=%s", path, good);
  GstHarness *h = gst_harness_new_parse (launch);
  g_autofree char *text_path = g_strconcat (path, ".oct", NULL);
  g_autofree char *before = NULL, *after = NULL;
  g_autoptr (Source) s = NULL;
  g_autoptr (GstBus) bus = gst_bus_new ();

  gst_element_set_bus (h->element, bus);
  gst_harness_set_src_caps_str (
      h, "video/x-raw,format=GRAY8,width=8,height=2,framerate=30/1");
  for (guint i = 0; i < 6; i++) {
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, 16, NULL);

    /* a gap, for which the text is written again */
    GST_BUFFER_PTS (buffer) = (i + (i > 3)) * GST_SECOND / 30;
    if (i == 2) {
      before = read_positions (text_path);
      oct_test_set (h, "octrawsink", "calibration", "/nowhere/cal.csv");
    }
    fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  }
  gst_harness_push_event (h, gst_event_new_eos ());
  source_check_warning (bus, "/nowhere/cal.csv", "previous calibration stays");
  gst_element_set_bus (h->element, NULL);
  gst_element_set_state (h->element, GST_STATE_NULL);
  gst_harness_teardown (h);
  after = read_positions (text_path);
  assert_equals_string (after, before);
  s = source_new ("octsrc name=src location=%s", text_path);
  source_play (s);
  source_collect (s);
  fail_unless_equals_int (source_count (s), 6);
}
GST_END_TEST

/* A camera without a calibration, with rows of any stride. */
GST_START_TEST (test_no_calibration)
{
  g_autofree char *path = oct_test_record ("none",
      "videotestsrc num-buffers=3 pattern=snow ! "
      "video/x-raw,format=GRAY8,width=61,height=5,framerate=25/1",
      "");
  g_autoptr (Source) s = source_new ("octsrc name=src location=%s.oct", path);

  source_play (s);
  source_collect (s);
  source_check_caps (s, "video/x-raw,format=GRAY8,width=61,height=5");
  source_check_run (s, 0, 3, 25, 1);
}
GST_END_TEST

GST_START_TEST (test_play_errors)
{
  g_autofree char *path = oct_test_record ("wrong", sources[0], "");
  g_autofree char *text = g_strconcat (path, ".oct", NULL);
  struct {
    const char *properties, *words[2];
  } const cases[] = {
    { "samples=128", { "256 samples", "leave `samples`" } },
    { "lines=21", { "20 lines", "`lines`" } },
    { "header-size=3", { "without a header", "`header-size`" } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (Source) s = source_new (
        "octsrc name=src location=%s %s", text, cases[i].properties);

    gst_element_set_state (s->harness->element, GST_STATE_PLAYING);
    oct_test_assert_error (
        s->bus, "wrong.oct", cases[i].words[0], cases[i].words[1], NULL);
    source_stop (s);
  }
}
GST_END_TEST

/* Without a name, where a recording is already, in a folder that is none. */
GST_START_TEST (test_record_errors)
{
  g_autofree char *path = oct_test_record ("first", sources[0], "");
  g_autofree char *nowhere = g_strconcat (path, "/x", NULL);
  g_autofree char *later =
      oct_test_record ("later", sources[0], "part-size=25000");
  g_autofree char *text = g_strconcat (later, ".oct", NULL);
  g_autofree char *part = g_strconcat (later, "-00000.raw", NULL);
  const char *locations[] = { "", path, nowhere, later };
  const char *words[] = { "`location`", "never overwritten", "cannot be",
    "-0000" };

  /* what is left are parts of higher numbers */
  fail_unless_equals_int (g_unlink (text), 0);
  fail_unless_equals_int (g_unlink (part), 0);

  for (guint i = 0; i < G_N_ELEMENTS (locations); i++) {
    GstElement *sink = gst_element_factory_make ("octrawsink", NULL);
    GstBus *bus = gst_bus_new ();

    gst_object_ref_sink (sink);
    gst_element_set_bus (sink, bus);
    g_object_set (sink, "location", locations[i], NULL);
    fail_unless_equals_int (gst_element_set_state (sink, GST_STATE_PAUSED),
        GST_STATE_CHANGE_FAILURE);
    oct_test_assert_error (bus, words[i], NULL);
    gst_element_set_bus (sink, NULL);
    gst_element_set_state (sink, GST_STATE_NULL);
    gst_object_unref (bus);
    gst_object_unref (sink);
  }
}
GST_END_TEST

/* Nobody else can read a recording, unless it is asked for, whatever the umask:
 * libraries change it for a moment while files are made. */
GST_START_TEST (test_file_mode)
{
  const struct {
    const char *properties;
    guint mode;
    mode_t umask;
  } cases[] = { { "", 0600, 0 }, { "file-mode=0640", 0640, 0 },
    { "file-mode=0640", 0640, 0077 } };
  const char *const endings[] = { ".oct", "-00000.raw", "-00001.raw" };
  mode_t before = umask (0);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *name = g_strdup_printf ("mode%u", i);
    g_autofree char *properties =
        g_strdup_printf ("part-size=25000 %s", cases[i].properties);
    g_autofree char *path = NULL;

    umask (cases[i].umask);
    path = oct_test_record (name, sources[0], properties);
    for (guint n = 0; n < G_N_ELEMENTS (endings); n++) {
      g_autofree char *file = g_strconcat (path, endings[n], NULL);
      GStatBuf status;

      fail_unless_equals_int (g_stat (file, &status), 0);
      fail_unless_equals_int (status.st_mode & 0777, cases[i].mode);
    }
  }
  umask (before);
}
GST_END_TEST

static GstHarness *
record_by_hand (const char *path, GstBus *bus)
{
  GstElement *sink = gst_element_factory_make ("octrawsink", NULL);
  GstHarness *h;

  g_object_set (sink, "async", FALSE, "location", path, NULL);
  gst_element_set_bus (sink, bus);
  h = gst_harness_new_with_element (sink, "sink", NULL);
  gst_object_unref (sink);
  gst_harness_set_src_caps_str (
      h, "video/x-raw,format=GRAY8,width=8,height=2,framerate=30/1");
  return h;
}

static void
push_scans (GstHarness *h, guint first, guint count)
{
  for (guint i = first; i < first + count; i++) {
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, 16, NULL);

    gst_buffer_memset (buffer, 0, i, 16);
    GST_BUFFER_PTS (buffer) = i * GST_SECOND / 30;
    fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  }
}

static void
end_by_hand (GstHarness *h, GstBus *bus, guint64 frames, guint64 lost)
{
  guint64 found, gone;

  gst_element_set_bus (h->element, NULL);
  gst_element_set_state (h->element, GST_STATE_NULL);
  g_object_get (h->element, "frames", &found, "lost", &gone, NULL);
  fail_unless_equals_uint64 (found, frames);
  fail_unless_equals_uint64 (gone, lost);
  gst_harness_teardown (h);
  gst_object_unref (bus);
}

/* The folder with all that was recorded is deleted: that is said within a
 * second, what follows is recorded, and octsrc plays it. */
GST_START_TEST (test_folder_deleted)
{
  g_autofree char *folder = oct_test_file_path ("folder");
  g_autofree char *path = g_build_filename (folder, "x", NULL);
  g_autofree char *text = g_strconcat (path, ".oct", NULL);
  g_autofree char *part = g_strconcat (path, "-00000.raw", NULL);
  g_autofree char *next = g_strconcat (path, "-00001.raw", NULL);
  GstBus *bus = gst_bus_new ();
  g_autoptr (Source) s = NULL;
  GstHarness *h;

  fail_unless_equals_int (g_mkdir (folder, 0700), 0);
  h = record_by_hand (path, bus);
  push_scans (h, 0, 5);
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING) == NULL);
  fail_unless_equals_int (g_unlink (text), 0);
  fail_unless_equals_int (g_unlink (part), 0);
  fail_unless_equals_int (g_rmdir (folder), 0);
  g_usleep (G_USEC_PER_SEC);
  push_scans (h, 5, 4);
  source_check_warning (bus, "5 B-scans", "x-00000.raw");
  end_by_hand (h, bus, 4, 5);
  s = source_new ("octsrc name=src location=%s", text);
  source_play (s);
  source_collect (s);
  source_check_run (s, 0, 4, 30, 1);
  source_check_warning (s->bus, "5 B-scans", "taken away");
  g_clear_pointer (&s, source_free);
  g_unlink (text);
  g_unlink (next);
  g_rmdir (folder);
}
GST_END_TEST

/* The deletion of a file right before the end is reported at the end. */
GST_START_TEST (test_deleted_before_the_end)
{
  g_autofree char *path = oct_test_file_path ("late");
  g_autofree char *part = g_strconcat (path, "-00000.raw", NULL);
  GstBus *bus = gst_bus_new ();
  GstHarness *h = record_by_hand (path, bus);

  push_scans (h, 0, 5);
  fail_unless_equals_int (g_unlink (part), 0);
  gst_element_set_state (h->element, GST_STATE_NULL);
  source_check_warning (bus, "5 B-scans", "late-00000.raw");
  end_by_hand (h, bus, 0, 5);
}
GST_END_TEST

static void
flush (GstHarness *h)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  fail_unless (gst_harness_push_event (h, gst_event_new_flush_start ()));
  fail_unless (gst_harness_push_event (h, gst_event_new_flush_stop (TRUE)));
  fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
}

/* A B-scan that is refused, with one sentence. */
static void
push_refused (GstHarness *h, GstBus *bus, const char *words)
{
  GstMessage *message;
  g_autoptr (GError) error = NULL;
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 16, NULL);

  GST_BUFFER_PTS (buffer) = 0;
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_ERROR);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  fail_unless (message != NULL, "no error");
  gst_message_parse_error (message, &error, NULL);
  gst_message_unref (message);
  fail_unless (strstr (error->message, words) != NULL, "%s", error->message);
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR) == NULL);
}

/* A calibration that could not be written before a flush is still due after it,
 * and its error is repeated; once it can be written, the recording is whole. */
GST_START_TEST (test_flush_after_error)
{
  g_autofree char *path = oct_test_file_path ("flush");
  g_autofree char *text = g_strconcat (path, ".oct", NULL);
  g_autofree char *good = oct_test_wavelengths ("good.csv", 8);
  g_autofree char *positions = NULL;
  GstBus *bus = gst_bus_new ();
  GstHarness *h = record_by_hand (path, bus);
  g_autoptr (Source) s = NULL;

  g_object_set (h->element, "calibration", "/nowhere/cal.csv", NULL);
  push_refused (h, bus, "/nowhere/cal.csv");
  for (guint i = 0; i < 2; i++) {
    flush (h);
    push_refused (h, bus, "/nowhere/cal.csv");
  }
  g_object_set (h->element, "calibration", good, NULL);
  flush (h);
  push_scans (h, 3, 5);
  end_by_hand (h, bus, 5, 0);
  positions = read_positions (text);
  s = source_new ("octsrc name=src location=%s", text);
  source_play (s);
  source_collect (s);
  /* those that were refused are none of it, nor a gap in front of it */
  source_check_run (s, 0, 5, 30, 1);
  fail_unless (gst_bus_pop_filtered (s->bus, GST_MESSAGE_WARNING) == NULL);
}
GST_END_TEST

/* The same for a mask, whose file somebody else has. */
GST_START_TEST (test_flush_after_mask)
{
  static const guint8 taken[] = { 1, 0, 1, 0, 0, 1, 0, 1 };
  g_autofree char *path = oct_test_file_path ("mask");
  g_autofree char *text_path = g_strconcat (path, ".oct", NULL);
  g_autofree char *mask_path = g_strconcat (path, "-scan-mask-00000.txt", NULL);
  g_autofree char *text = NULL;
  GstBus *bus = gst_bus_new ();
  GstHarness *h = record_by_hand (path, bus);

  fail_unless (g_file_set_contents (mask_path, "mine", -1, NULL));
  fail_unless (gst_harness_push_event (
      h, gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM_STICKY,
             gst_structure_new ("application/x-oct-scan-mask", "lines",
                 G_TYPE_UINT, 4, "taken", GST_TYPE_BUFFER,
                 gst_buffer_new_memdup (taken, sizeof taken), NULL))));
  push_refused (h, bus, "mask-00000.txt");
  flush (h);
  push_refused (h, bus, "mask-00000.txt");
  fail_unless_equals_int (g_unlink (mask_path), 0);
  flush (h);
  push_scans (h, 0, 2);
  end_by_hand (h, bus, 2, 0);
  fail_unless (g_file_get_contents (text_path, &text, NULL, NULL));
  fail_unless (strstr (text, "scan-masks=0:0;\n") != NULL, "%s", text);
  fail_unless (g_file_test (mask_path, G_FILE_TEST_EXISTS));
}
GST_END_TEST

/* The last calibration that fits holds for all of the recording, also when no
 * B-scan comes after it. */
GST_START_TEST (test_calibration_at_the_end)
{
  g_autofree char *path = oct_test_file_path ("end");
  g_autofree char *text = g_strconcat (path, ".oct", NULL);
  g_autofree char *good = oct_test_wavelengths ("good.csv", 8);
  g_autofree char *positions = NULL;
  GstBus *bus = gst_bus_new ();
  GstHarness *h = record_by_hand (path, bus);

  push_scans (h, 0, 2);
  g_object_set (h->element, "calibration", good, NULL);
  end_by_hand (h, bus, 2, 0);
  positions = read_positions (text);
}
GST_END_TEST

static Suite *
recording_suite (void)
{
  Suite *suite = suite_create ("recording");
  TCase *tc = tcase_create ("recording");

  suite_add_tcase (suite, tc);
  tcase_add_checked_fixture (tc, NULL, oct_test_remove_files);
  tcase_add_loop_test (tc, test_same_images, 0, G_N_ELEMENTS (sources));
  tcase_add_test (tc, test_places_and_times);
  tcase_add_test (tc, test_repeats);
  tcase_add_test (tc, test_rates);
  tcase_add_test (tc, test_k_clock);
  tcase_add_test (tc, test_other_ways_to_play);
  tcase_add_test (tc, test_cut_off);
  tcase_add_test (tc, test_edited);
  tcase_add_test (tc, test_own_calibration);
  tcase_add_test (tc, test_gaps);
  tcase_add_test (tc, test_numbered_gaps);
  tcase_add_test (tc, test_changing_calibration);
  tcase_add_test (tc, test_changing_calibration_but_own);
  tcase_add_test (tc, test_wrong_calibration);
  tcase_add_test (tc, test_no_calibration);
  tcase_add_test (tc, test_play_errors);
  tcase_add_test (tc, test_record_errors);
  tcase_add_test (tc, test_file_mode);
  tcase_add_test (tc, test_folder_deleted);
  tcase_add_test (tc, test_deleted_before_the_end);
  tcase_add_test (tc, test_flush_after_error);
  tcase_add_test (tc, test_flush_after_mask);
  tcase_add_test (tc, test_calibration_at_the_end);
  return suite;
}

GST_CHECK_MAIN (recording)
