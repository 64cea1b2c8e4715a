/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * octdcsub's background in front of octcs in one pass over the data: the kernel
 * that solves on the chip reads the counts and removes the background itself,
 * in place of floats that another kernel has written.
 *
 * Known are 8 and 16 bit counts with a background that is the same for all
 * A-lines of a B-scan.  Where the plan of octcs takes floats alone (A-lines
 * that do not fit the chip, or noise to be found before) the background is
 * removed to memory of the pass.
 */
#include "oct-cuda-cs-parts.h"
#include "oct-step.h"

#define NAME OCT_CUDA_CS

struct _OctCudaCsPass {
  guint samples, lines, bscans; /* lines: of a B-scan */
  gboolean found;               /* with every frame, after its rows */
  OctCudaCsCounts counts;
  OctCudaTable stored;
  gboolean overlap;
  float *spectra; /* [bscans lines][samples], when first needed */
};

static gboolean
cuda_cs_pass_is_known (const OctBackgroundParams *background, guint lines)
{
  const OctBackgroundModeInfo *info = &oct_background_modes[background->mode];

  if (background->format == OCT_SAMPLE_F32)
    return FALSE;
  if (background->found)
    return info->terms == 0 && !info->is_apart
           && oct_cuda_sums_fit (background->format, lines);
  return background->mode == OCT_BACKGROUND_STORED
         || background->mode == OCT_BACKGROUND_NONE;
}

OctCudaCsPass *
oct_cuda_cs_pass_new (const OctStep *const *steps, guint n, guint bscans)
{
  const OctBackgroundParams *background;
  OctCudaCsPass *pass;

  if (n != 1 || oct_step_get_operation (steps[0]) != OCT_OPERATION_BACKGROUND)
    return NULL;
  background = oct_step_get_params (steps[0]);
  if (!cuda_cs_pass_is_known (background, background->lines / bscans))
    return NULL;
  pass = g_new0 (OctCudaCsPass, 1);
  pass->samples = background->samples;
  pass->lines = background->lines / bscans;
  pass->bscans = bscans;
  pass->overlap = oct_cuda_can_overlap ();
  pass->found = background->found;
  pass->counts.size = (guint)oct_sample_format_size (background->format);
  pass->counts.mode = OCT_CUDA_BACKGROUND_TABLE;
  if (background->found) {
    pass->counts.mode =
        oct_cuda_found_mode (background->mode, background->format);
    pass->counts.table_step = OCT_MEAN_SIZE (pass->samples, pass->lines);
  }
  if (background->mode != OCT_BACKGROUND_STORED)
    return pass;
  if (oct_cuda_stored_init (&pass->stored, background, NAME, NULL)) {
    pass->counts.table = pass->stored.device;
    return pass;
  }
  oct_cuda_cs_pass_free (pass);
  return NULL;
}

void
oct_cuda_cs_pass_free (OctCudaCsPass *pass)
{
  oct_cuda_table_clear (&pass->stored);
  oct_cuda_free (pass->spectra);
  g_free (pass);
}

/* Floats for a plan that takes no counts. */
static gboolean
remove_background (OctCudaCsPass *pass, const OctFrame *in,
    const OctCudaCsCounts *counts, gpointer stream, GError **error)
{
  gsize row = pass->samples * sizeof (float);
  guint bscans = oct_frame_count_bscans (in, pass->lines, pass->bscans);
  OctCudaBackground background = { .rows = { .lines = pass->lines,
                                       .samples = pass->samples,
                                       .in_stride = in->planes[0].stride,
                                       .out_stride = row },
    .sample_size = counts->size,
    .mode = counts->mode,
    .bscans = 1 };
  OctCudaQueue queue = { stream, pass->overlap };

  if (pass->spectra == NULL)
    pass->spectra =
        oct_cuda_alloc (row * pass->lines * pass->bscans, NAME, error);
  for (guint b = 0; b < bscans && pass->spectra != NULL; b++) {
    gsize first = (gsize)b * pass->lines;

    background.rows.in =
        (const guint8 *)in->planes[0].data + first * in->planes[0].stride;
    background.rows.out = pass->spectra + first * pass->samples;
    background.table = counts->table;
    if (counts->table != NULL)
      background.table = (const guint8 *)counts->table + b * counts->table_step;
    if (!oct_cuda_check (
            oct_cuda_launch_background (&background, queue), NAME, error))
      return FALSE;
  }
  return pass->spectra != NULL;
}

gboolean
oct_cuda_cs_pass_run (OctCudaCsPass *pass, const OctFrame *in, OctPlan *last,
    const OctFrame *out, gpointer stream, GError **error)
{
  OctCudaCsCounts counts = pass->counts;
  OctFrame floats = { { { NULL, pass->samples * sizeof (float) } }, in->lines };

  if (!oct_cuda_check_plane (
          &in->planes[0], pass->samples * counts.size, counts.size, error)
      || !oct_cuda_table_upload (&pass->stored, NAME, stream, error))
    return FALSE;
  if (pass->found) {
    if (!oct_cuda_check_found (&in->planes[1], error))
      return FALSE;
    counts.table = in->planes[1].data;
  }
  if (oct_cuda_cs_takes_counts (last))
    return oct_cuda_cs_run_counts (last, &counts, in, out, stream, error);
  if (!remove_background (pass, in, &counts, stream, error))
    return FALSE;
  floats.planes[0].data = pass->spectra;
  return oct_cuda_cs.run (last, &floats, out, stream, error);
}
