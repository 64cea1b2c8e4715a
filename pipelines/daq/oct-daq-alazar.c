/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * oct-daq-alazar: the boards of AlazarTech that have dual-port AutoDMA in NPT
 * mode (no samples before the trigger, records one after the other).
 *
 * Functions, numbers and the order of calls are those of the ATS-SDK guide,
 * docs.alazartech.com; numbers are in hexadecimal as there.
 */
#include "oct-daq-board.h"
#include "oct-daq-board-library.h"
#include "oct-daq-board-options.h"
#include "oct-types.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define CALL_SUCCESS 512u
#define CALL_TIMEOUT 579u
#define CALL_OVERFLOW 582u

#define CLOCK_INTERNAL 1u
#define CLOCK_FAST_EXTERNAL 2u
#define CLOCK_REFERENCE 7u
#define RATE_OF_USER 0x40u
#define EDGE_RISING 0u
#define COUPLING_AC 1u
#define COUPLING_DC 2u
#define IMPEDANCE_1M 1u
#define IMPEDANCE_50 2u
#define ENGINE_J 0u
#define ENGINE_K 1u
#define ENGINE_OPERATION_J 0u
#define SOURCE_EXTERNAL 2u
#define SOURCE_NONE 3u
#define SLOPE_RISING 1u
#define SLOPE_FALLING 2u
#define LEVEL_ZERO 128
#define AUX_OUT_TRIGGER 0u
#define AUX_IN_TRIGGER_ENABLE 1u
#define TTL_MV 3300

#define MODE_EXTERNAL_START 0x1u
#define MODE_NPT 0x200u
#define RECORDS_WITHOUT_END 0x7fffffffu

typedef struct {
  gpointer (*get_board) (guint32 system, guint32 board);
  guint32 (*get_channel_info) (gpointer, guint32 *samples, guint8 *bits);
  guint32 (*set_clock) (
      gpointer, guint32 source, guint32 rate, guint32 edge, guint32 decimation);
  guint32 (*set_input) (gpointer, guint32 channel, guint32 coupling,
      guint32 range, guint32 impedance);
  guint32 (*set_trigger) (gpointer, guint32 operation, guint32 engine1,
      guint32 source1, guint32 slope1, guint32 level1, guint32 engine2,
      guint32 source2, guint32 slope2, guint32 level2);
  guint32 (*set_external_trigger) (gpointer, guint32 coupling, guint32 range);
  guint32 (*set_trigger_delay) (gpointer, guint32 samples);
  guint32 (*set_trigger_timeout) (gpointer, guint32 ticks);
  guint32 (*set_aux) (gpointer, guint32 mode, guint32 parameter);
  guint32 (*set_record_size) (gpointer, guint32 before, guint32 after);
  guint32 (*before_read) (gpointer, guint32 channels, long offset,
      guint32 samples, guint32 records, guint32 records_in_all, guint32 mode);
  guint32 (*post) (gpointer, void *buffer, guint32 bytes);
  guint32 (*start) (gpointer);
  guint32 (*wait) (gpointer, void *buffer, guint32 milliseconds);
  guint32 (*abort) (gpointer);
  const char *(*get_text) (guint32 code);
} AlazarFunctions;

#define FUNCTION(name, member)                                                 \
  {                                                                            \
    name, offsetof (AlazarFunctions, member)                                   \
  }
