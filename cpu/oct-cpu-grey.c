/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-cpu-grey.h"

#include "oct-contrast.h"
#include "oct-cpu-lanes.h"
#include "oct-simd.h"

#include <math.h>

/* rows that are mapped together */
#define MAP_ROWS 8

/* Compared as integers, powers below the floor and NaN with a sign are alike.
 * Without a branch the loop is vectorised. */
OCT_INLINE float
level_log (float power, const OctCpuGrey *map)
{
  gint32 bits = oct_cpu_bits (power), exponent;
  float fraction = oct_cpu_log2 (MAX (bits, OCT_CONTRAST_ZERO_BITS), &exponent);

  return (float)(exponent - map->reference) * map->scale
         + (fraction * map->scale + map->offset);
}

OCT_INLINE float
level_linear (float power, const OctCpuGrey *map)
{
  return (power - map->offset) * map->scale;
}

/* Rounds to the nearest level, ties to even: floats beyond 2^23 are integers.
 * NaN becomes level 0. */
OCT_INLINE guint32
finish_level (float level, float power, float full)
{
  gint32 is_number = (oct_cpu_bits (power) & 0x7fffffff) <= 0x7f800000;

  level = level > 0 ? level : 0;
  level = level < full ? level : full;
  level = (level + 8388608.f) - 8388608.f;
  return (guint32)((gint32)level & -is_number);
}

/* Several rows at a time, in loops long enough for the compiler. */
#define DEFINE_MAP(name, level_of, type, factor, alpha)                        \
  OCT_VECTORISED static void name (const float *power, gsize block_step,       \
      guint lines, guint rows, const OctCpuGrey *mapping, guint8 *out,         \
      gsize out_stride)                                                        \
  {                                                                            \
    OctCpuGrey map = *mapping;                                                 \
    guint32 levels[MAP_ROWS * OCT_LANES] __attribute__ ((aligned (64)));       \
    type pixels[MAP_ROWS * OCT_LANES] __attribute__ ((aligned (64)));          \
                                                                               \
    for (guint line = 0; line < lines; line += OCT_LANES) {                    \
      const float *block = power + line / OCT_LANES * block_step;              \
      gsize bytes = MIN (OCT_LANES, lines - line) * sizeof (type);             \
      for (guint row = 0; row < rows; row += MAP_ROWS) {                       \
        const float *from = block + (gsize)row * OCT_LANES;                    \
        guint8 *to = out + row * out_stride + line * sizeof (type);            \
        guint some = MIN (MAP_ROWS, rows - row);                               \
        for (guint i = 0; i < some * OCT_LANES; i++)                           \
          levels[i] =                                                          \
              finish_level (level_of (from[i], &map), from[i], map.full);      \
        for (guint i = 0; i < some * OCT_LANES; i++)                           \
          pixels[i] = (type)(levels[i] * factor + alpha);                      \
        for (guint k = 0; k < some; k++, to += out_stride) {                   \
          if (bytes == sizeof (type) * OCT_LANES)                              \
            memcpy (to, pixels + k * OCT_LANES, sizeof (type) * OCT_LANES);    \
          else                                                                 \
            memcpy (to, pixels + k * OCT_LANES, bytes);                        \
        }                                                                      \
      }                                                                        \
    }                                                                          \
  }

DEFINE_MAP (map_log_8, level_log, guint8, 1u, 0u)
DEFINE_MAP (map_log_16, level_log, guint16, 1u, 0u)
DEFINE_MAP (map_log_rgba, level_log, guint32, 0x010101u, 0xff000000u)
DEFINE_MAP (map_linear_8, level_linear, guint8, 1u, 0u)
DEFINE_MAP (map_linear_16, level_linear, guint16, 1u, 0u)
DEFINE_MAP (map_linear_rgba, level_linear, guint32, 0x010101u, 0xff000000u)

typedef void (*MapFunction) (const float *power, gsize block_step, guint lines,
    guint rows, const OctCpuGrey *mapping, guint8 *out, gsize out_stride);

static const struct {
  guint pixel_size;
  float full;
  MapFunction map[2]; /* by OctScale */
} image_formats[] = {
  [OCT_IMAGE_GRAY8] = { 1, 255, { map_log_8, map_linear_8 } },
  [OCT_IMAGE_GRAY16] = { 2, 65535, { map_log_16, map_linear_16 } },
  [OCT_IMAGE_NV12] = { 1, 255, { map_log_8, map_linear_8 } },
  [OCT_IMAGE_RGBA] = { 4, 255, { map_log_rgba, map_linear_rgba } },
};

guint
oct_cpu_grey_pixel_size (OctImageFormat format)
{
  return image_formats[format].pixel_size;
}

void
oct_cpu_grey_init (OctCpuGrey *grey, OctImageFormat format, OctScale scale,
    double min, double max)
{
  double full = image_formats[format].full;

  /* without an extent every level is below 0 */
  *grey = (OctCpuGrey){
    .format = format, .kind = scale, .offset = -1, .full = (float)full
  };
  if (!(max > min))
    return;
  if (scale == OCT_SCALE_LINEAR) {
    grey->scale = (float)(full / (max - min));
    grey->offset = (float)min;
    return;
  }
  /* counted from the octave of the minimum, the terms stay small */
  grey->reference =
      (gint32)CLAMP (floor (min / OCT_CPU_DB_PER_OCTAVE), -1e6, 1e6);
  grey->scale = (float)(full * OCT_CPU_DB_PER_OCTAVE / (max - min));
  grey->offset = (float)((grey->reference * OCT_CPU_DB_PER_OCTAVE - min) * full
                         / (max - min));
}

void
oct_cpu_grey_map (const OctCpuGrey *grey, const float *power, gsize block_step,
    guint lines, guint rows, guint8 *out, gsize out_stride)
{
  image_formats[grey->format].map[grey->kind](
      power, block_step, lines, rows, grey, out, out_stride);
}
