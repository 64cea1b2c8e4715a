/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Which filters of images are measured, on any backend.
 */
#pragma once

#include "oct-operation.h"

typedef struct {
  const char *name;
  OctOperation operation;
  union {
    OctFlipParams flip;
    OctSpeckleParams speckle;
    OctSharpenParams sharpen;
    OctAverageParams average;
  } params;
} FilterCase;

#define N_FILTER_CASES 12

/* Images of 8 bit. */
static inline void
filter_cases_fill (FilterCase cases[N_FILTER_CASES], guint width, guint height)
{
  const OctSpeckleParams speckle = {
    .width = width, .height = height, .size = 3, .sigma = 25, .spatial_sigma = 2
  };
  const OctSharpenParams sharpen = {
    .width = width, .height = height, .amount = 1.5, .radius = 1
  };
  const OctFlipParams flip = { .width = width,
    .height = height,
    .depth = TRUE,
    .lateral = TRUE,
    .duty = 0.8 };
  const OctAverageParams average = {
    .values = width, .rows = height, .frames = 8
  };
  guint n = 0;

  for (guint size = 3; size <= 7; size += 2) {
    static const char *const names[] = { "bilateral 3 x 3", "bilateral 5 x 5",
      "bilateral 7 x 7" };

    cases[n] =
        (FilterCase){ names[n], OCT_OPERATION_SPECKLE, { .speckle = speckle } };
    cases[n++].params.speckle.size = size;
  }
  for (guint size = 3; size <= 5; size += 2) {
    cases[n] = (FilterCase){ size == 3 ? "median 3 x 3" : "median 5 x 5",
      OCT_OPERATION_SPECKLE, { .speckle = speckle } };
    cases[n].params.speckle.method = OCT_SPECKLE_MEDIAN;
    cases[n++].params.speckle.size = size;
  }
  cases[n] = (FilterCase){ "lee 7 x 7", OCT_OPERATION_SPECKLE,
    { .speckle = speckle } };
  cases[n].params.speckle.method = OCT_SPECKLE_LEE;
  cases[n++].params.speckle.size = 7;
  cases[n++] = (FilterCase){ "sharpen, radius 1", OCT_OPERATION_SHARPEN,
    { .sharpen = sharpen } };
  cases[n] = (FilterCase){ "sharpen, radius 4", OCT_OPERATION_SHARPEN,
    { .sharpen = sharpen } };
  cases[n++].params.sharpen.radius = 4;
  cases[n++] = (FilterCase){ "flip", OCT_OPERATION_FLIP, { .flip = flip } };
  cases[n] = (FilterCase){ "flip, sine", OCT_OPERATION_FLIP, { .flip = flip } };
  cases[n++].params.flip.motion = OCT_MOTION_SINE;
  cases[n++] = (FilterCase){ "average of 8", OCT_OPERATION_AVERAGE,
    { .average = average } };
  cases[n] = (FilterCase){ "the same, moved", OCT_OPERATION_AVERAGE,
    { .average = average } };
  cases[n].params.average.registration = OCT_REGISTRATION_TRANSLATION;
  cases[n++].params.average.max_shift = 16;
  g_assert (n == N_FILTER_CASES);
}