static const OctDaqBoardFunction alazar_names[] = {
  FUNCTION ("AlazarGetBoardBySystemID", get_board),
  FUNCTION ("AlazarGetChannelInfo", get_channel_info),
  FUNCTION ("AlazarSetCaptureClock", set_clock),
  FUNCTION ("AlazarInputControlEx", set_input),
  FUNCTION ("AlazarSetTriggerOperation", set_trigger),
  FUNCTION ("AlazarSetExternalTrigger", set_external_trigger),
  FUNCTION ("AlazarSetTriggerDelay", set_trigger_delay),
  FUNCTION ("AlazarSetTriggerTimeOut", set_trigger_timeout),
  FUNCTION ("AlazarConfigureAuxIO", set_aux),
  FUNCTION ("AlazarSetRecordSize", set_record_size),
  FUNCTION ("AlazarBeforeAsyncRead", before_read),
  FUNCTION ("AlazarPostAsyncBuffer", post),
  FUNCTION ("AlazarStartCapture", start),
  FUNCTION ("AlazarWaitAsyncBufferComplete", wait),
  FUNCTION ("AlazarAbortAsyncRead", abort),
  FUNCTION ("AlazarErrorToText", get_text),
};

/* Older drivers do not have it, and it is for k-clocks only. */
typedef struct {
  guint32 (*ignore_bad_clock) (gpointer, guint32 on, double good, double bad,
      double *cycle, double *pulse);
} AlazarClockFunctions;

static const OctDaqBoardFunction alazar_clock_names[] = {
  { "AlazarOCTIgnoreBadClock",
      offsetof (AlazarClockFunctions, ignore_bad_clock) },
};

typedef struct {
  const OctDaqBoardSettings *settings;
  AlazarFunctions call;
  AlazarClockFunctions clock;
  gpointer handle;
  guint32 channels; /* bits */
  gsize size;       /* of a block, bytes */
  gsize stride;     /* from a block to the next */
  guint8 *memory;   /* settings->buffers blocks */
  guint next;       /* the one that is filled first */
  gboolean armed;   /* blocks were handed to the board */
  gboolean full;    /* it stands still */
} Alazar;

static const OctDaqBoardTable alazar_table;

/* TRUE: `code` is success. */
static gboolean
alazar_check (const Alazar *a, const char *call, guint32 code, const char *hint,
    GError **error)
{
  if (code == CALL_SUCCESS)
    return TRUE;
  oct_daq_board_refused (
      error, a->settings->device, call, code, a->call.get_text (code), hint);
  return FALSE;
}

/* ------------------------------------------------------------------- numbers */

static guint32
alazar_find_range (gint mv)
{
  static const struct {
    gint mv;
    guint32 code;
  } ranges[] = { { 20, 0x1 }, { 40, 0x2 }, { 50, 0x3 }, { 80, 0x4 },
    { 100, 0x5 }, { 200, 0x6 }, { 400, 0x7 }, { 500, 0x8 }, { 800, 0x9 },
    { 1000, 0xa }, { 2000, 0xb }, { 4000, 0xc }, { 5000, 0xd }, { 8000, 0xe },
    { 10000, 0xf }, { 20000, 0x10 }, { 40000, 0x11 }, { 16000, 0x12 },
    { 1250, 0x21 }, { 2500, 0x25 }, { 125, 0x28 }, { 250, 0x30 } };

  for (guint i = 0; i < G_N_ELEMENTS (ranges); i++)
    if (ranges[i].mv == mv)
      return ranges[i].code;
  return 0;
}

static guint32
alazar_find_rate (double hz)
{
  static const struct {
    double hz;
    guint32 code;
  } rates[] = { { 1e6, 0x14 }, { 2e6, 0x18 }, { 5e6, 0x1a }, { 10e6, 0x1c },
    { 20e6, 0x1e }, { 25e6, 0x21 }, { 50e6, 0x22 }, { 100e6, 0x24 },
    { 125e6, 0x25 }, { 160e6, 0x26 }, { 180e6, 0x27 }, { 200e6, 0x28 },
    { 250e6, 0x2b }, { 400e6, 0x2d }, { 500e6, 0x30 }, { 800e6, 0x32 },
    { 1000e6, 0x35 }, { 1200e6, 0x37 }, { 1500e6, 0x3a }, { 1600e6, 0x3b },
    { 1800e6, 0x3d }, { 2000e6, 0x3f }, { 2400e6, 0x6a }, { 3000e6, 0x75 },
    { 3600e6, 0x7b }, { 4000e6, 0x80 } };

  for (guint i = 0; i < G_N_ELEMENTS (rates); i++)
    if (rates[i].hz == hz)
      return rates[i].code;
  return 0;
}

