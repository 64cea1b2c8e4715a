/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-daq-board.h"
#include "oct-daq-board-options.h"
#include "oct-terminal.h"
#include "oct-types.h"

#include <math.h>
#include <signal.h>
#include <string.h>

/* A board that overflows so often without a block between is too slow for
 * its settings. */
#define MOST_OVERFLOWS 10u
/* Without a block for so long, people want to know that it waits. */
#define SILENCE_US (5 * G_USEC_PER_SEC)
/* Sentences of losses come no more often. */
#define LOSS_US G_USEC_PER_SEC

typedef struct {
  const OctDaqBoardTable *table;
  const OctDaqBoardSettings *settings;
  gpointer board;
  OctDaqWriter *writer;
  guint64 blocks, lost, overflows;
  guint overflows_now;  /* since the last block */
  guint run_blocks;     /* since the board was started */
  gint64 run_first;     /* when the first of them came */
  gint64 last;          /* when the last block came, or the board was started */
  double measured_rate; /* A-lines per s; 0: not known yet */
  guint64 lost_told;    /* those of `lost` that were told to people */
  gint64 told;          /* when; 0: never */
  gboolean gap;         /* A-lines were lost since the last block */
  gboolean silent;      /* it was said that no block comes */
} Board;

static volatile sig_atomic_t board_stopped;

static void
board_stop (int number)
{
  board_stopped = 1;
}

static void
board_copy_name (char *to, gsize size, const char *from)
{
  g_strlcpy (to, from, size);
}

static OctDaqWriter *
board_open_ring (const OctDaqBoardSettings *s, const OctDaqBoardFormat *format,
    const char *path, char *sentence)
{
  static const char *const names[OCT_DAQ_KINDS] = { "other", "spectra",
    "k-clock", "plus", "minus" };
  OctDaqHeader ring = { .blocks = (guint32)s->blocks,
    .flags = s->lossless ? OCT_DAQ_LOSSLESS : 0,
    .sample_format = format->sample_format,
    .samples = (guint32)s->samples,
    .lines = (guint32)s->block_lines,
    .channels = s->channels,
    .axis =
        s->clock == OCT_DAQ_CLOCK_K ? OCT_DAQ_WAVENUMBER : OCT_DAQ_WAVELENGTH,
    .bscan_lines = (guint32)s->lines,
    .bscans = (guint32)s->bscans,
    .repeats = (guint32)s->repeats,
    .line_rate = s->line_rate,
    .wavelength_first = s->first_nm,
    .wavelength_last = s->last_nm };

  board_copy_name (ring.name, sizeof ring.name, format->name);
  for (guint i = 0; i < s->channels; i++) {
    ring.channel_kind[i] = s->kinds[i];
    board_copy_name (
        ring.channel_name[i], sizeof ring.channel_name[i], names[s->kinds[i]]);
  }
  return oct_daq_open (path, &ring, NULL, sentence);
}

/* ------------------------------------------------------------------ the loop */

/* No board says how many triggers came while it stood still: the time does. */
static guint64
board_count_lost (const Board *b, gint64 now)
{
  const OctDaqBoardSettings *s = b->settings;
  double rate = s->line_rate > 0 ? s->line_rate : b->measured_rate;
  double lines =
      rate * (double)(now - b->last) / G_USEC_PER_SEC - (double)s->block_lines;
  guint64 lost = lines >= 1 ? (guint64)llrint (lines) : 1;
  guint64 whole = (guint64)s->lines;

  /* a block begins with a B-scan after the gap, too */
  return s->bscan_trigger ? (lost + whole - 1) / whole * whole : lost;
}

/* A block has come. */
static void
board_tell_lost (Board *b, gint64 now)
{
  guint64 lost;

  if (!b->gap)
    return;
  lost = board_count_lost (b, now);
  oct_daq_lost (b->writer, lost);
  b->lost += lost;
  b->gap = FALSE;
  if (b->told != 0 && now - b->told < LOSS_US)
    return;
  g_printerr ("The board was full: about %" G_GUINT64_FORMAT
              " A-lines are lost; if it happens again, set --buffers or "
              "--block-lines to more, or --samples to less.\n",
      b->lost - b->lost_told);
  b->lost_told = b->lost;
  b->told = now;
}

static void
board_measure_rate (Board *b, gint64 now)
{
  if (b->run_blocks == 0)
    b->run_first = now;
  else if (now > b->run_first)
    b->measured_rate = (double)b->run_blocks * (double)b->settings->block_lines
                       * G_USEC_PER_SEC / (double)(now - b->run_first);
  b->run_blocks++;
  b->last = now;
}

