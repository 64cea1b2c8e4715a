/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * oct-daq-sim: the virtual OCT system as the program of a digitizer, which
 * writes A-lines into a ring in shared memory (liboctdaq): for tests, and for
 * people without hardware.  octdaqsrc reads them.
 */
#include "oct-daq-sim-scan.h"
#include "oct-daq.h"
#include "oct-kclock.h"
#include "oct-phantom-spectrometer.h"
#include "oct-phantom.h"
#include "oct-terminal.h"
#include "oct-options.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define SUMMARY                                                                \
  "Writes the spectra of the virtual OCT system into a ring in shared "        \
  "memory,\n"                                                                  \
  "as the program of a digitizer does: docs/digitizers.md."
#define EXAMPLES                                                               \
  "Examples:\n"                                                                \
  "  oct-daq-sim /tmp/daq\n"                                                   \
  "  oct-daq-sim --line-rate 50000 --loop 30 --lose 0.01 --stall-ms 200 "      \
  "/tmp/daq"

/* Path difference of the interferometer that clocks, of the imaging range. */
#define CLOCK_DEPTH 0.5
/* Counts of it. */
#define CLOCK_MIDDLE 2048.0
#define CLOCK_AMPLITUDE 1500.0

typedef struct {
  gint samples, lines, bscans, block_lines, blocks, count, loop, readers, seed;
  gint stall_ms, columns;
  double line_rate, noise, lose, stall, jitter_us, sweep_jitter;
  gboolean lossless, k_clock, u8, still;
  char *phantom;
  OctDaqSimScanSettings scan;
} SimOptions;

typedef struct {
  const SimOptions *options;
  OctPhantom *phantom;
  OctDaqWriter *writer;
  GRand *random;
  gsize row;        /* bytes of an A-line */
  guint8 *rendered; /* [loop or 1][lines][samples] */
  guint64
      there; /* 1 + number of the B-scan in `rendered`, or of the last one */
  /* of a k-clock: */
  guint8 *clock; /* [samples], or NULL */
  OctSpectrometer spectrometer;
  float *kernel; /* see oct_kclock_fill_kernel() */
  /* of a scanner, or NULL: */
  OctDaqSimScan *scan;
  OctScanPoint *places; /* [lines] of B-scan place_count - 1 */
  guint64 place_count;  /* B-scans whose places were read */
  GError *failed;       /* of the voltages */
  guint64 line;         /* number of the next A-line */
  guint64 blocks, lost;
  gint64 began;
} Sim;

static volatile sig_atomic_t sim_stopped;

static void
sim_stop (int number)
{
  sim_stopped = 1;
}

/* ------------------------------------------------------------------- options */

static gboolean
sim_fail (GError **error, const char *sentence)
{
  g_set_error_literal (
      error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, sentence);
  return FALSE;
}

static gboolean
sim_check (const SimOptions *o, GError **error)
{
  if (o->samples < 16 || o->samples > (gint)OCT_MAX_SAMPLES || o->lines < 1
      || o->lines > (gint)OCT_MAX_LINES || o->bscans < 1)
    return sim_fail (error, "--samples takes 16 to 65536, --lines 1 to 65536, "
                            "and --bscans 1 or more.");
  if (o->block_lines < 0 || o->block_lines > (gint)OCT_DAQ_MAX_LINES
      || o->blocks < 0 || o->blocks == 1 || o->count < 0 || o->loop < 0
      || o->loop > 100000 || o->readers < 0 || o->readers > OCT_DAQ_READERS
      || o->stall_ms < 0)
    return sim_fail (error,
        "--block-lines takes 0 to 1048576, --blocks 0 or 2 and more, --loop 0 "
        "to "
        "100000, --readers 0 to 8, --count and --stall-ms 0 or more.");
  if (!(o->line_rate >= 0 && o->line_rate <= 1e9)
      || !(o->noise >= 0 && o->noise <= 1000) || !(o->lose >= 0 && o->lose < 1)
      || !(o->stall >= 0 && o->stall < 1)
      || !(o->jitter_us >= 0 && o->jitter_us <= 1e6)
      || !(o->sweep_jitter >= 0 && o->sweep_jitter <= 16))
    return sim_fail (error, "--line-rate takes 0 to 1e9, --noise 0 to 1000, "
                            "--lose and --stall 0 to "
                            "less than 1, --jitter-us 0 to 1e6, "
                            "--sweep-jitter 0 to 16.");
  if (o->scan.volts != NULL
      && (!(fabs (o->scan.volts_per_mm) >= 1e-6
              && fabs (o->scan.volts_per_mm) <= 1e6)
          || !(o->scan.full_scale > 0 && o->scan.full_scale <= 1e6)
          || o->columns < 2 || o->columns > 65536 || o->loop > 0))
    return sim_fail (error, "--volts needs --volts-per-mm of 1e-6 to 1e6, "
                            "--full-scale above 0 to 1e6, --sample-columns "
                            "from 2 to 65536, and no --loop.");
  return TRUE;
}

