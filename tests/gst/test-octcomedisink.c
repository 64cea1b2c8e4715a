/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * octcomedisink with a false library of Comedi: each sample against octscangen's
 * in double precision, the order of the calls, and what happens to the mirrors
 * when a scan is paused, flushed, stopped, or comes too late.
 */
#include "oct-fake-comedi.h"
#include "oct-test.h"

#include <math.h>
#include <signal.h>

#define RATE 100000
#define SCAN "lines=64 bscans=4 width=1 height=1 "
/* Samples at rest after all: 20 ms, and those that end the way. */
#define HOLD (RATE / 50 + 2)
#define WIDE 0xffffffu

static const FakeComediBoard usual = { .maxdata = 65535, .send = 8192 };
static const FakeComediBoard wide = {
  .maxdata = WIDE, .send = 8192, .wide = TRUE
};

/* The samples of octscangen, in double precision, [samples][channels]. */
static GArray *
scan_make (const char *settings)
{
  g_autofree char *launch = g_strconcat ("octscangen ", settings, NULL);
  GstHarness *harness = gst_harness_new_parse (launch);
  GArray *values = g_array_new (FALSE, FALSE, sizeof (double));
  GstBuffer *buffer = NULL;

  gst_harness_play (harness);
  while (gst_harness_pull_until_eos (harness, &buffer) && buffer != NULL) {
    GstMapInfo map;

    fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
    g_array_append_vals (values, map.data, (guint)(map.size / sizeof (double)));
    gst_buffer_unmap (buffer, &map);
    gst_buffer_unref (buffer);
  }
  gst_harness_teardown (harness);
  fail_unless (values->len > 0);
  return values;
}

/* -------------------------------------------------------------------- player */

typedef struct {
  GstElement *pipeline, *sink, *scan;
  GstBus *bus;
} Player;

static void
player_begin (Player *p, const FakeComediBoard *board, const char *scan,
    const char *settings)
{
  g_autofree char *launch = g_strdup_printf (
      "octscangen name=scan %s ! octcomedisink name=sink library=\"%s\" "
      "device=" FAKE_COMEDI_DEVICE " %s",
      scan, FAKE_COMEDI_LIBRARY, settings);

  fake_comedi_reset (board);
  p->pipeline = gst_parse_launch (launch, NULL);
  fail_unless (p->pipeline != NULL);
  p->sink = gst_bin_get_by_name (GST_BIN (p->pipeline), "sink");
  p->scan = gst_bin_get_by_name (GST_BIN (p->pipeline), "scan");
  p->bus = gst_element_get_bus (p->pipeline);
  gst_element_set_state (p->pipeline, GST_STATE_PLAYING);
}

static void
player_end (Player *p)
{
  g_autofree char *calls = NULL;

  gst_element_set_state (p->pipeline, GST_STATE_NULL);
  calls = fake_comedi_get_calls ();
  fail_if (strstr (calls, "WRONG") != NULL, "%s", calls);
  gst_object_unref (p->sink);
  gst_object_unref (p->scan);
  gst_object_unref (p->bus);
  gst_object_unref (p->pipeline);
}

/* The sentence of the first message of these types; they end at an error. */
static char *
player_wait (Player *p, GstMessageType types)
{
  g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (
      p->bus, GST_CLOCK_TIME_NONE, types | GST_MESSAGE_ERROR);
  g_autoptr (GError) error = NULL;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING)
    gst_message_parse_warning (message, &error, NULL);
  fail_unless ((GST_MESSAGE_TYPE (message) & types) != 0, "%s",
      error != NULL ? error->message : "?");
  return error != NULL ? g_strdup (error->message) : NULL;
}

/* The sink has one sentence for one mistake; octscangen may say that it cannot go
 * on. */
static void
player_check_one (Player *p)
{
  GstMessage *message;

  while ((message = gst_bus_pop_filtered (p->bus, GST_MESSAGE_ERROR)) != NULL) {
    fail_if (GST_MESSAGE_SRC (message) == GST_OBJECT (p->sink));
    gst_message_unref (message);
  }
}

static void
player_wait_eos (Player *p)
{
  g_free (player_wait (p, GST_MESSAGE_EOS));
}

static void
player_wait_count (Player *p, guint count)
{
  while (fake_comedi_count () < count) {
    g_autoptr (GstMessage) message =
        gst_bus_pop_filtered (p->bus, GST_MESSAGE_ERROR | GST_MESSAGE_EOS);

    fail_unless (message == NULL);
    g_usleep (1000);
  }
}

