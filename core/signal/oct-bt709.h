/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Colours as video has them: ITU-R BT.709, 16 .. 235 (luma) and 16 .. 240
 * (chroma), of R, G, B from 0 to 255, in whole numbers.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* In 1/65536. */
static inline guint8
oct_bt709_luma (gint red, gint green, gint blue)
{
  return (
      guint8)((11966 * red + 40254 * green + 4064 * blue + (16 << 16) + 32768)
              >> 16);
}

/* Chroma of one pixel, without the middle of 128: oct_bt709_chroma() takes the
 * sum over the four pixels of a square. */
static inline gint32
oct_bt709_blue (gint red, gint green, gint blue)
{
  return -6596 * red - 22189 * green + 28785 * blue;
}

static inline gint32
oct_bt709_red (gint red, gint green, gint blue)
{
  return 28785 * red - 26145 * green - 2640 * blue;
}

static inline guint8
oct_bt709_chroma (gint32 sum_of_four)
{
  return (guint8)((sum_of_four + (128 << 18) + (1 << 17)) >> 18);
}

G_END_DECLS
