/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-operation.h"

#include "oct-align.h"
#include "oct-angio.h"
#include "oct-average.h"
#include "oct-colormap.h"
#include "oct-cs.h"
#include "oct-doppler.h"
#include "oct-dynamic.h"
#include "oct-flip.h"
#include "oct-kclock.h"
#include "oct-nufft.h"
#include "oct-params.h"
#include "oct-refocus.h"
#include "oct-speckle.h"

/* A table that parameters point to: the offsets of the pointer and of the
 * number of its values, and the size of one. */
typedef struct {
  gsize pointer, count, size;
} Table;

#define MAX_TABLES 4

typedef struct {
  const char *name, *summary;
  gsize params_size;
  Table tables[MAX_TABLES]; /* until size is 0 */
  gboolean (*check) (gconstpointer params, GError **error);
  void (*shapes) (
      gconstpointer params, OctStepShape *input, OctStepShape *output);
  gboolean (*can_wait) (gconstpointer params); /* NULL: never */
  gboolean in_place;
  gboolean needs_all; /* the B-scans that its plan is made for */
} Description;

/* ------------------------------------------------------------------ checks */

/* The functions of oct-params.h and others for parameters of any kind. */
#define DEFINE_CHECK(name, type, call)                                         \
  static gboolean name (gconstpointer data, GError **error)                    \
  {                                                                            \
    const type *params = data;                                                 \
    return call;                                                               \
  }

DEFINE_CHECK (
    check_background, OctBackgroundParams, oct_check_background (params, error))
DEFINE_CHECK (
    check_resample, OctResampleParams, oct_check_resample (params, error))
DEFINE_CHECK (
    check_dispersion, OctDispersionParams, oct_check_dispersion (params, error))
DEFINE_CHECK (check_fft, OctFftParams, oct_check_fft (params, error))
DEFINE_CHECK (
    check_logscale, OctLogscaleParams, oct_check_logscale (params, error))
DEFINE_CHECK (
    check_nufft, OctNufftParams, oct_nufft_check (params, TRUE, error))
DEFINE_CHECK (
    check_nudft, OctNufftParams, oct_nufft_check (params, FALSE, error))
DEFINE_CHECK (check_cs, OctCsParams, oct_cs_check (params, error))
DEFINE_CHECK (
    check_colormap, OctColormapParams, oct_check_colormap (params, error))
DEFINE_CHECK (check_flip, OctFlipParams, oct_check_flip (params, error))
DEFINE_CHECK (
    check_speckle, OctSpeckleParams, oct_check_speckle (params, error))
DEFINE_CHECK (
    check_average, OctAverageParams, oct_check_average (params, error))
DEFINE_CHECK (
    check_doppler, OctDopplerParams, oct_check_doppler (params, error))
DEFINE_CHECK (
    check_dynamic, OctDynamicParams, oct_check_dynamic (params, error))

DEFINE_CHECK (check_align, OctAlignParams, oct_check_align (params, error))
DEFINE_CHECK (check_angio, OctAngioParams, oct_check_angio (params, error))
DEFINE_CHECK (
    check_refocus, OctRefocusParams, oct_check_refocus (params, error))
DEFINE_CHECK (check_kclock, OctKclockParams, oct_check_kclock (params, error))

static gboolean
check_sharpen (gconstpointer data, GError **error)
{
  const OctSharpenParams *params = data;

  if (!oct_check_image (
          params->width, params->height, params->bscans, params->format, error))
    return FALSE;
  if (params->amount >= 0 && params->amount <= OCT_SHARPEN_STRONGEST
      && params->radius >= 0.1 && params->radius <= OCT_SHARPEN_WIDEST)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "amount=%g and radius=%g were asked for; set `amount` to a value from 0 "
      "to %g and `radius` to a value from 0.1 to %u pixels.",
      params->amount, params->radius, OCT_SHARPEN_STRONGEST,
      OCT_SHARPEN_WIDEST);
  return FALSE;
}

/* ------------------------------------------------------------------- sides */

/* A function for both sides; the macro gives it `p`. */
#define DEFINE_SHAPES(name, type, input_shape, output_shape)                   \
  static void name (gconstpointer data, OctStepShape *in, OctStepShape *out)   \
  {                                                                            \
    const type *p = data;                                                      \
    *in = (OctStepShape)input_shape;                                           \
    *out = (OctStepShape)output_shape;                                         \
  }
