/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The programs of digitizers with false libraries of their makers, which check
 * how they are called: every sample and every lost A-line arrives in the ring,
 * each error of each call ends with a sentence, and a reader gets over a
 * program that is killed.
 *
 * test-daq-boards KILLS: so often each program is killed.
 */
#include "fake-board.h"
#include "oct-daq.h"
#include "oct-test.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define SAMPLES 64u
#define LINES 32u
#define BLOCKS 40u
#define LONG 300000 /* ms: for events that come at once unless it fails */

typedef struct {
  const char *name, *program, *library;
  guint bits; /* that its samples usually have */
} Kind;

static const Kind kinds[] = {
  { "alazar", OCT_TEST_ALAZAR, OCT_TEST_FAKE_ALAZAR, 12 },
  { "spcm", OCT_TEST_SPCM, OCT_TEST_FAKE_SPCM, 16 },
};

static guint kills = 20;

/* ------------------------------------------------------------------ programs */

/* The command line; `options` with blanks between. */
static char **
make_arguments (const Kind *kind, const char *options)
{
  g_autofree char *socket = g_strdup (oct_test_path ("socket"));
  g_autofree char *line = g_strdup_printf (
      "%s --library %s --samples %u --lines %u --buffers 4 %s %s",
      kind->program, kind->library, SAMPLES, LINES, options, socket);

  char **parts = g_strsplit (line, " ", -1);
  guint kept = 0;

  for (guint i = 0; parts[i] != NULL; i++)
    if (*parts[i] != '\0')
      parts[kept++] = parts[i];
    else
      g_free (parts[i]);
  parts[kept] = NULL;
  return parts;
}

/* `fake`: "OCT_FAKE_...=..." with blanks between; tabs stand for blanks in
 * them. */
static char **
make_environment (const char *fake)
{
  g_autofree char *log = g_strdup (oct_test_path ("log"));
  char **environment =
      g_environ_setenv (g_get_environ (), "OCT_FAKE_LOG", log, TRUE);
  g_auto (GStrv) parts = g_strsplit (fake, " ", -1);

  for (guint i = 0; parts[i] != NULL && *parts[i] != '\0'; i++) {
    char *value = strchr (parts[i], '=');

    *value = '\0';
    g_strdelimit (value + 1, "\t", ' ');
    environment = g_environ_setenv (environment, parts[i], value + 1, TRUE);
  }
  g_remove (log);
  return environment;
}

/* The calls of the last program; none was wrong. */
static char *
read_log (void)
{
  char *log = NULL;

  g_assert_true (g_file_get_contents (oct_test_path ("log"), &log, NULL, NULL));
  if (strstr (log, "wrong:") != NULL)
    g_error ("%s", strstr (log, "wrong:"));
  return log;
}

static void
assert_sentence (const char *said)
{
  gsize length = strlen (said);

  g_test_message ("%s", said);
  g_assert_cmpuint (length, >, 20);
  g_assert_cmpint (said[length - 1], ==, '\n');
  g_assert_cmpint (said[length - 2], ==, '.');
  g_assert_true (strchr (said, '\n') == said + length - 1);
}

/* Runs it to its end, and returns its errors. */
static char *
run (const Kind *kind, const char *options, const char *fake, int expected)
{
  g_auto (GStrv) arguments = make_arguments (kind, options);
  g_auto (GStrv) environment = make_environment (fake);
  g_autoptr (GError) error = NULL;
  char *said = NULL;
  int status;

  g_assert_true (g_spawn_sync (NULL, arguments, environment,
      G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL, &said, &status, &error));
  if (!WIFEXITED (status) || WEXITSTATUS (status) != expected)
    g_error ("%s %s %s: status %#x, expected exit %d: %s", kind->program,
        options, fake, status, expected, said);
  return said;
}

static GPid
start (const Kind *kind, const char *options, const char *fake)
{
  g_auto (GStrv) arguments = make_arguments (kind, options);
  g_auto (GStrv) environment = make_environment (fake);
  g_autoptr (GError) error = NULL;
  GPid pid;

  g_spawn_async (NULL, arguments, environment,
      G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDOUT_TO_DEV_NULL
          | G_SPAWN_STDERR_TO_DEV_NULL,
      NULL, NULL, &pid, &error);
  g_assert_no_error (error);
  return pid;
}