static void
sim_add_scanner (GOptionContext *context, SimOptions *o)
{
  const GOptionEntry scanner[] = {
    { "volts", 0, 0, G_OPTION_ARG_FILENAME, &o->scan.volts,
        "Follow these voltages over a sample of 6 mm: a file or a pipe of "
        "octscangen gate=true, F64LE",
        "FILE" },
    { "sample-columns", 0, 0, G_OPTION_ARG_INT, &o->columns,
        "--volts: columns of the sample's width, of which speckle is 3.7 wide "
        "(256)",
        "N" },
    { "volts-rate", 0, 0, G_OPTION_ARG_DOUBLE, &o->scan.rate,
        "Samples of it per second, `line-rate` of octscangen (100000)", "HZ" },
    { "volts-per-mm", 0, 0, G_OPTION_ARG_DOUBLE, &o->scan.volts_per_mm,
        "`volts-per-unit` of octscangen (0.64)", "V" },
    { "full-scale", 0, 0, G_OPTION_ARG_DOUBLE, &o->scan.full_scale,
        "`full-scale` of octscangen (10)", "V" },
    { "galvo-frequency", 0, 0, G_OPTION_ARG_DOUBLE, &o->scan.frequency,
        "Natural frequency of the mirrors, which makes them late (0 = they are "
        "not)",
        "HZ" },
    { "galvo-damping", 0, 0, G_OPTION_ARG_DOUBLE, &o->scan.damping,
        "Their damping ratio (0.8)", "Z" },
    { "galvo-dead", 0, 0, G_OPTION_ARG_DOUBLE, &o->scan.dead,
        "Their dead time (0)", "S" },
    { NULL },
  };

  g_option_context_add_main_entries (context, scanner, NULL);
}

