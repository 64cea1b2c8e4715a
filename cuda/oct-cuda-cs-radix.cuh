/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Transforms of a few values in registers, for oct-cuda-cs-chip.cu.
 *
 *   out[j] = sum_e in[e] w^e exp (Sign 2 pi i e j / Radix)
 *
 * by decimation in time.  A factor w (of unit modulus) costs nothing: every
 * butterfly a + t b, a - t b is six multiply-adds, whatever t is (Linzer and
 * Feig, IEEE Trans. Signal Process. 41, 93 (1993)).
 */
#pragma once

#include <stdint.h>

#ifndef OCT_INLINE
#  define OCT_INLINE __device__ __forceinline__
#endif

/* cos (2 pi k / 32), for constants 0 .. 8 */
OCT_INLINE constexpr float
cosine (int k)
{
  return k == 0   ? 1.f
         : k == 1 ? 0.98078528040323044913f
         : k == 2 ? 0.92387953251128675613f
         : k == 3 ? 0.83146961230254523708f
         : k == 4 ? 0.70710678118654752440f
         : k == 5 ? 0.55557023301960222474f
         : k == 6 ? 0.38268343236508977173f
         : k == 7 ? 0.19509032201612826785f
                  : 0.f;
}

/* exp (Sign 2 pi i k / 32), for constants 0 .. 8 */
template <int Sign>
OCT_INLINE constexpr float2
unit (int k)
{
  return float2{ cosine (k), Sign * cosine (8 - k) };
}

OCT_INLINE float2
times (float2 a, float2 b)
{
  return make_float2 (
      fmaf (a.x, b.x, -(a.y * b.y)), fmaf (a.x, b.y, a.y * b.x));
}

OCT_INLINE float2
squared (float2 a)
{
  return make_float2 (fmaf (a.x, a.x, -(a.y * a.y)), 2 * a.x * a.y);
}

/* Sign i a */
template <int Sign>
OCT_INLINE float2
quarter_turn (float2 a)
{
  return Sign > 0 ? make_float2 (-a.y, a.x) : make_float2 (a.y, -a.x);
}

/* a + w b */
OCT_INLINE float2
added (float2 a, float2 w, float2 b)
{
  return make_float2 (fmaf (-w.y, b.y, fmaf (w.x, b.x, a.x)),
      fmaf (w.y, b.x, fmaf (w.x, b.y, a.y)));
}

OCT_INLINE void
butterfly (float2 &a, float2 &b, float2 w)
{
  float2 sum = added (a, w, b);

  b = make_float2 (fmaf (2, a.x, -sum.x), fmaf (2, a.y, -sum.y));
  a = sum;
}

OCT_INLINE void
butterfly (float2 &a, float2 &b)
{
  float2 sum = make_float2 (a.x + b.x, a.y + b.y);

  b = make_float2 (a.x - b.x, a.y - b.y);
  a = sum;
}

/* The place of value e where the transform begins: its bits turned round. */
template <int Radix>
OCT_INLINE constexpr int
turned_round (int e)
{
  int place = 0;

  for (int bit = 1; bit < Radix; bit *= 2)
    place = 2 * place + (e & bit ? 1 : 0);
  return place;
}

/* The twiddle factors of every step, times a factor w:
 * of[Length / 4 + j] is w^(Radix / Length) exp (Sign 2 pi i j / Length), j <
 * Length / 4. */
template <int Radix, int Sign> struct Turns {
  float2 of[Radix / 2];

  OCT_INLINE explicit Turns (float2 w)
  {
    of[Radix / 4] = w;
#pragma unroll
    for (int length = Radix / 2; length >= 2; length /= 2)
      of[length / 4] = squared (of[length / 2]);
#pragma unroll
    for (int length = 8; length <= Radix; length *= 2)
#pragma unroll
      for (int j = 1; j < length / 4; j++)
        of[length / 4 + j] =
            times (of[length / 4], unit<Sign> (j * 32 / length));
  }
};

