/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Recordings of scans that leave A-lines out: octsrc knows their mask again,
 * and octvolumecs makes of them what it makes of the scan itself.
 */
#include "oct-test-files.h"
#include "oct-test-source.h"

#include "oct-scan-mask.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#define SIZES "samples=64 lines=20 bscans=6 line-rate=7000 "
#define MASKED "octsrc name=src num-buffers=12 " SIZES
#define SCATTERED "scan-mask=scattered scan-rate=0.4 "
#define FILL " ! octdcsub ! octkresample ! octfft ! octvolumecs method=linear"

/* Bytes of a compact B-scan: 8 of 20 A-lines of 64 samples. */
#define COMPACT (8 * 64 * 2)

static char *
get_mask_path (const char *path, guint number)
{
  return g_strdup_printf ("%s-scan-mask-%05u.txt", path, number);
}

static char *
read_text (const char *path)
{
  g_autofree char *name = g_strconcat (path, ".oct", NULL);
  char *text = NULL;

  fail_unless (g_file_get_contents (name, &text, NULL, NULL), "%s", name);
  return text;
}

static void
check_line (const char *path, const char *line)
{
  g_autofree char *text = read_text (path);

  fail_unless (strstr (text, line) != NULL, "%s is not in %s", line, text);
}

static void
play (Source *s)
{
  source_play (s);
  source_collect (s);
}

/* Bytes alone, where times are others. */
static void
check_same_bytes (Source *a, Source *b)
{
  fail_unless_equals_int (source_count (a), source_count (b));
  for (guint i = 0; i < source_count (a); i++) {
    GstBuffer *x = source_get (a, i), *y = source_get (b, i);
    GstMapInfo map;

    fail_unless (gst_buffer_map (x, &map, GST_MAP_READ));
    fail_unless_equals_uint64 (gst_buffer_get_size (y), map.size);
    fail_unless (
        gst_buffer_memcmp (y, 0, map.data, map.size) == 0, "B-scan %u", i);
    gst_buffer_unmap (x, &map);
  }
}

/* Several parts, several B-scans in a buffer, and volumes of which a part is
 * recorded. */
static const struct {
  const char *mask, *record, *play;
  guint buffers, taken; /* B-scans of a volume that are recorded */
} cases[] = {
  { SCATTERED, "", "", 12, 6 },
  { SCATTERED, "part-size=5000", "bscans-per-buffer=4", 12, 6 },
  { SCATTERED, "part-size=5000", "preload=true", 12, 6 },
  { "scan-mask=same-lines scan-rate=0.4 ", "", "bscans-per-buffer=0", 8, 4 },
  { SCATTERED "bscans-per-buffer=3 ", "", "", 4, 6 },
};

/* The spectra, the mask and what is filled in are those of the scan. */
GST_START_TEST (test_round_trip)
{
  g_autofree char *written = oct_test_file_path ("written.txt");
  g_autofree char *source = g_strdup_printf ("octsrc %s %s num-buffers=%u",
      SIZES, cases[__i__].mask, cases[__i__].buffers);
  g_autofree char *recorded =
      g_strdup_printf ("%s scan-mask-output=%s", source, written);
  g_autofree char *path =
      oct_test_record ("trip", recorded, cases[__i__].record);
  g_autofree char *mask_path = get_mask_path (path, 0);
  g_autoptr (OctScanMask) mask = oct_scan_mask_read (mask_path, NULL);
  g_autoptr (OctScanMask) expected = oct_scan_mask_read (written, NULL);
  g_autoptr (Source) spectra = source_new ("%s name=src", source);
  g_autoptr (Source) played =
      source_new ("octsrc name=src location=%s.oct", path);
  g_autoptr (Source) direct = source_new ("%s name=src" FILL, source);
  g_autoptr (Source) filled = source_new (
      "octsrc name=src location=%s.oct %s" FILL, path, cases[__i__].play);

  check_line (path, "scan-masks=0:0;\n");
  fail_unless (mask != NULL && oct_scan_mask_equal (mask, expected));
  fail_unless_equals_int (mask->taken_bscans, cases[__i__].taken);
  play (spectra);
  play (played);
  if (strstr (cases[__i__].mask, "per-buffer") == NULL)
    source_check_same (spectra, played);
  source_check_caps (played, "video/x-raw,scan-lines=20,scan-bscans=6");
  play (direct);
  play (filled);
  fail_unless_equals_int (source_count (direct), 12);
  source_check_same (direct, filled);
  fail_unless (gst_bus_pop_filtered (filled->bus, GST_MESSAGE_WARNING) == NULL);
}
GST_END_TEST

