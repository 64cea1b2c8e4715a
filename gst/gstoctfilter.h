/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * GstOctFilter: what the elements between raw spectra and images share.
 *
 * The base class does caps with their memory features, mapping, buffer pools,
 * the plan of the operation, the calibration event, errors and the properties
 * `backend` and `cuda-device-id`.  An element states its caps, its properties
 * and the parameters of the operation it runs.
 */
#pragma once

#include <gst/base/gstbasetransform.h>
#include "gstoctcaps.h"
#include "gstoctcalibration.h"
#include "oct-backend.h"

G_BEGIN_DECLS

#define GST_TYPE_OCT_FILTER (gst_oct_filter_get_type ())
G_DECLARE_DERIVABLE_TYPE (
    GstOctFilter, gst_oct_filter, GST, OCT_FILTER, GstBaseTransform)

struct _GstOctFilterClass {
  GstBaseTransformClass parent_class;

  /* which row of the backend's table this element runs */
  OctOperation operation;

  /* whether the operation may have its input on the host and its output on the
   * GPU, or the other way round; otherwise both are in the same memory */
  gboolean uploads, downloads;

  /* Appends to `result` what the pad opposite to `direction` can be when the
   * pad in `direction` is `structure`. */
  void (*transform_structure) (GstOctFilter *filter, GstPadDirection direction,
      const GstStructure *structure, GstCaps *result);

  /* Called in the streaming thread before caps are negotiated for an input of
   * `columns` values a row: finds out what transform_structure() needs of
   * files, which is called by any thread and reads none.  NULL: nothing. */
  void (*prepare) (GstOctFilter *filter, guint columns);

  /* Called in the streaming thread before a buffer when caps, calibration or a
   * property changed: builds the parameters from the properties (under the
   * object lock) and hands them to gst_oct_filter_set_plan(). */
  gboolean (*configure) (GstOctFilter *filter, GError **error);
};

/* The caps in force; in configure() only. */
const GstOctInfo *gst_oct_filter_get_input (GstOctFilter *filter);
const GstOctInfo *gst_oct_filter_get_output (GstOctFilter *filter);

/* Another operation than that of the class, from the next plan on; in
 * configure() only. */
void gst_oct_filter_set_operation (
    GstOctFilter *filter, OctOperation operation);

/* Updates the plan with the params of the operation, or creates a new one where
 * that is not possible. */
gboolean gst_oct_filter_set_plan (
    GstOctFilter *filter, gconstpointer params, GError **error);

/* Whether there is a plan for the caps in force already. */
gboolean gst_oct_filter_has_plan (GstOctFilter *filter);

/* Its own and the one that came from upstream: under the object lock. */
GstOctCalibrations *gst_oct_filter_get_calibrations (GstOctFilter *filter);

/* The calibration in force for spectra of `samples` samples: the element's
 * own, else the one that came from upstream (a new reference); NULL without an
 * error when there is none, with one when it does not fit.  Reads the file
 * where that has not been done: for the streaming thread, without the object
 * lock. */
OctCalibration *gst_oct_filter_ref_calibration (
    GstOctFilter *filter, guint samples, GError **error);

/* For transform_structure(): the same as far as it is known, without an error;
 * it may be the one before the last change of a property, which negotiates once
 * more. */
OctCalibration *gst_oct_filter_peek_calibration (
    GstOctFilter *filter, guint samples);

/* The same where the wavenumber of every sample is needed: NULL always with an
 * error.  `instead`: what to do besides octdcsub axis=wavenumber when they are
 * uniform, "... and ", or "". */
OctCalibration *gst_oct_filter_ref_wavenumbers (
    GstOctFilter *filter, guint samples, const char *instead, GError **error);

/* Whether the element has a calibration of its own. */
gboolean gst_oct_filter_has_own_calibration (GstOctFilter *filter);

/* Rows of the file of its own calibration, as far as it is one; 0: there is no
 * such file.  `path` is set to its path then, g_free() it.  For the streaming
 * thread. */
guint gst_oct_filter_count_own_rows (GstOctFilter *filter, char **path);

/* The one that came from upstream: a new reference, or NULL.  Setting it keeps
 * a reference to `calibration`; the next buffer is processed with it. */
OctCalibration *gst_oct_filter_ref_upstream_calibration (GstOctFilter *filter);
void gst_oct_filter_set_upstream_calibration (
    GstOctFilter *filter, OctCalibration *calibration);

/* To be called by setters, outside the object lock: the next buffer is
 * processed with the new values; with `affects_caps` after negotiating again.
 */
void gst_oct_filter_property_changed (
    GstOctFilter *filter, gboolean affects_caps);

/* For set_property and get_property of classes that installed the calibration
 * properties; warn about an invalid id themselves. */
void gst_oct_filter_set_calibration_property (
    GstOctFilter *filter, guint id, const GValue *value, GParamSpec *pspec);
void gst_oct_filter_get_calibration_property (
    GstOctFilter *filter, guint id, GValue *value, GParamSpec *pspec);

/* What an element is; the texts are static. */
typedef struct {
  OctOperation operation;
  const char *long_name, *description;
  const char *sink_caps, *src_caps;         /* in host memory */
  const char *gpu_sink_caps, *gpu_src_caps; /* NULL: the same */
  gboolean uploads;   /* also from host memory to the GPU */
  gboolean downloads; /* also from the GPU to host memory */
} GstOctFilterDescription;

/* Metadata and both pad templates in one call. */
void gst_oct_filter_class_describe (
    GstOctFilterClass *klass, const GstOctFilterDescription *description);

G_END_DECLS