/* what the macro above hands on as one word */
#define SHAPE(...)                                                             \
  {                                                                            \
    __VA_ARGS__                                                                \
  }

DEFINE_SHAPES (background_shapes, OctBackgroundParams,
    SHAPE (p->format, p->samples, p->lines),
    SHAPE (OCT_SAMPLE_F32, p->samples, p->lines))
DEFINE_SHAPES (mean_shapes, OctBackgroundParams,
    SHAPE (p->format, p->samples, p->lines),
    SHAPE (OCT_SAMPLE_F32, p->samples, OCT_BSCANS (p)))
DEFINE_SHAPES (resample_shapes, OctResampleParams,
    SHAPE (OCT_SAMPLE_F32, p->samples, p->lines),
    SHAPE (OCT_SAMPLE_F32, p->samples, p->lines))
DEFINE_SHAPES (dispersion_shapes, OctDispersionParams,
    SHAPE (OCT_SAMPLE_F32, p->samples, p->lines),
    SHAPE (OCT_SAMPLE_CF32, p->samples, p->lines))
DEFINE_SHAPES (fft_shapes, OctFftParams,
    SHAPE (p->format, p->samples, p->lines),
    SHAPE (OCT_SAMPLE_CF32, p->depth_bins, p->lines))
DEFINE_SHAPES (logscale_shapes, OctLogscaleParams,
    SHAPE (OCT_SAMPLE_CF32, p->depth_bins, p->lines),
    SHAPE (p->format == OCT_IMAGE_GRAY16 ? OCT_SAMPLE_U16 : OCT_SAMPLE_U8,
        p->lines / OCT_BSCANS (p), p->depth_bins *OCT_BSCANS (p)))
DEFINE_SHAPES (nufft_shapes, OctNufftParams,
    SHAPE (p->format, p->samples, p->lines),
    SHAPE (OCT_SAMPLE_CF32, p->depth_bins, p->lines))
DEFINE_SHAPES (cs_shapes, OctCsParams, SHAPE (p->format, p->columns, p->lines),
    SHAPE (OCT_SAMPLE_CF32, p->depth_bins, p->lines))
DEFINE_SHAPES (colormap_shapes, OctColormapParams,
    SHAPE (OCT_SAMPLE_U8, p->width * p->pixel_size, p->height),
    SHAPE (OCT_SAMPLE_U8, p->format == OCT_IMAGE_RGBA ? 4 * p->width : p->width,
        p->height))

DEFINE_SHAPES (align_shapes, OctAlignParams,
    SHAPE (OCT_SAMPLE_CF32, p->depth_bins, p->lines),
    SHAPE (OCT_SAMPLE_CF32, p->depth_bins, p->lines))
DEFINE_SHAPES (refocus_shapes, OctRefocusParams,
    SHAPE (OCT_SAMPLE_CF32, p->depth_bins, p->lines),
    SHAPE (OCT_SAMPLE_CF32, p->depth_bins, p->lines))
DEFINE_SHAPES (kclock_shapes, OctKclockParams,
    SHAPE (p->format, 2 * p->samples, p->lines),
    SHAPE (OCT_SAMPLE_F32, p->samples, p->lines))
DEFINE_SHAPES (angio_shapes, OctAngioParams,
    SHAPE (OCT_SAMPLE_CF32, p->depth_bins, p->lines),
    SHAPE (p->format == OCT_IMAGE_GRAY16 ? OCT_SAMPLE_U16 : OCT_SAMPLE_U8,
        p->lines / OCT_BSCANS (p), p->depth_bins *OCT_BSCANS (p)))

/* The shape of a filter of images, whose parameters begin with a size and a
 * format. */
#define IMAGE_SHAPE(p)                                                         \
  SHAPE (p->format == OCT_IMAGE_GRAY16 ? OCT_SAMPLE_U16 : OCT_SAMPLE_U8,       \
      p->format == OCT_IMAGE_RGBA ? 4 * p->width : p->width, p->height)
DEFINE_SHAPES (flip_shapes, OctFlipParams, IMAGE_SHAPE (p), IMAGE_SHAPE (p))
DEFINE_SHAPES (
    speckle_shapes, OctSpeckleParams, IMAGE_SHAPE (p), IMAGE_SHAPE (p))
DEFINE_SHAPES (
    sharpen_shapes, OctSharpenParams, IMAGE_SHAPE (p), IMAGE_SHAPE (p))