/* -------------------------------------------------------------------- checks */

/* A range of a board. */
typedef struct {
  double low, high;
  guint most;
} Range;

static const Range ten = { -10, 10, 65535 }, ten_wide = { -10, 10, WIDE };

static double
range_convert (const Range *range, double volts)
{
  return (volts - range->low) / (range->high - range->low) * range->most;
}

/* played[at...] is scan[from...]: n values, to within half a step. */
static void
check_samples (const GArray *played, guint at, const GArray *scan, guint from,
    guint n, double full_scale, const Range *range)
{
  fail_unless (at + n <= played->len && from + n <= scan->len,
      "%u + %u of %u, %u + %u of %u", at, n, played->len, from, n, scan->len);
  for (guint i = 0; i < n; i++) {
    const double exact = range_convert (
        range, g_array_index (scan, double, from + i) * full_scale);
    const guint found = g_array_index (played, guint, at + i);

    fail_unless (fabs (found - exact) <= 0.5 + 1e-6, "value %u: %u, not %g", i,
        found, exact);
  }
}

/* Samples from `from` on move no faster (V a sample) and no more sharply (V a
 * sample and sample) than these limits.  Before them the mirrors stood at sample
 * `start`. */
static void
check_limits_of (const GArray *played, guint from, guint start, guint channels,
    const Range *range, double most_v, double most_a)
{
  const double step = (range->high - range->low) / range->most;

  for (guint c = 0; c < 2; c++) {
    double last = g_array_index (played, guint, start * channels + c) * step;
    double before = last;

    for (guint i = from; i < played->len / channels; i++) {
      const double now = g_array_index (played, guint, i * channels + c) * step;

      /* each is rounded by half a step */
      fail_unless (fabs (now - last) <= most_v * (1 + 1e-5) + step);
      fail_unless (
          fabs (now - 2 * last + before) <= most_a * (1 + 1e-5) + 2 * step,
          "%g V at sample %u, %g is most", fabs (now - 2 * last + before), i,
          most_a);
      before = last;
      last = now;
    }
  }
}

/* Those of octscangen: 1e4 mm/s and 5e6 mm/s^2 of .64 V. */
static void
check_limits (const GArray *played, guint from, guint start, guint channels,
    const Range *range)
{
  check_limits_of (played, from, start, channels, range, 1e4 * 0.64 / RATE,
      5e6 * 0.64 / RATE / RATE);
}

/* The last samples stand in the middle, 0 V. */
static void
check_rest (
    const GArray *played, guint count, guint channels, const Range *range)
{
  fail_unless (played->len >= count * channels);
  for (guint i = played->len - count * channels; i < played->len; i++)
    fail_unless (
        fabs (g_array_index (played, guint, i) - range_convert (range, 0))
        <= 0.5 + 1e-6);
}

/* --------------------------------------------------------------------- values */

/* Two channels and a gate; boards of 16 and 32 bits, buffers of the driver that
 * take parts of samples. */
