/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A false libATSApi.so: the functions that oct-daq-alazar calls, with the rules
 * of the ATS-SDK guide for their order, sizes and memory.
 */
#include "fake-board.h"

#include <string.h>

#define SUCCESS 512u
#define FAILED 513u
#define NOT_READY 573u
#define TIMEOUT 579u
#define CANCELED 580u
#define OVERFLOW 582u
#define PAGE 4096u

static struct {
  gboolean opened, clock, trigger, external, delay, timeout, aux, size;
  gboolean prepared, running, full;
  guint32 inputs, channels, samples, records, before, after;
  gboolean k_clock;
  guint32 trigger_range;
  guint8 *posted[1024]; /* in the order in which they are filled */
  guint count;
} fake;

gpointer AlazarGetBoardBySystemID (guint32 system, guint32 board);
guint32 AlazarGetChannelInfo (gpointer h, guint32 *samples, guint8 *bits);
guint32 AlazarSetCaptureClock (
    gpointer h, guint32 source, guint32 rate, guint32 edge, guint32 decimation);
guint32 AlazarInputControlEx (gpointer h, guint32 channel, guint32 coupling,
    guint32 range, guint32 impedance);
guint32 AlazarSetTriggerOperation (gpointer h, guint32 operation,
    guint32 engine1, guint32 source1, guint32 slope1, guint32 level1,
    guint32 engine2, guint32 source2, guint32 slope2, guint32 level2);
guint32 AlazarSetExternalTrigger (gpointer h, guint32 coupling, guint32 range);
guint32 AlazarSetTriggerDelay (gpointer h, guint32 samples);
guint32 AlazarSetTriggerTimeOut (gpointer h, guint32 ticks);
guint32 AlazarConfigureAuxIO (gpointer h, guint32 mode, guint32 parameter);
guint32 AlazarSetRecordSize (gpointer h, guint32 before, guint32 after);
guint32 AlazarOCTIgnoreBadClock (gpointer h, guint32 on, double good,
    double bad, double *cycle, double *pulse);
guint32 AlazarBeforeAsyncRead (gpointer h, guint32 channels, long offset,
    guint32 samples, guint32 records, guint32 records_in_all, guint32 mode);
guint32 AlazarPostAsyncBuffer (gpointer h, void *buffer, guint32 bytes);
guint32 AlazarStartCapture (gpointer h);
guint32 AlazarWaitAsyncBufferComplete (
    gpointer h, void *buffer, guint32 milliseconds);
guint32 AlazarAbortAsyncRead (gpointer h);
const char *AlazarErrorToText (guint32 code);

/* TRUE: the call goes on; FALSE: it returns *code. */
static gboolean
fake_begin (const char *name, gpointer h, guint32 *code)
{
  *code = fake_call (name);
  if (!fake.opened || h != &fake)
    fake_wrong ("%s of a board that was not opened", name);
  return *code == 0;
}

#define BEGIN(name)                                                            \
  guint32 code;                                                                \
  if (!fake_begin (name, h, &code))                                            \
    return code;

