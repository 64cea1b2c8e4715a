/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Constants of OctKclockParams, for the kernels of a GPU too.
 */
#pragma once

/* Samples that are mirrored before the first one and after the last one. */
#define OCT_KCLOCK_PAD 64
/* A sweep has so many equal parts; phases are unwrapped from one to the next. */
#define OCT_KCLOCK_BLOCKS 16
/* Gaps and hops are looked for in means over 2 x that + 1 samples. */
#define OCT_KCLOCK_HALF_MEAN 8
/* Interpolation. */
#define OCT_KCLOCK_TAPS 16
#define OCT_KCLOCK_BETA 5.0
#define OCT_KCLOCK_PHASES 256

/* Steps towards the place of a wavenumber that FIT and FULL take. */
#define OCT_KCLOCK_ROUNDS 3

#define OCT_KCLOCK_LEAST_SAMPLES 128
#define OCT_KCLOCK_MOST_ORDER 12
#define OCT_KCLOCK_MOST_AVERAGE 1024
#define OCT_KCLOCK_MOST_JITTER 32.0
#define OCT_KCLOCK_MOST_DELAY 1000.0

/* Tables of the reference have so many samples more at either end. */
#define OCT_KCLOCK_EXTENT 36
