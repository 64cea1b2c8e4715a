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

#ifdef __clang__
#  define UNROLL _Pragma ("clang loop unroll(full)")
#else
#  define UNROLL _Pragma ("GCC unroll 16")
#endif

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

/* Of all values of re[] and im[]: DFT_r leaves bin k at PLACE_r (k).  Lengths
 * of coprime factors r1 r2 read value r2 n1 + r1 n2 modulo r, and there is bin
 * k with n1 = k modulo r1 and n2 = k modulo r2 (Good and Thomas). */
#define DFT_2 DFT2 (0, 1)
#define PLACE_2(k) (k)
#define DFT_3 DFT3 (0, 1, 2)
#define PLACE_3(k) (k)
#define DFT_4 DFT4 (0, 1, 2, 3)
#define PLACE_4(k) (k)
#define DFT_5 DFT5 (0, 1, 2, 3, 4)
#define PLACE_5(k) (k)

#define DFT_6                                                                  \
  do {                                                                         \
    DFT2 (0, 3);                                                               \
    DFT2 (2, 5);                                                               \
    DFT2 (4, 1);                                                               \
    DFT3 (0, 2, 4);                                                            \
    DFT3 (3, 5, 1);                                                            \
  } while (0)
#define PLACE_6(k) ((3 * ((k) % 2) + 2 * ((k) % 3)) % 6)

#define PLACE_7(k) (k)

#define DFT_8                                                                  \
  do {                                                                         \
    DFT4 (0, 2, 4, 6);                                                         \
    DFT4 (1, 3, 5, 7);                                                         \
    TURN_45 (3);                                                               \
    TURN_90 (5);                                                               \
    TURN_135 (7);                                                              \
    DFT2 (0, 1);                                                               \
    DFT2 (2, 3);                                                               \
    DFT2 (4, 5);                                                               \
    DFT2 (6, 7);                                                               \
  } while (0)
#define PLACE_8(k) (2 * ((k) % 4) + (k) / 4)

#define DFT_9                                                                  \
  do {                                                                         \
    DFT3 (0, 3, 6);                                                            \
    DFT3 (1, 4, 7);                                                            \
    DFT3 (2, 5, 8);                                                            \
    TURN (4, COS_40, SIN_40);                                                  \
    TURN (5, COS_80, SIN_80);                                                  \
    TURN (7, COS_80, SIN_80);                                                  \
    TURN (8, COS_160, SIN_160);                                                \
    DFT3 (0, 1, 2);                                                            \
    DFT3 (3, 4, 5);                                                            \
    DFT3 (6, 7, 8);                                                            \
  } while (0)
#define PLACE_9(k) (3 * ((k) % 3) + (k) / 3)

#define DFT_10                                                                 \
  do {                                                                         \
    DFT2 (0, 5);                                                               \
    DFT2 (2, 7);                                                               \
    DFT2 (4, 9);                                                               \
    DFT2 (6, 1);                                                               \
    DFT2 (8, 3);                                                               \
    DFT5 (0, 2, 4, 6, 8);                                                      \
    DFT5 (5, 7, 9, 1, 3);                                                      \
  } while (0)
#define PLACE_10(k) ((5 * ((k) % 2) + 2 * ((k) % 5)) % 10)

#define DFT_12                                                                 \
  do {                                                                         \
    DFT4 (0, 3, 6, 9);                                                         \
    DFT4 (4, 7, 10, 1);                                                        \
    DFT4 (8, 11, 2, 5);                                                        \
    DFT3 (0, 4, 8);                                                            \
    DFT3 (3, 7, 11);                                                           \
    DFT3 (6, 10, 2);                                                           \
    DFT3 (9, 1, 5);                                                            \
  } while (0)
#define PLACE_12(k) ((3 * ((k) % 4) + 4 * ((k) % 3)) % 12)

#define DFT_15                                                                 \
  do {                                                                         \
    DFT3 (0, 5, 10);                                                           \
    DFT3 (3, 8, 13);                                                           \
    DFT3 (6, 11, 1);                                                           \
    DFT3 (9, 14, 4);                                                           \
    DFT3 (12, 2, 7);                                                           \
    DFT5 (0, 3, 6, 9, 12);                                                     \
    DFT5 (5, 8, 11, 14, 2);                                                    \
    DFT5 (10, 13, 1, 4, 7);                                                    \
  } while (0)
#define PLACE_15(k) ((5 * ((k) % 3) + 3 * ((k) % 5)) % 15)

#define DFT_16                                                                 \
  do {                                                                         \
    DFT4 (0, 4, 8, 12);                                                        \
    DFT4 (1, 5, 9, 13);                                                        \
    DFT4 (2, 6, 10, 14);                                                       \
    DFT4 (3, 7, 11, 15);                                                       \
    TURN (5, COS_22, SIN_22);                                                  \
    TURN_45 (9);                                                               \
    TURN (13, SIN_22, COS_22);                                                 \
    TURN_45 (6);                                                               \
    TURN_90 (10);                                                              \
    TURN_135 (14);                                                             \
    TURN (7, SIN_22, COS_22);                                                  \
    TURN_135 (11);                                                             \
    TURN (15, -COS_22, -SIN_22);                                               \
    DFT4 (0, 1, 2, 3);                                                         \
    DFT4 (4, 5, 6, 7);                                                         \
    DFT4 (8, 9, 10, 11);                                                       \
    DFT4 (12, 13, 14, 15);                                                     \
  } while (0)
#define PLACE_16(k) (4 * ((k) % 4) + (k) / 4)

