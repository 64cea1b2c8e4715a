/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The median over the lines of a B-scan.
 *
 * A few neighbouring samples of all A-lines, a vector of them, are copied side
 * by side, and the median of each is found by bisection: how many values are
 * there up to the middle of its possible range? That reads the values once per
 * bit of their range, from the cache, without branches.  Floats are mapped to
 * integers in the same order, the non-finite ones after all others.
 */
#include "oct-cpu-background-parts.h"
#include "oct-simd.h"

#include <math.h>
#include <string.h>

/* Bytes of a row that are processed together, one vector: those of 1000 A-lines
 * fit the L1 cache.  On ARM no more than a register holds (oct-cpu-vector.h). */
#ifdef __aarch64__
#  define BLOCK 16
#else
#  define BLOCK 32
#endif
/* blocks that are copied together: rows are a page apart and more */
#define GROUP 8
/* A-lines that are fetched before they are copied */
#define AHEAD 12
/* A-lines that are counted apart, so that none waits for the one before */
#define APART 4

struct _OctCpuMedian {
  OctSampleFormat format;
  guint samples, lines;
  guint8 *scratch; /* [threads][GROUP][lines][BLOCK] */
};

typedef struct {
  OctCpuMedian *median;
  const OctPlane *in;
  double *result;
} Loop;

OctCpuMedian *
oct_cpu_median_new (OctSampleFormat format, guint samples, guint lines,
    guint threads, GError **error)
{
  OctCpuMedian *median = g_new0 (OctCpuMedian, 1);

  median->format = format;
  median->samples = samples;
  median->lines = lines;
  median->scratch =
      oct_cpu_alloc (threads, (gsize)lines * GROUP * BLOCK, error);
  if (median->scratch == NULL)
    g_clear_pointer (&median, oct_cpu_median_free);
  return median;
}

void
oct_cpu_median_free (OctCpuMedian *median)
{
  if (median == NULL)
    return;
  oct_cpu_free (median->scratch);
  g_free (median);
}

/* The possible range of the medians of a vector of samples, as keys. */
typedef struct {
  gint32 low[BLOCK], high[BLOCK]; /* both included */
  gint32 up_to[BLOCK];            /* number of values up to `high` */
  gint32 rank[BLOCK];             /* of the median among all, from 1 */
} Bounds;

/* The middle of each range. */
OCT_VECTORISED static void
cpu_median_halve (const Bounds *b, guint columns, gint32 *restrict limits)
{
  for (guint i = 0; i < columns; i++)
    limits[i] =
        (b->low[i] >> 1) + (b->high[i] >> 1) + (b->low[i] & b->high[i] & 1);
}

/* counts[i] values are up to limits[i].  Returns whether there is more to do.
 */
OCT_VECTORISED static gint32
narrow (Bounds *restrict b, guint columns, const gint32 *restrict limits,
    const gint32 *restrict counts)
{
  gint32 more = 0;

  for (guint i = 0; i < columns; i++) {
    gint32 apart = b->low[i] < b->high[i], reached = counts[i] >= b->rank[i];
    gint32 down = apart & reached, up = apart & !reached;

    b->high[i] = down ? limits[i] : b->high[i];
    b->up_to[i] = down ? counts[i] : b->up_to[i];
    b->low[i] = up ? limits[i] + 1 : b->low[i];
    more |= b->low[i] < b->high[i];
  }
  return more;
}

/* Bits of samples, one or several, as signed numbers of the same order, which
 * processors can compare. */
#define FROM_U8(bits) ((bits) ^ G_MININT8)
#define FROM_U16(bits) ((bits) ^ G_MININT16)
#define IN_ORDER(bits) ((bits) ^ (((bits) >> 31) & G_MAXINT32))
#define IS_ODD(bits) (((bits)&0x7f800000) == 0x7f800000)
#define FROM_F32(bits)                                                         \
  ((IN_ORDER (bits) & ~IS_ODD (bits)) | (G_MAXINT32 & IS_ODD (bits)))

static double
value_u8 (gint64 key)
{
  return (double)(key + 0x80);
}

static double
value_u16 (gint64 key)
{
  return (double)(key + 0x8000);
}

static double
value_f32 (gint64 key)
{
  gint32 bits = (gint32)key;
  float value;

  bits = IN_ORDER (bits); /* the way back as well */
  memcpy (&value, &bits, sizeof value);
  return value;
}

/* masks of those that count: all bits, or none */
#define FINITE_U8(keys) ((keys) == (keys))
#define FINITE_U16(keys) ((keys) == (keys))
#define FINITE_F32(keys) ((keys) < G_MAXINT32)