DEFINE_SHAPES (average_shapes, OctAverageParams,
    SHAPE (p->format, p->values, p->rows),
    SHAPE (p->format, p->values, p->rows))

/* Values as A-scans have them, or images one below the other. */
#define FLOW_SHAPE(p)                                                          \
  SHAPE (p->values ? OCT_SAMPLE_F32 : OCT_SAMPLE_U8,                           \
      p->values                                                                \
          ? p->depth_bins                                                      \
          : p->lines / OCT_BSCANS (p) * (p->format == OCT_IMAGE_RGBA ? 4 : 1), \
      p->values ? p->lines : p->depth_bins * OCT_BSCANS (p))
DEFINE_SHAPES (doppler_shapes, OctDopplerParams,
    SHAPE (OCT_SAMPLE_CF32, p->depth_bins, p->lines), FLOW_SHAPE (p))
DEFINE_SHAPES (dynamic_shapes, OctDynamicParams,
    SHAPE (OCT_SAMPLE_CF32, p->depth_bins, p->lines), FLOW_SHAPE (p))

/* ------------------------------------------------------------------- later */

static gboolean
operation_always (gconstpointer params)
{
  return TRUE;
}

/* FALSE for backgrounds that are found within the operation: that must happen
 * in the order of the B-scans. */
static gboolean
background_can_wait (gconstpointer data)
{
  const OctBackgroundParams *params = data;

  return params->found || (guint)params->mode >= OCT_N_BACKGROUND_MODES
         || !(oct_background_modes[params->mode].is_found
              || oct_background_modes[params->mode].is_apart);
}

/* --------------------------------------------------------------- the table */

#define TABLE(type, pointer, count)                                            \
  {                                                                            \
    G_STRUCT_OFFSET (type, pointer), G_STRUCT_OFFSET (type, count),            \
        sizeof (*((type *)NULL)->pointer)                                      \
  }

