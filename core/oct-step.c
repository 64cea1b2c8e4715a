/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-step.h"

#include "oct-cs.h"
#include "oct-nufft.h"
#include "oct-params.h"

#include <string.h>

/* A table that parameters point to: where the pointer is, where the number of
 * its values, and the size of one. */
typedef struct {
  gsize pointer, count, size;
} Table;

#define MAX_TABLES 3

typedef struct {
  gsize params_size;
  Table tables[MAX_TABLES]; /* until size is 0 */
  gboolean (*check) (gconstpointer params, GError **error);
  void (*shapes) (
      gconstpointer params, OctStepShape *input, OctStepShape *output);
} Description;

struct _OctStep {
  gint references;
  OctOperation operation;
  gpointer params;
};

/* -------------------------------------------------------- the operations */

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
    check_nufft, OctNufftParams, oct_nufft_check (params, TRUE, error))
DEFINE_CHECK (
    check_nudft, OctNufftParams, oct_nufft_check (params, FALSE, error))

static OctStepShape
shape (OctSampleFormat format, guint values, guint rows)
{
  return (OctStepShape){ format, values, rows };
}

static void
background_shapes (gconstpointer data, OctStepShape *in, OctStepShape *out)
{
  const OctBackgroundParams *p = data;

  *in = shape (p->format, p->samples, p->lines);
  *out = shape (OCT_SAMPLE_F32, p->samples, p->lines);
}

static void
resample_shapes (gconstpointer data, OctStepShape *in, OctStepShape *out)
{
  const OctResampleParams *p = data;

  *in = *out = shape (OCT_SAMPLE_F32, p->samples, p->lines);
}

static void
dispersion_shapes (gconstpointer data, OctStepShape *in, OctStepShape *out)
{
  const OctDispersionParams *p = data;

  *in = shape (OCT_SAMPLE_F32, p->samples, p->lines);
  *out = shape (OCT_SAMPLE_CF32, p->samples, p->lines);
}

static void
fft_shapes (gconstpointer data, OctStepShape *in, OctStepShape *out)
{
  const OctFftParams *p = data;

  *in = shape (p->format, p->samples, p->lines);
  *out = shape (OCT_SAMPLE_CF32, p->depth_bins, p->lines);
}

static void
nufft_shapes (gconstpointer data, OctStepShape *in, OctStepShape *out)
{
  const OctNufftParams *p = data;

  *in = shape (p->format, p->samples, p->lines);
  *out = shape (OCT_SAMPLE_CF32, p->depth_bins, p->lines);
}

#define TABLE(type, pointer, count)                                            \
  {                                                                            \
    G_STRUCT_OFFSET (type, pointer), G_STRUCT_OFFSET (type, count),            \
        sizeof (*((type *)NULL)->pointer)                                      \
  }

static const Description descriptions[OCT_N_OPERATIONS] = {
  [OCT_OPERATION_BACKGROUND] = { sizeof (OctBackgroundParams),
      { TABLE (OctBackgroundParams, background, samples) }, check_background,
      background_shapes },
  [OCT_OPERATION_RESAMPLE] = { sizeof (OctResampleParams),
      { TABLE (OctResampleParams, positions, samples) }, check_resample,
      resample_shapes },
  [OCT_OPERATION_DISPERSION] = { sizeof (OctDispersionParams),
      { TABLE (OctDispersionParams, phase, samples) }, check_dispersion,
      dispersion_shapes },
  [OCT_OPERATION_FFT] = { sizeof (OctFftParams),
      { TABLE (OctFftParams, window, samples) }, check_fft, fft_shapes },
  [OCT_OPERATION_NUFFT] = { sizeof (OctNufftParams),
      { TABLE (OctNufftParams, nodes, samples),
          TABLE (OctNufftParams, window, samples) },
      check_nufft, nufft_shapes },
  [OCT_OPERATION_NUDFT] = { sizeof (OctNufftParams),
      { TABLE (OctNufftParams, nodes, samples),
          TABLE (OctNufftParams, window, samples) },
      check_nudft, nufft_shapes },
};

/* ---------------------------------------------------------------- the step */

gboolean
oct_step_is_possible (OctOperation operation, gconstpointer params)
{
  const OctBackgroundParams *background = params;

  if ((guint)operation >= OCT_N_OPERATIONS
      || descriptions[operation].params_size == 0)
    return FALSE;
  /* a running mean has a history, and the mean of a B-scan is found at once by
   * whoever keeps the order: OCT_OPERATION_MEAN */
  return operation != OCT_OPERATION_BACKGROUND || background->found
         || background->mode == OCT_BACKGROUND_STORED
         || background->mode == OCT_BACKGROUND_NONE;
}

OctStep *
oct_step_new (OctOperation operation, gconstpointer params, GError **error)
{
  const Description *description;
  OctStep *step;

  if (!oct_step_is_possible (operation, params)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "Operation %d with a history of its own cannot be done later",
        operation);
    return NULL;
  }
  description = &descriptions[operation];
  if (!description->check (params, error))
    return NULL;
  step = g_new0 (OctStep, 1);
  step->references = 1;
  step->operation = operation;
  step->params = g_memdup2 (params, description->params_size);
  for (guint i = 0; i < MAX_TABLES && description->tables[i].size > 0; i++) {
    const Table *table = &description->tables[i];
    guint count = G_STRUCT_MEMBER (guint, step->params, table->count);
    gpointer *to = &G_STRUCT_MEMBER (gpointer, step->params, table->pointer);

    *to = g_memdup2 (*to, count * table->size);
  }
  return step;
}

OctStep *
oct_step_ref (OctStep *step)
{
  g_atomic_int_inc (&step->references);
  return step;
}

void
oct_step_unref (OctStep *step)
{
  const Description *description = &descriptions[step->operation];

  if (!g_atomic_int_dec_and_test (&step->references))
    return;
  for (guint i = 0; i < MAX_TABLES && description->tables[i].size > 0; i++)
    g_free (G_STRUCT_MEMBER (
        gpointer, step->params, description->tables[i].pointer));
  g_free (step->params);
  g_free (step);
}

OctOperation
oct_step_get_operation (const OctStep *step)
{
  return step->operation;
}

gconstpointer
oct_step_get_params (const OctStep *step)
{
  return step->params;
}

OctStepShape
oct_step_get_input (const OctStep *step)
{
  OctStepShape in, out;

  descriptions[step->operation].shapes (step->params, &in, &out);
  return in;
}

OctStepShape
oct_step_get_output (const OctStep *step)
{
  OctStepShape in, out;

  descriptions[step->operation].shapes (step->params, &in, &out);
  return out;
}

gsize
oct_step_shape_row (const OctStepShape *shape)
{
  return shape->values * oct_sample_format_size (shape->format);
}

gsize
oct_step_shape_size (const OctStepShape *shape)
{
  return shape->rows * oct_step_shape_row (shape);
}