static gboolean
sim_parse (SimOptions *o, gint *argc, char ***argv, GError **error)
{
  const GOptionEntry entries[] = {
    { "samples", 0, 0, G_OPTION_ARG_INT, &o->samples,
        "Samples per A-line (2048)", "N" },
    { "lines", 0, 0, G_OPTION_ARG_INT, &o->lines, "A-lines per B-scan (512)",
        "N" },
    { "bscans", 0, 0, G_OPTION_ARG_INT, &o->bscans, "B-scans per volume (256)",
        "N" },
    { "phantom", 0, 0, G_OPTION_ARG_STRING, &o->phantom,
        "What the virtual system looks at: layers, surgery or mirror (layers)",
        "NAME" },
    { "noise", 0, 0, G_OPTION_ARG_DOUBLE, &o->noise,
        "Noise as a multiple of a real camera's (1)", "X" },
    { "seed", 0, 0, G_OPTION_ARG_INT, &o->seed,
        "Seed of the spectra and of what goes wrong (1)", "N" },
    { "gray8", 0, 0, G_OPTION_ARG_NONE, &o->u8, "Samples of 8 bits, not 16",
        NULL },
    { "k-clock", 0, 0, G_OPTION_ARG_NONE, &o->k_clock,
        "A second channel with the clock of an interferometer", NULL },
    { "sweep-jitter", 0, 0, G_OPTION_ARG_DOUBLE, &o->sweep_jitter,
        "A-lines, and their clock, begin up to so many samples sooner or "
        "later, "
        "by chance (0)",
        "SAMPLES" },
    { "line-rate", 0, 0, G_OPTION_ARG_DOUBLE, &o->line_rate,
        "A-lines per second (0 = as fast as they are computed)", "HZ" },
    { "count", 0, 0, G_OPTION_ARG_INT, &o->count,
        "End after so many B-scans (0 = never)", "N" },
    { "loop", 0, 0, G_OPTION_ARG_INT, &o->loop,
        "Compute so many B-scans first, and repeat them (0 = compute each when "
        "it is needed)",
        "N" },
    { "block-lines", 0, 0, G_OPTION_ARG_INT, &o->block_lines,
        "A-lines per block (0 = those of a B-scan)", "N" },
    { "blocks", 0, 0, G_OPTION_ARG_INT, &o->blocks,
        "Blocks in the ring (0 = as many as 64 MiB have, 4 to 1024)", "N" },
    { "lossless", 0, 0, G_OPTION_ARG_NONE, &o->lossless,
        "Wait for slow readers", NULL },
    { "readers", 0, 0, G_OPTION_ARG_INT, &o->readers,
        "Begin when so many readers are there (0)", "N" },
    { "lose", 0, 0, G_OPTION_ARG_DOUBLE, &o->lose,
        "Part of the blocks before which A-lines are lost (0)", "X" },
    { "stall", 0, 0, G_OPTION_ARG_DOUBLE, &o->stall,
        "Part of the blocks before which the digitizer stands still (0)", "X" },
    { "stall-ms", 0, 0, G_OPTION_ARG_INT, &o->stall_ms, "... for so long (100)",
        "MS" },
    { "jitter-us", 0, 0, G_OPTION_ARG_DOUBLE, &o->jitter_us,
        "Blocks come up to so much later, by chance (0)", "US" },
    { "still", 0, 0, G_OPTION_ARG_NONE, &o->still, "The sample does not move",
        NULL },
    { NULL },
  };
  g_autoptr (GOptionContext) context = g_option_context_new ("SOCKET");

  g_option_context_set_summary (context, SUMMARY);
  g_option_context_set_description (context, EXAMPLES);
  g_option_context_add_main_entries (context, entries, NULL);
  sim_add_scanner (context, o);
  oct_options_add_help (context);
  if (!g_option_context_parse (context, argc, argv, error))
    return FALSE;
  if (*argc != 2)
    return sim_fail (
        error, "oct-daq-sim takes one socket; write its path last.");
  return sim_check (o, error);
}

/* ----------------------------------------------------------------- the system */

static gboolean
sim_find_phantom (const char *name, OctPhantomKind *kind, GError **error)
{
  static const struct {
    const char *name;
    OctPhantomKind kind;
  } kinds[] = { { "layers", OCT_PHANTOM_LAYERS },
    { "surgery", OCT_PHANTOM_SURGERY }, { "mirror", OCT_PHANTOM_MIRROR } };

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (name == NULL || g_str_equal (name, kinds[i].name)) {
      *kind = kinds[i].kind;
      return TRUE;
    }
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
      "--phantom takes layers, surgery or mirror, not '%s'.", name);
  return FALSE;
}

static OctPhantom *
sim_make_phantom (const SimOptions *o, GError **error)
{
  OctPhantomSettings settings = { .samples = (guint)o->samples,
    .lines = (guint)o->lines,
    .bscans = (guint)o->bscans,
    .repeats = 1,
    .sample_format = o->u8 ? OCT_SAMPLE_U8 : OCT_SAMPLE_U16,
    .depth = 0.5e-3,
    .noise = o->noise,
    .seed = (guint)o->seed,
    .motion = 1.0,
    .flow = 1.0,
    .follows = o->scan.volts != NULL,
    .columns = (guint)o->columns,
    .still = o->still };

  return sim_find_phantom (o->phantom, &settings.kind, error)
             ? oct_phantom_new (&settings, error)
             : NULL;
}