static int
wait_for (GPid pid)
{
  int status;

  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  return status;
}

static void
assert_well (GPid pid)
{
  int status = wait_for (pid);

  g_assert_true (WIFEXITED (status));
  g_assert_cmpint (WEXITSTATUS (status), ==, 0);
}

/* NULL: the program has gone meanwhile, or has not come within `attempts`. */
static OctDaqReader *
connect_reader (guint attempts)
{
  g_autofree char *socket = g_strdup (oct_test_path ("socket"));
  char error[OCT_DAQ_ERROR] = "";
  OctDaqReader *reader = NULL;

  for (guint i = 0; reader == NULL && i < attempts; i++) {
    reader = oct_daq_reader_open (socket, LONG, error);
    if (reader == NULL && errno != ENOENT && errno != ECONNREFUSED)
      g_test_message ("%s", error);
    if (reader == NULL)
      g_usleep (1000);
  }
  return reader;
}

static OctDaqReader *
open_reader (void)
{
  OctDaqReader *reader = connect_reader (LONG / 10);

  g_assert_nonnull (reader);
  return reader;
}

/* -------------------------------------------------------------------- samples */

/* The sample as it stands in the ring. */
static gint
expect_sample (
    const Kind *kind, guint bits, guint64 trigger, guint input, guint i)
{
  guint16 value = fake_value (trigger, input, i);

  if (bits <= 8) /* the ring has no 8 bits with a sign */
    return kind->name[0] == 'a' ? value >> (16 - bits) : ((value >> 8) ^ 0x80);
  return kind->name[0] == 'a' ? value >> (16 - bits) << (16 - bits)
                              : (gint16)value;
}

static gint
get_sample (const void *data, guint32 format, gsize at)
{
  switch (format) {
  case OCT_DAQ_U8:
    return ((const guint8 *)data)[at];
  case OCT_DAQ_U16:
    return ((const guint16 *)data)[at];
  default:
    return ((const gint16 *)data)[at];
  }
}

/* The last block that the reader waited for, whose first A-line has this
 * trigger; FALSE: it was overwritten meanwhile. */
static gboolean
check_block (const Kind *kind, OctDaqReader *reader, guint bits,
    guint first_input, guint64 trigger)
{
  const OctDaqHeader *ring = oct_daq_reader_header (reader);
  gsize size = (gsize)SAMPLES * LINES * (bits > 8 ? 2 : 1);
  g_autofree guint8 *copy = g_malloc (size * ring->channels);

  for (guint c = 0; c < ring->channels; c++)
    memcpy (copy + c * size, oct_daq_reader_data (reader, c), size);
  if (!oct_daq_reader_holds (reader))
    return FALSE;
  for (guint c = 0; c < ring->channels; c++)
    for (guint i = 0; i < LINES * SAMPLES; i++)
      g_assert_cmpint (get_sample (copy + c * size, ring->sample_format, i), ==,
          expect_sample (
              kind, bits, trigger + i / SAMPLES, first_input + c, i % SAMPLES));
  return TRUE;
}

/* Reads `count` blocks and the end; before block `gap`, A-lines were lost.
 * Returns how many. */
static guint64
read_all (const Kind *kind, OctDaqReader *reader, guint count, guint gap,
    guint bits, guint first_input)
{
  OctDaqBlock head = { 0 };

  for (guint i = 0; i < count; i++) {
    guint64 trigger = (guint64)i * LINES + (i >= gap ? FAKE_LOST : 0);

    g_assert_cmpint (
        oct_daq_reader_wait (reader, LONG, &head), ==, OCT_DAQ_BLOCK);
    g_assert_cmpuint (head.sequence, ==, i + 1);
    g_assert_cmpuint (head.line, ==, i * LINES + head.lost);
    g_assert_true ((head.lost > 0) == (i >= gap));
    g_assert_true (((head.flags & OCT_DAQ_TRIGGER_MISSED) != 0) == (i == gap));
    g_assert_true (check_block (kind, reader, bits, first_input, trigger));
    oct_daq_reader_next (reader);
  }
  g_assert_cmpint (
      oct_daq_reader_wait (reader, LONG, &head), ==, OCT_DAQ_ENDED);
  return head.lost;
}

