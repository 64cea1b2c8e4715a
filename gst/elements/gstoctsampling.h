/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Which samples of a spectrum are used: the properties of octcs that say so,
 * the mask that they define, and the columns of its samples in the rows of the
 * input.
 */
#pragma once

#include "gstoctmaskfile.h"
#include "oct-mask.h"

G_BEGIN_DECLS

GType gst_oct_mask_get_type (void);

/* A member of the settings of an element. */
typedef struct {
  gint kind; /* OctMaskKind, or GST_OCT_MASK_FILE */
  double rate;
  guint max_gap;
  guint64 seed;
  GstOctMaskFile file; /* to read */
  char *output;        /* to write, or NULL */
} GstOctSampling;

#define GST_OCT_MASK_FILE (OCT_MASK_LINEAR_K + 1)

#define GST_OCT_DEFAULT_SAMPLING_RATE 0.4 /* Xu, Huang and Kang 2014 */
#define GST_OCT_DEFAULT_MAX_GAP 8
#define GST_OCT_DEFAULT_SEED 1

/* The length of the file decides the number of depths. */
#define GST_OCT_SAMPLING_ROWS(settings, member)                                \
  { "mask", "Mask", "Which samples of a spectrum are used",                    \
    GST_OCT_PROPERTY_LIVE | GST_OCT_PROPERTY_CAPS, "mask",                     \
    GST_OCT_ENUM (settings, member.kind, gst_oct_mask_get_type,                \
        OCT_MASK_VARIABLE_DENSITY) },                                          \
      { "sampling-rate", "Sampling rate",                                      \
        "Part of the samples that is used, above 0 (not for mask=file)",       \
        GST_OCT_PROPERTY_LIVE, "mask",                                         \
        GST_OCT_DOUBLE (                                                       \
            settings, member.rate, 0.0, 1.0, GST_OCT_DEFAULT_SAMPLING_RATE) }, \
      { "max-gap", "Largest gap",                                              \
        "Samples in a row that may be left out (mask=max-gap)",                \
        GST_OCT_PROPERTY_LIVE, "mask",                                         \
        GST_OCT_UINT (settings, member.max_gap, 0, OCT_MAX_SAMPLES,            \
            GST_OCT_DEFAULT_MAX_GAP) },                                        \
      { "seed", "Seed",                                                        \
        "Seed of the random choice of samples; the same one gives the same "   \
        "mask",                                                                \
        GST_OCT_PROPERTY_LIVE, "mask",                                         \
        GST_OCT_UINT64 (                                                       \
            settings, member.seed, 0, G_MAXUINT64, GST_OCT_DEFAULT_SEED) },    \
      { "mask-file", "Mask file",                                              \
        "Text file with 0 or 1 for every sample of a whole A-line "            \
        "(mask=file)",                                                         \
        GST_OCT_PROPERTY_LIVE | GST_OCT_PROPERTY_CAPS, "mask",                 \
        GST_OCT_FILE (settings, member.file.path, member.file.content,         \
            &gst_oct_mask_file) },                                             \
  {                                                                            \
    "mask-output", "Mask output",                                              \
        "File to write the mask in use to, so that a camera can deliver the "  \
        "same samples (none = not written)",                                   \
        GST_OCT_PROPERTY_LIVE, NULL, GST_OCT_STRING (settings, member.output)  \
  }

/* The samples of a whole A-line when the rows of the input have `columns`:
 * those of the mask file, else of the calibration from upstream, else as many;
 * and the calibration of them, a new reference, or NULL.  In the
 * streaming thread: files that have not been read are.  FALSE with an error
 * when the mask file or the calibration do not fit. */
gboolean gst_oct_sampling_find_samples (const GstOctSampling *sampling,
    GstOctFilter *filter, const OctCalibrationSettings *own, guint columns,
    guint *samples, OctCalibration **calibration, GError **error);

/* The same number as far as it is known, without reading; else 0. */
guint gst_oct_sampling_peek_samples (const GstOctSampling *sampling,
    GstOctFilter *filter, const OctCalibrationSettings *own, guint columns);

/* The mask, [samples]; g_free().  `nodes` and `density` as in OctMaskSettings.
 * For settings whose samples were found.  NULL with an error. */
guint8 *gst_oct_sampling_make_mask (const GstOctSampling *sampling,
    guint samples, const double *nodes, const double *density, GError **error);

/* Writes the mask to `output` if that is asked for.  FALSE with OCT_ERROR_WRITE
 * or _DISK_FULL. */
gboolean gst_oct_sampling_write_mask (const GstOctSampling *sampling,
    const guint8 *mask, guint samples, GError **error);

G_END_DECLS