GST_START_TEST (test_samples)
{
  static const struct {
    const char *scan, *settings;
    guint channels, most, send;
    double full_scale, low, high;
  } cases[] = {
    { "", "", 2, 65535, 8192, 10, -10, 10 },
    { "gate=true", "", 3, 65535, 4608, 10, -10, 10 },
    { "gate=true", "channels=3,0,2", 3, WIDE, 5000, 10, -10, 10 },
    { "full-scale=4", "full-scale=4 ", 2, 4095, 100000, 4, -5, 5 },
    { "full-scale=4", "full-scale=4 range=10", 2, 4095, 8192, 4, -10, 10 },
    { "volts-offset-x=5 volts-offset-y=5", "range=10.05", 2, 65535, 8192, 10,
        -10, 10 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *scan =
        g_strconcat (SCAN "volumes=20 ", cases[i].scan, NULL);
    const FakeComediBoard board = { .maxdata = cases[i].most,
      .send = cases[i].send,
      .wide = cases[i].most > 65535 };
    const Range range = { cases[i].low, cases[i].high, cases[i].most };
    g_autoptr (GArray) expected = scan_make (scan);
    g_autoptr (GArray) played = NULL;
    Player p;

    player_begin (&p, &board, scan, cases[i].settings);
    player_wait_eos (&p);
    played = fake_comedi_get_played ();
    fail_unless_equals_int (
        played->len, expected->len + HOLD * cases[i].channels);
    check_samples (
        played, 0, expected, 0, expected->len, cases[i].full_scale, &range);
    /* the last sample, and the same from there on */
    for (guint k = expected->len; k < played->len; k++)
      fail_unless_equals_int (g_array_index (played, guint, k),
          g_array_index (played, guint, k - cases[i].channels));
    player_end (&p);
  }
}
GST_END_TEST

/* One command, triggered when its buffer is full, and the outputs at rest after
 * it.  0 V are between two samples. */
GST_START_TEST (test_calls)
{
  g_autofree char *calls = NULL;
  Player p;

  player_begin (&p, &usual, SCAN "volumes=2", "channels=1,3");
  player_wait_eos (&p);
  gst_element_set_state (p.pipeline, GST_STATE_NULL);
  calls = fake_comedi_get_calls ();
  fail_unless_equals_string (calls,
      "open lock set_write_subdevice get_hardcal_converter "
      "get_hardcal_converter command_test set_buffer_size command command_test "
      "internal_trigger cancel data_write:1:2:32768 data_write:3:2:32768 "
      "close");
  player_end (&p);
}
GST_END_TEST

/* The polynomial of each output. */
GST_START_TEST (test_calibration)
{
  FakeComediBoard board = usual;
  g_autoptr (GArray) expected = scan_make (SCAN "volumes=1");
  g_autoptr (GArray) played = NULL;
  Player p;

  board.soft = TRUE;
  player_begin (&p, &board, SCAN "volumes=1", "");
  player_wait_eos (&p);
  played = fake_comedi_get_played ();
  for (guint i = 0; i < expected->len; i++) {
    const double x = g_array_index (expected, double, i) * 10 - 0.25;
    const double exact = 65535 * 0.51 + i % 2 + 65535 / 20.0 * 0.97 * x
                         + 1.5 * x * x - 0.25 * x * x * x;

    fail_unless (fabs (g_array_index (played, guint, i) - exact) <= 0.5 + 1e-6);
  }
  player_end (&p);
}
GST_END_TEST

/* --------------------------------------------------------------------- clocks */

/* Nothing is played before the edge, the end waits for it, and the samples are
 * the same. */
GST_START_TEST (test_start_input)
{
  g_autoptr (GArray) expected = scan_make (SCAN "volumes=1");
  g_autoptr (GArray) played = NULL;
  g_autofree char *calls = NULL;
  FakeComediBoard board = usual;
  guint waiting = 0;
  Player p;

  /* all of it fits */
  board.send = 1 << 20;
  player_begin (&p, &board, SCAN "volumes=1", "start-input=3 clock-input=2");
  while (waiting != expected->len * 2 + HOLD * 4) {
    g_usleep (1000);
    waiting = fake_comedi_get_waiting ();
  }
  fail_unless_equals_int (fake_comedi_count (), 0);
  fail_unless (gst_bus_pop_filtered (p.bus, GST_MESSAGE_EOS) == NULL);
  fake_comedi_edge ();
  player_wait_eos (&p);
  played = fake_comedi_get_played ();
  fail_unless_equals_int (played->len, expected->len + 2 * HOLD);
  check_samples (played, 0, expected, 0, expected->len, 10, &ten);
  calls = fake_comedi_get_calls ();
  fail_unless (strstr (calls, "internal_trigger") == NULL);
  player_end (&p);
}
GST_END_TEST

/* An edge that never comes, and a clock that stands within a sample: the scan
 * can be stopped. */
GST_START_TEST (test_no_clock)
{
  FakeComediBoard board = usual;
  g_autofree char *calls = NULL;
  Player p;

  player_begin (&p, &board, SCAN, "start-input=0");
  while (fake_comedi_get_waiting () == 0)
    g_usleep (1000);
  player_end (&p);
  fail_unless_equals_int (fake_comedi_count (), 0);
  board.stand_at = 3000;
  board.send = 5000;
  player_begin (&p, &board, SCAN "gate=true", "clock-input=0");
  player_wait_count (&p, 3000);
  player_end (&p);
  calls = fake_comedi_get_calls ();
  fail_unless (
      g_str_has_suffix (calls, "cancel data_write:0:2:32768 "
                               "data_write:1:2:32768 data_write:2:2:32768 "
                               "close"),
      "%s", calls);
}
GST_END_TEST

/* 96 kHz are 10417 ns, and a board with a clock of 50 ns makes 10400 of it. */
GST_START_TEST (test_rate)
{
  FakeComediBoard board = usual;
  g_autofree char *text = NULL, *worse = NULL;
  double rate;
  Player p;

  player_begin (&p, &board, SCAN "line-rate=96000 volumes=1", "");
  text = player_wait (&p, GST_MESSAGE_WARNING);
  fail_unless (strstr (text, "96153.84615 samples per second in place of the "
                             "96000 of the scan; set `line-rate`")
                   != NULL,
      "%s", text);
  player_wait_eos (&p);
  g_object_get (p.sink, "actual-rate", &rate, NULL);
  fail_unless (fabs (rate - 1e9 / 10400) < 1e-6);
  player_end (&p);
  board.step = 1000;
  player_begin (&p, &board, SCAN "line-rate=96000 volumes=1", "");
  worse = player_wait (&p, GST_MESSAGE_ERROR);
  fail_unless (
      strstr (worse, "100000 samples per second at best") != NULL, "%s", worse);
  player_end (&p);
}
GST_END_TEST

/* ----------------------------------------------------------- pauses and losses */

/* The board runs dry: counted and told; then the mirrors go from where they
 * stopped to the next sample, and no sample is lost. */
GST_START_TEST (test_underrun)
{
  g_autoptr (GArray) expected = scan_make (SCAN "volumes=40");
  g_autoptr (GArray) played = NULL;
  g_autofree char *text = NULL;
  FakeComediBoard board = wide;
  guint64 underruns;
  guint before = 0, way;
  Player p;

  board.underrun_at = 5000;
  player_begin (&p, &board, SCAN "volumes=40", "");
  text = player_wait (&p, GST_MESSAGE_WARNING);
  fail_unless (
      strstr (text, "run out of samples, 1 times") != NULL, "%s", text);
  player_wait_eos (&p);
  g_object_get (p.sink, "underruns", &underruns, NULL);
  fail_unless (underruns == 1);
  played = fake_comedi_get_played ();
  while (before < expected->len
         && fabs (g_array_index (played, guint, before)
                  - range_convert (
                      &ten_wide, g_array_index (expected, double, before) * 10))
                <= 0.5 + 1e-6)
    before++;
  before -= before % 2;
  fail_unless (before >= 10000 && before < expected->len);
  fail_unless (played->len > expected->len + 2 * HOLD);
  way = played->len - expected->len - 2 * HOLD;
  check_samples (played, before + way, expected, before, expected->len - before,
      10, &ten_wide);
  check_limits (played, before / 2, before / 2 - 1, 2, &ten_wide);
  check_rest (played, HOLD, 2, &ten_wide);
  player_end (&p);
}
GST_END_TEST

static void
check_stopped (const char *calls)
{
  fail_unless (g_str_has_suffix (calls,
                   "cancel data_write:0:2:8388608 data_write:1:2:8388608"),
      "%s", calls);
}

/* The mirrors go to rest, and from there to where the scan goes on: all within
 * the limits. */
GST_START_TEST (test_pause)
{
  g_autoptr (GArray) first = NULL;
  g_autoptr (GArray) all = NULL;
  g_autofree char *calls = NULL;
  Player p;

  player_begin (&p, &wide, SCAN, "");
  player_wait_count (&p, 5000);
  gst_element_set_state (p.pipeline, GST_STATE_PAUSED);
  gst_element_get_state (p.pipeline, NULL, NULL, GST_CLOCK_TIME_NONE);
  first = fake_comedi_get_played ();
  check_rest (first, HOLD - 1, 2, &ten_wide);
  calls = fake_comedi_get_calls ();
  check_stopped (calls);
  gst_element_set_state (p.pipeline, GST_STATE_PLAYING);
  player_wait_count (&p, first->len / 2 + 5000);
  gst_element_send_event (p.pipeline, gst_event_new_eos ());
  player_wait_eos (&p);
  all = fake_comedi_get_played ();
  check_limits (all, 0, 0, 2, &ten_wide);
  check_rest (all, HOLD, 2, &ten_wide);
  oct_test_assert_quiet (p.bus);
  player_end (&p);
}
GST_END_TEST

/* The same without a pause before. */
GST_START_TEST (test_stop)
{
  g_autoptr (GArray) played = NULL;
  Player p;

  player_begin (&p, &wide, SCAN, "");
  player_wait_count (&p, 5000);
  player_end (&p);
  played = fake_comedi_get_played ();
  check_limits (played, 0, 0, 2, &ten_wide);
  check_rest (played, HOLD - 1, 2, &ten_wide);
}
GST_END_TEST

/* octscangen begins anew after it. */
GST_START_TEST (test_flush)
{
  g_autoptr (GArray) first = NULL;
  g_autoptr (GArray) all = NULL;
  g_autofree char *calls = NULL;
  Player p;

  player_begin (&p, &wide, SCAN, "");
  player_wait_count (&p, 5000);
  fail_unless (gst_element_send_event (p.scan, gst_event_new_flush_start ()));
  first = fake_comedi_get_played ();
  check_rest (first, HOLD - 1, 2, &ten_wide);
  calls = fake_comedi_get_calls ();
  check_stopped (calls);
  fail_unless (
      gst_element_send_event (p.scan, gst_event_new_flush_stop (TRUE)));
  player_wait_count (&p, first->len / 2 + 5000);
  gst_element_send_event (p.pipeline, gst_event_new_eos ());
  player_wait_eos (&p);
  all = fake_comedi_get_played ();
  check_limits (all, 0, 0, 2, &ten_wide);
  check_rest (all, HOLD, 2, &ten_wide);
  player_end (&p);
}
GST_END_TEST

GST_START_TEST (test_gone)
{
  g_autofree char *text = NULL;
  Player p;

  player_begin (&p, &usual, SCAN, "");
  player_wait_count (&p, 1000);
  fake_comedi_pull ();
  text = player_wait (&p, GST_MESSAGE_ERROR);
  fail_unless (strstr (text, "is gone while it played") != NULL, "%s", text);
  player_check_one (&p);
  player_end (&p);
}
GST_END_TEST

/* ------------------------------------------------------------------- refusals */

GST_START_TEST (test_refusals)
{
  static const struct {
    FakeComediBoard board;
    const char *scan, *settings, *words;
  } cases[] = {
#define BOARD .maxdata = 65535, .send = 8192
    { { BOARD }, "", "library=/nonexistent/libcomedi.so",
        "The library of Comedi cannot be loaded" },
    { { BOARD }, "", "library=libm.so.6", "has no function comedi_open()" },
    { { BOARD }, "", "device=/dev/comedi1",
        "'/dev/comedi1' cannot be opened (No such file or directory)" },
    { { BOARD, .locked = TRUE }, "", "", "Another program uses" },
    { { BOARD, .no_commands = TRUE }, "", "",
        "(fake-6363) has no analog output" },
    { { BOARD, .other_subdevice = TRUE }, "", "",
        "does not write to subdevice 2" },
    { { BOARD }, "", "subdevice=1", "Subdevice 1 of the board" },
    { { BOARD }, "", "subdevice=3", "set `subdevice` of octcomedisink to 2" },
    { { BOARD }, "", "channels=0", "is '0', and the scan has 2 channels" },
    { { BOARD }, "", "channels=0,1,2", "the scan has 2 channels" },
    { { BOARD }, "", "channels=0,-1", "the scan has 2 channels" },
    { { BOARD }, "", "channels=1,1", "has the outputs 0 to 3" },
    { { BOARD }, "gate=true", "channels=1,2,4", "`gate` of octscangen" },
    { { BOARD }, "", "full-scale=12", "-5 to 5 V, 0 to 10 V, -10 to 10 V" },
    { { BOARD }, "", "range=7", "has no range up to 7 V" },
    { { BOARD, .no_range = TRUE }, "", "", "ranges that are not voltages" },
    { { BOARD, .no_inputs = TRUE }, "", "clock-input=2", "`clock-input`" },
    { { BOARD }, "", "clock-input=8", "no clock at input 8" },
    { { BOARD }, "", "start-input=9", "cannot be started at input 9" },
    { { BOARD, .no_inputs = TRUE }, "", "start-input=1", "`start-input`" },
    { { BOARD },
        "line-rate=1500000 limit-acceleration-x=1e9 "
        "limit-acceleration-y=1e9 limit-velocity-x=1e6 "
        "limit-velocity-y=1e6",
        "", "plays 1e+06 samples per second at best" },
    { { BOARD, .failing = "command_test" }, "", "", "refused a scan of these" },
    { { BOARD, .failing = "command" }, "", "", "refused to play the scan" },
    { { BOARD, .failing = "internal_trigger" }, "", "", "refused to start" },
    { { BOARD, .failing = "get_hardcal_converter" }, "", "",
        "how it makes voltages" },
    { { BOARD }, "volts-per-unit-x=1.9", "full-scale=100 range=5",
        "makes -5 to 5 V; set `full-scale`" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *scan = g_strconcat (SCAN, cases[i].scan, NULL);
    g_autofree char *text = NULL;
    Player p;

    player_begin (&p, &cases[i].board, scan, cases[i].settings);
    text = player_wait (&p, GST_MESSAGE_ERROR);
    fail_unless (strstr (text, cases[i].words) != NULL, "%u: %s", i, text);
    player_check_one (&p);
    player_end (&p);
  }
}
GST_END_TEST

GST_START_TEST (test_uncalibrated)
{
  FakeComediBoard board = usual;
  g_autofree char *text = NULL;
  Player p;

  board.soft = board.uncalibrated = TRUE;
  player_begin (&p, &board, SCAN "volumes=1", "");
  text = player_wait (&p, GST_MESSAGE_WARNING);
  fail_unless (
      strstr (text, "no calibration (/nonexistent/calibration)") != NULL, "%s",
      text);
  player_wait_eos (&p);
  player_end (&p);
}
GST_END_TEST

/* Values and sizes that octscangen never sends.  The mirrors are
 * under way, and go to rest as gently as they came: a bad value is not a limit. */
GST_START_TEST (test_bad_buffers)
{
  static const double bad[] = { G_MAXDOUBLE, -1.001, NAN, INFINITY };

  for (guint i = 0; i <= G_N_ELEMENTS (bad); i++) {
    GstHarness *harness;
    g_autoptr (GstBus) bus = gst_bus_new ();
    g_autoptr (GArray) played = NULL;
    double values[8] = { 0 }, ramp[400];
    const gsize size = i < G_N_ELEMENTS (bad) ? sizeof values : 63;

    for (guint k = 0; k < G_N_ELEMENTS (ramp); k++)
      ramp[k] = k / 2 * (k / 2) * 0.5e-6;
    fake_comedi_reset (&wide);
    harness = gst_harness_new_parse ("octcomedisink device=" FAKE_COMEDI_DEVICE
                                     " library=\"" FAKE_COMEDI_LIBRARY "\"");
    gst_element_set_bus (harness->element, bus);
    gst_harness_play (harness);
    gst_harness_set_src_caps_str (harness,
        "audio/x-raw,format=F64LE,layout=interleaved,channels=2,rate=100000");
    fail_unless_equals_int (
        gst_harness_push (harness, gst_buffer_new_memdup (ramp, sizeof ramp)),
        GST_FLOW_OK);
    if (i < G_N_ELEMENTS (bad))
      values[5] = bad[i];
    fail_unless_equals_int (
        gst_harness_push (harness, gst_buffer_new_memdup (values, size)),
        GST_FLOW_ERROR);
    oct_test_assert_error (bus,
        i < G_N_ELEMENTS (bad) ? "for output 1" : "not whole samples", NULL);
    gst_element_set_bus (harness->element, NULL);
    gst_harness_teardown (harness);
    played = fake_comedi_get_played ();
    fail_unless (played->len > G_N_ELEMENTS (ramp) + 2 * HOLD);
    check_limits_of (played, 0, 0, 2, &ten_wide, 2e-3, 1e-5);
    check_rest (played, HOLD - 1, 2, &ten_wide);
  }
}
GST_END_TEST

/* ---------------------------------------------------------------------- suite */

static Suite *
comedi_suite (void)
{
  Suite *s = suite_create ("octcomedisink");
  TCase *tc = tcase_create ("octcomedisink");

  /* the false board is a socket */
  signal (SIGPIPE, SIG_IGN);
  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_test (tc, test_samples);
  tcase_add_test (tc, test_calls);
  tcase_add_test (tc, test_calibration);
  tcase_add_test (tc, test_start_input);
  tcase_add_test (tc, test_no_clock);
  tcase_add_test (tc, test_rate);
  tcase_add_test (tc, test_underrun);
  tcase_add_test (tc, test_pause);
  tcase_add_test (tc, test_stop);
  tcase_add_test (tc, test_flush);
  tcase_add_test (tc, test_gone);
  tcase_add_test (tc, test_refusals);
  tcase_add_test (tc, test_uncalibrated);
  tcase_add_test (tc, test_bad_buffers);
  return s;
}

GST_CHECK_MAIN (comedi)
