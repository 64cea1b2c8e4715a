/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The spectral calibration on its way through a pipeline: a sticky event from
 * the element that has it (octsrc, octdcsub) to those that need it, and the
 * properties that set it.
 *
 * Thread-safety: GstOctCalibrations is under the object lock of its element.
 */
#pragma once

#include <gst/gst.h>
#include "gstoctproperties.h"
#include "oct-calibration.h"

G_BEGIN_DECLS

#define GST_TYPE_OCT_CALIBRATION (gst_oct_calibration_get_type ())
GType gst_oct_calibration_get_type (void);

/* A sticky downstream event that holds a reference to `calibration`. */
GstEvent *gst_oct_calibration_event_new (OctCalibration *calibration);

/* The calibration of such an event (a new reference), NULL for any other.
 *
 * Applications can send one, too: a sticky custom event
 * "application/x-oct-calibration" with the columns of the file as fields
 * wavelength-nm, k-index, dispersion-rad, background, each a GstBuffer of
 * doubles, one per sample.  `event` is then replaced by one that holds the
 * calibration made of them.  NULL with an error when they make none. */
OctCalibration *gst_oct_calibration_event_parse (
    GstEvent **event, GError **error);

/* The calibration that the elements before `sink_pad` will send with the next
 * B-scan of `samples` samples, if one of them has another one since the last
 * B-scan: a new reference.  NULL: none of them answers, and the event holds.
 * Any thread. */
OctCalibration *gst_oct_calibration_ask (GstPad *sink_pad, guint samples);
/* For the query() of an element that sends its own: FALSE: another query. */
gboolean gst_oct_calibration_query_parse (GstQuery *query, guint *samples);
void gst_oct_calibration_query_answer (
    GstQuery *query, OctCalibration *calibration);

/* The same for an element that has received `event`: FALSE when it makes none,
 * and the event is gone.  The error is posted then, but once: a refused event
 * stays sticky on the upstream pad and comes again with every buffer.
 * `refused` is the number of the last such event, 0 at first. */
gboolean gst_oct_calibration_event_take (GstElement *element, GstEvent **event,
    guint32 *refused, OctCalibration **calibration);

/* A calibration that was made, or its error. */
typedef struct {
  guint samples; /* 0: nothing was made */
  /* its sources; `upstream` if it builds on that */
  OctCalibrationSettings settings;
  OctCalibration *upstream;

  OctCalibration *calibration;
  GError *error;
} GstOctMadeCalibration;

/* The calibrations of an element, under its object lock.  The values of its own
 * properties are in its settings. */
typedef struct {
  /* for the last few lengths and settings: spectra may hold a part of the
   * samples of an A-line, and others replace settings that do not fit */
  GstOctMadeCalibration made[4];
  OctCalibration *upstream; /* of the event */
  double z_spacing;         /* of the one that caps were last made for */
} GstOctCalibrations;

/* As before the start. */
void gst_oct_calibrations_forget (GstOctCalibrations *calibrations);
/* Keeps a reference.  TRUE if caps can differ from those with the previous one:
 * another number of samples, or depths that differ by a thousandth; a source
 * with jitter sends a calibration with every B-scan. */
gboolean gst_oct_calibrations_set_upstream (
    GstOctCalibrations *calibrations, OctCalibration *upstream);
/* The one in force for spectra of `samples` samples, own before upstream: a new
 * reference; NULL without an error when there is none, with one when it does
 * not fit.  Locks `element`: the caller must not hold its lock.  Makes a
 * missing calibration unlocked, which reads the file, and stores it or its
 * error.  `own`: NULL: the element has no settings. */
OctCalibration *gst_oct_calibrations_ref (GstOctCalibrations *calibrations,
    GstElement *element, const OctCalibrationSettings *own, guint samples,
    GError **error);
/* The same under the object lock as far as it is known.  NULL: there is none,
 * or not yet. */
OctCalibration *gst_oct_calibrations_peek (
    const GstOctCalibrations *calibrations, const OctCalibrationSettings *own,
    guint samples);

