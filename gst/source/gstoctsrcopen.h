/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Opens the input of octsrc at its start: the file or the virtual OCT system,
 * preloaded into memory that a GPU reads at full rate if there is one, and the
 * calibration.
 */
#pragma once

#include "gstoctcuda.h"
#include "gstoctsrcsettings.h"

G_BEGIN_DECLS

/* The input of `settings`, a copy for this start; to be closed. NULL with an
 * error when the input cannot be opened, or a GPU was asked for and there is
 * none. */
GstOctInput *gst_oct_src_open (GstElement *element, GstOctSrcSettings *settings,
    GstOctCudaSlot *slot, GError **error);

/* The user's calibration, else the one that `input` carries; NULL without an
 * error when there is none.  Reads the file: takes the object lock of `element`
 * for a copy of `from` alone. */
OctCalibration *gst_oct_src_open_calibration (GstElement *element,
    const GstOctSrcSettings *from, GstOctInput *input, GError **error);

/* Posts a warning about what is missing or left over in the file `location`, if
 * anything is. */
void gst_oct_src_warn_about_flaws (
    GstElement *element, const GstOctInput *input, const char *location);

G_END_DECLS