/* FALSE: the boards have no such range of the trigger. */
static gboolean
alazar_find_trigger_range (gint mv, guint32 *code)
{
  static const struct {
    gint mv;
    guint32 code;
  } ranges[] = { { 0, 2 }, { 1000, 1 }, { 2500, 3 }, { 5000, 0 } };

  for (guint i = 0; i < G_N_ELEMENTS (ranges); i++)
    if (ranges[i].mv == mv) {
      *code = ranges[i].code;
      return TRUE;
    }
  return FALSE;
}

static gboolean
alazar_refuse (GError **error, const char *sentence)
{
  g_set_error_literal (error, OCT_ERROR, OCT_ERROR_SETTINGS, sentence);
  return FALSE;
}

static gboolean
alazar_check_settings (const OctDaqBoardSettings *s, GError **error)
{
  const gint range = s->trigger_range > 0 ? s->trigger_range : TTL_MV;
  guint32 code;

  if (alazar_find_range (s->range) == 0)
    return alazar_refuse (error,
        "--range takes a range that boards of AlazarTech have: 20, 40, 50, 80, "
        "100, 125, 200, 250, 400, 500, 800, 1000, 1250, 2000, 2500, 4000, "
        "5000, 8000, 10000, 16000, 20000 or 40000.");
  if (s->clock == OCT_DAQ_CLOCK_INTERNAL
      && alazar_find_rate (s->sample_rate) == 0)
    return alazar_refuse (error,
        "--sample-rate takes a rate that boards of AlazarTech have, from 1e6 "
        "to 4e9, such as 500e6; --clock reference takes others.");
  if (s->clock == OCT_DAQ_CLOCK_REFERENCE && s->sample_rate > 4e9)
    return alazar_refuse (
        error, "--sample-rate takes up to 4e9 with --clock reference.");
  if (!alazar_find_trigger_range (s->trigger_range, &code)
      || ABS (s->trigger_level) > range)
    return alazar_refuse (error,
        "--trigger-range takes 0 (TTL), 1000, 2500 or 5000, and "
        "--trigger-level less than it (TTL: 3300).");
  if (s->bscan_trigger && s->block_lines != s->lines)
    return alazar_refuse (error,
        "--bscan-trigger needs blocks of one B-scan; set --block-lines to 0.");
  if (!(s->good_clock_us >= 0 && s->good_clock_us <= 1e6)
      || !(s->dead_clock_us >= 0 && s->dead_clock_us <= 1e6)
      || (s->good_clock_us > 0) != (s->dead_clock_us > 0)
      || (s->good_clock_us > 0
          && (s->clock != OCT_DAQ_CLOCK_K || s->trigger_range != 0)))
    return alazar_refuse (error,
        "--good-clock and --dead-clock take 0 to 1e6 us, both or none of them, "
        "and need --clock k-clock and --trigger-range 0.");
  return TRUE;
}

/* --------------------------------------------------------------------- set up */

static gboolean
alazar_set_clock (Alazar *a, GError **error)
{
  const OctDaqBoardSettings *s = a->settings;
  guint32 source = CLOCK_INTERNAL, rate = alazar_find_rate (s->sample_rate);
  guint32 decimation = 0;

  if (s->clock == OCT_DAQ_CLOCK_K) {
    source = CLOCK_FAST_EXTERNAL;
    rate = RATE_OF_USER;
  } else if (s->clock == OCT_DAQ_CLOCK_REFERENCE) {
    source = CLOCK_REFERENCE;
    rate = (guint32)s->sample_rate;
    decimation = 1;
  }
  return alazar_check (a, "AlazarSetCaptureClock()",
      a->call.set_clock (a->handle, source, rate, EDGE_RISING, decimation),
      "set --clock and --sample-rate to what this board has", error);
}