/* ---------------------------------------------------------------- properties
 */

extern const GstOctFileType gst_oct_calibration_file;

/* Rows for an OctCalibrationSettings that is a member of the settings of an
 * element: the file alone. */
#define GST_OCT_CALIBRATION_FILE_ROW(settings, member, flags)                  \
  {                                                                            \
    "calibration", "Calibration",                                              \
        "CSV file with a header line and one line per sample; columns "        \
        "wavelength_nm, k_index or k_position, dispersion_rad, background "    \
        "(none = the "                                                         \
        "one of the file or virtual system, or from upstream)",                \
        flags, "calibration",                                                  \
        GST_OCT_FILE (                                                         \
            settings, member.file, member.content, &gst_oct_calibration_file)  \
  }

/* Which wavenumber each sample has. */
#define GST_OCT_CALIBRATION_AXIS_ROWS(settings, member, flags)                 \
  GST_OCT_CALIBRATION_FILE_ROW (settings, member, flags),                      \
      { "wavelength-min", "Wavelength of the first sample",                    \
        "Wavelength of the first sample in nm, the others follow linearly "    \
        "(0 = not given)",                                                     \
        flags, "calibration",                                                  \
        GST_OCT_DOUBLE (settings, member.wavelength_min, 0.0, 1e6, 0.0) },     \
      { "wavelength-max", "Wavelength of the last sample",                     \
        "Wavelength of the last sample in nm (0 = not given)", flags,          \
        "calibration",                                                         \
        GST_OCT_DOUBLE (settings, member.wavelength_max, 0.0, 1e6, 0.0) },     \
      { "wavelength-polynomial", "Wavelength polynomial",                      \
        "Coefficients \"c0,c1,...\" in nm: sample p = 0, 1, ... has the "      \
        "wavelength c0 + c1 p + c2 p^2 + ..., which may fall",                 \
        flags, "calibration",                                                  \
        GST_OCT_STRING (settings, member.wavelength_polynomial) },             \
      { "k-polynomial", "Wavenumber polynomial",                               \
        "Coefficients \"c0,c1,...\" in samples: uniform wavenumber j of N is " \
        "read at sample c0 + c1 x + c2 x^2 + ..., x = j/(N-1)",                \
        flags, "calibration",                                                  \
        GST_OCT_STRING (settings, member.k_polynomial) },                      \
      { "flip", "Flip",                                                        \
        "The samples are in the reverse order of the calibration: the first "  \
        "sample sees the longest wavelength instead of the shortest",          \
        flags, "calibration",                                                  \
        GST_OCT_BOOLEAN (settings, member.flip, FALSE) },                      \
  {                                                                            \
    "k-warp", "Correction of the wavenumbers",                                 \
        "Coefficients \"c0,c1,...\" that correct the wavenumbers: position x " \
        "= -1 .. 1 on the uniform axis is read at x + c0 + c1 x + c2 x^2 + "   \
        "...; the signal refine of octreconstruct finds them",                 \
        flags, "calibration", GST_OCT_STRING (settings, member.k_warp)         \
  }

/* All of it. */
#define GST_OCT_CALIBRATION_ROWS(settings, member, flags)                      \
  GST_OCT_CALIBRATION_AXIS_ROWS (settings, member, flags),                     \
      { "dispersion-a2", "Second-order dispersion",                            \
        "Phase -a2 (k - kc)^2 to multiply by, in um^2 (k in rad/um)", flags,   \
        "calibration", GST_OCT_DOUBLE (settings, member.a2, -1e9, 1e9, 0.0) }, \
  {                                                                            \
    "dispersion-a3", "Third-order dispersion",                                 \
        "Phase -a3 (k - kc)^3 to multiply by, in um^3 (k in rad/um)", flags,   \
        "calibration", GST_OCT_DOUBLE (settings, member.a3, -1e9, 1e9, 0.0)    \
  }

G_END_DECLS