static void
check_next_warning (GstBus *bus, const char *words)
{
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);
  g_autoptr (GError) warning = NULL;

  fail_unless (message != NULL);
  gst_message_parse_warning (message, &warning, NULL);
  gst_message_unref (message);
  fail_unless (
      strstr (warning->message, words) != NULL, "%s", warning->message);
}

/* After a crash in mid-volume the whole B-scans are in their places, and the
 * volume is filled in from them. */
GST_START_TEST (test_crash)
{
  g_autofree char *path = oct_test_record ("crash", MASKED SCATTERED, "");
  g_autofree char *part = g_strconcat (path, "-00000.raw", NULL);
  g_autoptr (Source) s =
      source_new ("octsrc name=src location=%s.oct" FILL " name=v", path);
  g_autoptr (GstElement) v = NULL;
  guint64 missing;

  fail_unless_equals_int (truncate (part, 8 * COMPACT + 77), 0);
  play (s);
  fail_unless_equals_int (source_count (s), 12);
  check_next_warning (s->bus, "77 bytes");
  source_check_warning (s->bus, "48 A-lines", "32 have not come");
  v = gst_bin_get_by_name (GST_BIN (s->harness->element), "v");
  g_object_get (v, "missing", &missing, NULL);
  fail_unless_equals_uint64 (missing, 4 * 8);
}
GST_END_TEST

/* Runs to the end; what warnings and infos said, each on a line. */
static char *
run (const char *launch)
{
  GstElement *pipeline = gst_parse_launch (launch, NULL);
  GstBus *bus = gst_element_get_bus (pipeline);
  GString *said = g_string_new (NULL);
  gboolean ended = FALSE;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (!ended) {
    GstMessage *message = gst_bus_timed_pop (bus, 60 * GST_SECOND);
    g_autoptr (GError) found = NULL;

    fail_unless (message != NULL, "%s does not end", launch);
    fail_unless (GST_MESSAGE_TYPE (message) != GST_MESSAGE_ERROR);
    ended = GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS;
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING)
      gst_message_parse_warning (message, &found, NULL);
    else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_INFO)
      gst_message_parse_info (message, &found, NULL);
    if (found != NULL)
      g_string_append_printf (
          said, "%s %s\n", GST_MESSAGE_TYPE_NAME (message), found->message);
    gst_message_unref (message);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
  return g_string_free (said, FALSE);
}

/* One line, which begins so and has these words. */
static void
check_said (const char *said, const char *begin, const char *words)
{
  fail_unless (g_str_has_prefix (said, begin) && strstr (said, words) != NULL
                   && strchr (said, '\n') == said + strlen (said) - 1,
      "%s", said);
}

/* Sources one after the other, and what one recording makes of them. */
#define UNKNOWN "octsrc samples=64 lines=8 bscans=6 line-rate=7000 "
#define ONE "octsrc num-buffers=6 " SIZES SCATTERED
#define OTHER                                                                  \
  "octsrc num-buffers=6 phantom=surgery scan-seed=7 " SIZES SCATTERED

/* A source that tells its mask late: it is that of the B-scans before, too, and
 * one warning says so. */
