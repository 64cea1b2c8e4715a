/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The ring of a digitizer (liboctdaq) as octdaqsrc reads it: caps, calibration
 * and A-lines of one channel.
 *
 * Thread-safety: one thread at a time.
 */
#pragma once

#include "gstoctcaps.h"
#include "oct-calibration.h"
#include "oct-daq.h"
#include "oct-scan-places.h"

G_BEGIN_DECLS

typedef struct _GstOctDaqRing GstOctDaqRing;

/* Connects to the writer at the socket `path`, whose answer it waits for at
 * most `timeout` ms.  `channel`: counted from 1, 0: the first one of OCT;
 * `k_clock`: the first one of a k-clock as well; `scan_file`: a file of the
 * places of A-lines, or NULL.
 * NULL: OCT_ERROR_NOT_FOUND if nobody writes there (yet), OCT_ERROR_DEVICE if
 * it is not a ring, _SETTINGS if it has no such channel
 * or the file does not fit, _FORMAT if it is of no
 * use to the elements: too large, or a calibration that is none. */
GstOctDaqRing *gst_oct_daq_ring_open (const char *path, guint channel,
    gboolean k_clock, const char *scan_file, guint timeout, GError **error);
void gst_oct_daq_ring_close (GstOctDaqRing *ring);

OctDaqReader *gst_oct_daq_ring_get_reader (GstOctDaqRing *ring);
const OctDaqHeader *gst_oct_daq_ring_get_header (const GstOctDaqRing *ring);

/* The caps of one B-scan (a new reference). */
GstCaps *gst_oct_daq_ring_make_caps (const GstOctDaqRing *ring);

/* B-scans per second; 0: not known. */
double gst_oct_daq_ring_get_bscan_rate (const GstOctDaqRing *ring);

/* No new reference; NULL: the ring has none. */
OctCalibration *gst_oct_daq_ring_get_calibration (const GstOctDaqRing *ring);

/* B-scans of a volume, by the ring or else by the places; 0: not known. */
guint gst_oct_daq_ring_get_bscans (const GstOctDaqRing *ring);

/* The places of the A-lines; no new reference; NULL: of a raster. */
OctScanPlaces *gst_oct_daq_ring_get_places (const GstOctDaqRing *ring);

/* Copies A-lines first .. first + count - 1 of the block that the reader is at,
 * in the format of the caps, to rows `stride` bytes apart.  FALSE: the writer
 * has overwritten them meanwhile, and the rows have any values. */
gboolean gst_oct_daq_ring_copy (const GstOctDaqRing *ring, guint first,
    guint count, guint8 *to, gsize stride);

G_END_DECLS