static OctDaqWriter *
sim_open (
    const SimOptions *o, OctPhantom *phantom, const char *path, char *sentence)
{
  OctDaqHeader ring = { .blocks = (guint)o->blocks,
    .flags = o->lossless ? OCT_DAQ_LOSSLESS : 0,
    .sample_format = o->u8 ? OCT_DAQ_U8 : OCT_DAQ_U16,
    .samples = (guint)o->samples,
    .lines = (guint)(o->block_lines > 0 ? o->block_lines : o->lines),
    .channels = o->k_clock ? 2 : 1,
    .bscan_lines = (guint)o->lines,
    .bscans = (guint)o->bscans,
    .line_rate = o->line_rate,
    .tick_rate = 1e6,
    .calibration_columns =
        OCT_DAQ_WAVELENGTH_NM | OCT_DAQ_DISPERSION_RAD | OCT_DAQ_BACKGROUND,
    .name = "oct-daq-sim",
    .channel_kind = { OCT_DAQ_OCT, OCT_DAQ_K_CLOCK },
    .channel_name = { "spectra", "k-clock" } };
  OctCalibration *calibration = oct_phantom_get_calibration (phantom);
  gsize size = ring.samples * sizeof (double);
  g_autofree double *columns = g_malloc (3 * size);
  OctSpectrometer spectrometer;

  oct_spectrometer_init (&spectrometer, ring.samples);
  for (guint i = 0; i < ring.samples; i++)
    columns[i] = spectrometer.wavelength[i] * 1e3;
  ring.wavelength_first = columns[0];
  ring.wavelength_last = columns[ring.samples - 1];
  oct_spectrometer_clear (&spectrometer);
  memcpy (columns + ring.samples,
      oct_calibration_get_sample_dispersion (calibration), size);
  memcpy (columns + 2 * ring.samples,
      oct_calibration_get_background (calibration), size);
  return oct_daq_open (path, &ring, columns, sentence);
}

/* The clock of an A-line that begins `late` samples after the others. */
static void
sim_fill_clock (Sim *sim, double late, guint8 *clock)
{
  const OctSpectrometer *s = &sim->spectrometer;
  const gint last = sim->options->samples - 1;

  for (gint i = 0; i <= last; i++) {
    double at = CLAMP (i - late, 0, last);
    gint whole = MIN ((gint)at, last - 1);
    double k = s->k[whole] + (at - whole) * (s->k[whole + 1] - s->k[whole]);
    double counts =
        CLOCK_MIDDLE + CLOCK_AMPLITUDE * cos (2.0 * k * CLOCK_DEPTH * s->range);

    if (sim->options->u8)
      clock[i] = (guint8)lrint (counts / 16);
    else
      ((guint16 *)clock)[i] = (guint16)lrint (counts);
  }
}

static void
sim_make_clock (Sim *sim)
{
  sim->clock = g_malloc (sim->row);
  sim_fill_clock (sim, 0, sim->clock);
}

static double
sim_get_count (const Sim *sim, const guint8 *row, gint i)
{
  i = CLAMP (i, 0, sim->options->samples - 1);
  return sim->options->u8 ? row[i] : ((const guint16 *)row)[i];
}

/* A spectrum that begins `late` samples after the others. */
static void
sim_delay (const Sim *sim, const guint8 *from, double late, guint8 *to)
{
  const gint middle = OCT_KCLOCK_TAPS / 2 - 1;
  const double most = sim->options->u8 ? 255 : 65535;
  gint whole = (gint)floor (-late);
  const float *kernel =
      sim->kernel
      + (gint)((-late - whole) * OCT_KCLOCK_PHASES) * OCT_KCLOCK_TAPS;

  for (gint i = 0; i < sim->options->samples; i++) {
    double sum = 0;

    for (gint tap = 0; tap < OCT_KCLOCK_TAPS; tap++)
      sum += kernel[tap] * sim_get_count (sim, from, i + whole + tap - middle);
    sum = rint (CLAMP (sum, 0, most));
    if (sim->options->u8)
      to[i] = (guint8)sum;
    else
      ((guint16 *)to)[i] = (guint16)sum;
  }
}

/* --------------------------------------------------------------------- A-lines */

/* The places of B-scan `number`, which comes after those that were read; FALSE:
 * the voltages have ended. */
static gboolean
sim_find_places (Sim *sim, guint64 number)
{
  guint lines = (guint)sim->options->lines;

  for (; sim->place_count <= number; sim->place_count++)
    if (oct_daq_sim_scan_read (
            sim->scan, sim->places, lines, &sim_stopped, &sim->failed)
        < lines)
      return FALSE;
  return TRUE;
}

