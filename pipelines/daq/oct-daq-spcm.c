/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * oct-daq-spcm: the digitizers of Spectrum Instrumentation, in FIFO multiple
 * recording: a segment for each trigger, without end.
 *
 * Functions, registers and the order of calls are those of the manuals of the
 * M4i.44xx and M2p.59xx series (spectrum-instrumentation.com).
 */
#include "oct-daq-board.h"
#include "oct-daq-board-library.h"
#include "oct-daq-board-options.h"
#include "oct-types.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define CALL_OK 0u
#define CALL_TIMEOUT 0x107u
#define CALL_BUFFER_OVERRUN 0x300u
#define CALL_BOARD_OVERRUN 0x301u
#define TEXT_LENGTH 200

/* registers, and what is written to them */
#define REG_COMMAND 100
#define COMMAND_RESET 0x1
#define COMMAND_WRITE_SETUP 0x2
#define COMMAND_START 0x4
#define COMMAND_ENABLE_TRIGGER 0x8
#define COMMAND_STOP 0x40
#define COMMAND_START_DMA 0x10000
#define COMMAND_WAIT_DMA 0x20000
#define COMMAND_STOP_DMA 0x40000
#define REG_USER_LENGTH 200
#define REG_USER_POSITION 201
#define REG_CARD_LENGTH 202
#define REG_SAMPLE_SIZE 1120
#define REG_TYPE 2000
#define TYPE_SERIES 0xff0000
#define TYPE_M2I 0x30000
#define TYPE_M2I_EXPRESS 0x40000
#define REG_FUNCTION 2001
#define FUNCTION_ANALOG_INPUT 1
#define REG_SERIAL 2030
#define REG_MODE 9500
#define MODE_FIFO_MULTI 0x20
#define REG_SEGMENT 10010
#define REG_LOOPS 10020
#define REG_AFTER_TRIGGER 10100
#define REG_CHANNELS 11000
#define REG_SAMPLE_RATE 20000
#define REG_REFERENCE 20140
#define REFERENCE_HZ 10000000
#define REG_CLOCK 20200
#define CLOCK_PLL 0x1
#define CLOCK_EXTERNAL 0x8
#define CLOCK_REFERENCE 0x20
#define REG_RANGE 30010
#define REG_COUPLING 30020
#define REG_TERMINATION 30030
#define PER_CHANNEL 100
#define REG_TRIGGER_OR 40410
#define TRIGGER_EXTERNAL 0x2
#define REG_TRIGGER_AND 40430
#define REG_TRIGGER_EDGE 40510
#define TRIGGER_RISING 0x1
#define TRIGGER_FALLING 0x2
#define REG_TRIGGER_DELAY 40810
#define REG_TRIGGER_LEVEL 42320
#define REG_TIMEOUT 295130

#define BUFFER_DATA 1000u
#define FROM_CARD 1u

typedef struct {
  gpointer (*open) (const char *name);
  void (*close) (gpointer);
  guint32 (*set) (gpointer, gint32 reg, gint32 value);
  guint32 (*set_long) (gpointer, gint32 reg, gint64 value);
  guint32 (*get) (gpointer, gint32 reg, gint32 *value);
  guint32 (*get_long) (gpointer, gint32 reg, gint64 *value);
  guint32 (*define) (gpointer, guint32 kind, guint32 direction, guint32 notify,
      void *memory, guint64 offset, guint64 size);
  guint32 (*get_error) (gpointer, guint32 *reg, gint32 *value, char *text);
} SpcmFunctions;

#define FUNCTION(name, member)                                                 \
  {                                                                            \
    name, offsetof (SpcmFunctions, member)                                     \
  }
static const OctDaqBoardFunction spcm_names[] = {
  FUNCTION ("spcm_hOpen", open),
  FUNCTION ("spcm_vClose", close),
  FUNCTION ("spcm_dwSetParam_i32", set),
  FUNCTION ("spcm_dwSetParam_i64", set_long),
  FUNCTION ("spcm_dwGetParam_i32", get),
  FUNCTION ("spcm_dwGetParam_i64", get_long),
  FUNCTION ("spcm_dwDefTransfer_i64", define),
  FUNCTION ("spcm_dwGetErrorInfo_i32", get_error),
};