#define LARGEST(key) ((key)((1ull << (8 * sizeof (key) - 1)) - 1))
#define CHOOSE(mask, a, b) (((a) & (mask)) | ((b) & ~(mask)))

/* key: as many bits as a sample has; most: A-lines whose number a key can hold.
 */
#define DEFINE_MEDIAN(name, key, KIND, most)                                   \
  typedef key Vector_##name __attribute__ ((vector_size (BLOCK)));             \
  enum { COLUMNS_##name = BLOCK / sizeof (key) };                              \
                                                                               \
  /* [GROUP][lines], zeros after the last of `columns` */                      \
  OCT_VECTORISED static void gather_##name (const guint8 *rows, gsize stride,  \
      guint lines, guint columns, Vector_##name *restrict to)                  \
  {                                                                            \
    for (guint line = 0; line < lines; line++) {                               \
      const guint8 *row = rows + line * stride;                                \
      gsize left = columns * sizeof (key), b = 0;                              \
      for (gsize at = 0; at < left; at += 64)                                  \
        __builtin_prefetch (row + AHEAD * stride + at);                        \
      for (; left >= BLOCK; left -= BLOCK, b++) {                              \
        Vector_##name bits;                                                    \
        memcpy (&bits, row + b * BLOCK, BLOCK);                                \
        to[b * lines + line] = (Vector_##name)FROM_##KIND (bits);              \
      }                                                                        \
      if (left > 0) {                                                          \
        Vector_##name bits = { 0 };                                            \
        memcpy (&bits, row + b * BLOCK, left);                                 \
        to[b * lines + line] = (Vector_##name)FROM_##KIND (bits);              \
      }                                                                        \
    }                                                                          \
  }                                                                            \
                                                                               \
  /* counts[i]: how many values are up to limits[i] */                         \
  OCT_VECTORISED static void count_##name (const Vector_##name *values,        \
      guint lines, const Vector_##name *limits, gint32 *counts)                \
  {                                                                            \
    Vector_##name limit = *limits;                                             \
                                                                               \
    memset (counts, 0, COLUMNS_##name * sizeof *counts);                       \
    for (guint first = 0; first < lines; first += APART * (most)) {            \
      guint end = MIN (lines, first + APART * (most)), line = first;           \
      Vector_##name above[APART] = { { 0 } };                                  \
      for (; line + APART <= end; line += APART)                               \
        for (guint k = 0; k < APART; k++) /* a mask is -1 */                   \
          above[k] -= (Vector_##name) (values[line + k] > limit);              \
      for (; line < end; line++)                                               \
        above[0] -= (Vector_##name) (values[line] > limit);                    \
      for (guint k = 0; k < APART; k++)                                        \
        for (guint i = 0; i < COLUMNS_##name; i++)                             \
          counts[i] -= ((const key *)&above[k])[i];                            \
      for (guint i = 0; i < COLUMNS_##name; i++)                               \
        counts[i] += (gint32)(end - first);                                    \
    }                                                                          \
  }                                                                            \
                                                                               \
  /* The range of the finite values. */                                        \
  OCT_VECTORISED static void range_##name (const Vector_##name *values,        \
      guint lines, Vector_##name *least, Vector_##name *largest)               \
  {                                                                            \
    Vector_##name low = *values - *values + LARGEST (key);                     \
    Vector_##name high = -low - 1;                                             \
                                                                               \
    for (guint line = 0; line < lines; line++) {                               \
      Vector_##name value = values[line];                                      \
      Vector_##name counts = (Vector_##name)FINITE_##KIND (value);             \
      Vector_##name below = counts & (Vector_##name) (value < low);            \
      Vector_##name above = counts & (Vector_##name) (value > high);           \
      low = CHOOSE (below, value, low);                                        \
      high = CHOOSE (above, value, high);                                      \
    }                                                                          \
    *least = low;                                                              \
    *largest = high;                                                           \
  }                                                                            \
                                                                               \
  /* The least value above each limit. */                                      \
  OCT_VECTORISED static void next_##name (const Vector_##name *values,         \
      guint lines, const Vector_##name *limits, Vector_##name *next)           \
  {                                                                            \
    Vector_##name limit = *limits, least = limit - limit + LARGEST (key);      \
                                                                               \
    for (guint line = 0; line < lines; line++) {                               \
      Vector_##name value = values[line];                                      \
      Vector_##name between =                                                  \
          (Vector_##name) (value > limit) & (Vector_##name) (value < least);   \
      least = CHOOSE (between, value, least);                                  \
    }                                                                          \
    *next = least;                                                             \
  }                                                                            \
                                                                               \
  static void search_##name (                                                  \
      const Vector_##name *values, guint lines, Bounds *b)                     \
  {                                                                            \
    gint32 limits[COLUMNS_##name], counts[COLUMNS_##name];                     \
    key limit[COLUMNS_##name];                                                 \
    Vector_##name keys;                                                        \
                                                                               \
    do {                                                                       \
      cpu_median_halve (b, COLUMNS_##name, limits);                            \
      for (guint i = 0; i < COLUMNS_##name; i++)                               \
        limit[i] = (key)limits[i];                                             \
      memcpy (&keys, limit, sizeof keys);                                      \
      count_##name (values, lines, &keys, counts);                             \
    } while (narrow (b, COLUMNS_##name, limits, counts));                      \
  }                                                                            \
                                                                               \
  static void find_##name (                                                    \
      const Vector_##name *values, guint lines, guint columns, double *result) \
  {                                                                            \
    gint32 number[COLUMNS_##name];                                             \
    Vector_##name least, largest, next = { 0 };                                \
    gboolean between = FALSE;                                                  \
    Bounds b;                                                                  \
                                                                               \
    range_##name (values, lines, &least, &largest);                            \
    count_##name (values, lines, &largest, number);                            \
    for (guint i = 0; i < COLUMNS_##name; i++) {                               \
      if (least[i] > largest[i])                                               \
        number[i] = 0;                                                         \
      b.low[i] = least[i];                                                     \
      b.high[i] = largest[i];                                                  \
      b.up_to[i] = number[i];                                                  \
      b.rank[i] = (number[i] - 1) / 2 + 1;                                     \
    }                                                                          \
    search_##name (values, lines, &b);                                         \
    for (guint i = 0; i < COLUMNS_##name; i++) {                               \
      least[i] = number[i] > 0 ? (key)b.low[i] : 0;                            \
      between |= number[i] > 0 && b.up_to[i] <= number[i] / 2;                 \
    }                                                                          \
    if (between)                                                               \
      next_##name (values, lines, &least, &next);                              \
    for (guint i = 0; i < columns; i++) {                                      \
      key upper = b.up_to[i] > number[i] / 2 ? least[i] : next[i];             \
      result[i] = number[i] == 0                                               \
                      ? NAN                                                    \
                      : (value_##name (least[i]) + value_##name (upper)) / 2;  \
    }                                                                          \
  }                                                                            \
                                                                               \
  static void group_##name (const Loop *loop, guint group, guint8 *scratch)    \
  {                                                                            \
    guint first = group * GROUP * COLUMNS_##name, lines = loop->median->lines; \
    guint columns =                                                            \
        MIN (GROUP * COLUMNS_##name, loop->median->samples - first);           \
    Vector_##name *values = (Vector_##name *)scratch;                          \
                                                                               \
    gather_##name ((const guint8 *)loop->in->data + first * sizeof (key),      \
        loop->in->stride, lines, columns, values);                             \
    for (guint i = 0; i < columns; i += COLUMNS_##name, values += lines)       \
      find_##name (values, lines, MIN (COLUMNS_##name, columns - i),           \
          loop->result + first + i);                                           \
  }

DEFINE_MEDIAN (u8, gint8, U8, G_MAXINT8 - APART)
DEFINE_MEDIAN (u16, gint16, U16, G_MAXINT16 - APART)
/* there are never as many A-lines as such keys can hold */
DEFINE_MEDIAN (f32, gint32, F32, OCT_MAX_LINES)

static void
find_groups (gpointer data, guint first, guint end, guint thread)
{
  const Loop *loop = data;
  OctSampleFormat format = loop->median->format;
  guint8 *scratch = loop->median->scratch
                    + (gsize)thread * loop->median->lines * GROUP * BLOCK;

  for (guint group = first; group < end; group++)
    if (format == OCT_SAMPLE_U8)
      group_u8 (loop, group, scratch);
    else if (format == OCT_SAMPLE_U16)
      group_u16 (loop, group, scratch);
    else
      group_f32 (loop, group, scratch);
}

void
oct_cpu_median_find (
    OctCpuMedian *median, const OctPlane *in, guint threads, double *result)
{
  Loop loop = { median, in, result };
  guint columns =
      GROUP * BLOCK / (guint)oct_sample_format_size (median->format);

  oct_parallel_for ((median->samples + columns - 1) / columns, 1, threads,
      find_groups, &loop);
}
