/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Where the images of the live viewer come from: the virtual OCT system, a
 * file, a digitizer, or a launch line of the user.
 */
#pragma once

#include "oct-digitizer.h"
#include "oct-instrument.h"
#include "oct-live-settings.h"
#include "oct-live-track.h"
#include "oct-scanner.h"

G_BEGIN_DECLS

/* The pointers must be valid as long as everything that is made of it. */
typedef struct {
  const OctInstrumentOptions *instrument; /* `load` of it, or NULL */
  const OctEndsOptions *ends;             /* or NULL: as the instrument says */
  const OctSourceOptions *file; /* of spectra; all zero: virtual OCT system */
  const char *source; /* pipeline of raw spectra, or NULL; file->calibration
                         is theirs */
  const OctDigitizerOptions *digitizer; /* or NULL: no digitizer */
  const char *scan_file; /* the places of A-lines of --scan, or NULL; volumes of
                            `scan_bscans` B-scans of `scan_lines` then */
  guint scan_lines, scan_bscans;
  OctScanner *scanner; /* that is to tell the source of other paths, or NULL */
  const char *scan_mask; /* file of the mask of the scan, or NULL: the source
                          sends it, or takes all A-lines */
  const char *images;    /* pipeline of finished images, or NULL */
  const char *format;    /* of images made of spectra, NULL = GRAY8 */
  double line_rate;      /* of the file, A-lines per second; 0 = 30 B-scans per
                         second */
  guint bitrate;         /* of H.264 in kbit/s */
  guint bscans;          /* per volume, if the source does not tell it; of the
                         virtual OCT system: of a volume, in place of one B-scan
                         over and over; 0 = as the source says */
  guint repeats;         /* B-scans at each place, if the source does not tell
                            it; 0 = as the source says */
  gboolean flow;         /* what flows is shown at first; the virtual OCT system
                            looks at blood */
  double width, length;  /* of a volume in metres, 0 = unknown */
  double refractive_index; /* of the sample */
  /* Settings of the command line, bits by their place. */
  const OctLiveSettings *wishes; /* or NULL */
  guint64 wished;
  double depth_from, depth_to; /* metres in the sample; 0, 0: all */
  /* Main thread, each time that there is a new pipeline from the source: the
   * pad of its spectra, which are in system memory then, and one that knows
   * their calibration; or NULL. */
  void (*spectra) (GstPad *spectra, GstPad *calibration, gpointer data);
  gpointer spectra_data;
  OctLiveTrack *track; /* that watches the spectra, or NULL */
} OctLiveSource;

/* Adds its elements to `pipeline`, as one bin; `ring`: that of a digitizer, all
 * 0 of anything else.  NULL with a sentence. */
GstElement *oct_live_source_add (const OctLiveSource *source, GstBin *pipeline,
    OctDigitizerRing *ring, GError **error);

/* Whether a source in `pipeline` is not live and can be played again from its
 * start. */
gboolean oct_live_source_is_file (GstBin *pipeline);

G_END_DECLS
