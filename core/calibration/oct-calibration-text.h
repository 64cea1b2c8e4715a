/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A calibration as the text of a file.
 */
#pragma once

#include "oct-calibration.h"

G_BEGIN_DECLS

/* The text of a file that makes this calibration again (all digits; wavelengths
 * to 1e-9 nm), to be freed; `comment`: a line for people, without a line break,
 * or NULL. */
char *oct_calibration_format (const OctCalibration *c, const char *comment);

G_END_DECLS