typedef struct {
  const OctDaqBoardSettings *settings;
  SpcmFunctions call;
  gpointer handle;
  gsize sample_size;
  gsize size;      /* of a block, bytes */
  guint8 *memory;  /* settings->buffers blocks, one after the other */
  gint64 position; /* of the block that was waited for */
  gboolean armed;  /* the memory was handed to the card */
  gboolean full;   /* it stands still */
} Spcm;

static const OctDaqBoardTable spcm_table;

/* -------------------------------------------------------------------- errors */

/* The library refuses every call after an error until it was asked for it. */
static void
spcm_read_error (const Spcm *c, char text[TEXT_LENGTH])
{
  guint32 reg = 0;
  gint32 value = 0;

  memset (text, 0, TEXT_LENGTH);
  c->call.get_error (c->handle, &reg, &value, text);
  text[TEXT_LENGTH - 1] = '\0';
}

/* TRUE: `code` is success. */
static gboolean
spcm_check (const Spcm *c, const char *call, guint32 code, const char *hint,
    GError **error)
{
  char text[TEXT_LENGTH];

  if (code == CALL_OK)
    return TRUE;
  spcm_read_error (c, text);
  oct_daq_board_refused (error, c->settings->device, call, code, text, hint);
  return FALSE;
}

static gboolean
spcm_set (
    const Spcm *c, gint32 reg, gint64 value, const char *hint, GError **error)
{
  g_autofree char *call =
      g_strdup_printf ("register %d = %" G_GINT64_FORMAT, reg, value);

  return spcm_check (
      c, call, c->call.set_long (c->handle, reg, value), hint, error);
}

static gboolean
spcm_command (const Spcm *c, gint32 command, const char *what, const char *hint,
    GError **error)
{
  return spcm_check (
      c, what, c->call.set (c->handle, REG_COMMAND, command), hint, error);
}

static gboolean
spcm_get (const Spcm *c, gint32 reg, gint32 *value, GError **error)
{
  g_autofree char *call = g_strdup_printf ("to tell register %d", reg);

  return spcm_check (c, call, c->call.get (c->handle, reg, value),
      "look whether its driver is loaded and new enough", error);
}

/* --------------------------------------------------------------------- set up */

static gboolean
spcm_set_recording (const Spcm *c, GError **error)
{
  static const char *hint =
      "set --samples and --pretrigger to what this card has, such as "
      "multiples of 32";
  const OctDaqBoardSettings *s = c->settings;
  gint64 channels = 0;

  for (guint i = 0; i < s->channels; i++)
    channels |= (gint64)1 << s->inputs[i];
  return spcm_set (c, REG_MODE, MODE_FIFO_MULTI,
             "set --device to a card with the option multiple recording", error)
         && spcm_set (c, REG_CHANNELS, channels,
             "set --channels to inputs that this card can use together", error)
         && spcm_set (c, REG_SEGMENT, s->samples, hint, error)
         && spcm_set (
             c, REG_AFTER_TRIGGER, s->samples - s->pretrigger, hint, error)
         /* 0: without end */
         && spcm_set (c, REG_LOOPS, 0, hint, error)
         && spcm_set (c, REG_TIMEOUT, OCT_DAQ_BOARD_WAIT, hint, error);
}

static gboolean
spcm_set_clock (const Spcm *c, GError **error)
{
  static const char *hint =
      "set --clock and --sample-rate to what this card has";
  const OctDaqBoardSettings *s = c->settings;
  const gint64 rate = (gint64)s->sample_rate;

  switch (s->clock) {
  case OCT_DAQ_CLOCK_K:
    return spcm_set (c, REG_CLOCK, CLOCK_EXTERNAL, hint, error);
  case OCT_DAQ_CLOCK_REFERENCE:
    return spcm_set (c, REG_CLOCK, CLOCK_REFERENCE, hint, error)
           && spcm_set (c, REG_REFERENCE, REFERENCE_HZ, hint, error)
           && spcm_set (c, REG_SAMPLE_RATE, rate, hint, error);
  default:
    return spcm_set (c, REG_CLOCK, CLOCK_PLL, hint, error)
           && spcm_set (c, REG_SAMPLE_RATE, rate, hint, error);
  }
}

