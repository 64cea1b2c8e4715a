/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Marks a function whose loops the compiler vectorises once per instruction
 * set; the best one is chosen when the program is loaded.  Such functions hold
 * no OpenMP region (the compiler does not clone those) and call nothing that
 * is not static inline.  Sanitisers and the resolvers do not mix. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)            \
    && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#  define OCT_VECTORISED                                                       \
    __attribute__ ((                                                           \
        target_clones ("arch=x86-64-v4", "arch=x86-64-v3", "default"),         \
        optimize ("O3")))
#else
#  define OCT_VECTORISED
#endif

/* Before a loop: no iteration reads a value that another writes. */
#ifdef __clang__
#  define OCT_INDEPENDENT _Pragma ("clang loop vectorize(assume_safety)")
#else
#  define OCT_INDEPENDENT _Pragma ("GCC ivdep")
#endif