static gboolean
alazar_set_inputs (Alazar *a, GError **error)
{
  const OctDaqBoardSettings *s = a->settings;

  for (guint i = 0; i < s->channels; i++) {
    guint32 channel = 1u << s->inputs[i];

    a->channels |= channel;
    if (!alazar_check (a, "AlazarInputControlEx()",
            a->call.set_input (a->handle, channel,
                s->ac ? COUPLING_AC : COUPLING_DC, alazar_find_range (s->range),
                s->impedance == 50 ? IMPEDANCE_50 : IMPEDANCE_1M),
            "set --channels, --range, --coupling and --impedance to what this "
            "board has",
            error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
alazar_set_trigger (Alazar *a, GError **error)
{
  static const char *hint =
      "set --trigger-range, --trigger-level and --trigger-delay to what this "
      "board has";
  const OctDaqBoardSettings *s = a->settings;
  const guint32 slope = s->falling ? SLOPE_FALLING : SLOPE_RISING;
  const gint range_mv = s->trigger_range > 0 ? s->trigger_range : TTL_MV;
  const guint32 level =
      (guint32)(LEVEL_ZERO + s->trigger_level * (LEVEL_ZERO - 1) / range_mv);
  guint32 range = 0;

  alazar_find_trigger_range (s->trigger_range, &range);
  return alazar_check (a, "AlazarSetTriggerOperation()",
             a->call.set_trigger (a->handle, ENGINE_OPERATION_J, ENGINE_J,
                 SOURCE_EXTERNAL, slope, level, ENGINE_K, SOURCE_NONE,
                 SLOPE_RISING, LEVEL_ZERO),
             hint, error)
         && alazar_check (a, "AlazarSetExternalTrigger()",
             a->call.set_external_trigger (a->handle, COUPLING_DC, range), hint,
             error)
         && alazar_check (a, "AlazarSetTriggerDelay()",
             a->call.set_trigger_delay (a->handle, (guint32)s->trigger_delay),
             hint, error)
         /* 0: it waits for ever, and never makes a trigger of its own */
         && alazar_check (a, "AlazarSetTriggerTimeOut()",
             a->call.set_trigger_timeout (a->handle, 0), hint, error)
         && alazar_check (a, "AlazarConfigureAuxIO()",
             s->bscan_trigger ? a->call.set_aux (
                 a->handle, AUX_IN_TRIGGER_ENABLE, SLOPE_RISING)
                              : a->call.set_aux (a->handle, AUX_OUT_TRIGGER, 0),
             "leave out --bscan-trigger, which this board has no input for",
             error);
}

/* Between sweeps a k-clock stands still, or runs at any rate. */
static gboolean
alazar_set_dead_clock (Alazar *a, GError **error)
{
  const OctDaqBoardSettings *s = a->settings;
  double cycle = 0, pulse = 0;

  if (s->good_clock_us <= 0)
    return TRUE;
  return oct_daq_board_load (&alazar_table, s->library, alazar_clock_names,
             G_N_ELEMENTS (alazar_clock_names), &a->clock, error)
         && alazar_check (a, "AlazarOCTIgnoreBadClock()",
             a->clock.ignore_bad_clock (a->handle, 1, s->good_clock_us * 1e-6,
                 s->dead_clock_us * 1e-6, &cycle, &pulse),
             "set --good-clock and --dead-clock to less than a sweep takes, or "
             "leave them out",
             error);
}

static gboolean
alazar_set_up (Alazar *a, guint8 *bits, GError **error)
{
  const OctDaqBoardSettings *s = a->settings;
  guint32 samples = 0;

  return alazar_check (a, "AlazarGetChannelInfo()",
             a->call.get_channel_info (a->handle, &samples, bits),
             "look whether its driver is loaded", error)
         && alazar_set_clock (a, error) && alazar_set_inputs (a, error)
         && alazar_set_trigger (a, error) && alazar_set_dead_clock (a, error)
         && alazar_check (a, "AlazarSetRecordSize()",
             a->call.set_record_size (a->handle, (guint32)s->pretrigger,
                 (guint32)(s->samples - s->pretrigger)),
             "set --samples to a multiple of what this board needs, such as "
             "256, and --pretrigger to 0",
             error);
}

/* Two numbers as the library takes them, with a point between. */
static gboolean
alazar_parse_device (const char *device, guint64 *system, guint64 *board)
{
  g_auto (GStrv) parts = g_strsplit (device, ".", -1);

  return g_strv_length (parts) == 2
         && g_ascii_string_to_unsigned (
             parts[0], 10, 0, G_MAXUINT32, system, NULL)
         && g_ascii_string_to_unsigned (
             parts[1], 10, 0, G_MAXUINT32, board, NULL);
}

static gboolean
alazar_find_board (Alazar *a, GError **error)
{
  const char *device = a->settings->device;
  guint64 system = 0, board = 0;

  if (!alazar_parse_device (device, &system, &board)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "--device takes numbers of a system and of a board in it, such as 1.1, "
        "not '%s'.",
        device);
    return FALSE;
  }
  a->handle = a->call.get_board ((guint32)system, (guint32)board);
  if (a->handle != NULL)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_DEVICE,
      "The board %s of AlazarTech was not found; set --device to its system "
      "and "
      "board, and look whether its driver is loaded.",
      device);
  return FALSE;
}

static void
alazar_close (gpointer board)
{
  Alazar *a = board;

  free (a->memory);
  g_free (a);
}

static gpointer
alazar_open (const OctDaqBoardSettings *settings, OctDaqBoardFormat *format,
    GError **error)
{
  Alazar *a = g_new0 (Alazar, 1);
  guint8 bits = 0;
  gsize page = OCT_DAQ_BOARD_PAGE;

  a->settings = settings;
  if (!alazar_check_settings (settings, error)
      || !oct_daq_board_load (&alazar_table, settings->library, alazar_names,
          G_N_ELEMENTS (alazar_names), &a->call, error)
      || !alazar_find_board (a, error) || !alazar_set_up (a, &bits, error)) {
    alazar_close (a);
    return NULL;
  }
  if (bits < 1 || bits > 16) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_DEVICE,
        "Board %s has samples of %u bits, expected 1 to 16; set --device to "
        "another one.",
        settings->device, bits);
    alazar_close (a);
    return NULL;
  }
  a->size = oct_daq_board_block_size (settings, bits > 8 ? 2 : 1);
  a->stride = (a->size + page - 1) / page * page;
  a->memory =
      oct_daq_board_allocate (a->stride * (gsize)settings->buffers, error);
  if (a->memory == NULL) {
    alazar_close (a);
    return NULL;
  }
  /* codes are without a sign, and in the highest bits */
  format->sample_format = bits > 8 ? OCT_DAQ_U16 : OCT_DAQ_U8;
  g_snprintf (format->name, sizeof format->name, "AlazarTech board %s",
      settings->device);
  return a;
}

