/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-daq-board-options.h"
#include "oct-options.h"

#include <math.h>
#include <string.h>

/* A block is counted by 32 bits in the libraries of makers. */
#define MOST_BLOCK_BYTES (G_GUINT64_CONSTANT (1) << 30)
/* A-lines of a B-scan, and B-scans at a place, that a ring can tell. */
#define MOST_OF_RING 65536
#define NOT_TRIED "Not tried with a real board yet."

static gboolean
board_options_fail (GError **error, const char *sentence)
{
  g_set_error_literal (
      error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, sentence);
  return FALSE;
}

static void
options_add_scan (GOptionContext *context, OctDaqBoardSettings *s)
{
  const GOptionEntry entries[] = {
    { "samples", 0, 0, G_OPTION_ARG_INT, &s->samples,
        "Samples per A-line (2048)", "N" },
    { "lines", 0, 0, G_OPTION_ARG_INT, &s->lines, "A-lines per B-scan (512)",
        "N" },
    { "bscans", 0, 0, G_OPTION_ARG_INT, &s->bscans, "B-scans per volume (256)",
        "N" },
    { "repeats", 0, 0, G_OPTION_ARG_INT, &s->repeats,
        "B-scans at each place of a volume (1)", "N" },
    { "block-lines", 0, 0, G_OPTION_ARG_INT, &s->block_lines,
        "A-lines that the board delivers at once (0 = those of a B-scan)",
        "N" },
    { "line-rate", 0, 0, G_OPTION_ARG_DOUBLE, &s->line_rate,
        "Triggers per second, for times and to count lost A-lines (0 = not "
        "known)",
        "HZ" },
    { "wavelength-first", 0, 0, G_OPTION_ARG_DOUBLE, &s->first_nm,
        "Wavelength of the first sample (0 = not known)", "NM" },
    { "wavelength-last", 0, 0, G_OPTION_ARG_DOUBLE, &s->last_nm,
        "Wavelength of the last sample (0 = not known)", "NM" },
    { "count", 0, 0, G_OPTION_ARG_INT, &s->count,
        "End after so many B-scans (0 = never)", "N" },
    { "blocks", 0, 0, G_OPTION_ARG_INT, &s->blocks,
        "Blocks in the ring (0 = as many as 64 MiB have, 4 to 1024)", "N" },
    { "lossless", 0, 0, G_OPTION_ARG_NONE, &s->lossless,
        "Wait for slow readers, while the memory of the board lasts", NULL },
    { "readers", 0, 0, G_OPTION_ARG_INT, &s->readers,
        "Begin when so many readers are there (0)", "N" },
    { NULL },
  };

  g_option_context_add_main_entries (context, entries, NULL);
}

static void
options_add_board (GOptionContext *context, const OctDaqBoardTable *table,
    OctDaqBoardSettings *s)
{
  const GOptionEntry entries[] = {
    { "library", 0, 0, G_OPTION_ARG_FILENAME, &s->library,
        "Library of the maker, if it is not found by its name", "FILE" },
    { "device", 0, 0, G_OPTION_ARG_STRING, &s->device, table->device_help,
        "NAME" },
    { "channels", 0, 0, G_OPTION_ARG_STRING, &s->channel_names,
        "What is at each input, from the first one: oct, k-clock, plus, minus, "
        "other, or off (oct)",
        "LIST" },
    { "clock", 0, 0, G_OPTION_ARG_STRING, &s->clock_name,
        "internal, k-clock: each edge takes a sample, or reference: the board "
        "locks to 10 MHz (internal)",
        "NAME" },
    { "sample-rate", 0, 0, G_OPTION_ARG_DOUBLE, &s->sample_rate,
        "Samples per second, for --clock internal and reference (500e6)",
        "HZ" },
    { "range", 0, 0, G_OPTION_ARG_INT, &s->range,
        "Range of the inputs, from minus to plus so much (400)", "MV" },
    { "coupling", 0, 0, G_OPTION_ARG_STRING, &s->coupling,
        "ac or dc, of the inputs (dc)", "NAME" },
    { "impedance", 0, 0, G_OPTION_ARG_INT, &s->impedance,
        "50 or 1000000, of the inputs (50)", "OHM" },
    { "trigger-level", 0, 0, G_OPTION_ARG_INT, &s->trigger_level,
        "Level of the external trigger, one for each A-line (1000)", "MV" },
    { "trigger-edge", 0, 0, G_OPTION_ARG_STRING, &s->edge,
        "rising or falling (rising)", "NAME" },
    { "trigger-delay", 0, 0, G_OPTION_ARG_INT, &s->trigger_delay,
        "An A-line begins so many samples after its trigger (0)", "N" },
    { "pretrigger", 0, 0, G_OPTION_ARG_INT, &s->pretrigger,
        table->pretrigger_help, "N" },
    { "buffers", 0, 0, G_OPTION_ARG_INT, &s->buffers,
        "Blocks that the board can write before one has to be read (16)", "N" },
    { NULL },
  };

  g_option_context_add_main_entries (context, entries, NULL);
}