/* A whole run, in which the reader gets every block. */
static guint64
run_and_read (const Kind *kind, const char *more, const char *fake, guint gap,
    guint bits, guint first_input)
{
  g_autofree char *options =
      g_strdup_printf ("--lossless --readers 1 --count %u %s", BLOCKS, more);
  GPid pid = start (kind, options, fake);
  OctDaqReader *reader = open_reader ();
  guint64 lost = read_all (kind, reader, BLOCKS, gap, bits, first_input);

  oct_daq_reader_close (reader);
  assert_well (pid);
  g_free (read_log ());
  return lost;
}

static void
test_samples (gconstpointer data)
{
  const Kind *kind = data;
  guint64 lost;

  lost =
      run_and_read (kind, "--channels oct,k-clock", "", BLOCKS, kind->bits, 0);
  g_assert_cmpuint (lost, ==, 0);
  run_and_read (
      kind, "--channels off,oct --block-lines 32", "", BLOCKS, kind->bits, 1);
  /* one byte each: a page has 64 A-lines, of two channels */
  run_and_read (kind, "--channels oct,other", "OCT_FAKE_BITS=8", BLOCKS, 8, 0);
  run_and_read (kind, "--clock k-clock --pretrigger 16", "OCT_FAKE_PAUSE=3",
      BLOCKS, kind->bits, 0);
  run_and_read (kind, "--clock reference", "OCT_FAKE_BITS=16", BLOCKS, 16, 0);
}

static void
test_header (gconstpointer data)
{
  const Kind *kind = data;
  GPid pid = start (kind,
      "--readers 2 --channels k-clock,plus --clock k-clock --line-rate 5e4 "
      "--wavelength-first 1250 --wavelength-last 1350 --lines 64 "
      "--block-lines 32 --bscans 9 --repeats 3 --blocks 7",
      "");
  OctDaqReader *reader = open_reader ();
  const OctDaqHeader *ring = oct_daq_reader_header (reader);

  g_assert_cmpuint (ring->samples, ==, SAMPLES);
  g_assert_cmpuint (ring->lines, ==, 32);
  g_assert_cmpuint (ring->bscan_lines, ==, 64);
  g_assert_cmpuint (ring->bscans, ==, 9);
  g_assert_cmpuint (ring->repeats, ==, 3);
  g_assert_cmpuint (ring->blocks, ==, 7);
  g_assert_cmpuint (ring->flags, ==, 0);
  g_assert_cmpuint (ring->axis, ==, OCT_DAQ_WAVENUMBER);
  g_assert_cmpuint (ring->sample_format, ==,
      kind->name[0] == 'a' ? OCT_DAQ_U16 : OCT_DAQ_I16);
  g_assert_cmpuint (ring->channels, ==, 2);
  g_assert_cmpuint (ring->channel_kind[0], ==, OCT_DAQ_K_CLOCK);
  g_assert_cmpuint (ring->channel_kind[1], ==, OCT_DAQ_PLUS);
  g_assert_cmpstr (ring->channel_name[0], ==, "k-clock");
  g_assert_cmpfloat (ring->line_rate, ==, 5e4);
  g_assert_cmpfloat (ring->wavelength_first, ==, 1250);
  g_assert_cmpfloat (ring->wavelength_last, ==, 1350);
  g_assert_cmpstr (ring->name, ==,
      kind->name[0] == 'a' ? "AlazarTech board 1.1"
                           : "Spectrum 4421, serial 12345");
  kill (pid, SIGTERM);
  assert_well (pid);
  oct_daq_reader_close (reader);
  g_free (read_log ());
}

/* --------------------------------------------------------------------- losses */