/* A-lines of B-scan `number`, [lines][samples]; NULL: there are no more. */
static const guint8 *
sim_render (Sim *sim, guint64 number)
{
  const SimOptions *o = sim->options;
  guint64 slots = (guint64)MAX (o->loop, 1);
  gsize size = sim->row * (gsize)o->lines;

  if (o->loop > 0)
    number %= slots;
  else if (sim->there == number + 1)
    return sim->rendered;
  if (o->loop > 0 && sim->there == slots)
    return sim->rendered + number * size;
  if (sim->scan != NULL && !sim_find_places (sim, number))
    return NULL;
  if (sim->scan != NULL)
    oct_phantom_render_along (
        sim->phantom, number, sim->places, sim->rendered, sim->row);
  else
    oct_phantom_render (sim->phantom, number,
        sim->rendered + (o->loop > 0 ? number * size : 0), sim->row);
  sim->there = number + 1;
  return sim->rendered + (o->loop > 0 ? number * size : 0);
}

/* The A-lines of a block, each with a delay of its own. */
static void
sim_shake (Sim *sim, guint8 *block, guint lines)
{
  g_autofree guint8 *copy = g_malloc (sim->row);
  /* of the table, so that spectrum and clock begin at the same moment */
  const double step = OCT_KCLOCK_PHASES;

  for (guint i = 0; i < lines; i++) {
    guint8 *row = block + i * sim->row;
    double late =
        g_rand_double_range (sim->random, -1, 1) * sim->options->sweep_jitter;

    late = rint (late * step) / step;
    memcpy (copy, row, sim->row);
    sim_delay (sim, copy, late, row);
    if (sim->clock != NULL)
      sim_fill_clock (sim, late, row + lines * sim->row);
  }
}

/* FALSE: the scan has ended. */
static gboolean
sim_fill (Sim *sim, guint8 *block, guint lines)
{
  const guint each = (guint)sim->options->lines;

  for (guint done = 0; done < lines;) {
    guint64 line = sim->line + done;
    guint row = (guint)(line % each), count = MIN (lines - done, each - row);

    const guint8 *rendered = sim_render (sim, line / each);

    if (rendered == NULL)
      return FALSE;
    memcpy (
        block + done * sim->row, rendered + row * sim->row, count * sim->row);
    done += count;
  }
  for (guint i = 0; sim->clock != NULL && i < lines; i++)
    memcpy (block + (lines + i) * sim->row, sim->clock, sim->row);
  if (sim->options->sweep_jitter > 0)
    sim_shake (sim, block, lines);
  return TRUE;
}

/* The troubles before a block. */
static void
sim_disturb (Sim *sim, guint lines)
{
  const SimOptions *o = sim->options;

  if (o->lose > 0 && g_rand_double (sim->random) < o->lose) {
    guint lost = 1 + (guint)g_rand_int_range (sim->random, 0, (gint32)lines);

    oct_daq_lost (sim->writer, lost);
    sim->line += lost;
    sim->lost += lost;
  }
  if (o->stall > 0 && g_rand_double (sim->random) < o->stall)
    g_usleep ((gulong)o->stall_ms * 1000);
}

/* A block is there when its last A-line was taken. */
static void
sim_wait (Sim *sim, guint lines)
{
  const SimOptions *o = sim->options;
  double due =
      o->jitter_us > 0 ? g_rand_double_range (sim->random, 0, o->jitter_us) : 0;
  gint64 left;

  if (o->line_rate > 0)
    due += (double)(sim->line + lines) * 1e6 / o->line_rate;
  left = sim->began + (gint64)due - g_get_monotonic_time ();
  if (left > 0 && o->line_rate > 0)
    g_usleep ((gulong)left);
  else if (o->line_rate == 0 && due >= 1)
    g_usleep ((gulong)due);
}

static void
sim_run (Sim *sim)
{
  const SimOptions *o = sim->options;
  const guint lines = oct_daq_header (sim->writer)->lines;
  const guint64 end =
      o->count > 0 ? (guint64)o->count * (guint64)o->lines : G_MAXUINT64;

  for (gint i = 0; i < o->loop && !sim_stopped; i++)
    sim_render (sim, (guint64)i);
  while (!sim_stopped
         && oct_daq_wait_for_readers (sim->writer, (unsigned)o->readers, 20)
                < (unsigned)o->readers)
    ;
  sim->began = g_get_monotonic_time ();
  while (!sim_stopped && sim->line + lines <= end) {
    OctDaqPlace place = { 0 };
    void *block = oct_daq_claim (sim->writer, 20);

    if (block == NULL)
      continue;
    sim_disturb (sim, lines);
    if (!sim_fill (sim, block, lines))
      break;
    sim_wait (sim, lines);
    place.tick = o->line_rate > 0
                     ? (guint64)((double)sim->line * 1e6 / o->line_rate)
                     : 0;
    oct_daq_publish (sim->writer, &place);
    sim->line += lines;
    sim->blocks++;
  }
}

