/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Which samples of a spectrum are used: the properties of octcs that say so,
 * the mask that comes of them, and where in the rows of the input its samples
 * stand.
 */
#pragma once

#include "gstoctmaskfile.h"
#include "oct-mask.h"

G_BEGIN_DECLS

#define GST_TYPE_OCT_MASK (gst_oct_mask_get_type ())
GType gst_oct_mask_get_type (void);

/* Under the object lock of the element, or a copy. */
typedef struct {
  gint kind; /* OctMaskKind, or GST_OCT_MASK_FILE */
  double rate;
  guint max_gap;
  guint64 seed;
  GstOctMaskFile file; /* to read */
  char *output;        /* to write, or NULL */

  gboolean told; /* that what is set now is impossible */
  gboolean told_of_output;
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

/* A copy, which shares what has been read of the mask file; under the object
 * lock.  `to` is cleared before. */
void gst_oct_sampling_copy (GstOctSampling *to, const GstOctSampling *from);

/* The samples of a whole A-line when the rows of the input have `columns`:
 * those of the mask file, else of the calibration from upstream, else as many;
 * and the calibration of them, a new reference, or NULL.  For a copy, in the
 * streaming thread: files that have not been read are.  FALSE
 * with an error, and `samples` set as far as it is known, when the mask file
 * or the calibration do not fit. */
gboolean gst_oct_sampling_find_samples (GstOctSampling *sampling,
    GstOctFilter *filter, guint columns, guint *samples,
    OctCalibration **calibration, GError **error);

/* The mask, [samples]; g_free().  `nodes` and `density` as in OctMaskSettings.
 * For a copy whose samples were found.  NULL with an error. */
guint8 *gst_oct_sampling_make_mask (GstOctSampling *sampling, guint samples,
    const double *nodes, const double *density, GError **error);

/* Writes the mask to `output` where that is asked for.  FALSE with
 * OCT_ERROR_WRITE or _DISK_FULL. */
gboolean gst_oct_sampling_write_mask (const GstOctSampling *sampling,
    const guint8 *mask, guint samples, GError **error);

G_END_DECLS