static void
test_overflow (gconstpointer data)
{
  const Kind *kind = data;
  g_autofree char *said = NULL;

  /* without a rate, with one, and at the beginning */
  run_and_read (kind, "", "OCT_FAKE_OVERFLOW=7", 7, kind->bits, 0);
  run_and_read (
      kind, "--line-rate 1e9", "OCT_FAKE_OVERFLOW=39", 39, kind->bits, 0);
  run_and_read (
      kind, "", "OCT_FAKE_OVERFLOW=0 OCT_FAKE_PAUSE=1", 0, kind->bits, 0);
  if (kind->name[0] == 'a')
    g_assert_cmpuint (run_and_read (kind, "--bscan-trigger",
                          "OCT_FAKE_OVERFLOW=7", 7, kind->bits, 0)
                          % LINES,
        ==, 0);
  /* that is said when memory is given back, after block 5 */
  run_and_read (kind, "",
      kind->name[0] == 'a' ? "OCT_FAKE_FAIL=AlazarPostAsyncBuffer=582@10"
                           : "OCT_FAKE_FAIL=set\t202=769@6",
      6, kind->bits, 0);
  /* a board that is always full */
  said = run (kind, "", "OCT_FAKE_OVERFLOW=all", 1);
  assert_sentence (said);
  g_assert_nonnull (strstr (said, "10 times"));
  g_free (read_log ());
}

static void
test_signals (gconstpointer data)
{
  const Kind *kind = data;

  for (guint i = 0; i < 2; i++) {
    GPid pid = i == 0 ? start (kind, "--lossless --readers 1", "")
                      : start (kind, "--readers 1", "OCT_FAKE_US=50000");
    OctDaqReader *reader = open_reader ();
    OctDaqBlock head;
    OctDaqStatus status;

    g_assert_cmpint (
        oct_daq_reader_wait (reader, LONG, &head), ==, OCT_DAQ_BLOCK);
    /* it waits for this reader, or for the board, which is interrupted */
    kill (pid, i == 0 ? SIGINT : SIGTERM);
    assert_well (pid);
    while (
        (status = oct_daq_reader_wait (reader, LONG, &head)) == OCT_DAQ_BLOCK)
      oct_daq_reader_next (reader);
    g_assert_cmpint (status, ==, OCT_DAQ_ENDED);
    oct_daq_reader_close (reader);
    g_free (read_log ());
  }
}

/* --------------------------------------------------------------------- errors */

/* The program ends with a sentence when the first call `call` fails. */
static void
fail_call (const Kind *kind, const char *call, guint code)
{
  g_autofree char *spaced = g_strdup (call);
  g_autofree char *options = g_strdup ("--channels oct,k-clock --count 6");
  g_autofree char *value = g_strdup_printf ("%s=%u", call, code);
  g_autofree char *number =
      g_strdup_printf ("error %u (Text of code %u", code, code);
  g_autofree char *said = NULL;

  /* names of calls have blanks, so not as one text */
  g_setenv ("OCT_FAKE_FAIL", value, TRUE);
  said = run (kind, options, "", 1);
  g_unsetenv ("OCT_FAKE_FAIL");
  assert_sentence (said);
  g_free (read_log ());
  if (strcmp (call, "AlazarGetBoardBySystemID") == 0
      || strcmp (call, "spcm_hOpen") == 0)
    return;
  g_assert_nonnull (strstr (said, number));
  if (g_str_has_prefix (call, "Alazar"))
    g_assert_nonnull (strstr (said, call));
}

/* Calls whose failure does not matter: the program ends with them anyhow. */
static gboolean
is_last_call (const char *call)
{
  return g_str_equal (call, "AlazarAbortAsyncRead")
         || g_str_equal (call, "spcm_vClose")
         || g_str_equal (call, "command 0x40040");
}