static const Description descriptions[] = {
  [OCT_OPERATION_BACKGROUND] = { "background",
      "counts to float, less the spectrum of the source",
      sizeof (OctBackgroundParams),
      { TABLE (OctBackgroundParams, background, samples) }, check_background,
      background_shapes, background_can_wait, TRUE },
  [OCT_OPERATION_MEAN] = { "mean", "what background is to remove, found before",
      sizeof (OctBackgroundParams),
      { TABLE (OctBackgroundParams, background, samples) }, check_background,
      mean_shapes },
  [OCT_OPERATION_RESAMPLE] = { "resample", "to uniform wavenumbers",
      sizeof (OctResampleParams),
      { TABLE (OctResampleParams, positions, samples) }, check_resample,
      resample_shapes, operation_always, TRUE },
  [OCT_OPERATION_DISPERSION] = { "dispersion",
      "a phase for every sample, real to complex", sizeof (OctDispersionParams),
      { TABLE (OctDispersionParams, phase, samples) }, check_dispersion,
      dispersion_shapes, operation_always },
  [OCT_OPERATION_FFT] = { "fft", "window and transform: spectra to A-scans",
      sizeof (OctFftParams), { TABLE (OctFftParams, window, samples) },
      check_fft, fft_shapes, operation_always },
  [OCT_OPERATION_LOGSCALE] = { "logscale", "A-scans to an image",
      sizeof (OctLogscaleParams), { { 0 } }, check_logscale, logscale_shapes },
  [OCT_OPERATION_NUFFT] = { "nufft",
      "spectra at any wavenumbers to A-scans, by gridding",
      sizeof (OctNufftParams),
      { TABLE (OctNufftParams, nodes, samples),
          TABLE (OctNufftParams, window, samples) },
      check_nufft, nufft_shapes, operation_always },
  [OCT_OPERATION_NUDFT] = { "nudft", "the same, exactly",
      sizeof (OctNufftParams),
      { TABLE (OctNufftParams, nodes, samples),
          TABLE (OctNufftParams, window, samples) },
      check_nudft, nufft_shapes, operation_always },
  [OCT_OPERATION_CS] = { "cs",
      "under-sampled spectra to A-scans, by compressive sensing",
      sizeof (OctCsParams),
      { TABLE (OctCsParams, column, kept), TABLE (OctCsParams, nodes, kept),
          TABLE (OctCsParams, window, kept) },
      check_cs, cs_shapes },
  [OCT_OPERATION_COLORMAP] = { "colormap", "an image in colours",
      sizeof (OctColormapParams), { TABLE (OctColormapParams, colors, values) },
      check_colormap, colormap_shapes },
  [OCT_OPERATION_FLIP] = { "flip", "images the right way round",
      sizeof (OctFlipParams), { { 0 } }, check_flip, flip_shapes },
  [OCT_OPERATION_SPECKLE] = { "speckle", "grey images with less speckle",
      sizeof (OctSpeckleParams), { { 0 } }, check_speckle, speckle_shapes },
  [OCT_OPERATION_SHARPEN] = { "sharpen", "grey images with sharper edges",
      sizeof (OctSharpenParams), { { 0 } }, check_sharpen, sharpen_shapes },
  [OCT_OPERATION_AVERAGE] = { "average", "means of images or A-scans over time",
      sizeof (OctAverageParams), { { 0 } }, check_average, average_shapes },
  [OCT_OPERATION_ALIGN] = { "align",
      "repeated B-scans moved onto the first of a place",
      sizeof (OctAlignParams), { { 0 } }, check_align, align_shapes,
      .needs_all = TRUE },
  [OCT_OPERATION_ANGIO] = { "angio", "what moves, from repeated B-scans",
      sizeof (OctAngioParams), { { 0 } }, check_angio, angio_shapes,
      .needs_all = TRUE },
  [OCT_OPERATION_DOPPLER] = { "doppler",
      "motion along the beam, by its Doppler shifts", sizeof (OctDopplerParams),
      { { 0 } }, check_doppler, doppler_shapes, .needs_all = TRUE },
  [OCT_OPERATION_DYNAMIC] = { "dynamic",
      "how much and how fast A-scans fluctuate", sizeof (OctDynamicParams),
      { { 0 } }, check_dynamic, dynamic_shapes, .needs_all = TRUE },
  [OCT_OPERATION_REFOCUS] = { "refocus",
      "a volume brought into focus at all depths", sizeof (OctRefocusParams),
      { { 0 } }, check_refocus, refocus_shapes, .needs_all = TRUE },
  [OCT_OPERATION_KCLOCK] = { "kclock",
      "spectra of a swept source uniform in wavenumber, by its clock",
      sizeof (OctKclockParams), { { 0 } }, check_kclock, kclock_shapes },
};
G_STATIC_ASSERT (G_N_ELEMENTS (descriptions) == OCT_N_OPERATIONS);

gboolean
oct_operation_needs_all (OctOperation operation)
{
  return descriptions[operation].needs_all;
}

const char *
oct_operation_get_name (OctOperation operation)
{
  return descriptions[operation].name;
}

const char *
oct_operation_get_summary (OctOperation operation)
{
  return descriptions[operation].summary;
}

gboolean
oct_operation_is_in_place (OctOperation operation)
{
  return descriptions[operation].in_place;
}

gboolean
oct_operation_can_wait (OctOperation operation, gconstpointer params)
{
  const Description *d = &descriptions[operation];

  return d->can_wait != NULL && d->can_wait (params);
}

gboolean
oct_operation_check (
    OctOperation operation, gconstpointer params, GError **error)
{
  return descriptions[operation].check (params, error);
}

void
oct_operation_get_shapes (OctOperation operation, gconstpointer params,
    OctStepShape *input, OctStepShape *output)
{
  descriptions[operation].shapes (params, input, output);
}

gpointer
oct_operation_copy_params (OctOperation operation, gconstpointer params)
{
  const Description *d = &descriptions[operation];
  gpointer copy = g_memdup2 (params, d->params_size);

  for (guint i = 0; i < MAX_TABLES && d->tables[i].size > 0; i++) {
    const Table *table = &d->tables[i];
    guint count = G_STRUCT_MEMBER (guint, copy, table->count);
    gpointer *to = &G_STRUCT_MEMBER (gpointer, copy, table->pointer);

    *to = g_memdup2 (*to, count * table->size);
  }
  return copy;
}

void
oct_operation_free_params (OctOperation operation, gpointer params)
{
  const Description *d = &descriptions[operation];

  for (guint i = 0; i < MAX_TABLES && d->tables[i].size > 0; i++)
    g_free (G_STRUCT_MEMBER (gpointer, params, d->tables[i].pointer));
  g_free (params);
}