/* -------------------------------------------------------------------- checks */

static gboolean
options_check_sizes (const OctDaqBoardSettings *s, GError **error)
{
  if (s->samples < 16 || s->samples > (gint)OCT_DAQ_MAX_SAMPLES || s->lines < 1
      || s->lines > MOST_OF_RING || s->block_lines < 1
      || s->block_lines > (gint)OCT_DAQ_MAX_LINES || s->bscans < 1
      || s->repeats < 1 || s->repeats > MOST_OF_RING)
    return board_options_fail (error,
        "--samples takes 16 to 65536, --lines and --repeats 1 to 65536, "
        "--block-lines 0 to 1048576, and --bscans 1 or more.");
  if (s->blocks < 0 || s->blocks == 1 || s->blocks > (gint)OCT_DAQ_MAX_BLOCKS
      || s->count < 0 || s->readers < 0 || s->readers > OCT_DAQ_READERS
      || s->buffers < 2 || s->buffers > 1024)
    return board_options_fail (error,
        "--blocks takes 0 or 2 to 1048576, --count 0 or more, --readers 0 to "
        "8, and --buffers 2 to 1024.");
  if ((guint64)s->samples * (guint64)s->block_lines * s->channels * 2
      > MOST_BLOCK_BYTES)
    return board_options_fail (error,
        "A block is larger than 1 GiB; set --block-lines, --samples or "
        "--channels to less.");
  return TRUE;
}

static gboolean
options_check_board (const OctDaqBoardSettings *s, GError **error)
{
  if (!(s->sample_rate >= 1 && s->sample_rate <= 1e11)
      || !(s->line_rate >= 0 && s->line_rate <= 1e9)
      || !(s->first_nm >= 0 && s->first_nm <= 1e5)
      || !(s->last_nm >= 0 && s->last_nm <= 1e5)
      || (s->first_nm > 0) != (s->last_nm > 0))
    return board_options_fail (error,
        "--sample-rate takes 1 to 1e11, --line-rate 0 to 1e9, and "
        "--wavelength-first and --wavelength-last both 0 or both up to 1e5.");
  if (s->range < 1 || s->range > 100000
      || (s->impedance != 50 && s->impedance != 1000000)
      || ABS ((gint64)s->trigger_level) > 100000 || s->trigger_delay < 0
      || s->pretrigger < 0 || s->pretrigger >= s->samples)
    return board_options_fail (error,
        "--range takes 1 to 100000, --impedance 50 or 1000000, --trigger-level "
        "-100000 to 100000, --trigger-delay 0 or more, and --pretrigger 0 to "
        "less than --samples.");
  return TRUE;
}

/* The place of `name` in `names`, which ends with NULL; if it is NULL, 0. */
static gint
options_find (const char *const *names, const char *name)
{
  gint i = 0;

  while (name != NULL && names[i] != NULL && strcmp (names[i], name) != 0)
    i++;
  return names[i] != NULL ? i : -1;
}

