/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-packed.h"

/* The usual one, in a loop that is faster. */
static void
unpack_twelve (const guint8 *packed, guint16 *values, gsize pairs)
{
  for (gsize i = 0; i < pairs; i++) {
    guint low = packed[3 * i], both = packed[3 * i + 1];
    guint high = packed[3 * i + 2];

    values[2 * i] = (guint16)(low | (both & 0x0f) << 8);
    values[2 * i + 1] = (guint16)(both >> 4 | high << 4);
  }
}

void
oct_unpack_bits (const guint8 *packed, guint16 *values, gsize count, guint bits)
{
  guint mask = (1u << bits) - 1, store = 0, stored = 0;
  gsize first = 0;

  if (bits == 12) {
    unpack_twelve (packed, values, count / 2);
    first = count / 2 * 2;
    packed += first / 2 * 3;
  }
  for (gsize i = first; i < count; i++) {
    for (; stored < bits; stored += 8)
      store |= (guint)*packed++ << stored;
    values[i] = (guint16)(store & mask);
    store >>= bits;
    stored -= bits;
  }
}

void
oct_unpack_pairs (
    const guint8 *packed, guint16 *values, gsize count, guint bits)
{
  guint low = bits - 8, mask = (1u << low) - 1;

  for (gsize i = 0; i < count / 2; i++) {
    guint first = packed[3 * i], both = packed[3 * i + 1];
    guint second = packed[3 * i + 2];

    values[2 * i] = (guint16)(first << low | (both & mask));
    values[2 * i + 1] = (guint16)(second << low | (both >> 4 & mask));
  }
}