#define EXPECT(condition)                                                      \
  if (!(condition)) {                                                          \
    fake_wrong ("%s in %s", #condition, __func__);                             \
    return FAILED;                                                             \
  }

static guint
fake_sample_size (void)
{
  return fake_bits (12) > 8 ? 2 : 1;
}

static guint
fake_count_channels (void)
{
  return (guint)__builtin_popcount (fake.channels);
}

static gsize
fake_block_size (void)
{
  return (gsize)fake.samples * fake.records * fake_count_channels ()
         * fake_sample_size ();
}

gpointer
AlazarGetBoardBySystemID (guint32 system, guint32 board)
{
  if (fake_call ("AlazarGetBoardBySystemID") != 0 || system != 1 || board != 1)
    return NULL;
  fake.opened = TRUE;
  return &fake;
}

guint32
AlazarGetChannelInfo (gpointer h, guint32 *samples, guint8 *bits)
{
  BEGIN ("AlazarGetChannelInfo")
  *samples = 1u << 30;
  *bits = (guint8)fake_bits (12);
  return SUCCESS;
}

guint32
AlazarSetCaptureClock (
    gpointer h, guint32 source, guint32 rate, guint32 edge, guint32 decimation)
{
  BEGIN ("AlazarSetCaptureClock")
  EXPECT (!fake.running)
  EXPECT ((source == 1 && rate == 0x30 && decimation == 0)    /* 500 MHz */
          || (source == 2 && rate == 0x40 && decimation == 0) /* of the user */
          || (source == 7 && rate == 500000000 && decimation <= 1))
  EXPECT (edge == 0)
  fake.clock = TRUE;
  fake.k_clock = source == 2;
  return SUCCESS;
}

guint32
AlazarInputControlEx (gpointer h, guint32 channel, guint32 coupling,
    guint32 range, guint32 impedance)
{
  BEGIN ("AlazarInputControlEx")
  EXPECT (!fake.running)
  EXPECT (channel == 1 || channel == 2)
  EXPECT (coupling == 2 && range == 0x7 && impedance == 2)
  fake.inputs |= channel;
  return SUCCESS;
}

guint32
AlazarSetTriggerOperation (gpointer h, guint32 operation, guint32 engine1,
    guint32 source1, guint32 slope1, guint32 level1, guint32 engine2,
    guint32 source2, guint32 slope2, guint32 level2)
{
  BEGIN ("AlazarSetTriggerOperation")
  EXPECT (operation == 0 && engine1 == 0 && source1 == 2 && slope1 == 1)
  EXPECT (level1 > 128 && level1 < 256)
  EXPECT (engine2 == 1 && source2 == 3 && slope2 == 1 && level2 == 128)
  fake.trigger = TRUE;
  return SUCCESS;
}

guint32
AlazarSetExternalTrigger (gpointer h, guint32 coupling, guint32 range)
{
  BEGIN ("AlazarSetExternalTrigger")
  EXPECT (coupling == 2 && range <= 3)
  fake.external = TRUE;
  fake.trigger_range = range;
  return SUCCESS;
}

guint32
AlazarSetTriggerDelay (gpointer h, guint32 samples)
{
  BEGIN ("AlazarSetTriggerDelay")
  fake.delay = TRUE;
  return SUCCESS;
}

guint32
AlazarSetTriggerTimeOut (gpointer h, guint32 ticks)
{
  BEGIN ("AlazarSetTriggerTimeOut")
  EXPECT (ticks == 0) /* else the board makes triggers of its own */
  fake.timeout = TRUE;
  return SUCCESS;
}

guint32
AlazarConfigureAuxIO (gpointer h, guint32 mode, guint32 parameter)
{
  BEGIN ("AlazarConfigureAuxIO")
  EXPECT ((mode == 0 && parameter == 0) || (mode == 1 && parameter == 1))
  fake.aux = TRUE;
  return SUCCESS;
}

guint32
AlazarSetRecordSize (gpointer h, guint32 before, guint32 after)
{
  BEGIN ("AlazarSetRecordSize")
  fake.before = before;
  fake.after = after;
  fake.size = TRUE;
  return SUCCESS;
}

guint32
AlazarOCTIgnoreBadClock (gpointer h, guint32 on, double good, double bad,
    double *cycle, double *pulse)
{
  BEGIN ("AlazarOCTIgnoreBadClock")
  EXPECT (fake.trigger && fake.external && fake.clock && !fake.prepared)
  EXPECT (fake.k_clock && fake.trigger_range == 2)
  EXPECT (on == 1 && good > 0 && good < 1 && bad > 0 && bad < 1)
  *cycle = *pulse = 1e-5;
  return SUCCESS;
}

guint32
AlazarBeforeAsyncRead (gpointer h, guint32 channels, long offset,
    guint32 samples, guint32 records, guint32 records_in_all, guint32 mode)
{
  BEGIN ("AlazarBeforeAsyncRead")
  EXPECT (fake.clock && fake.trigger && fake.external && fake.delay)
  EXPECT (fake.timeout && fake.aux && fake.size)
  EXPECT (!fake.prepared && fake.count == 0)
  EXPECT (channels == fake.inputs && channels != 0)
  EXPECT (offset == -(long)fake.before)
  EXPECT (samples == fake.before + fake.after && records > 0)
  EXPECT (records_in_all == 0x7fffffff)
  EXPECT (mode == (0x200 | 0x1)) /* NPT, started by AlazarStartCapture() */
  fake.channels = channels;
  fake.samples = samples;
  fake.records = records;
  fake.prepared = TRUE;
  return SUCCESS;
}

guint32
AlazarPostAsyncBuffer (gpointer h, void *buffer, guint32 bytes)
{
  guint32 code;

  if (!fake_begin ("AlazarPostAsyncBuffer", h, &code)) {
    fake.full = code == OVERFLOW;
    if (fake.full)
      fake_lose ();
    return code;
  }
  EXPECT (fake.prepared && !fake.full)
  EXPECT (bytes == fake_block_size ())
  EXPECT ((gsize)buffer % PAGE == 0)
  EXPECT (fake.count < G_N_ELEMENTS (fake.posted))
  for (guint i = 0; i < fake.count; i++)
    EXPECT (fake.posted[i] + bytes <= (guint8 *)buffer
            || (guint8 *)buffer + bytes <= fake.posted[i])
  fake.posted[fake.count++] = buffer;
  memset (buffer, FAKE_POISON, bytes);
  return SUCCESS;
}

guint32
AlazarStartCapture (gpointer h)
{
  BEGIN ("AlazarStartCapture")
  EXPECT (fake.prepared && !fake.running && fake.count >= 2)
  fake.running = TRUE;
  return SUCCESS;
}

static void
fake_fill (guint8 *block)
{
  guint channels = fake_count_channels (), bits = fake_bits (12);
  guint place = 0;

  for (guint r = 0; r < fake.records; r++) {
    guint64 trigger = fake_trigger ();

    place = 0;
    for (guint input = 0; input < 2; input++) {
      gsize at = ((gsize)place * fake.records + r) * fake.samples;

      if (!(fake.channels & (1u << input)))
        continue;
      place++;
      for (guint s = 0; s < fake.samples; s++) {
        guint value = fake_value (trigger, input, s) >> (16 - bits);

        if (bits > 8)
          ((guint16 *)block)[at + s] = (guint16)(value << (16 - bits));
        else
          block[at + s] = (guint8)value;
      }
    }
  }
  if (place != channels)
    fake_wrong ("%u channels, not %u", place, channels);
}

guint32
AlazarWaitAsyncBufferComplete (gpointer h, void *buffer, guint32 milliseconds)
{
  BEGIN ("AlazarWaitAsyncBufferComplete")
  EXPECT (fake.running && !fake.full && milliseconds > 0)
  if (fake.count == 0 || buffer != fake.posted[0]) {
    fake_wrong ("waits for memory that is not the first");
    return NOT_READY;
  }
  switch (fake_next ()) {
  case FAKE_TIMEOUT:
    return TIMEOUT;
  case FAKE_INTERRUPTED:
    return CANCELED;
  case FAKE_OVERFLOW:
    fake.full = TRUE;
    return OVERFLOW;
  default:
    break;
  }
  fake_fill (buffer);
  memmove (fake.posted, fake.posted + 1, --fake.count * sizeof *fake.posted);
  return SUCCESS;
}

guint32
AlazarAbortAsyncRead (gpointer h)
{
  BEGIN ("AlazarAbortAsyncRead")
  EXPECT (fake.prepared)
  fake.prepared = fake.running = fake.full = FALSE;
  fake.count = 0;
  return SUCCESS;
}

const char *
AlazarErrorToText (guint32 code)
{
  static char text[64];

  g_snprintf (text, sizeof text, "Text of code %u", code);
  return text;
}

/* A board writes into memory of a process that has gone. */
static void __attribute__ ((destructor)) fake_end (void)
{
  if (fake.prepared)
    fake_wrong ("the program ended without AlazarAbortAsyncRead()");
}
