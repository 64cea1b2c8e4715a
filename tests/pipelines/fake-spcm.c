/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A false libspcm_linux.so: the functions that oct-daq-spcm calls, with the
 * rules of Spectrum's manuals for their order, sizes, memory and errors.
 */
#include "fake-board.h"

#include <string.h>

#define OK 0u
#define LAST_ERROR 0x10u
#define ABORTED 0x20u
#define NOT_KNOWN 0x100u
#define VALUE 0x101u
#define TIMEOUT 0x107u
#define SEQUENCE 0x103u
#define NOTIFY 0x111u
#define OVERRUN 0x301u
#define PAGE 4096u
#define REGISTERS 64

static struct {
  gint32 reg;
  gint64 value;
} fake_set[REGISTERS];

static struct {
  gboolean opened, defined, transfers, running, full;
  guint32 error; /* that was not read yet */
  char failed[64];
  guint8 *memory;
  guint64 size, notify, position, length; /* of the data that can be read */
} fake;

gpointer spcm_hOpen (const char *name);
void spcm_vClose (gpointer h);
guint32 spcm_dwSetParam_i32 (gpointer h, gint32 reg, gint32 value);
guint32 spcm_dwSetParam_i64 (gpointer h, gint32 reg, gint64 value);
guint32 spcm_dwGetParam_i32 (gpointer h, gint32 reg, gint32 *value);
guint32 spcm_dwGetParam_i64 (gpointer h, gint32 reg, gint64 *value);
guint32 spcm_dwDefTransfer_i64 (gpointer h, guint32 kind, guint32 direction,
    guint32 notify, void *memory, guint64 offset, guint64 size);
guint32 spcm_dwGetErrorInfo_i32 (
    gpointer h, guint32 *reg, gint32 *value, char *text);

static guint32
fake_fail (guint32 code)
{
  fake.error = code;
  return code;
}