static void
test_errors (gconstpointer data)
{
  static const guint codes[] = { 513, 533, 587, 900, 0xffff };
  const Kind *kind = data;
  g_autofree char *said =
      run (kind, "--channels oct,k-clock --count 6", "OCT_FAKE_BITS=12", 0);
  g_autofree char *log = read_log ();
  g_auto (GStrv) calls = g_strsplit (log, "\n", -1);
  g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);

  g_assert_cmpstr (said, ==, "");
  for (guint i = 0; calls[i] != NULL; i++)
    if (*calls[i] != '\0' && g_hash_table_add (known, calls[i])
        && !is_last_call (calls[i]))
      fail_call (kind, calls[i], codes[i % G_N_ELEMENTS (codes)]);
  g_assert_cmpuint (g_hash_table_size (known), >=, 15);
  /* at the end it is not worth an error */
  g_free (run (kind, "--count 2",
      kind->name[0] == 'a' ? "OCT_FAKE_FAIL=AlazarAbortAsyncRead=513"
                           : "OCT_FAKE_FAIL=spcm_vClose=513",
      0));
}

static void
assert_says (const Kind *kind, const char *options, const char *fake,
    int status, const char *part)
{
  g_autofree char *said = run (kind, options, fake, status);

  assert_sentence (said);
  if (strstr (said, part) == NULL)
    g_error ("'%s' is not in: %s", part, said);
}

static void
test_library (gconstpointer data)
{
  const Kind *kind = data;
  const Kind *other = kind == &kinds[0] ? &kinds[1] : &kinds[0];
  g_autofree char *wrong = g_strdup_printf ("--library %s", other->library);
  g_autofree char *text = g_strdup_printf (
      "--library %s", oct_test_write ("text.so", "no library", 10));

  assert_says (kind, "--library /nowhere/lib.so", "", 1, "--library");
  assert_says (kind, text, "", 1, "--library");
  assert_says (kind, wrong, "", 1, "has no function");
  assert_says (kind, "--device nothing", "", 1, "--device");
  assert_says (kind, "--device 7.7", "", 1, "--device");
}

static void
test_options (gconstpointer data)
{
  static const struct {
    const char *options, *part;
  } wrong[] = { { "--samples 15", "--samples" },
    { "--samples 65537", "--samples" }, { "--lines 0", "--lines" },
    { "--lines 65537 --block-lines 32", "--lines" },
    { "--repeats 65537", "--repeats" }, { "--block-lines -1", "--block-lines" },
    { "--bscans 0", "--bscans" }, { "--repeats 0", "--repeats" },
    { "--blocks 1", "--blocks" }, { "--buffers 1", "--buffers" },
    { "--readers 9", "--readers" }, { "--count -1", "--count" },
    { "--samples 65536 --block-lines 1048576", "1 GiB" },
    { "--sample-rate nan", "--sample-rate" },
    { "--sample-rate 0", "--sample-rate" },
    { "--line-rate inf", "--line-rate" },
    { "--wavelength-first 1300", "--wavelength-last" },
    { "--range 0", "--range" }, { "--impedance 75", "--impedance" },
    { "--trigger-level -2147483648", "--trigger-level" },
    { "--trigger-delay -1", "--trigger-delay" },
    { "--pretrigger 64", "--pretrigger" }, { "--clock fast", "--clock" },
    { "--coupling both", "--coupling" },
    { "--trigger-edge up", "--trigger-edge" },
    { "--channels off", "--channels" }, { "--channels k-clock", "--channels" },
    { "--channels oct,", "--channels" }, { "--channels oct,x", "--channels" },
    { "--channels oct,oct,oct,oct,oct,oct,oct,oct,oct", "--channels" },
    { "second", "one socket" } };
  const Kind *kind = data;

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    assert_says (kind, wrong[i].options, "", 2, wrong[i].part);
  assert_says (
      kind, "--samples 65536 --lines 8192 --buffers 1024", "", 1, "--buffers");
  if (kind->name[0] == 'a') {
    /* 1.1 after 32 bits */
    assert_says (kind, "--device 4294967297.1", "", 1, "--device takes");
    assert_says (kind, "--device -4294967295.1", "", 1, "--device takes");
    assert_says (kind, "--range 401", "", 1, "--range");
    assert_says (kind, "--sample-rate 3e8", "", 1, "--sample-rate");
    assert_says (kind, "--trigger-range 3", "", 1, "--trigger-range");
    assert_says (kind, "--trigger-level 3301", "", 1, "--trigger-level");
    assert_says (
        kind, "--bscan-trigger --block-lines 8", "", 1, "--block-lines");
    assert_says (kind, "--good-clock 5", "", 1, "--dead-clock");
    assert_says (kind, "--good-clock 5 --dead-clock 1", "", 1, "--clock");
    assert_says (kind, "", "OCT_FAKE_BITS=17", 1, "--device");
    g_free (run (kind,
        "--clock k-clock --good-clock 5 --dead-clock 1 --count 3", "", 0));
    g_free (read_log ());
  } else {
    /* 64 samples of 2 bytes: 32 A-lines are a page */
    assert_says (kind, "--block-lines 33", "", 1, "multiple of 32.");
    assert_says (
        kind, "--samples 48 --block-lines 5", "", 1, "multiple of 128.");
    assert_says (kind, "--channels oct,k-clock", "OCT_FAKE_TYPE=0x34022", 1,
        "--channels");
    g_free (run (kind, "--count 3", "OCT_FAKE_TYPE=0x34022", 0));
    g_free (read_log ());
  }
}

