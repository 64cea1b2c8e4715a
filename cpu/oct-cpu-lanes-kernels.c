/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Compiled once per set of vectors: OCT_KERNELS is the name of the table,
 * OCT_WIDTH the floats of a vector.
 */
#include "oct-cpu-lanes-kernels.h"

#define LANES 16
#define W OCT_WIDTH

typedef float V
    __attribute__ ((vector_size (4 * W), aligned (4 * W), may_alias));

/* ------------------------------------------------- transforms of few values
 * In place, of re[] and im[]: value a, b, ... to bin 0, 1, ... */

#define DFT2(a, b)                                                             \
  do {                                                                         \
    V r = re[a], i = im[a];                                                    \
    re[a] = r + re[b];                                                         \
    im[a] = i + im[b];                                                         \
    re[b] = r - re[b];                                                         \
    im[b] = i - im[b];                                                         \
  } while (0)

#define SIN_60 0.86602540378443864676f

#define DFT3(a, b, c)                                                          \
  do {                                                                         \
    V sr = re[b] + re[c], si = im[b] + im[c];                                  \
    V dr = SIN_60 * (im[b] - im[c]), di = SIN_60 * (re[c] - re[b]);            \
    V mr = re[a] - 0.5f * sr, mi = im[a] - 0.5f * si;                          \
    re[a] += sr;                                                               \
    im[a] += si;                                                               \
    re[b] = mr + dr;                                                           \
    im[b] = mi + di;                                                           \
    re[c] = mr - dr;                                                           \
    im[c] = mi - di;                                                           \
  } while (0)

#define DFT4(a, b, c, d)                                                       \
  do {                                                                         \
    V r0 = re[a] + re[c], i0 = im[a] + im[c];                                  \
    V r1 = re[a] - re[c], i1 = im[a] - im[c];                                  \
    V r2 = re[b] + re[d], i2 = im[b] + im[d];                                  \
    V r3 = im[b] - im[d], i3 = re[d] - re[b];                                  \
    re[a] = r0 + r2;                                                           \
    im[a] = i0 + i2;                                                           \
    re[b] = r1 + r3;                                                           \
    im[b] = i1 + i3;                                                           \
    re[c] = r0 - r2;                                                           \
    im[c] = i0 - i2;                                                           \
    re[d] = r1 - r3;                                                           \
    im[d] = i1 - i3;                                                           \
  } while (0)

#define COS_72 0.30901699437494742410f
#define COS_144 -0.80901699437494742410f
#define SIN_72 0.95105651629515357212f
#define SIN_144 0.58778525229247312917f

#define DFT5(a, b, c, d, e)                                                    \
  do {                                                                         \
    V r1 = re[b] + re[e], i1 = im[b] + im[e];                                  \
    V r2 = re[c] + re[d], i2 = im[c] + im[d];                                  \
    V x1 = im[b] - im[e], y1 = re[e] - re[b];                                  \
    V x2 = im[c] - im[d], y2 = re[d] - re[c];                                  \
    V pr = re[a] + COS_72 * r1 + COS_144 * r2;                                 \
    V pi = im[a] + COS_72 * i1 + COS_144 * i2;                                 \
    V qr = re[a] + COS_144 * r1 + COS_72 * r2;                                 \
    V qi = im[a] + COS_144 * i1 + COS_72 * i2;                                 \
    V ur = SIN_72 * x1 + SIN_144 * x2, ui = SIN_72 * y1 + SIN_144 * y2;        \
    V vr = SIN_144 * x1 - SIN_72 * x2, vi = SIN_144 * y1 - SIN_72 * y2;        \
    re[a] += r1 + r2;                                                          \
    im[a] += i1 + i2;                                                          \
    re[b] = pr + ur;                                                           \
    im[b] = pi + ui;                                                           \
    re[c] = qr + vr;                                                           \
    im[c] = qi + vi;                                                           \
    re[d] = qr - vr;                                                           \
    im[d] = qi - vi;                                                           \
    re[e] = pr - ur;                                                           \
    im[e] = pi - ui;                                                           \
  } while (0)

