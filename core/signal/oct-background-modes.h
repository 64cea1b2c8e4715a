/* SPDX-License-Identifier: LGPL-2.1-or-later */
/** The modes of the background, one row each, for backends, elements and tests. */
#pragma once

#include "oct-backend.h"

G_BEGIN_DECLS

typedef struct {
  const char *nick, *summary; /* of the property of octdcsub */
  /* it is found from the B-scans, by OCT_OPERATION_MEAN */
  gboolean is_found;
  /* it is fitted to every A-line with so many terms, see oct-backend.h; 0: it
   * is the same for all A-lines of a B-scan */
  guint terms;
  /* every A-line has one of its own: it is removed at once, in no pass with
   * other operations */
  gboolean is_apart;
  gboolean has_pattern; /* OCT_BACKGROUND_FIXED_PATTERN, fitted or not */
  gboolean is_stored;   /* it needs OctBackgroundParams.background */
  /* for backgrounds found by transforms, or fitted, in single precision: l2
   * error relative to the A-line, or to its fit if that is brighter; 0: correct
   * to the rounding of the difference */
  double tolerance;
} OctBackgroundModeInfo;

extern const OctBackgroundModeInfo oct_background_modes[OCT_N_BACKGROUND_MODES];

G_END_DECLS