/* ---------------------------------------------------------------------- kills */

/* Reads until the program has been killed, at any instant: each block that
 * the reader gets is right. */
static void
read_and_kill (const Kind *kind, OctDaqReader *reader, GPid pid, gint64 end)
{
  gboolean killed = FALSE;
  OctDaqStatus status;
  OctDaqBlock head;

  while ((status = oct_daq_reader_wait (reader, 1, &head)) == OCT_DAQ_BLOCK
         || status == OCT_DAQ_TIMEOUT) {
    if (status == OCT_DAQ_BLOCK) {
      check_block (kind, reader, kind->bits, 0, head.line);
      oct_daq_reader_next (reader);
    }
    if (!killed && g_get_monotonic_time () >= end) {
      kill (pid, SIGKILL);
      killed = TRUE;
    }
  }
  g_assert_true (killed);
  g_assert_cmpint (status, ==, OCT_DAQ_GONE);
}

static void
test_kill (gconstpointer data)
{
  const Kind *kind = data;
  guint connected = 0;

  for (guint i = 0; i < kills; i++) {
    GPid pid = start (kind, "--buffers 2", "OCT_FAKE_US=50");
    gint64 after = g_random_int_range (0, 40 * 1000);
    gint64 end = g_get_monotonic_time () + after;
    /* while it is read, or while it begins */
    OctDaqReader *reader = i % 2 == 0 ? open_reader () : NULL;

    if (reader != NULL)
      end = g_get_monotonic_time () + after / 4;
    while (reader == NULL && g_get_monotonic_time () < end)
      reader = connect_reader (1);
    if (reader != NULL) {
      connected++;
      read_and_kill (kind, reader, pid, end);
    } else
      kill (pid, SIGKILL);
    oct_daq_reader_close (reader);
    g_assert_true (WIFSIGNALED (wait_for (pid)));
  }
  g_test_message ("%u of %u were read when they were killed", connected, kills);
  /* what is left of them does not disturb the next one */
  run_and_read (kind, "", "", BLOCKS, kind->bits, 0);
}

int
main (int argc, char *argv[])
{
  static const struct {
    const char *name;
    GTestDataFunc function;
  } tests[] = { { "samples", test_samples }, { "header", test_header },
    { "overflow", test_overflow }, { "signals", test_signals },
    { "errors", test_errors }, { "library", test_library },
    { "options", test_options }, { "kill", test_kill } };
  int result;

  g_test_init (&argc, &argv, NULL);
  if (argc > 1)
    kills = (guint)strtoul (argv[1], NULL, 0);
  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
    for (guint i = 0; i < G_N_ELEMENTS (tests); i++) {
      g_autofree char *path =
          g_strdup_printf ("/daq-boards/%s/%s", kinds[k].name, tests[i].name);

      if (argc < 2 || tests[i].function == test_kill)
        g_test_add_data_func (path, &kinds[k], tests[i].function);
    }
  result = g_test_run ();
  oct_test_clean ();
  return result;
}