static gboolean
options_check_names (OctDaqBoardSettings *s, GError **error)
{
  static const char *const clocks[] = { "internal", "k-clock", "reference",
    NULL };
  static const char *const couplings[] = { "dc", "ac", NULL };
  static const char *const edges[] = { "rising", "falling", NULL };
  gint clock = options_find (clocks, s->clock_name);
  gint coupling = options_find (couplings, s->coupling);
  gint edge = options_find (edges, s->edge);

  if (clock < 0 || coupling < 0 || edge < 0)
    return board_options_fail (error,
        "--clock takes internal, k-clock or reference, --coupling dc or ac, "
        "and --trigger-edge rising or falling.");
  s->clock = (OctDaqClock)clock;
  s->ac = coupling == 1;
  s->falling = edge == 1;
  return TRUE;
}

static gboolean
options_check_channels (OctDaqBoardSettings *s, GError **error)
{
  /* in the order of OCT_DAQ_OTHER, ... */
  static const char *const kinds[] = { "other", "oct", "k-clock", "plus",
    "minus", "off", NULL };
  g_auto (GStrv) names =
      g_strsplit (s->channel_names != NULL ? s->channel_names : "oct", ",", -1);
  gboolean found = FALSE;

  G_STATIC_ASSERT (OCT_DAQ_KINDS == 5);
  for (guint i = 0; names[i] != NULL; i++) {
    gint kind = options_find (kinds, g_strstrip (names[i]));

    if (kind < 0 || i >= OCT_DAQ_CHANNELS)
      return board_options_fail (error,
          "--channels takes up to 8 of oct, k-clock, plus, minus, other and "
          "off, with commas between them, such as oct,k-clock.");
    if (kind == OCT_DAQ_KINDS)
      continue;
    s->inputs[s->channels] = i;
    s->kinds[s->channels++] = (guint32)kind;
    found |= kind == OCT_DAQ_OCT || kind == OCT_DAQ_PLUS;
  }
  if (!found)
    return board_options_fail (error,
        "--channels has no input with OCT; write oct in the place of its "
        "input, such as off,oct.");
  return TRUE;
}

gboolean
oct_daq_board_parse (const OctDaqBoardTable *table,
    OctDaqBoardSettings *settings, int *argc, char ***argv, GError **error)
{
  g_autoptr (GOptionContext) context = g_option_context_new ("SOCKET");
  g_autofree char *summary = g_strdup_printf (
      "Writes the A-lines of a digitizer of %s into a ring in shared memory,\n"
      "which octdaqsrc reads: docs/digitizers.md.  " NOT_TRIED,
      table->maker);
  g_autofree char *examples =
      g_strdup_printf ("Examples:\n  %s --channels oct,k-clock --line-rate "
                       "100000 --range 400 /tmp/daq\n  %s --clock k-clock "
                       "--samples 1024 /tmp/daq",
          table->program, table->program);

  settings->pretrigger = table->pretrigger;
  settings->trigger_level = 1000;
  g_option_context_set_summary (context, summary);
  g_option_context_set_description (context, examples);
  options_add_scan (context, settings);
  options_add_board (context, table, settings);
  if (table->add_options != NULL)
    table->add_options (context, settings);
  oct_options_add_help (context);
  if (!g_option_context_parse (context, argc, argv, error))
    return FALSE;
  if (*argc != 2) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "%s takes one socket; write its path last.", table->program);
    return FALSE;
  }
  if (settings->block_lines == 0)
    settings->block_lines = settings->lines;
  if (settings->device == NULL)
    settings->device = g_strdup (table->device);
  if (settings->library == NULL)
    settings->library = g_strdup (table->library);
  return options_check_names (settings, error)
         && options_check_channels (settings, error)
         && options_check_sizes (settings, error)
         && options_check_board (settings, error);
}

void
oct_daq_board_clear (OctDaqBoardSettings *settings)
{
  g_free (settings->library);
  g_free (settings->device);
  g_free (settings->channel_names);
  g_free (settings->clock_name);
  g_free (settings->coupling);
  g_free (settings->edge);
}

gsize
oct_daq_board_block_size (
    const OctDaqBoardSettings *settings, gsize sample_size)
{
  return (gsize)settings->samples * (gsize)settings->block_lines
         * settings->channels * sample_size;
}
