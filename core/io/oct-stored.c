/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-stored.h"

#include <string.h>

/* Compilers make one instruction of each. */
#define SAME(bits) (bits)

/* `type` of as many bits as `word`, `turn`: SAME, or the macro that swaps its
 * bytes; `number`: SAME, or what makes a number of the type that C knows. */
#define LOADER(name, type, word, turn, number, result)                         \
  static void name (gconstpointer from, gsize count, gpointer to)              \
  {                                                                            \
    result *out = to;                                                          \
                                                                               \
    for (gsize i = 0; i < count; i++) {                                        \
      word bits;                                                               \
      type value;                                                              \
                                                                               \
      memcpy (&bits, (const guint8 *)from + i * sizeof bits, sizeof bits);     \
      bits = turn (bits);                                                      \
      memcpy (&value, &bits, sizeof value);                                    \
      out[i] = (result)number (value);                                         \
    }                                                                          \
  }

/* IEEE 754 binary16: the exponent is moved to its place in a float, and the
 * product makes up for the difference of the exponent biases, 127 - 15.  It is
 * exact, also for the smallest values, which become normal. */
static inline float
half_to_float (guint16 half)
{
  guint32 bits = (guint32)(half & 0x7fff) << 13;
  float value;

  memcpy (&value, &bits, sizeof value);
  value *= 0x1p112f;
  memcpy (&bits, &value, sizeof bits);
  if ((half & 0x7c00) == 0x7c00)
    bits |= 0x7f800000; /* infinite, or not a number */
  bits |= (guint32)(half & 0x8000) << 16;
  memcpy (&value, &bits, sizeof value);
  return value;
}

LOADER (load_u2_be, guint16, guint16, GUINT16_SWAP_LE_BE, SAME, guint16)
LOADER (load_i1, gint8, guint8, SAME, SAME, float)
LOADER (load_i2, gint16, guint16, SAME, SAME, float)
LOADER (load_i2_be, gint16, guint16, GUINT16_SWAP_LE_BE, SAME, float)
LOADER (load_i4, gint32, guint32, SAME, SAME, float)
LOADER (load_i4_be, gint32, guint32, GUINT32_SWAP_LE_BE, SAME, float)
LOADER (load_u4, guint32, guint32, SAME, SAME, float)
LOADER (load_u4_be, guint32, guint32, GUINT32_SWAP_LE_BE, SAME, float)
LOADER (load_i8, gint64, guint64, SAME, SAME, float)
LOADER (load_i8_be, gint64, guint64, GUINT64_SWAP_LE_BE, SAME, float)
LOADER (load_u8, guint64, guint64, SAME, SAME, float)
LOADER (load_u8_be, guint64, guint64, GUINT64_SWAP_LE_BE, SAME, float)
LOADER (load_f4_be, float, guint32, GUINT32_SWAP_LE_BE, SAME, float)
LOADER (load_f8, double, guint64, SAME, SAME, float)
LOADER (load_f8_be, double, guint64, GUINT64_SWAP_LE_BE, SAME, float)
LOADER (load_f2, guint16, guint16, SAME, half_to_float, float)
LOADER (load_f2_be, guint16, guint16, GUINT16_SWAP_LE_BE, half_to_float, float)

#define LITTLE ", little endian"
#define BIG ", big endian"

