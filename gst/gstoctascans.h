/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * What the elements that make A-scans of spectra share: window, depths and the
 * caps that come of them.
 */
#pragma once

#include "gstoctfilter.h"
#include "oct-window.h"

G_BEGIN_DECLS

#define GST_TYPE_OCT_WINDOW (gst_oct_window_get_type ())
GType gst_oct_window_get_type (void);

typedef struct {
  guint length; /* of the transform */
  guint start, bins;
} GstOctDepths;

/* Under the object lock of the element. */
typedef struct {
  OctWindow window;
  GstOctDepths wanted; /* the properties, 0 = all */
  GstOctDepths former; /* those that the last plan was made with */
  gboolean has_former; /* there was one since the start */
  gboolean told;       /* that what is wanted now is impossible */
} GstOctAScans;

/* Identifiers of the properties, beyond those any element uses itself. */
enum {
  GST_OCT_PROP_WINDOW = 1100,
  GST_OCT_PROP_LENGTH,
  GST_OCT_PROP_DEPTH_START,
  GST_OCT_PROP_DEPTH_BINS,
};

/* Installs `window`, `depth-start`, `depth-bins` and, with `has_length`,
 * `length`. */
void gst_oct_ascans_install_properties (
    GObjectClass *klass, gboolean has_length);

/* FALSE when `id` is none of these; otherwise the value is taken and the filter
 * told of it.  Takes the object lock of the element itself. */
gboolean gst_oct_ascans_set_property (
    GstOctFilter *filter, GstOctAScans *ascans, guint id, const GValue *value);
/* FALSE when `id` is none of these; otherwise `value`, initialised for the type
 * of the property, holds what was set last, which may be a range that is not
 * in force.  Takes the object lock of the element itself. */
gboolean gst_oct_ascans_get_property (
    GstOctFilter *filter, GstOctAScans *ascans, guint id, GValue *value);

/* For transform_structure(): A-scans from spectra, or spectra `formats`, `axis`
 * from A-scans. */
void gst_oct_ascans_transform_structure (GstOctFilter *filter,
    GstOctAScans *ascans, GstPadDirection direction, const GstStructure *from,
    const char *spectra, GstCaps *result);

/* For configure(): what the plan for A-lines of `samples` is to be made with.
 * depths->bins is 0 when properties were set between the negotiation and this
 * B-scan: caps for them will come, and the plan that there is serves until
 * then; where there is none, `depths` fit the caps and lie as near as they can.
 * Properties set while the picture is live that do not go together leave what
 * was in force, with one warning on the bus; FALSE with OCT_ERROR_SETTINGS when
 * nothing was. */
gboolean gst_oct_ascans_configure (GstOctFilter *filter, GstOctAScans *ascans,
    guint samples, GstOctDepths *depths, OctWindow *window, GError **error);

G_END_DECLS
