/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The file of the settings of oct-calibration.h, for oct-calibration.c, and the
 * one that a calibration is written to.
 */
#pragma once

#include "oct-calibration-csv.h"
#include "oct-calibration.h"

G_BEGIN_DECLS

/* What is in the file, which is read unless it has been.  The table must be
 * empty.  Errors: OCT_ERROR_NOT_FOUND, _READ, _FORMAT. */
gboolean oct_calibration_settings_read (const OctCalibrationSettings *settings,
    guint samples, OctCalibrationTable *table, GError **error);

G_END_DECLS