/* One step: pairs of transforms of Length / 2 values become ones of Length. */
template <int Radix, int Length, int Sign>
OCT_INLINE void
step (float2 (&a)[Radix], const Turns<Radix, Sign> &turns)
{
#pragma unroll
  for (int i = 0; i < Radix; i += Length)
#pragma unroll
    for (int j = 0; j < Length / 2; j++) {
      bool beyond = Length > 2 && j >= Length / 4;
      float2 w = turns.of[Length / 4 + (beyond ? j - Length / 4 : j)];
      butterfly (
          a[i + j], a[i + j + Length / 2], beyond ? quarter_turn<Sign> (w) : w);
    }
}

/* The same for w = 1. */
template <int Radix, int Length, int Sign>
OCT_INLINE void
step (float2 (&a)[Radix])
{
#pragma unroll
  for (int i = 0; i < Radix; i += Length)
#pragma unroll
    for (int j = 0; j < Length / 2; j++) {
      float2 &x = a[i + j], &y = a[i + j + Length / 2];
      bool beyond = Length > 2 && j >= Length / 4;
      int k = beyond ? j - Length / 4 : j;
      if (beyond && k == 0)
        y = quarter_turn<Sign> (y);
      if (k == 0) {
        butterfly (x, y);
      } else {
        float2 w = unit<Sign> (k * 32 / Length);
        butterfly (x, y, beyond ? quarter_turn<Sign> (w) : w);
      }
    }
}

/* Steps from First to Last values. */
template <int Radix, int First, int Last, int Sign, typename... Twist>
OCT_INLINE void
steps (float2 (&a)[Radix], const Twist &...twist)
{
  if constexpr (First <= Last) {
    step<Radix, First, Sign> (a, twist...);
    steps<Radix, 2 * First, Last, Sign> (a, twist...);
  }
}

template <int Radix>
OCT_INLINE void
turn_round (float2 (&v)[Radix])
{
#pragma unroll
  for (int e = 0; e < Radix; e++)
    if (e < turned_round<Radix> (e)) {
      float2 other = v[e];
      v[e] = v[turned_round<Radix> (e)];
      v[turned_round<Radix> (e)] = other;
    }
}

/* In place, natural order. */
template <int Radix, int Sign, typename... Twist>
OCT_INLINE void
transform (float2 (&v)[Radix], const Twist &...twist)
{
  turn_round (v);
  steps<Radix, 2, Radix, Sign> (v, twist...);
}

/* w = 1; in[e] = low[e] for the first quarter, in[Radix - 1 - e] = high[e], and
 * zero between. */
template <int Radix, int Sign>
OCT_INLINE void
transform_ends (const float2 (&low)[Radix / 4], const float2 (&high)[Radix / 4],
    float2 (&out)[Radix])
{
#pragma unroll
  for (int e = 0; e < Radix / 4; e++) {
    int at = turned_round<Radix> (e);
    int behind = turned_round<Radix> (Radix / 2 - 1 - e);
    out[at] = out[at + 1] = low[e]; /* a + 0, a - 0 */
    out[behind] = high[e];          /* 0 + b, 0 - b */
    out[behind + 1] = make_float2 (-high[e].x, -high[e].y);
  }
  steps<Radix, 4, Radix, Sign> (out);
}

/* The outer quarters of the result alone: low[j] = out[j],
 * high[j] = out[Radix - 1 - j]. */
template <int Radix, int Sign>
OCT_INLINE void
transform_to_ends (float2 (&v)[Radix], const Turns<Radix, Sign> &turns,
    float2 (&low)[Radix / 4], float2 (&high)[Radix / 4])
{
  turn_round (v);
  steps<Radix, 2, Radix / 2, Sign> (v, turns);
#pragma unroll
  for (int j = 0; j < Radix / 4; j++) {
    float2 w = turns.of[Radix / 4 + j];
    int back = Radix / 4 - 1 - j;
    float2 minus = quarter_turn<-Sign> (turns.of[Radix / 4 + back]);
    low[j] = added (v[j], w, v[j + Radix / 2]);
    high[j] = added (v[Radix / 2 - 1 - j], minus, v[Radix - 1 - j]);
  }
}