GST_START_TEST (test_late)
{
  g_autofree char *path = oct_test_file_path ("late");
  g_autofree char *launch =
      g_strdup_printf ("concat name=c ! octrawsink "
                       "location=%s " UNKNOWN "num-buffers=6 ! c. " ONE "! c.",
          path);
  g_autofree char *said = run (launch);
  g_autoptr (Source) played = NULL;

  check_said (said, "warning", "with B-scan 6 alone");
  check_line (path, "scan-masks=0:0;\n");
  played = source_new ("octsrc name=src location=%s.oct" FILL, path);
  play (played);
  fail_unless_equals_int (source_count (played), 12);
  fail_unless (gst_bus_pop_filtered (played->bus, GST_MESSAGE_WARNING) == NULL);
}
GST_END_TEST

/* A mask that changes, and changes back: each is kept once, with the B-scans
 * that it holds for, and nothing but one sentence comes of it. */
GST_START_TEST (test_changing)
{
  static const char *const ways[] = { "", "bscans-per-buffer=4",
    "preload=true bscans-per-buffer=18" };
  g_autofree char *path = oct_test_file_path ("changing");
  g_autofree char *launch =
      g_strdup_printf ("concat name=c ! octrawsink "
                       "location=%s " ONE "! c. " OTHER "! c. " ONE "! c.",
          path);
  g_autofree char *third = get_mask_path (path, 2);
  g_autoptr (Source) direct = source_new (
      "concat name=src " ONE "! src. " OTHER "! src. " ONE "! src. src." FILL);
  g_autoptr (Source) played = NULL;
  g_autofree char *said = run (launch);

  check_said (said, "info", "changed at B-scan 6;");
  check_line (path, "scan-masks=0:0;6:1;12:0;\n");
  fail_unless (!g_file_test (third, G_FILE_TEST_EXISTS));
  played =
      source_new ("octsrc name=src location=%s.oct %s" FILL, path, ways[__i__]);
  play (direct);
  play (played);
  fail_unless_equals_int (source_count (played), 18);
  check_same_bytes (direct, played);
}
GST_END_TEST

/* The path of the recording whose name begins with that of `path`. */
static char *
find_kept (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *begin = g_path_get_basename (path);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_prefix (name, begin) && g_str_has_suffix (name, ".oct")) {
      g_autofree char *found = g_build_filename (folder, name, NULL);

      found[strlen (found) - strlen (".oct")] = '\0';
      return g_steal_pointer (&found);
    }
  fail ("nothing is kept");
  return NULL;
}

/* octkeep holds masks at their places, too, and the one in force at its first
 * B-scan, whether or not the B-scans before it have left. */
static const struct {
  guint held;
  const char *line;
} keeps[] = {
  { 18, "scan-masks=0:0;6:1;12:0;\n" },
  { 9, "scan-masks=0:0;3:1;\n" },
  { 4, "scan-masks=0:0;\n" },
};

GST_START_TEST (test_kept)
{
  g_autofree char *path = oct_test_file_path ("held"), *kept = NULL;
  g_autofree char *launch =
      g_strdup_printf ("concat name=c ! octkeep at-end=true memory=%u "
                       "location=%s " ONE "! c. " OTHER "! c. " ONE "! c.",
          keeps[__i__].held * COMPACT, path);
  g_autoptr (Source) direct = source_new (
      "concat name=src " ONE "! src. " OTHER "! src. " ONE "! src.");
  g_autoptr (Source) played = NULL;
  guint left = 18 - keeps[__i__].held;

  oct_test_run_to_end (launch);
  kept = find_kept (path);
  check_line (kept, keeps[__i__].line);
  played = source_new ("octsrc name=src location=%s.oct", kept);
  play (direct);
  play (played);
  fail_unless_equals_int (source_count (played), keeps[__i__].held);
  for (guint i = 0; i < keeps[__i__].held; i++) {
    g_autofree guint8 *bytes = g_malloc (COMPACT);

    fail_unless_equals_int (
        gst_buffer_extract (source_get (played, i), 0, bytes, COMPACT),
        COMPACT);
    fail_unless (
        gst_buffer_memcmp (source_get (direct, left + i), 0, bytes, COMPACT)
            == 0,
        "B-scan %u", i);
  }
}
GST_END_TEST