static gboolean
spcm_set_inputs (const Spcm *c, GError **error)
{
  static const char *hint =
      "set --range, --coupling and --impedance to what this card has";
  const OctDaqBoardSettings *s = c->settings;

  for (guint i = 0; i < s->channels; i++) {
    gint32 at = (gint32)s->inputs[i] * PER_CHANNEL;

    if (!spcm_set (c, REG_RANGE + at, s->range, hint, error)
        || !spcm_set (c, REG_COUPLING + at, s->ac ? 1 : 0, hint, error)
        || !spcm_set (
            c, REG_TERMINATION + at, s->impedance == 50 ? 1 : 0, hint, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
spcm_set_trigger (const Spcm *c, GError **error)
{
  static const char *hint =
      "set --trigger-level, --trigger-edge and --trigger-delay to what this "
      "card has";
  const OctDaqBoardSettings *s = c->settings;

  return spcm_set (c, REG_TRIGGER_OR, TRIGGER_EXTERNAL, hint, error)
         && spcm_set (c, REG_TRIGGER_AND, 0, hint, error)
         && spcm_set (c, REG_TRIGGER_EDGE,
             s->falling ? TRIGGER_FALLING : TRIGGER_RISING, hint, error)
         && spcm_set (c, REG_TRIGGER_LEVEL, s->trigger_level, hint, error)
         && spcm_set (c, REG_TRIGGER_DELAY, s->trigger_delay, hint, error);
}

/* The kind of the card. */
static gboolean
spcm_check_card (Spcm *c, OctDaqBoardFormat *format, GError **error)
{
  const OctDaqBoardSettings *s = c->settings;
  gint32 function = 0, type = 0, serial = 0, bytes = 0;

  if (!spcm_get (c, REG_FUNCTION, &function, error)
      || !spcm_get (c, REG_TYPE, &type, error)
      || !spcm_get (c, REG_SERIAL, &serial, error)
      || !spcm_get (c, REG_SAMPLE_SIZE, &bytes, error))
    return FALSE;
  if (function != FUNCTION_ANALOG_INPUT || (bytes != 1 && bytes != 2)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_DEVICE,
        "Card %s is not a digitizer with samples of 1 or 2 bytes (its function "
        "is "
        "%d, with %d bytes); set --device to one.",
        s->device, function, bytes);
    return FALSE;
  }
  /* their two modules take turns in the memory */
  if (s->channels > 1
      && ((type & TYPE_SERIES) == TYPE_M2I
          || (type & TYPE_SERIES) == TYPE_M2I_EXPRESS)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_DEVICE,
        "Card %s is of the series M2i, which delivers channels in another "
        "order; set --channels to one input.",
        s->device);
    return FALSE;
  }
  c->sample_size = (gsize)bytes;
  format->sample_format = bytes == 1 ? OCT_DAQ_U8 : OCT_DAQ_I16;
  g_snprintf (format->name, sizeof format->name, "Spectrum %04x, serial %05d",
      (guint)type & 0xffffu, serial);
  return TRUE;
}

static gboolean
spcm_check_block (const Spcm *c, GError **error)
{
  const OctDaqBoardSettings *s = c->settings;
  gsize row = c->size / (gsize)s->block_lines;
  gsize lines = OCT_DAQ_BOARD_PAGE;

  /* both are powers of two times something */
  while (lines > 1 && row % 2 == 0) {
    lines /= 2;
    row /= 2;
  }
  if (c->size % OCT_DAQ_BOARD_PAGE == 0)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "A block has %" G_GSIZE_FORMAT
      " bytes, and cards of Spectrum deliver multiples of %u; set "
      "--block-lines to a multiple of %" G_GSIZE_FORMAT ".",
      c->size, OCT_DAQ_BOARD_PAGE, lines);
  return FALSE;
}

static gboolean
spcm_find_card (Spcm *c, GError **error)
{
  char text[TEXT_LENGTH];

  c->handle = c->call.open (c->settings->device);
  if (c->handle != NULL)
    return TRUE;
  spcm_read_error (c, text);
  g_strdelimit (text, "\r\n", ' ');
  g_strstrip (text);
  g_set_error (error, OCT_ERROR, OCT_ERROR_DEVICE,
      "There is no card %s of Spectrum (%s); set --device to its name, such as "
      "/dev/spcm0 or TCPIP::192.168.1.10::inst0::INSTR.",
      c->settings->device, *text != '\0' ? text : "no text");
  return FALSE;
}

static gboolean
spcm_set_up (Spcm *c, OctDaqBoardFormat *format, GError **error)
{
  static const char *hint =
      "look for the signal of the clock, or set --clock, --samples and "
      "--sample-rate to what this card has";

  if (!spcm_find_card (c, error)
      || !spcm_command (c, COMMAND_RESET, "to be reset",
          "look whether another program uses it", error)
      || !spcm_check_card (c, format, error))
    return FALSE;
  c->size = oct_daq_board_block_size (c->settings, c->sample_size);
  return spcm_check_block (c, error) && spcm_set_recording (c, error)
         && spcm_set_clock (c, error) && spcm_set_inputs (c, error)
         && spcm_set_trigger (c, error)
         && spcm_command (c, COMMAND_WRITE_SETUP, "its settings", hint, error);
}

static void
spcm_close (gpointer board)
{
  Spcm *c = board;

  if (c->handle != NULL)
    c->call.close (c->handle);
  free (c->memory);
  g_free (c);
}

static gpointer
spcm_open (const OctDaqBoardSettings *settings, OctDaqBoardFormat *format,
    GError **error)
{
  Spcm *c = g_new0 (Spcm, 1);

  c->settings = settings;
  if (oct_daq_board_load (&spcm_table, settings->library, spcm_names,
          G_N_ELEMENTS (spcm_names), &c->call, error)
      && spcm_set_up (c, format, error))
    c->memory =
        oct_daq_board_allocate (c->size * (gsize)settings->buffers, error);
  if (c->memory != NULL)
    return c;
  spcm_close (c);
  return NULL;
}

/* -------------------------------------------------------------------- blocks */

static void
spcm_stop (gpointer board)
{
  Spcm *c = board;
  char text[TEXT_LENGTH];

  if (c->armed
      && c->call.set (c->handle, REG_COMMAND, COMMAND_STOP | COMMAND_STOP_DMA)
             != CALL_OK)
    spcm_read_error (c, text);
  c->armed = FALSE;
}

static gboolean
spcm_start (gpointer board, GError **error)
{
  Spcm *c = board;

  c->full = FALSE;
  if (!spcm_check (c, "spcm_dwDefTransfer_i64()",
          c->call.define (c->handle, BUFFER_DATA, FROM_CARD, (guint32)c->size,
              c->memory, 0, c->size * (guint64)c->settings->buffers),
          "set --block-lines or --buffers to less", error))
    return FALSE;
  c->armed = TRUE;
  /* the memory is ready when the first trigger comes */
  return spcm_command (c, COMMAND_START_DMA, "to transfer data",
             "set --block-lines or --buffers to less", error)
         && spcm_command (c, COMMAND_START | COMMAND_ENABLE_TRIGGER, "to start",
             "look for the signal of the clock, or set --clock", error);
}

/* Whether a whole block is there, and where. */
static guint32
spcm_look (Spcm *c, gboolean *there)
{
  gint64 length = 0;
  guint32 code = c->call.get_long (c->handle, REG_USER_LENGTH, &length);

  *there = code == CALL_OK && length >= (gint64)c->size;
  return *there ? c->call.get_long (c->handle, REG_USER_POSITION, &c->position)
                : code;
}

static gboolean
spcm_is_overrun (guint32 code)
{
  return code == CALL_BUFFER_OVERRUN || code == CALL_BOARD_OVERRUN;
}

static OctDaqBoardStatus
spcm_check_position (const Spcm *c, GError **error)
{
  if (c->position >= 0 && c->position % (gint64)c->size == 0
      && c->position / (gint64)c->size < c->settings->buffers)
    return OCT_DAQ_BOARD_BLOCK;
  g_set_error (error, OCT_ERROR, OCT_ERROR_DEVICE,
      "Card %s says that a block begins at byte %" G_GINT64_FORMAT
      ", expected a multiple of %" G_GSIZE_FORMAT
      "; install a newer driver, or set --block-lines.",
      c->settings->device, c->position, c->size);
  return OCT_DAQ_BOARD_FAILED;
}

static OctDaqBoardStatus
spcm_wait (gpointer board, GError **error)
{
  Spcm *c = board;
  gboolean there = FALSE;
  char text[TEXT_LENGTH];
  guint32 code;

  if (c->full)
    return OCT_DAQ_BOARD_OVERFLOW;
  code = spcm_look (c, &there);
  if (code == CALL_OK && !there) {
    code = c->call.set (c->handle, REG_COMMAND, COMMAND_WAIT_DMA);
    if (code == CALL_OK)
      code = spcm_look (c, &there);
  }
  if (code == CALL_OK)
    return there ? spcm_check_position (c, error) : OCT_DAQ_BOARD_TIMEOUT;
  if (code == CALL_TIMEOUT || spcm_is_overrun (code)) {
    spcm_read_error (c, text);
    return code == CALL_TIMEOUT ? OCT_DAQ_BOARD_TIMEOUT
                                : OCT_DAQ_BOARD_OVERFLOW;
  }
  spcm_check (c, "to wait for data", code,
      "look at its clock and its power, and start this program again", error);
  return OCT_DAQ_BOARD_FAILED;
}

/* [lines][samples][channels] becomes [channels][lines][samples]; 8 bits lose
 * their sign, as the ring has no such format. */
static void
spcm_sort (const Spcm *c, const guint8 *from, void *block)
{
  const gsize channels = c->settings->channels;
  const gsize count = c->size / c->sample_size / channels;

  for (gsize channel = 0; channel < channels; channel++)
    if (c->sample_size == 1) {
      guint8 *to = (guint8 *)block + channel * count;

      for (gsize i = 0; i < count; i++)
        to[i] = from[i * channels + channel] ^ 0x80u;
    } else {
      const gint16 *samples = (const gint16 *)from + channel;
      gint16 *to = (gint16 *)block + channel * count;

      for (gsize i = 0; i < count; i++)
        to[i] = samples[i * channels];
    }
}

static gboolean
spcm_take (gpointer board, void *block, GError **error)
{
  Spcm *c = board;
  char text[TEXT_LENGTH];
  guint32 code;

  spcm_sort (c, c->memory + c->position, block);
  code = c->call.set_long (c->handle, REG_CARD_LENGTH, (gint64)c->size);
  if (spcm_is_overrun (code)) {
    /* this block is right, and there will be no other one */
    spcm_read_error (c, text);
    c->full = TRUE;
    return TRUE;
  }
  return spcm_check (
      c, "to take memory back", code, "start this program again", error);
}

static const OctDaqBoardTable spcm_table = { .program = "oct-daq-spcm",
  .maker = "Spectrum Instrumentation",
  .library = "libspcm_linux.so",
  .device = "/dev/spcm0",
  .device_help = "Name of the card (/dev/spcm0)",
  .pretrigger = 16,
  .pretrigger_help = "Samples of each A-line that come before the trigger (16)",
  .open = spcm_open,
  .start = spcm_start,
  .wait = spcm_wait,
  .take = spcm_take,
  .stop = spcm_stop,
  .close = spcm_close };

int
main (int argc, char *argv[])
{
  return oct_daq_board_main (&spcm_table, argc, argv);
}