#define COS_7_1 0.62348980185873353053f
#define COS_7_2 -0.22252093395631440429f
#define COS_7_3 -0.90096886790241912624f
#define SIN_7_1 0.78183148246802980871f
#define SIN_7_2 0.97492791218182360702f
#define SIN_7_3 0.43388373911755812048f

/* bins k and 7 - k: cosines and sines of 1, 2 and 3 times k / 7 */
#define PAIR7(k, c1, c2, c3, s1, s2, s3)                                       \
  do {                                                                         \
    V ur = r0 + c1 * r1 + c2 * r2 + c3 * r3;                                   \
    V ui = i0 + c1 * i1 + c2 * i2 + c3 * i3;                                   \
    V vr = s1 * x1 + s2 * x2 + s3 * x3;                                        \
    V vi = s1 * y1 + s2 * y2 + s3 * y3;                                        \
    re[k] = ur + vr;                                                           \
    im[k] = ui + vi;                                                           \
    re[7 - (k)] = ur - vr;                                                     \
    im[7 - (k)] = ui - vi;                                                     \
  } while (0)

#define DFT_7                                                                  \
  do {                                                                         \
    V r0 = re[0], i0 = im[0];                                                  \
    V r1 = re[1] + re[6], i1 = im[1] + im[6];                                  \
    V r2 = re[2] + re[5], i2 = im[2] + im[5];                                  \
    V r3 = re[3] + re[4], i3 = im[3] + im[4];                                  \
    V x1 = im[1] - im[6], y1 = re[6] - re[1];                                  \
    V x2 = im[2] - im[5], y2 = re[5] - re[2];                                  \
    V x3 = im[3] - im[4], y3 = re[4] - re[3];                                  \
    re[0] = r0 + (r1 + r2 + r3);                                               \
    im[0] = i0 + (i1 + i2 + i3);                                               \
    PAIR7 (1, COS_7_1, COS_7_2, COS_7_3, SIN_7_1, SIN_7_2, SIN_7_3);           \
    PAIR7 (2, COS_7_2, COS_7_3, COS_7_1, SIN_7_2, -SIN_7_3, -SIN_7_1);         \
    PAIR7 (3, COS_7_3, COS_7_1, COS_7_2, SIN_7_3, -SIN_7_1, SIN_7_2);          \
  } while (0)

/* value a times c - i s */
#define TURN(a, c, s)                                                          \
  do {                                                                         \
    V r = re[a];                                                               \
    re[a] = r * (c) + im[a] * (s);                                             \
    im[a] = im[a] * (c)-r * (s);                                               \
  } while (0)

/* value a times -i */
#define TURN_90(a)                                                             \
  do {                                                                         \
    V r = re[a];                                                               \
    re[a] = im[a];                                                             \
    im[a] = -r;                                                                \
  } while (0)

#define HALF_ROOT 0.70710678118654752440f
#define TURN_45(a)                                                             \
  do {                                                                         \
    V r = re[a];                                                               \
    re[a] = HALF_ROOT * (r + im[a]);                                           \
    im[a] = HALF_ROOT * (im[a] - r);                                           \
  } while (0)
#define TURN_135(a)                                                            \
  do {                                                                         \
    V r = re[a];                                                               \
    re[a] = HALF_ROOT * (im[a] - r);                                           \
    im[a] = -HALF_ROOT * (r + im[a]);                                          \
  } while (0)

#define COS_22 0.92387953251128675613f
#define SIN_22 0.38268343236508977173f
#define COS_40 0.76604444311897803520f
#define SIN_40 0.64278760968653932632f
#define COS_80 0.17364817766693034885f
#define SIN_80 0.98480775301220805937f
#define COS_160 -0.93969262078590838405f
#define SIN_160 0.34202014332566873304f