#define EXPECT(condition, code)                                                \
  if (!(condition)) {                                                          \
    fake_wrong ("%s in %s", #condition, __func__);                             \
    return fake_fail (code);                                                   \
  }

/* 0: the call goes on. */
static guint32
fake_begin (const char *name, gpointer h)
{
  guint32 code = fake_call (name);

  g_strlcpy (fake.failed, name, sizeof fake.failed);
  if (!fake.opened || h != &fake)
    fake_wrong ("%s of a card that was not opened", name);
  if (fake.error != 0) {
    fake_wrong ("%s after error %u that was not read", name, fake.error);
    return LAST_ERROR;
  }
  return code != 0 ? fake_fail (code) : 0;
}

static gint64
fake_value_of (gint32 reg)
{
  for (guint i = 0; i < REGISTERS; i++)
    if (fake_set[i].reg == reg)
      return fake_set[i].value;
  return -1;
}

static void
fake_store (gint32 reg, gint64 value)
{
  for (guint i = 0; i < REGISTERS; i++)
    if (fake_set[i].reg == reg || fake_set[i].reg == 0) {
      fake_set[i].reg = reg;
      fake_set[i].value = value;
      return;
    }
  fake_wrong ("too many registers");
}

static guint
fake_sample_size (void)
{
  return fake_bits (16) > 8 ? 2 : 1;
}

gpointer
spcm_hOpen (const char *name)
{
  guint32 code = fake_call ("spcm_hOpen");

  if (code != 0 || strcmp (name, "/dev/spcm0") != 0) {
    fake.error = code != 0 ? code : 10;
    return NULL;
  }
  fake.opened = TRUE;
  return &fake;
}

void
spcm_vClose (gpointer h)
{
  fake_call ("spcm_vClose");
  if (h != &fake || fake.running || fake.transfers)
    fake_wrong ("a card is closed that runs");
  fake.opened = FALSE;
}

/* The settings are whole, and fit to each other. */
static guint32
fake_check_setup (void)
{
  gint64 channels = fake_value_of (11000);

  EXPECT (fake_value_of (9500) == 0x20, SEQUENCE)
  EXPECT (channels == 1 || channels == 2 || channels == 3, SEQUENCE)
  EXPECT (fake_value_of (10010) >= 16, SEQUENCE)
  EXPECT (fake_value_of (10100) > 0
              && fake_value_of (10100) <= fake_value_of (10010) - 16,
      SEQUENCE)
  EXPECT (fake_value_of (10020) == 0, SEQUENCE)
  EXPECT (fake_value_of (295130) > 0, SEQUENCE)
  EXPECT (fake_value_of (20200) == 1 || fake_value_of (20200) == 8
              || fake_value_of (20200) == 0x20,
      SEQUENCE)
  EXPECT (fake_value_of (20200) == 8 || fake_value_of (20000) == 500000000,
      SEQUENCE)
  EXPECT (fake_value_of (20200) != 0x20 || fake_value_of (20140) == 10000000,
      SEQUENCE)
  for (gint32 i = 0; i < 2; i++)
    EXPECT (!(channels & (1 << i))
                || (fake_value_of (30010 + 100 * i) == 400
                    && fake_value_of (30020 + 100 * i) == 0
                    && fake_value_of (30030 + 100 * i) == 1),
        SEQUENCE)
  EXPECT (fake_value_of (40410) == 2 && fake_value_of (40430) == 0, SEQUENCE)
  EXPECT (fake_value_of (40510) == 1 && fake_value_of (42320) == 1000, SEQUENCE)
  EXPECT (fake_value_of (40810) == 0, SEQUENCE)
  return OK;
}

static void
fake_fill (guint8 *block)
{
  guint channels = (guint)fake_value_of (11000), bits = fake_bits (16);
  guint samples = (guint)fake_value_of (10010);
  guint count = (guint)__builtin_popcount (channels);
  guint lines = (guint)(fake.notify / samples / count / fake_sample_size ());
  gsize at = 0;

  for (guint line = 0; line < lines; line++) {
    guint64 trigger = fake_trigger ();

    for (guint s = 0; s < samples; s++)
      for (guint input = 0; input < 2; input++) {
        if (!(channels & (1u << input)))
          continue;
        if (bits > 8)
          ((gint16 *)block)[at++] = (gint16)fake_value (trigger, input, s);
        else
          ((gint8 *)block)[at++] = (gint8)(fake_value (trigger, input, s) >> 8);
      }
  }
}

/* A block comes, if there is room. */
static guint32
fake_wait (void)
{
  FakeEvent event;

  EXPECT (fake.running && fake.transfers && !fake.full, SEQUENCE)
  event = fake_next ();
  if (event == FAKE_INTERRUPTED)
    return fake_fail (ABORTED);
  if (event == FAKE_TIMEOUT)
    return fake_fail (TIMEOUT);
  if (event == FAKE_OVERFLOW || fake.length == fake.size) {
    fake.full = TRUE;
    return fake_fail (OVERRUN);
  }
  fake_fill (fake.memory + (fake.position + fake.length) % fake.size);
  fake.length += fake.notify;
  return OK;
}

static guint32
fake_command (gint32 command)
{
  switch (command) {
  case 0x1:
    memset (fake_set, 0, sizeof fake_set);
    return OK;
  case 0x2:
    return fake_check_setup ();
  case 0x10000:
    EXPECT (fake.defined && !fake.transfers && !fake.running, SEQUENCE)
    fake.transfers = TRUE;
    return OK;
  case 0x4 | 0x8:
    EXPECT (fake.transfers && !fake.running, SEQUENCE)
    fake.running = TRUE;
    return fake_check_setup ();
  case 0x20000:
    return fake_wait ();
  case 0x40 | 0x40000:
    fake.transfers = fake.running = fake.full = fake.defined = FALSE;
    fake.length = 0;
    return OK;
  default:
    fake_wrong ("command %#x", command);
    return fake_fail (VALUE);
  }
}

guint32
spcm_dwSetParam_i32 (gpointer h, gint32 reg, gint32 value)
{
  g_autofree char *name = g_strdup_printf ("command %#x", value);
  guint32 code = fake_begin (name, h);

  if (code != 0)
    return code;
  EXPECT (reg == 100, NOT_KNOWN)
  return fake_command (value);
}

/* Memory goes back to the card. */
static guint32
fake_give (guint64 bytes)
{
  EXPECT (bytes > 0 && bytes <= fake.length, VALUE)
  EXPECT (fake.position + bytes <= fake.size, VALUE)
  memset (fake.memory + fake.position, FAKE_POISON, bytes);
  fake.position = (fake.position + bytes) % fake.size;
  fake.length -= bytes;
  return OK;
}

guint32
spcm_dwSetParam_i64 (gpointer h, gint32 reg, gint64 value)
{
  g_autofree char *name = g_strdup_printf ("set %d", reg);
  guint32 code = fake_begin (name, h);

  if (code == OVERRUN) {
    fake.full = TRUE;
    fake_lose ();
  }
  if (code != 0)
    return code;
  if (reg == 202)
    return fake_give ((guint64)value);
  EXPECT (!fake.running, 0x120)
  fake_store (reg, value);
  return OK;
}

guint32
spcm_dwGetParam_i32 (gpointer h, gint32 reg, gint32 *value)
{
  g_autofree char *name = g_strdup_printf ("get %d", reg);
  const char *type = g_getenv ("OCT_FAKE_TYPE");
  guint32 code = fake_begin (name, h);

  if (code != 0)
    return code;
  switch (reg) {
  case 1120:
    *value = (gint32)fake_sample_size ();
    return OK;
  case 2000:
    *value = type != NULL ? (gint32)g_ascii_strtoll (type, NULL, 0) : 0x74421;
    return OK;
  case 2001:
    *value = 1;
    return OK;
  case 2030:
    *value = 12345;
    return OK;
  default:
    EXPECT (FALSE, NOT_KNOWN)
  }
}

guint32
spcm_dwGetParam_i64 (gpointer h, gint32 reg, gint64 *value)
{
  g_autofree char *name = g_strdup_printf ("get %d", reg);
  guint32 code = fake_begin (name, h);

  if (code != 0)
    return code;
  EXPECT (reg == 200 || reg == 201, NOT_KNOWN)
  *value = (gint64)(reg == 200 ? fake.length : fake.position);
  return OK;
}

guint32
spcm_dwDefTransfer_i64 (gpointer h, guint32 kind, guint32 direction,
    guint32 notify, void *memory, guint64 offset, guint64 size)
{
  guint32 code = fake_begin ("spcm_dwDefTransfer_i64", h);

  if (code != 0)
    return code;
  EXPECT (!fake.transfers && !fake.running, SEQUENCE)
  EXPECT (kind == 1000 && direction == 1 && offset == 0, VALUE)
  EXPECT ((gsize)memory % PAGE == 0, VALUE)
  EXPECT (notify > 0 && notify % PAGE == 0 && size % notify == 0
              && size >= 2 * (guint64)notify,
      NOTIFY)
  fake.memory = memory;
  fake.size = size;
  fake.notify = notify;
  fake.position = fake.length = 0;
  fake.defined = TRUE;
  memset (memory, FAKE_POISON, size);
  return OK;
}

guint32
spcm_dwGetErrorInfo_i32 (gpointer h, guint32 *reg, gint32 *value, char *text)
{
  guint32 code = fake.error;

  g_snprintf (text, 200, "Text of code %u\nof %s\n", code, fake.failed);
  *reg = 0;
  *value = 0;
  fake.error = 0;
  return code;
}

static void __attribute__ ((destructor)) fake_end (void)
{
  if (fake.opened)
    fake_wrong ("the program ended without spcm_vClose()");
}
