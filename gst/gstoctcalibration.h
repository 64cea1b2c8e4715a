/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The spectral calibration on its way through a pipeline: a sticky event from
 * where it is given (octsrc, octdcsub) to the elements that need it, and the
 * properties by which it is given.
 */
#pragma once

#include <gst/gst.h>
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

/* The same for an element that has received `event`: FALSE when it makes none,
 * and the event is gone.  The error is posted then, but once: what is refused
 * stays sticky on the pad before and comes again with every buffer.  `refused`
 * is the number of the last such event, 0 at first. */
gboolean gst_oct_calibration_event_take (GstElement *element, GstEvent **event,
    guint32 *refused, OctCalibration **calibration);

/* One that was made, or what is wrong with it. */
typedef struct {
  guint samples;    /* 0: nothing was made */
  guint generation; /* of what it was made of */
  OctCalibration *calibration;
  GError *error;
} GstOctMadeCalibration;

/* What an element knows of the calibration, under its object lock. */
typedef struct {
  OctCalibrationSettings settings; /* its own properties */
  guint generation;                /* of them and what they are built on */
  /* of the last two lengths asked for: spectra may hold a part of the samples
   * of an A-line */
  GstOctMadeCalibration made[2];
  OctCalibration *upstream; /* of the event */
  double z_spacing;         /* of the one that caps were last made for */
} GstOctCalibrations;

void gst_oct_calibrations_clear (GstOctCalibrations *calibrations);
/* A setting has changed. */
void gst_oct_calibrations_changed (GstOctCalibrations *calibrations);
/* For stop(): as before the start, and the file is read again. */
void gst_oct_calibrations_forget (GstOctCalibrations *calibrations);
/* Keeps a reference.  TRUE when caps can be other than with the one before:
 * another number of samples, or depths that differ by a thousandth; a source
 * with jitter sends a calibration with every B-scan. */
gboolean gst_oct_calibrations_set_upstream (
    GstOctCalibrations *calibrations, OctCalibration *upstream);
/* The one in force for spectra of `samples` samples, own before upstream: a new
 * reference; NULL without an error when there is none, with one when it does
 * not fit.  Takes the object lock of `element`, which may not be held: what has
 * not been made is made without it, and the file is read.  What was made, or
 * what was wrong, is kept until a setting changes. */
OctCalibration *gst_oct_calibrations_ref (GstOctCalibrations *calibrations,
    GstElement *element, guint samples, GError **error);
/* The same under the object lock as far as it is known: the one that was made
 * last for as many samples, be the settings newer than it or not.  NULL: there
 * is none, or not yet. */
OctCalibration *gst_oct_calibrations_peek (
    const GstOctCalibrations *calibrations, guint samples);

/* Identifiers of the properties, beyond those any element uses itself. */
enum {
  GST_OCT_PROP_CALIBRATION = 1000,
  GST_OCT_PROP_WAVELENGTH_MIN,
  GST_OCT_PROP_WAVELENGTH_MAX,
  GST_OCT_PROP_K_POLYNOMIAL,
  GST_OCT_PROP_DISPERSION_A2,
  GST_OCT_PROP_DISPERSION_A3,
};

/* Installs `calibration` and, with `everything`, the others. */
void gst_oct_calibration_install_properties (
    GObjectClass *klass, gboolean everything);

/* FALSE when `id` is none of these properties. */
gboolean gst_oct_calibration_set_property (
    OctCalibrationSettings *settings, guint id, const GValue *value);
gboolean gst_oct_calibration_get_property (
    const OctCalibrationSettings *settings, guint id, GValue *value);

G_END_DECLS