/* A transform of all values, in an order of reading and writing that needs the
 * fewest registers: LOAD (e) value e, STORE (k, place) bin k.  Lengths of
 * coprime factors r1 r2 read value r2 n1 + r1 n2 modulo r, and there is bin k
 * with n1 = k modulo r1 and n2 = k modulo r2 (Good and Thomas). */

#define LOAD2(a, b)                                                            \
  LOAD (a);                                                                    \
  LOAD (b);                                                                    \
  DFT2 (a, b)

#define LOAD3(a, b, c)                                                         \
  LOAD (a);                                                                    \
  LOAD (b);                                                                    \
  LOAD (c);                                                                    \
  DFT3 (a, b, c)

#define LOAD4(a, b, c, d)                                                      \
  LOAD (a);                                                                    \
  LOAD (c);                                                                    \
  LOAD (b);                                                                    \
  LOAD (d);                                                                    \
  DFT4 (a, b, c, d)

/* bins k, l, ... come out at a, b, ... */
#define STORE2(a, b, k, l)                                                     \
  DFT2 (a, b);                                                                 \
  STORE (k, a);                                                                \
  STORE (l, b)

#define STORE3(a, b, c, k, l, m)                                               \
  DFT3 (a, b, c);                                                              \
  STORE (k, a);                                                                \
  STORE (l, b);                                                                \
  STORE (m, c)

#define STORE4(a, b, c, d, k, l, m, n)                                         \
  DFT4 (a, b, c, d);                                                           \
  STORE (k, a);                                                                \
  STORE (l, b);                                                                \
  STORE (m, c);                                                                \
  STORE (n, d)

#define STORE5(a, b, c, d, e, k, l, m, n, o)                                   \
  DFT5 (a, b, c, d, e);                                                        \
  STORE (k, a);                                                                \
  STORE (l, b);                                                                \
  STORE (m, c);                                                                \
  STORE (n, d);                                                                \
  STORE (o, e)

#define RADIX_1                                                                \
  LOAD (0);                                                                    \
  STORE (0, 0)

#define RADIX_2                                                                \
  LOAD (0);                                                                    \
  LOAD (1);                                                                    \
  STORE2 (0, 1, 0, 1)

#define RADIX_3                                                                \
  LOAD (0);                                                                    \
  LOAD (1);                                                                    \
  LOAD (2);                                                                    \
  STORE3 (0, 1, 2, 0, 1, 2)

#define RADIX_4                                                                \
  LOAD (0);                                                                    \
  LOAD (2);                                                                    \
  LOAD (1);                                                                    \
  LOAD (3);                                                                    \
  STORE4 (0, 1, 2, 3, 0, 1, 2, 3)

#define RADIX_5                                                                \
  LOAD (0);                                                                    \
  LOAD (1);                                                                    \
  LOAD (2);                                                                    \
  LOAD (3);                                                                    \
  LOAD (4);                                                                    \
  STORE5 (0, 1, 2, 3, 4, 0, 1, 2, 3, 4)

#define RADIX_6                                                                \
  LOAD2 (0, 3);                                                                \
  LOAD2 (2, 5);                                                                \
  LOAD2 (4, 1);                                                                \
  STORE3 (0, 2, 4, 0, 4, 2);                                                   \
  STORE3 (3, 5, 1, 3, 1, 5)

#define RADIX_7                                                                \
  LOAD (0);                                                                    \
  LOAD (1);                                                                    \
  LOAD (2);                                                                    \
  LOAD (3);                                                                    \
  LOAD (4);                                                                    \
  LOAD (5);                                                                    \
  LOAD (6);                                                                    \
  DFT_7;                                                                       \
  STORE (0, 0);                                                                \
  STORE (1, 1);                                                                \
  STORE (2, 2);                                                                \
  STORE (3, 3);                                                                \
  STORE (4, 4);                                                                \
  STORE (5, 5);                                                                \
  STORE (6, 6)