/* Without its mask the recording is played as it is, and one sentence states
 * the fault and the remedy: its file is gone, is not a mask, or belongs to
 * another recording. */
static const struct {
  const char *text, *words[2];
} damages[] = {
  { NULL, { "scan-mask-00000.txt", "put the file back" } },
  { "1x\n", { "'x' in line 1", "put the file back" } },
  { "", { "takes none", "put the file back" } },
  { "1010\n0101\n", { "2 A-lines of each of 2", "6 B-scans of 8" } },
};

GST_START_TEST (test_damaged)
{
  g_autofree char *path = oct_test_record ("damaged", MASKED SCATTERED, "");
  g_autofree char *mask = get_mask_path (path, 0);
  g_autofree char *copy = oct_test_file_path ("copy.txt");
  g_autoptr (Source) spectra = source_new (MASKED SCATTERED);
  g_autoptr (Source) direct = source_new (MASKED SCATTERED FILL);
  g_autoptr (Source) played =
      source_new ("octsrc name=src location=%s.oct", path);
  g_autoptr (Source) filled = source_new (
      "octsrc name=src location=%s.oct" FILL " scan-mask-file=%s", path, copy);

  fail_unless_equals_int (g_rename (mask, copy), 0);
  if (damages[__i__].text != NULL)
    fail_unless (g_file_set_contents (mask, damages[__i__].text, -1, NULL));
  play (spectra);
  play (played);
  source_check_same (spectra, played);
  source_check_warning (
      played->bus, damages[__i__].words[0], damages[__i__].words[1]);
  play (direct);
  play (filled);
  source_check_same (direct, filled);
}
GST_END_TEST

static GstPadProbeReturn
drop_some (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  guint64 n = GST_BUFFER_OFFSET (GST_PAD_PROBE_INFO_BUFFER (info));

  return (GPOINTER_TO_UINT (data) >> n) & 1 ? GST_PAD_PROBE_DROP
                                            : GST_PAD_PROBE_OK;
}

/* B-scans that never came, the first ones too: those that did are in their
 * places, and what is filled in is the same as without a recording. */