/* -------------------------------------------------------------------- blocks */

static gboolean
alazar_check_post (Alazar *a, guint32 code, GError **error)
{
  return alazar_check (a, "AlazarPostAsyncBuffer()", code,
      "set --buffers or --block-lines to less", error);
}

static void
alazar_stop (gpointer board)
{
  Alazar *a = board;

  if (a->armed)
    a->call.abort (a->handle);
  a->armed = FALSE;
}

static gboolean
alazar_start (gpointer board, GError **error)
{
  Alazar *a = board;
  const OctDaqBoardSettings *s = a->settings;

  a->next = 0;
  a->full = FALSE;
  if (!alazar_check (a, "AlazarBeforeAsyncRead()",
          a->call.before_read (a->handle, a->channels, -(long)s->pretrigger,
              (guint32)s->samples, (guint32)s->block_lines, RECORDS_WITHOUT_END,
              MODE_EXTERNAL_START | MODE_NPT),
          "set --samples, --block-lines and --channels to what this board has",
          error))
    return FALSE;
  a->armed = TRUE;
  for (guint i = 0; i < (guint)s->buffers; i++)
    if (!alazar_check_post (a,
            a->call.post (
                a->handle, a->memory + i * a->stride, (guint32)a->size),
            error))
      return FALSE;
  return alazar_check (a, "AlazarStartCapture()", a->call.start (a->handle),
      "look for the signal of the clock, or set --clock", error);
}