#define RADIX_8                                                                \
  LOAD4 (0, 2, 4, 6);                                                          \
  LOAD4 (1, 3, 5, 7);                                                          \
  TURN_45 (3);                                                                 \
  TURN_90 (5);                                                                 \
  TURN_135 (7);                                                                \
  STORE2 (0, 1, 0, 4);                                                         \
  STORE2 (2, 3, 1, 5);                                                         \
  STORE2 (4, 5, 2, 6);                                                         \
  STORE2 (6, 7, 3, 7)

#define RADIX_9                                                                \
  LOAD3 (0, 3, 6);                                                             \
  LOAD3 (1, 4, 7);                                                             \
  TURN (4, COS_40, SIN_40);                                                    \
  TURN (7, COS_80, SIN_80);                                                    \
  LOAD3 (2, 5, 8);                                                             \
  TURN (5, COS_80, SIN_80);                                                    \
  TURN (8, COS_160, SIN_160);                                                  \
  STORE3 (0, 1, 2, 0, 3, 6);                                                   \
  STORE3 (3, 4, 5, 1, 4, 7);                                                   \
  STORE3 (6, 7, 8, 2, 5, 8)

#define RADIX_10                                                               \
  LOAD2 (0, 5);                                                                \
  LOAD2 (2, 7);                                                                \
  LOAD2 (4, 9);                                                                \
  LOAD2 (6, 1);                                                                \
  LOAD2 (8, 3);                                                                \
  STORE5 (0, 2, 4, 6, 8, 0, 6, 2, 8, 4);                                       \
  STORE5 (5, 7, 9, 1, 3, 5, 1, 7, 3, 9)

#define RADIX_12                                                               \
  LOAD4 (0, 3, 6, 9);                                                          \
  LOAD4 (4, 7, 10, 1);                                                         \
  LOAD4 (8, 11, 2, 5);                                                         \
  STORE3 (0, 4, 8, 0, 4, 8);                                                   \
  STORE3 (3, 7, 11, 9, 1, 5);                                                  \
  STORE3 (6, 10, 2, 6, 10, 2);                                                 \
  STORE3 (9, 1, 5, 3, 7, 11)

#define RADIX_15                                                               \
  LOAD3 (0, 5, 10);                                                            \
  LOAD3 (3, 8, 13);                                                            \
  LOAD3 (6, 11, 1);                                                            \
  LOAD3 (9, 14, 4);                                                            \
  LOAD3 (12, 2, 7);                                                            \
  STORE5 (0, 3, 6, 9, 12, 0, 6, 12, 3, 9);                                     \
  STORE5 (5, 8, 11, 14, 2, 10, 1, 7, 13, 4);                                   \
  STORE5 (10, 13, 1, 4, 7, 5, 11, 2, 8, 14)

#define RADIX_16                                                               \
  LOAD4 (0, 4, 8, 12);                                                         \
  LOAD4 (1, 5, 9, 13);                                                         \
  TURN (5, COS_22, SIN_22);                                                    \
  TURN_45 (9);                                                                 \
  TURN (13, SIN_22, COS_22);                                                   \
  LOAD4 (2, 6, 10, 14);                                                        \
  TURN_45 (6);                                                                 \
  TURN_90 (10);                                                                \
  TURN_135 (14);                                                               \
  LOAD4 (3, 7, 11, 15);                                                        \
  TURN (7, SIN_22, COS_22);                                                    \
  TURN_135 (11);                                                               \
  TURN (15, -COS_22, -SIN_22);                                                 \
  STORE4 (0, 1, 2, 3, 0, 4, 8, 12);                                            \
  STORE4 (4, 5, 6, 7, 1, 5, 9, 13);                                            \
  STORE4 (8, 9, 10, 11, 2, 6, 10, 14);                                         \
  STORE4 (12, 13, 14, 15, 3, 7, 11, 15)

/* ------------------------------------------------------------------ steps */

#define AT(pointer) (*(V *)(pointer))
#define FROM(pointer) (*(const V *)(pointer))

/* Makes the compiler compute the addresses of values when needed: otherwise it
 * stores 64 of them on the stack, and reads each from there. */