/* ------------------------------------------------------------------ steps */

#define AT(pointer) (*(V *)(pointer))
#define FROM(pointer) (*(const V *)(pointer))

#define DEFINE_RADIX(radix)                                                    \
  static void pass_##radix (const float *in, gsize in_row, guint flip,         \
      float *out, gsize out_row, const float *turns, guint columns)            \
  {                                                                            \
    for (guint j = 0; j < columns; j++, turns += 2 * (radix - 1)) {            \
      for (guint lane = 0; lane < LANES; lane += W) {                          \
        const float *from = in + (gsize)j * OCT_LANES_VALUE + lane;            \
        float *to = out + (gsize)j * OCT_LANES_VALUE + lane;                   \
        V re[radix], im[radix];                                                \
        UNROLL for (guint e = 0; e < radix; e++)                               \
        {                                                                      \
          re[e] = FROM (from + e * in_row + flip);                             \
          im[e] = FROM (from + e * in_row + (LANES - flip));                   \
        }                                                                      \
        DFT_##radix;                                                           \
        AT (to) = re[0];                                                       \
        AT (to + LANES) = im[0];                                               \
        UNROLL for (guint k = 1; k < radix; k++)                               \
        {                                                                      \
          float c = turns[2 * k - 2], s = turns[2 * k - 1];                    \
          V r = re[PLACE_##radix (k)], i = im[PLACE_##radix (k)];              \
          AT (to + k * out_row) = r * c - i * s;                               \
          AT (to + k * out_row + LANES) = i * c + r * s;                       \
        }                                                                      \
      }                                                                        \
    }                                                                          \
  }                                                                            \
                                                                               \
  static void last_##radix (                                                   \
      const float *in, guint flip, guint blocks, const OctLanesTarget *target) \
  {                                                                            \
    OctLanesTarget t = *target;                                                \
                                                                               \
    for (guint b = 0; b < blocks; b++) {                                       \
      for (guint lane = 0; lane < LANES; lane += W) {                          \
        const float *from = in + lane;                                         \
        V re[radix], im[radix];                                                \
        UNROLL for (guint e = 0; e < radix; e++)                               \
        {                                                                      \
          re[e] = FROM (from + e * OCT_LANES_VALUE + flip);                    \
          im[e] = FROM (from + e * OCT_LANES_VALUE + (LANES - flip));          \
        }                                                                      \
        DFT_##radix;                                                           \
        UNROLL for (guint k = 0; k < radix; k++)                               \
        {                                                                      \
          gssize at = t.start + k * t.step - t.first;                          \
          at += at < 0 ? t.length : 0;                                         \
          if (at < t.count) {                                                  \
            float *to = t.out + at * OCT_LANES_VALUE + lane;                   \
            AT (to + t.flip) = re[PLACE_##radix (k)];                          \
            AT (to + (LANES - t.flip)) = im[PLACE_##radix (k)];                \
          }                                                                    \
        }                                                                      \
      }                                                                        \
      in += radix * OCT_LANES_VALUE;                                           \
      t.start += t.block_step;                                                 \
    }                                                                          \
  }

DEFINE_RADIX (2)
DEFINE_RADIX (3)
DEFINE_RADIX (4)
DEFINE_RADIX (5)
DEFINE_RADIX (6)
DEFINE_RADIX (7)
DEFINE_RADIX (8)
DEFINE_RADIX (9)
DEFINE_RADIX (10)
DEFINE_RADIX (12)
DEFINE_RADIX (15)
DEFINE_RADIX (16)

/* --------------------------------------------------------------- the rest */

static void
multiply (const float *in, guint in_flip, const float *factors, gsize count,
    float *out, guint out_flip)
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
separate (const float *z, guint half, const float *turns, guint first,
    guint count, float *out)
{
  for (guint q = first; q < first + count; q++) {
    float c = turns[2 * (gsize)q], s = turns[2 * (gsize)q + 1];
    gsize a = q < half ? q : 0, b = q > 0 ? half - q : 0;
    for (guint lane = 0; lane < LANES; lane += W) {
      const float *x = z + a * OCT_LANES_VALUE + lane;
      const float *y = z + b * OCT_LANES_VALUE + lane;
      float *to = out + (gsize)(q - first) * OCT_LANES_VALUE + lane;
      V dr = FROM (x) - FROM (y), di = FROM (x + LANES) + FROM (y + LANES);
      V sr = FROM (x) + FROM (y), si = FROM (x + LANES) - FROM (y + LANES);
      AT (to) = 0.5f * sr + (dr * s + di * c);
      AT (to + LANES) = 0.5f * si + (di * s - dr * c);
    }
  }
}

static void
join (const float *bins, guint half, const float *turns, float *z)
{
  for (guint q = 0; q < half; q++) {
    float c = 2 * turns[2 * (gsize)q], s = 2 * turns[2 * (gsize)q + 1];
    for (guint lane = 0; lane < LANES; lane += W) {
      const float *x = bins + (gsize)q * OCT_LANES_VALUE + lane;
      const float *y = bins + (gsize)(half - q) * OCT_LANES_VALUE + lane;
      float *to = z + (gsize)q * OCT_LANES_VALUE + lane;
      V xi = FROM (x + LANES), yi = FROM (y + LANES);
      V dr = FROM (x) - FROM (y), sr = FROM (x) + FROM (y), di, si;
      if (q == 0) /* what these bins cannot have */
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
  .pass = { RADICES (pass) },
  .last = { RADICES (last) },
  .multiply = multiply,
  .separate = separate,
  .join = join,
};
