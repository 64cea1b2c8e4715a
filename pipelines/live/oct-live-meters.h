/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Measurements of the signal as pages get them.  Any thread.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* A curve has at most as many points as a plot of it has pixels. */
#define OCT_LIVE_METERS_POINTS 512

/* A measurement of octmeter, as a message to be freed:
 *   {"type":"meters", "of":"spectra" or "ascans", "problem":"" or a sentence,
 *    "values":{"snr":41.2, ...}, its numbers by their names,
 *    "samples":2048 or 0, as many as the curve was made of,
 *    "step":0.1, "curve":[...], its points in this unit, null: not a number,
 *    "full":[...]}, of a point in thousandths, none if it is not known
 * A point of a curve stands for neighbouring samples: the mean of a spectrum,
 * the highest value of an A-scan and of `full`, so that no peak is lost.
 */
char *oct_live_meters_describe (const GstStructure *measurement);

G_END_DECLS