#define FRESH(variable) __asm__("" : "+r"(variable))

/* If a vector is shorter than the lanes, the values of one transform are copied
 * through an array: rows a power of two apart share cache sets, and would be
 * evicted before the other half of their lanes is read or written. */
#define DIRECT (W == LANES)

static inline __attribute__ ((always_inline)) void
copy_value (const float *from, float *to)
{
  V value[OCT_LANES_VALUE / W];

  for (guint i = 0; i < OCT_LANES_VALUE / W; i++)
    value[i] = FROM (from + i * W);
  for (guint i = 0; i < OCT_LANES_VALUE / W; i++)
    AT (to + i * W) = value[i];
}

#define LOAD(e)                                                                \
  do {                                                                         \
    re[e] = FROM (from + (e)*in_row);                                          \
    im[e] = FROM (from_im + (e)*in_row);                                       \
  } while (0)

/* turned */
#define STORE(k, place)                                                        \
  do {                                                                         \
    float *at = to + (k)*out_row;                                              \
    V r = re[place], i = im[place];                                            \
    if ((k) > 0) {                                                             \
      float c = twiddles[2 * (k)-2], s = twiddles[2 * (k)-1];                  \
      AT (at) = r * c - i * s;                                                 \
      AT (at + LANES) = i * c + r * s;                                         \
    } else {                                                                   \
      AT (at) = r;                                                             \
      AT (at + LANES) = i;                                                     \
    }                                                                          \
  } while (0)

#define DEFINE_PASS(radix)                                                     \
  static void pass_##radix (                                                   \
      float *work, gsize row, const float *twiddles, guint columns)            \
  {                                                                            \
    for (guint j = 0; j < columns; j++, twiddles += 2 * (radix - 1)) {         \
      for (guint lane = 0; lane < LANES; lane += W) {                          \
        const float *from = work + (gsize)j * OCT_LANES_VALUE + lane;          \
        const float *from_im = from + LANES;                                   \
        float *to = work + (gsize)j * OCT_LANES_VALUE + lane;                  \
        gsize in_row = row, out_row = row;                                     \
        V re[radix], im[radix];                                                \
        FRESH (in_row);                                                        \
        FRESH (out_row);                                                       \
        RADIX_##radix;                                                         \
      }                                                                        \
    }                                                                          \
  }

#define DEFINE_FIRST(radix)                                                    \
  static void first_##radix (const OctLanesSource *source, float *out,         \
      gsize row, const float *twiddles, guint columns)                         \
  {                                                                            \
    float column[radix * OCT_LANES_VALUE] __attribute__ ((aligned (64)));      \
    gsize far = (gsize)columns * OCT_LANES_VALUE;                              \
    gboolean direct = DIRECT && source->read == NULL;                          \
                                                                               \
    for (guint j = 0; j < columns; j++, twiddles += 2 * (radix - 1)) {         \
      const float *values = column;                                            \
      if (direct)                                                              \
        values = source->in + (gsize)j * OCT_LANES_VALUE;                      \
      else if (source->read != NULL)                                           \
        source->read (source->data, j, columns, radix, column);                \
      else                                                                     \
        for (guint e = 0; e < radix; e++)                                      \
          copy_value (source->in + (gsize)j * OCT_LANES_VALUE + e * far,       \
              column + e * OCT_LANES_VALUE);                                   \
      for (guint lane = 0; lane < LANES; lane += W) {                          \
        const float *from = values + lane + source->flip;                      \
        const float *from_im = from + LANES - 2 * (gssize)source->flip;        \
        float *to = out + (gsize)j * OCT_LANES_VALUE + lane;                   \
        gsize in_row = direct ? far : OCT_LANES_VALUE, out_row = row;          \
        V re[radix], im[radix];                                                \
        FRESH (in_row);                                                        \
        FRESH (out_row);                                                       \
        RADIX_##radix;                                                         \
      }                                                                        \
    }                                                                          \
  }

