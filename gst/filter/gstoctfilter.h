/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * GstOctFilter: base class of the elements between raw spectra and images.
 *
 * The base class does caps with their memory features, mapping, buffer pools,
 * the plan of the operation, the calibration event, errors and the properties
 * `backend` and `cuda-device-id`.  An element states its caps, its properties
 * and the parameters of the operation it runs.
 *
 * gstoctfilter.c is the element, gstoctfilterclass.c its description in
 * gst-inspect-1.0, gstoctfiltercaps.c its caps, gstoctfiltercalibration.c its
 * calibration.
 *
 * Thread-safety: configure() and found() run in the streaming thread,
 * transform_structure() in any.
 */
#pragma once

#include <gst/base/gstbasetransform.h>
#include "gstoctoperator.h"
#include "gstoctcaps.h"
#include "gstoctcalibration.h"
#include "gstoctchoice.h"
#include "gstoctplace.h"
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

  /* the rows of the properties that this element adds */
  const GstOctProperties *properties;

  /* Appends to `result` the possible structures of the pad opposite to
   * `direction` when the pad in `direction` has `structure`.  Called by any
   * thread: reads no file. */
  void (*transform_structure) (GstOctFilter *filter, gconstpointer settings,
      GstPadDirection direction, const GstStructure *structure,
      GstCaps *result);

  /* Called in the streaming thread when caps, calibration or a property
   * changed: builds the parameters of the operation from `settings`, one
   * snapshot of the properties that does not change, and hands them to
   * gst_oct_filter_set_plan().  Files are read here.  It sets anything else for
   * GST_OCT_TO_USE alone, after set_plan(): settings that do not fit leave the
   * element as it was, and GstOctChoice says so. */
  gboolean (*configure) (GstOctFilter *filter, gconstpointer settings,
      GstOctPurpose purpose, GError **error);

  /* Called in the streaming thread after every B-scan with the value of
   * get_found() of the operation.  NULL: not needed. */
  void (*found) (GstOctFilter *filter, double value);

  /* The setting that depends on the previous B-scans, as "mode=running", with
   * what to set in its place; NULL: none does.  The texts are static.  NULL:
   * there are no such settings. */
  const char *(*get_history) (gconstpointer settings, const char **instead);

  /* See GstOctDescribe; NULL: nothing better can be said. */
  char *(*describe) (
      GstOctFilter *filter, gconstpointer settings, const char *group);
};

/* The caps that configure() is asked for; those of the output not with
 * GST_OCT_FOR_CAPS. */
const GstOctInfo *gst_oct_filter_get_input (GstOctFilter *filter);
const GstOctInfo *gst_oct_filter_get_output (GstOctFilter *filter);

/* In configure() only: checks the params of the operation, which may be another
 * one than that of the class, and makes a plan of them if they are to be
 * used. */
gboolean gst_oct_filter_set_plan (GstOctFilter *filter, OctOperation operation,
    gconstpointer params, GError **error);

/* In found(). */
GstOctOperator *gst_oct_filter_get_operator (GstOctFilter *filter);

/* Streaming thread: waits for the device, so that all is found and counted. */
void gst_oct_filter_wait (GstOctFilter *filter);

/* Which settings are in force. */
GstOctChoice *gst_oct_filter_get_choice (GstOctFilter *filter);

/* The next B-scan is processed with other settings or another calibration, with
 * `affects_caps` after negotiating again: any thread, without the object lock.
 */
void gst_oct_filter_changed (GstOctFilter *filter, gboolean affects_caps);

/* The next B-scan is processed without those before it, as after a seek.  In
 * the streaming thread. */
void gst_oct_filter_forget (GstOctFilter *filter);

/* Before the start: whether its settings allow it to get only some of the
 * B-scans, those of one of `devices` of octreconstruct, "0,1"; FALSE with
 * OCT_ERROR_SETTINGS. */
gboolean gst_oct_filter_check_history (
    GstOctFilter *filter, const char *devices, GError **error);

/* Sets `cuda-device-id` for the bin that it is in, which chooses it on the way
 * to PAUSED: in READY at the latest. */
void gst_oct_filter_set_device (GstOctFilter *filter, gint id);

/* Where it works: `backend` and `cuda-device-id`. */
const GstOctPlace *gst_oct_filter_get_place (GstOctFilter *filter);

/* The calibrations from upstream and those that were made: under the object
 * lock. */
GstOctCalibrations *gst_oct_filter_get_calibrations (GstOctFilter *filter);

/* The calibration in force for spectra of `samples` samples: the element's own,
 * else the one that came from upstream (a new reference); NULL without an error
 * when there is none, with one when it does not fit.  Reads the file if that
 * has not been done: for the streaming thread, without the object lock.  `own`:
 * of the settings; NULL: the element has none. */
OctCalibration *gst_oct_filter_ref_calibration (GstOctFilter *filter,
    const OctCalibrationSettings *own, guint samples, GError **error);

/* For transform_structure(): the same as far as it is known, without an
 * error. */
OctCalibration *gst_oct_filter_peek_calibration (
    GstOctFilter *filter, const OctCalibrationSettings *own, guint samples);

/* The same if the wavenumber of every sample is needed: NULL always with an
 * error.  `instead`: what to do besides octdcsub axis=wavenumber when they are
 * uniform, "... and ", or "". */
OctCalibration *gst_oct_filter_ref_wavenumbers (GstOctFilter *filter,
    const OctCalibrationSettings *own, guint samples, const char *instead,
    GError **error);

/* The one that came from upstream: a new reference, or NULL.  Setting it keeps
 * a reference to `calibration`; the next buffer is processed with it. */
OctCalibration *gst_oct_filter_ref_upstream_calibration (GstOctFilter *filter);
void gst_oct_filter_set_upstream_calibration (
    GstOctFilter *filter, OctCalibration *calibration);

/* The description of an element; the texts are static. */
typedef struct {
  OctOperation operation;
  const GstOctProperties *properties;
  const char *long_name, *description;
  const char *sink_caps, *src_caps;         /* in host memory */
  const char *gpu_sink_caps, *gpu_src_caps; /* NULL: the same */
  gboolean uploads;   /* also from host memory to the GPU */
  gboolean downloads; /* also from the GPU to host memory */
} GstOctFilterDescription;

/* Metadata, both pad templates and the properties in one call. */
void gst_oct_filter_class_describe (
    GstOctFilterClass *klass, const GstOctFilterDescription *description);

G_END_DECLS
