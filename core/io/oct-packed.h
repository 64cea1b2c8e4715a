/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Values of 10 to 14 bits as cameras pack them, by the names of GenICam's Pixel
 * Format Naming Convention:
 *
 *   Mono10p, Mono12p, Mono14p    one value after the other, lowest bits first
 *   Mono10Packed, Mono12Packed   two values in three bytes: the upper 8 bits of
 *                                the first, the lower bits of both (the first
 *                                in bits 0 ..., the second in bits 4 ...), the
 *                                upper 8 bits of the second
 *
 * without a gap between lines.  `packed` may be the last bytes of the memory of
 * `values`: bytes are read before a value takes their place.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The first kind; reads `count` values of `bits` bits, whole bytes. */
void oct_unpack_bits (
    const guint8 *packed, guint16 *values, gsize count, guint bits);

/* The second kind, `bits` is 10 or 12; `count` is even. */
void oct_unpack_pairs (
    const guint8 *packed, guint16 *values, gsize count, guint bits);

G_END_DECLS