DEFINE_PASS (2)
DEFINE_PASS (3)
DEFINE_PASS (4)
DEFINE_PASS (5)
DEFINE_PASS (6)
DEFINE_PASS (7)
DEFINE_PASS (8)
DEFINE_PASS (9)
DEFINE_PASS (10)
DEFINE_PASS (12)
DEFINE_PASS (15)
DEFINE_PASS (16)

DEFINE_FIRST (2)
DEFINE_FIRST (3)
DEFINE_FIRST (4)
DEFINE_FIRST (5)
DEFINE_FIRST (6)
DEFINE_FIRST (7)
DEFINE_FIRST (8)
DEFINE_FIRST (9)
DEFINE_FIRST (10)
DEFINE_FIRST (12)
DEFINE_FIRST (15)
DEFINE_FIRST (16)

/* The last step, which may write only a part of the bins. */

#undef LOAD
#define LOAD(e)                                                                \
  do {                                                                         \
    re[e] = FROM (from + (e)*OCT_LANES_VALUE);                                 \
    im[e] = FROM (from_im + (e)*OCT_LANES_VALUE);                              \
  } while (0)

/* The computation does not depend on the place of a bin, so that bins are equal
 * to the last bit whichever are written. */
#undef STORE
#define STORE(k, place)                                                        \
  do {                                                                         \
    float *at = to + (k)*OCT_LANES_VALUE;                                      \
    if (direct)                                                                \
      at = (k) < wanted ? first + (k)*step : to;                               \
    AT (at + re_at) = re[place];                                               \
    AT (at + im_at) = im[place];                                               \
  } while (0)

/* Writes bins start + k step of a block to their places. */
static inline __attribute__ ((always_inline)) void
scatter_bins (const OctLanesTarget *t, gssize start, guint count, float *bins)
{
  if (t->write != NULL) {
    t->write (t->data, (guint)start, (guint)t->step, count, bins);
    return;
  }
  start -= t->first;
  for (guint k = 0; k < count; k++, start += t->step) {
    gssize at = start < 0 ? start + t->length : start;
    if (at < t->count)
      copy_value (bins + k * OCT_LANES_VALUE, t->out + at * OCT_LANES_VALUE);
  }
}

/* The number of bins of a block up to the last one to be written. */
static inline __attribute__ ((always_inline)) gssize
count_wanted (const OctLanesTarget *t, gssize start, gssize radix)
{
  gssize end = t->first + t->count;

  if (end > t->length || start + (radix - 1) * t->step < end)
    return radix;
  return start < end ? (end - start + t->step - 1) / t->step : 0;
}

#define DEFINE_LAST(radix)                                                     \
  static void last_##radix (                                                   \
      const float *in, guint flip, guint blocks, const OctLanesTarget *target) \
  {                                                                            \
    float bins[radix * OCT_LANES_VALUE] __attribute__ ((aligned (64)));        \
    gssize start = target->start, step = target->step * OCT_LANES_VALUE;       \
    gboolean direct = DIRECT && target->first == 0 && target->write == NULL;   \
    guint re_at = target->flip, im_at = LANES - target->flip;                  \
                                                                               \
    for (guint b = 0; b < blocks; b++, start += target->block_step) {          \
      gssize wanted = count_wanted (target, start, radix);                     \
      float *first = target->out + start * OCT_LANES_VALUE;                    \
      for (guint lane = 0; lane < LANES; lane += W) {                          \
        const float *from = in + lane + flip;                                  \
        const float *from_im = from + LANES - 2 * (gssize)flip;                \
        float *to = bins + lane;                                               \
        V re[radix], im[radix];                                                \
        FRESH (step);                                                          \
        RADIX_##radix;                                                         \
      }                                                                        \
      if (!direct)                                                             \
        scatter_bins (target, start, (guint)wanted, bins);                     \
      in += radix * OCT_LANES_VALUE;                                           \
    }                                                                          \
  }