static OctDaqBoardStatus
alazar_wait (gpointer board, GError **error)
{
  Alazar *a = board;
  guint32 code = CALL_OVERFLOW;

  if (!a->full)
    code = a->call.wait (
        a->handle, a->memory + a->next * a->stride, OCT_DAQ_BOARD_WAIT);
  if (code == CALL_TIMEOUT)
    return OCT_DAQ_BOARD_TIMEOUT;
  if (code == CALL_OVERFLOW)
    return OCT_DAQ_BOARD_OVERFLOW;
  return alazar_check (a, "AlazarWaitAsyncBufferComplete()", code,
             "look at its clock and its power, and start this program again",
             error)
             ? OCT_DAQ_BOARD_BLOCK
             : OCT_DAQ_BOARD_FAILED;
}

/* In NPT mode all records of a channel stand together, as in the ring. */
static gboolean
alazar_take (gpointer board, void *block, GError **error)
{
  Alazar *a = board;
  guint8 *taken = a->memory + a->next * a->stride;
  guint32 code;

  memcpy (block, taken, a->size);
  a->next = (a->next + 1) % (guint)a->settings->buffers;
  code = a->call.post (a->handle, taken, (guint32)a->size);
  /* this block is right, and there will be no other one */
  a->full = code == CALL_OVERFLOW;
  return a->full || alazar_check_post (a, code, error);
}

static void
alazar_add_options (GOptionContext *context, OctDaqBoardSettings *s)
{
  const GOptionEntry entries[] = {
    { "trigger-range", 0, 0, G_OPTION_ARG_INT, &s->trigger_range,
        "Range of the external trigger: 0 is TTL, or 1000, 2500, 5000 (0)",
        "MV" },
    { "bscan-trigger", 0, 0, G_OPTION_ARG_NONE, &s->bscan_trigger,
        "Each B-scan begins after an edge at AUX I/O, so that B-scans begin in "
        "their places after A-lines were lost",
        NULL },
    { "good-clock", 0, 0, G_OPTION_ARG_DOUBLE, &s->good_clock_us,
        "The k-clock is good for so long after a trigger (0 = always)", "US" },
    { "dead-clock", 0, 0, G_OPTION_ARG_DOUBLE, &s->dead_clock_us,
        "... and is not to be used for so long after that (0)", "US" },
    { NULL },
  };

  g_option_context_add_main_entries (context, entries, NULL);
}

static const OctDaqBoardTable alazar_table = { .program = "oct-daq-alazar",
  .maker = "AlazarTech",
  .library = "libATSApi.so",
  .device = "1.1",
  .device_help = "Number of the system, and of the board in it (1.1)",
  .pretrigger = 0,
  .pretrigger_help = "Samples of each A-line that come before the trigger (0)",
  .add_options = alazar_add_options,
  .open = alazar_open,
  .start = alazar_start,
  .wait = alazar_wait,
  .take = alazar_take,
  .stop = alazar_stop,
  .close = alazar_close };

int
main (int argc, char *argv[])
{
  return oct_daq_board_main (&alazar_table, argc, argv);
}
