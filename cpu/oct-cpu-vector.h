/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Vectors of eight floats, of four on ARM, and their transposition.  On x86 they do
 * not depend on the processor: the compiler splits them for one with shorter ones.
 * For ARM it does not: it keeps them in memory, and fills them float by float.
 */
#pragma once

#include <glib.h>

#ifdef __aarch64__
#  define OCT_VECTOR 4
#else
#  define OCT_VECTOR 8
#endif

typedef float OctVector
    __attribute__ ((vector_size (4 * OCT_VECTOR), aligned (4), may_alias));
typedef gint32 OctSelection __attribute__ ((vector_size (4 * OCT_VECTOR)));
typedef guint8 OctCounts8
    __attribute__ ((vector_size (OCT_VECTOR), aligned (1), may_alias));
typedef guint16 OctCounts16
    __attribute__ ((vector_size (2 * OCT_VECTOR), aligned (2), may_alias));

/* through 32-bit integers, for which processors have an instruction */
#define OCT_COUNTS_TO_FLOAT(vector)                                            \
  __builtin_convertvector(                                                     \
      __builtin_convertvector(vector, OctSelection), OctVector)

#define OCT_INLINE static inline __attribute__ ((always_inline))

#ifdef __clang__
#  define OCT_PICK(a, b, ...) __builtin_shufflevector (a, b, __VA_ARGS__)
#else
#  define OCT_PICK(a, b, ...)                                                  \
    __builtin_shuffle (a, b, (OctSelection){ __VA_ARGS__ })
#endif

#if OCT_VECTOR == 4

/* to[i][k] = rows[k][i], OCT_VECTOR x OCT_VECTOR */
OCT_INLINE void
oct_transpose_rows (
    const OctVector rows[OCT_VECTOR], float *const to[OCT_VECTOR])
{
  for (guint i = 0; i < 2; i++) {
    OctVector a = i == 0 ? OCT_PICK (rows[0], rows[1], 0, 4, 1, 5)
                         : OCT_PICK (rows[0], rows[1], 2, 6, 3, 7);
    OctVector b = i == 0 ? OCT_PICK (rows[2], rows[3], 0, 4, 1, 5)
                         : OCT_PICK (rows[2], rows[3], 2, 6, 3, 7);

    *(OctVector *)to[2 * i] = OCT_PICK (a, b, 0, 1, 4, 5);
    *(OctVector *)to[2 * i + 1] = OCT_PICK (a, b, 2, 3, 6, 7);
  }
}

/* each value of the first and of the second half twice */
#  define OCT_FIRST_TWICE(v) OCT_PICK (v, v, 0, 0, 1, 1)
#  define OCT_SECOND_TWICE(v) OCT_PICK (v, v, 2, 2, 3, 3)

#else

OCT_INLINE void
oct_transpose_rows (
    const OctVector rows[OCT_VECTOR], float *const to[OCT_VECTOR])
{
  OctVector a[OCT_VECTOR], b[OCT_VECTOR];

  for (guint i = 0; i < OCT_VECTOR; i += 2) {
    a[i] = OCT_PICK (rows[i], rows[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    a[i + 1] = OCT_PICK (rows[i], rows[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  for (guint i = 0; i < OCT_VECTOR; i += 4) {
    b[i] = OCT_PICK (a[i], a[i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
    b[i + 1] = OCT_PICK (a[i], a[i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    b[i + 2] = OCT_PICK (a[i + 1], a[i + 3], 0, 1, 8, 9, 4, 5, 12, 13);
    b[i + 3] = OCT_PICK (a[i + 1], a[i + 3], 2, 3, 10, 11, 6, 7, 14, 15);
  }
  for (guint i = 0; i < 4; i++) {
    *(OctVector *)to[i] = OCT_PICK (b[i], b[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    *(OctVector *)to[i + 4] =
        OCT_PICK (b[i], b[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

#  define OCT_FIRST_TWICE(v) OCT_PICK (v, v, 0, 0, 1, 1, 2, 2, 3, 3)
#  define OCT_SECOND_TWICE(v) OCT_PICK (v, v, 4, 4, 5, 5, 6, 6, 7, 7)

#endif

/* to[i][k] = from[k][i], OCT_VECTOR x OCT_VECTOR */
OCT_INLINE void
oct_transpose (const float *const from[OCT_VECTOR], float *const to[OCT_VECTOR])
{
  OctVector rows[OCT_VECTOR];

  for (guint i = 0; i < OCT_VECTOR; i++)
    rows[i] = *(const OctVector *)from[i];
  oct_transpose_rows (rows, to);
}