/* All that it needs beside phantom and ring. */
static gboolean
sim_begin (Sim *sim, GError **error)
{
  const SimOptions *o = sim->options;
  gsize size;

  sim->row = (gsize)o->samples * (o->u8 ? 1 : 2);
  size = sim->row * (gsize)o->lines * (gsize)MAX (o->loop, 1);
  sim->rendered = g_try_malloc (size);
  if (sim->rendered == NULL) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_MEMORY,
        "There is no memory of %" G_GSIZE_FORMAT
        " MB for the B-scans; set --loop to less.",
        size / 1000000);
    return FALSE;
  }
  oct_spectrometer_init (&sim->spectrometer, (guint)o->samples);
  sim->kernel = g_new (float, (OCT_KCLOCK_PHASES + 1) * OCT_KCLOCK_TAPS);
  oct_kclock_fill_kernel (sim->kernel);
  if (o->k_clock)
    sim_make_clock (sim);
  sim->random = g_rand_new_with_seed ((guint32)o->seed);
  if (o->scan.volts == NULL)
    return TRUE;
  sim->places = g_new (OctScanPoint, o->lines);
  sim->scan = oct_daq_sim_scan_new (&o->scan, error);
  return sim->scan != NULL;
}

static void
sim_end (Sim *sim)
{
  oct_daq_close (sim->writer);
  oct_phantom_free (sim->phantom);
  oct_daq_sim_scan_free (sim->scan);
  g_clear_pointer (&sim->random, g_rand_free);
  g_free (sim->places);
  g_free (sim->clock);
  g_free (sim->kernel);
  if (sim->rendered != NULL)
    oct_spectrometer_clear (&sim->spectrometer);
  g_free (sim->rendered);
}

int
main (int argc, char *argv[])
{
  SimOptions options = { .samples = 2048,
    .lines = 512,
    .bscans = 256,
    .noise = 1.0,
    .seed = 1,
    .stall_ms = 100,
    .columns = 256,
    .scan = {
        .rate = 1e5, .volts_per_mm = 0.64, .full_scale = 10, .damping = 0.8 } };
  char sentence[OCT_DAQ_ERROR] = "";
  const struct sigaction stop = { .sa_handler = sim_stop };
  g_autoptr (GError) error = NULL;
  Sim sim = { .options = &options };

  oct_terminal_begin ();
  if (sim_parse (&options, &argc, &argv, &error))
    sim.phantom = sim_make_phantom (&options, &error);
  if (error != NULL) {
    g_printerr ("%s\n", error->message);
    return 2;
  }
  /* a pipe without voltages is waited for no longer */
  sigaction (SIGINT, &stop, NULL);
  sigaction (SIGTERM, &stop, NULL);
  sim.writer = sim_open (&options, sim.phantom, argv[1], sentence);
  if (sim.writer == NULL) {
    g_printerr ("%s\n", sentence);
    oct_phantom_free (sim.phantom);
    return 1;
  }
  if (sim_begin (&sim, &sim.failed))
    sim_run (&sim);
  if (sim.scan != NULL && sim.blocks == 0 && sim.failed == NULL && !sim_stopped)
    g_set_error (&sim.failed, OCT_ERROR, OCT_ERROR_FORMAT,
        "The voltages '%s' end before the first block of A-lines; set --lines "
        "to that of octscangen, and gate=true there.",
        options.scan.volts);
  g_print ("%" G_GUINT64_FORMAT " blocks, %" G_GUINT64_FORMAT " A-lines lost\n",
      sim.blocks, sim.lost);
  sim_end (&sim);
  g_free (options.phantom);
  g_free (options.scan.volts);
  if (sim.failed == NULL)
    return 0;
  g_printerr ("%s\n", sim.failed->message);
  g_error_free (sim.failed);
  return 1;
}