static gboolean
board_publish (Board *b, GError **error)
{
  gint64 now = g_get_monotonic_time ();
  OctDaqPlace place = { .flags = b->gap ? OCT_DAQ_TRIGGER_MISSED : 0 };
  void *block;

  do
    block = oct_daq_claim (b->writer, OCT_DAQ_BOARD_WAIT);
  while (block == NULL && !board_stopped);
  if (block == NULL)
    return TRUE;
  if (!b->table->take (b->board, block, error))
    return FALSE;
  board_tell_lost (b, now);
  oct_daq_publish (b->writer, &place);
  board_measure_rate (b, now);
  b->blocks++;
  b->overflows_now = 0;
  if (b->silent)
    g_printerr ("Triggers come again.\n");
  b->silent = FALSE;
  return TRUE;
}

static gboolean
board_start (Board *b, GError **error)
{
  b->run_blocks = 0;
  return b->table->start (b->board, error);
}

static gboolean
board_restart (Board *b, GError **error)
{
  b->overflows++;
  b->gap = TRUE;
  b->table->stop (b->board);
  if (++b->overflows_now > MOST_OVERFLOWS) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_DEVICE,
        "The board was full %u times without a block between; set --samples, "
        "--channels or --sample-rate to less.",
        MOST_OVERFLOWS);
    return FALSE;
  }
  return board_start (b, error);
}

static void
board_tell_silence (Board *b)
{
  if (b->silent || g_get_monotonic_time () - b->last < SILENCE_US)
    return;
  b->silent = TRUE;
  g_printerr ("No block has come for 5 s; look for the trigger and the clock, "
              "or set --trigger-level or --block-lines.\n");
}

static gboolean
board_step (Board *b, GError **error)
{
  switch (b->table->wait (b->board, error)) {
  case OCT_DAQ_BOARD_BLOCK:
    return board_publish (b, error);
  case OCT_DAQ_BOARD_TIMEOUT:
    board_tell_silence (b);
    return TRUE;
  case OCT_DAQ_BOARD_OVERFLOW:
    return board_restart (b, error);
  default:
    return FALSE;
  }
}

static gboolean
board_has_all (const Board *b)
{
  const OctDaqBoardSettings *s = b->settings;

  return s->count > 0
         && b->blocks * (guint64)s->block_lines
                >= (guint64)s->count * (guint64)s->lines;
}

/* If a signal interrupts a call of the library, its error does not count. */
static gboolean
board_run (Board *b, GError **error)
{
  const OctDaqBoardSettings *s = b->settings;
  gboolean well;

  while (!board_stopped
         && oct_daq_wait_for_readers (
                b->writer, (unsigned)s->readers, OCT_DAQ_BOARD_WAIT)
                < (unsigned)s->readers)
    ;
  b->last = g_get_monotonic_time ();
  well = board_start (b, error);
  while (well && !board_stopped && !board_has_all (b))
    well = board_step (b, error);
  b->table->stop (b->board);
  if (!well && board_stopped) {
    g_clear_error (error);
    well = TRUE;
  }
  return well;
}

/* ------------------------------------------------------------------ the whole */

static int
board_fail (const char *sentence, int status)
{
  g_printerr ("%s\n", sentence);
  return status;
}

static int
board_work (const OctDaqBoardTable *table, const OctDaqBoardSettings *settings,
    const char *path)
{
  OctDaqBoardFormat format = { 0 };
  char sentence[OCT_DAQ_ERROR] = "";
  g_autoptr (GError) error = NULL;
  Board b = { .table = table, .settings = settings };
  int status = 0;

  b.board = table->open (settings, &format, &error);
  if (b.board == NULL)
    return board_fail (error->message, 1);
  b.writer = board_open_ring (settings, &format, path, sentence);
  if (b.writer == NULL)
    status = board_fail (sentence, 1);
  else if (!board_run (&b, &error))
    status = board_fail (error->message, 1);
  oct_daq_close (b.writer);
  table->close (b.board);
  if (b.writer != NULL)
    g_print ("%" G_GUINT64_FORMAT " blocks, %" G_GUINT64_FORMAT
             " A-lines lost, the board was full %" G_GUINT64_FORMAT " times\n",
        b.blocks, b.lost, b.overflows);
  return status;
}

int
oct_daq_board_main (const OctDaqBoardTable *table, int argc, char *argv[])
{
  OctDaqBoardSettings settings = { .samples = 2048,
    .lines = 512,
    .bscans = 256,
    .repeats = 1,
    .buffers = 16,
    .range = 400,
    .impedance = 50,
    .sample_rate = 500e6 };
  const struct sigaction stop = { .sa_handler = board_stop,
    .sa_flags = SA_RESTART };
  g_autoptr (GError) error = NULL;
  int status;

  oct_terminal_begin ();
  sigaction (SIGINT, &stop, NULL);
  sigaction (SIGTERM, &stop, NULL);
  if (!oct_daq_board_parse (table, &settings, &argc, &argv, &error))
    status = board_fail (error->message, 2);
  else
    status = board_work (table, &settings, argv[1]);
  oct_daq_board_clear (&settings);
  return status;
}