DEFINE_LAST (1)
DEFINE_LAST (2)
DEFINE_LAST (3)
DEFINE_LAST (4)
DEFINE_LAST (5)
DEFINE_LAST (6)
DEFINE_LAST (7)
DEFINE_LAST (8)
DEFINE_LAST (9)
DEFINE_LAST (10)
DEFINE_LAST (12)
DEFINE_LAST (15)
DEFINE_LAST (16)

/* --------------------------------------------------------------- the rest */

static void
cpu_lanes_multiply (const float *in, guint in_flip, const float *factors,
    gsize count, float *out, guint out_flip)
{
  for (gsize i = 0; i < count; i++) {
    float c = factors[2 * i], s = factors[2 * i + 1];
    for (guint lane = 0; lane < LANES; lane += W) {
      const float *from = in + i * OCT_LANES_VALUE + lane;
      float *to = out + i * OCT_LANES_VALUE + lane;
      V re = FROM (from + in_flip), im = FROM (from + (LANES - in_flip));
      AT (to + out_flip) = re * c - im * s;
      AT (to + (LANES - out_flip)) = im * c + re * s;
    }
  }
}

static void
cpu_lanes_kernels_separate (const float *z, guint half, const float *twiddles,
    const float *factors, guint first, guint count, float *out)
{
  for (guint q = first; q < first + count; q++) {
    float factor = factors != NULL ? factors[q - first] : 1;
    float c = factor * twiddles[2 * (gsize)q],
          s = factor * twiddles[2 * (gsize)q + 1];
    float h = 0.5f * factor;
    gsize a = q < half ? q : 0, b = q > 0 ? half - q : 0;
    for (guint lane = 0; lane < LANES; lane += W) {
      const float *x = z + a * OCT_LANES_VALUE + lane;
      const float *y = z + b * OCT_LANES_VALUE + lane;
      float *to = out + (gsize)(q - first) * OCT_LANES_VALUE + lane;
      V dr = FROM (x) - FROM (y), di = FROM (x + LANES) + FROM (y + LANES);
      V sr = FROM (x) + FROM (y), si = FROM (x + LANES) - FROM (y + LANES);
      AT (to) = h * sr + (dr * s + di * c);
      AT (to + LANES) = h * si + (di * s - dr * c);
    }
  }
}

static void
cpu_lanes_join (const float *bins, guint half, const float *twiddles, float *z)
{
  for (guint q = 0; q < half; q++) {
    float c = 2 * twiddles[2 * (gsize)q], s = 2 * twiddles[2 * (gsize)q + 1];
    for (guint lane = 0; lane < LANES; lane += W) {
      const float *x = bins + (gsize)q * OCT_LANES_VALUE + lane;
      const float *y = bins + (gsize)(half - q) * OCT_LANES_VALUE + lane;
      float *to = z + (gsize)q * OCT_LANES_VALUE + lane;
      V xi = FROM (x + LANES), yi = FROM (y + LANES);
      V dr = FROM (x) - FROM (y), sr = FROM (x) + FROM (y), di, si;
      if (q == 0) /* ignored, but NaN stays NaN */
        xi = yi = xi * 0 + yi * 0;
      di = xi + yi;
      si = xi - yi;
      AT (to) = sr + (dr * s - di * c);
      AT (to + LANES) = si + (di * s + dr * c);
    }
  }
}

#define RADIX(list, radix) [radix] = list##_##radix
#define RADICES(list)                                                          \
  RADIX (list, 2), RADIX (list, 3), RADIX (list, 4), RADIX (list, 5),          \
      RADIX (list, 6), RADIX (list, 7), RADIX (list, 8), RADIX (list, 9),      \
      RADIX (list, 10), RADIX (list, 12), RADIX (list, 15), RADIX (list, 16)

const OctLanesKernels OCT_KERNELS = {
  .first = { RADICES (first) },
  .pass = { RADICES (pass) },
  .last = { RADIX (last, 1), RADICES (last) },
  .multiply = cpu_lanes_multiply,
  .separate = cpu_lanes_kernels_separate,
  .join = cpu_lanes_join,
};