/* clang-format off */
static const OctStoredType types[OCT_STORED_COUNT] = {
  [OCT_STORED_U1] = { "gray8", "Unsigned 8 bit",
      'u', 1, FALSE, OCT_SAMPLE_U8, NULL },
  [OCT_STORED_U2] = { "gray16-le", "Unsigned 16 bit" LITTLE,
      'u', 2, FALSE, OCT_SAMPLE_U16, NULL },
  [OCT_STORED_U2_BE] = { "gray16-be", "Unsigned 16 bit" BIG,
      'u', 2, TRUE, OCT_SAMPLE_U16, load_u2_be },
  [OCT_STORED_I1] = { "s8", "Signed 8 bit",
      'i', 1, FALSE, OCT_SAMPLE_F32, load_i1 },
  [OCT_STORED_I2] = { "s16-le", "Signed 16 bit" LITTLE,
      'i', 2, FALSE, OCT_SAMPLE_F32, load_i2 },
  [OCT_STORED_I2_BE] = { "s16-be", "Signed 16 bit" BIG,
      'i', 2, TRUE, OCT_SAMPLE_F32, load_i2_be },
  [OCT_STORED_F4] = { "f32-le", "Float of 32 bit" LITTLE,
      'f', 4, FALSE, OCT_SAMPLE_F32, NULL },
  [OCT_STORED_F4_BE] = { "f32-be", "Float of 32 bit" BIG,
      'f', 4, TRUE, OCT_SAMPLE_F32, load_f4_be },
  [OCT_STORED_F2] = { "f16-le", "Float of 16 bit" LITTLE,
      'f', 2, FALSE, OCT_SAMPLE_F32, load_f2 },
  [OCT_STORED_F2_BE] = { "f16-be", "Float of 16 bit" BIG,
      'f', 2, TRUE, OCT_SAMPLE_F32, load_f2_be },
  [OCT_STORED_F8] = { "f64-le", "Float of 64 bit" LITTLE,
      'f', 8, FALSE, OCT_SAMPLE_F32, load_f8 },
  [OCT_STORED_F8_BE] = { "f64-be", "Float of 64 bit" BIG,
      'f', 8, TRUE, OCT_SAMPLE_F32, load_f8_be },
  [OCT_STORED_I4] = { "s32-le", "Signed 32 bit" LITTLE,
      'i', 4, FALSE, OCT_SAMPLE_F32, load_i4 },
  [OCT_STORED_I4_BE] = { "s32-be", "Signed 32 bit" BIG,
      'i', 4, TRUE, OCT_SAMPLE_F32, load_i4_be },
  [OCT_STORED_U4] = { "u32-le", "Unsigned 32 bit" LITTLE,
      'u', 4, FALSE, OCT_SAMPLE_F32, load_u4 },
  [OCT_STORED_U4_BE] = { "u32-be", "Unsigned 32 bit" BIG,
      'u', 4, TRUE, OCT_SAMPLE_F32, load_u4_be },
  [OCT_STORED_I8] = { "s64-le", "Signed 64 bit" LITTLE,
      'i', 8, FALSE, OCT_SAMPLE_F32, load_i8 },
  [OCT_STORED_I8_BE] = { "s64-be", "Signed 64 bit" BIG,
      'i', 8, TRUE, OCT_SAMPLE_F32, load_i8_be },
  [OCT_STORED_U8] = { "u64-le", "Unsigned 64 bit" LITTLE,
      'u', 8, FALSE, OCT_SAMPLE_F32, load_u8 },
  [OCT_STORED_U8_BE] = { "u64-be", "Unsigned 64 bit" BIG,
      'u', 8, TRUE, OCT_SAMPLE_F32, load_u8_be },
};
/* clang-format on */

const OctStoredType *
oct_stored_get (OctStored stored)
{
  return &types[stored];
}

gboolean
oct_stored_find (char kind, guint64 size, gboolean swapped, OctStored *stored)
{
  for (guint i = 0; i < OCT_STORED_COUNT; i++)
    if (types[i].kind == kind && types[i].size == size
        && types[i].swapped == (swapped && size > 1)) {
      *stored = (OctStored)i;
      return TRUE;
    }
  return FALSE;
}

const char *
oct_stored_list (void)
{
  static gsize list = 0;

  if (g_once_init_enter (&list)) {
    GString *text = g_string_new ("gray16-le, gray8");

    for (guint i = OCT_STORED_U2 + 1; i < OCT_STORED_COUNT; i++)
      g_string_append_printf (text, ", %s", types[i].nick);
    g_once_init_leave (&list, (gsize)g_string_free (text, FALSE));
  }
  return (const char *)list;
}

const char *
oct_stored_describe_option (void)
{
  static gsize text = 0;

  if (g_once_init_enter (&text))
    g_once_init_leave (
        &text, (gsize)g_strdup_printf (
                   "Raw file: how samples are stored, gray16-le by default: %s",
                   oct_stored_list ()));
  return (const char *)text;
}

gboolean
oct_stored_parse (const char *nick, OctStored *stored, GError **error)
{
  *stored = OCT_STORED_U2;
  if (nick == NULL)
    return TRUE;
  for (guint i = 0; i < OCT_STORED_COUNT; i++)
    if (g_str_equal (nick, types[i].nick)) {
      *stored = (OctStored)i;
      return TRUE;
    }
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "'%s' is not a sample format; give one of %s.", nick, oct_stored_list ());
  return FALSE;
}