GST_START_TEST (test_lost)
{
  /* 0 and 1, 4, and 9 to 12 */
  const guint lost = 1 << 0 | 1 << 1 | 1 << 4 | 0xf << 9;
  static const guint places[] = { 2, 3, 5, 6, 7, 8, 13, 14, 15, 16, 17 };
  g_autofree char *path = oct_test_file_path ("lost");
  g_autofree char *launch =
      g_strdup_printf ("octsrc name=src num-buffers=18 " SIZES SCATTERED
                       "! octrawsink location=%s",
          path);
  g_autoptr (Source) direct =
      source_new ("octsrc name=src num-buffers=18 " SIZES SCATTERED FILL);
  g_autoptr (Source) played = NULL, filled = NULL;
  g_autoptr (GstPad) pad = gst_element_get_static_pad (direct->src, "src");
  g_autoptr (GstElement) src = NULL;
  g_autoptr (GstPad) other = NULL;
  GstElement *pipeline = gst_parse_launch (launch, NULL);
  GstBus *bus = gst_element_get_bus (pipeline);

  src = gst_bin_get_by_name (GST_BIN (pipeline), "src");
  other = gst_element_get_static_pad (src, "src");
  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_BUFFER, drop_some, GUINT_TO_POINTER (lost), NULL);
  gst_pad_add_probe (other, GST_PAD_PROBE_TYPE_BUFFER, drop_some,
      GUINT_TO_POINTER (lost), NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  gst_message_unref (gst_bus_timed_pop_filtered (
      bus, 60 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
  check_line (path, "first-bscan=2\n");
  check_line (path, "missing=2:1;6:4;\n");
  played = source_new ("octsrc name=src location=%s.oct loop=true "
                       "num-buffers=22",
      path);
  play (played);
  fail_unless_equals_int (source_count (played), 22);
  for (guint i = 0; i < 22; i++)
    source_check_scan (
        played, i, places[i % 11] % 6, 6, places[i % 11] / 6 + i / 11 * 3);
  source_check_warning (
      played->bus, "5 B-scans (gaps: 2)", "from there on times are not");
  filled = source_new (
      "octsrc name=src location=%s.oct bscans-per-buffer=5" FILL, path);
  play (direct);
  play (filled);
  fail_unless_equals_int (source_count (filled), 18);
  check_same_bytes (direct, filled);
}
GST_END_TEST

/* Deleted or cut off while it is recorded: it is there again. */
GST_START_TEST (test_deleted)
{
  g_autofree char *path = oct_test_file_path ("deleted");
  g_autofree char *mask = get_mask_path (path, 0);
  g_autofree char *launch = g_strdup_printf (
      "octsrc is-live=true " SIZES SCATTERED "scan-rate=0.4 line-rate=400 ! "
      "octrawsink name=sink location=%s",
      path);
  GstElement *pipeline = gst_parse_launch (launch, NULL);
  g_autoptr (OctScanMask) before = NULL, after = NULL;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  for (guint i = 0; i < 1000 && before == NULL; i++) {
    before = oct_scan_mask_read (mask, NULL);
    g_usleep (10000);
  }
  fail_unless (before != NULL);
  fail_unless_equals_int (
      __i__ == 0 ? g_unlink (mask) : truncate (mask, 30), 0);
  for (guint i = 0; i < 1000 && after == NULL; i++) {
    g_usleep (10000);
    after = oct_scan_mask_read (mask, NULL);
    if (after != NULL && after->bscans != before->bscans)
      g_clear_pointer (&after, oct_scan_mask_unref);
  }
  fail_unless (after != NULL && oct_scan_mask_equal (before, after));
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}
GST_END_TEST

/* Settings that contradict the mask of a recording. */
static const struct {
  const char *properties, *words[2];
} mistakes[] = {
  { "scan-mask=same-lines", { "left A-lines out", "leave it none" } },
  { "bscans=5", { "of 6 B-scans", "`bscans` is 5" } },
};

GST_START_TEST (test_mistakes)
{
  g_autofree char *path = oct_test_record ("mistake", MASKED SCATTERED, "");
  g_autoptr (Source) s = source_new (
      "octsrc name=src location=%s.oct %s", path, mistakes[__i__].properties);

  gst_element_set_state (s->harness->element, GST_STATE_PLAYING);
  oct_test_assert_error (
      s->bus, mistakes[__i__].words[0], mistakes[__i__].words[1], NULL);
  source_stop (s);
}
GST_END_TEST

/* A mask alone that is left of another recording is not overwritten. */
GST_START_TEST (test_taken)
{
  g_autofree char *mask = oct_test_text ("taken-scan-mask-00003.txt", "10\n");
  g_autofree char *path = oct_test_file_path ("taken");
  GstElement *sink = gst_element_factory_make ("octrawsink", NULL);
  GstBus *bus = gst_bus_new ();

  gst_object_ref_sink (sink);
  gst_element_set_bus (sink, bus);
  g_object_set (sink, "location", path, NULL);
  fail_unless_equals_int (
      gst_element_set_state (sink, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  oct_test_assert_error (
      bus, "taken-scan-mask-00003.txt", "never overwritten", NULL);
  gst_element_set_bus (sink, NULL);
  gst_element_set_state (sink, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (sink);
}
GST_END_TEST

/* B-scan `n` of 3 a volume; of every second one A-lines are lost, up to all. */
static GstBuffer *
make_lossy (guint n)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 8 * 4, NULL);

  gst_buffer_memset (buffer, 0, n, 8 * 4);
  GST_BUFFER_PTS (buffer) = n * GST_SECOND / 30;
  oct_test_add_scan_meta (buffer, n % 3, 3, n / 3);
  if (n % 2 == 1)
    oct_test_lose_lines (buffer, 4, n % 4, 4 - n % 4);
  if (n == 7)
    oct_test_lose_lines (buffer, 4, 0, 4);
  return buffer;
}

static void
record_lossy (const char *path)
{
  GstElement *sink = gst_element_factory_make ("octrawsink", NULL);
  GstHarness *h;

  g_object_set (sink, "async", FALSE, "location", path, "part-size",
      (guint64)3 * 8 * 4, NULL);
  h = gst_harness_new_with_element (sink, "sink", NULL);
  gst_object_unref (sink);
  gst_harness_set_src_caps_str (
      h, "video/x-raw,format=GRAY8,width=8,height=4,framerate=30/1");
  for (guint n = 0; n < 9; n++)
    fail_unless_equals_int (gst_harness_push (h, make_lossy (n)), GST_FLOW_OK);
  gst_element_set_state (h->element, GST_STATE_NULL);
  gst_harness_teardown (h);
}

/* octsrc tells the same losses of the B-scan as it was recorded with. */
static void
check_lossy (GstBuffer *buffer, guint image, guint n)
{
  g_autoptr (GstBuffer) recorded = make_lossy (n);
  GstBuffer *buffers[] = { recorded, buffer }, *valid;
  guint8 is[2][4];

  for (guint i = 0; i < 2; i++) {
    GstCustomMeta *meta =
        gst_buffer_get_custom_meta (buffers[i], "GstOctScanMeta");

    memset (is[i], 1, 4);
    if (!gst_structure_get (gst_custom_meta_get_structure (meta), "valid",
            GST_TYPE_BUFFER, &valid, NULL))
      continue;
    fail_unless_equals_int (
        gst_buffer_extract (valid, i == 0 ? 0 : image * 4, is[i], 4), 4);
    gst_buffer_unref (valid);
  }
  fail_unless (memcmp (is[0], is[1], 4) == 0, "B-scan %u", n);
}

/* A-lines that are lost are so in the recording, of three parts, also with
 * several B-scans in a buffer, and when it is played in a loop. */
GST_START_TEST (test_lossy)
{
  guint each = __i__ == 0 ? 1 : 3;
  g_autofree char *path = oct_test_file_path ("lossy");
  g_autoptr (Source) s = NULL;

  record_lossy (path);
  check_line (path, "lost-lines=true\n");
  s = source_new ("octsrc name=src location=%s.oct bscans-per-buffer=%u "
                  "loop=true num-buffers=%u",
      path, each, 18 / each);
  play (s);
  oct_test_assert_quiet (s->bus);
  fail_unless_equals_int (source_count (s), 18 / each);
  for (guint n = 0; n < 18; n++)
    check_lossy (source_get (s, n / each), n % each, n % 9);
}
GST_END_TEST;

static Suite *
recording_masks_suite (void)
{
  Suite *suite = suite_create ("recording-masks");
  TCase *tc = tcase_create ("recording-masks");

  suite_add_tcase (suite, tc);
  tcase_add_checked_fixture (tc, NULL, oct_test_remove_files);
  tcase_add_loop_test (tc, test_round_trip, 0, G_N_ELEMENTS (cases));
  tcase_add_test (tc, test_crash);
  tcase_add_test (tc, test_late);
  tcase_add_loop_test (tc, test_changing, 0, 3);
  tcase_add_loop_test (tc, test_kept, 0, G_N_ELEMENTS (keeps));
  tcase_add_loop_test (tc, test_damaged, 0, G_N_ELEMENTS (damages));
  tcase_add_test (tc, test_lost);
  tcase_add_loop_test (tc, test_deleted, 0, 2);
  tcase_add_loop_test (tc, test_mistakes, 0, G_N_ELEMENTS (mistakes));
  tcase_add_test (tc, test_taken);
  tcase_add_loop_test (tc, test_lossy, 0, 2);
  return suite;
}

GST_CHECK_MAIN (recording_masks)
