/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Which samples of a spectrum are used: the properties of octcs that say so,
 * the mask that comes of them, and where in the rows of the input its samples
 * stand.
 */
#pragma once

#include "gstoctfilter.h"
#include "oct-mask.h"

G_BEGIN_DECLS

#define GST_TYPE_OCT_MASK (gst_oct_mask_get_type ())
GType gst_oct_mask_get_type (void);

/* Under the object lock of the element. */
typedef struct {
  gint kind; /* OctMaskKind, or GST_OCT_MASK_FILE */
  double rate;
  guint max_gap;
  guint64 seed;
  char *file;   /* to read, or NULL */
  char *output; /* to write, or NULL */

  guint8 *read; /* what is in `file`, NULL until it is read */
  guint read_samples;
} GstOctSampling;

#define GST_OCT_MASK_FILE (OCT_MASK_LINEAR_K + 1)

/* Identifiers of the properties, beyond those any element uses itself. */
enum {
  GST_OCT_PROP_MASK = 1200,
  GST_OCT_PROP_SAMPLING_RATE,
  GST_OCT_PROP_MAX_GAP,
  GST_OCT_PROP_SEED,
  GST_OCT_PROP_MASK_FILE,
  GST_OCT_PROP_MASK_OUTPUT,
};

void gst_oct_sampling_init (GstOctSampling *sampling);
void gst_oct_sampling_clear (GstOctSampling *sampling);
void gst_oct_sampling_install_properties (GObjectClass *klass);

/* FALSE when `id` is none of these; otherwise the filter is told of a new
 * value.  Take the object lock of the element themselves. */
gboolean gst_oct_sampling_set_property (GstOctFilter *filter,
    GstOctSampling *sampling, guint id, const GValue *value);
gboolean gst_oct_sampling_get_property (
    GstOctFilter *filter, GstOctSampling *sampling, guint id, GValue *value);

/* The file is read again at the next use; for stop(). */
void gst_oct_sampling_forget (GstOctFilter *filter, GstOctSampling *sampling);

/* Samples of a whole A-line when the rows of the input have `columns`: those of
 * the mask file, else of the calibration from upstream, else as many. */
guint gst_oct_sampling_get_samples (
    GstOctFilter *filter, GstOctSampling *sampling, guint columns);

/* The mask, [samples]; g_free().  `nodes` and `density` as in OctMaskSettings.
 * Writes it to `output` where that is asked for.  NULL with an error. */
guint8 *gst_oct_sampling_make_mask (GstOctFilter *filter,
    GstOctSampling *sampling, guint samples, const double *nodes,
    const double *density, GError **error);

G_END_DECLS
