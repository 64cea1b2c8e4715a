/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The two ways in which the CUDA backend does compressive sensing.
 */
#pragma once

#include "oct-cs.h"
#include "oct-cuda-private.h"

G_BEGIN_DECLS

#define OCT_CUDA_CS "compressive sensing"

/* Real samples that are not floats yet: on the chip alone. */
typedef struct {
  guint size; /* bytes: 1 and 2 are counts */
  OctCudaBackgroundMode mode;
  gconstpointer table; /* of the first B-scan; NULL: nothing is removed */
  gsize table_step;    /* bytes from B-scan to B-scan */
} OctCudaCsCounts;

/* The input of both: one B-scan. */
typedef struct {
  OctCudaRows rows;
  OctCudaCsCounts counts; /* size 0: they are floats */
  OctCsSolver solver;
  guint iterations;
  float sigma; /* sigma_A; of OCT_CS_PERSISTENT the least nu */
  float tau;
  gboolean estimate; /* sigma_A is to be found first */
  guint depth_start, depth_bins;
  float *told; /* [noise lines] nu, which the device writes for the host */
  guint bscan; /* A-lines of a B-scan: rows may be those of several */
} OctCudaCsRun;

/* Whether a plan of oct_cuda_cs takes counts as it is set now; else it needs
 * floats: where the noise is found before, a pipeline with counts was measured
 * to take 65 us longer for each B-scan, and the operation alone not. */
gboolean oct_cuda_cs_takes_counts (const OctPlan *plan);
/* As the run() of oct_cuda_cs, with counts less their background. */
gboolean oct_cuda_cs_run_counts (OctPlan *plan, const OctCudaCsCounts *counts,
    const OctFrame *in, const OctFrame *out, gpointer stream, GError **error);

/* A-lines of a B-scan by which its noise is estimated. */
static inline guint
oct_cuda_cs_noise_lines (const OctCsParams *params)
{
  return MIN (params->lines / OCT_BSCANS (params), OCT_CS_NOISE_LINES);
}

/* All iterates of an A-line in one block of threads; see oct-cuda-cs-chip.cu.
 * T is exact, and b is to the rounding of floats: for the NUFFT, too, with any
 * gridding kernel.  A kernel's error is one of the image; to compute it as well
 * takes passes over memory and six times as long. */
typedef struct {
  OctCudaTable table; /* all of the tables, one after the other */
  OctCudaCsChip chip; /* the same for all B-scans */
} OctCudaCsOnChip;

/* FALSE where oct_cuda_cs_in_passes_init() is needed. */
gboolean oct_cuda_cs_on_chip_can (const OctCsParams *params);
/* FALSE with an error; then, too, it has to be cleared. */
gboolean oct_cuda_cs_on_chip_init (
    OctCudaCsOnChip *on_chip, const OctCsParams *params, GError **error);
void oct_cuda_cs_on_chip_clear (OctCudaCsOnChip *on_chip);
gboolean oct_cuda_cs_on_chip_run (OctCudaCsOnChip *on_chip,
    const OctCudaCsRun *run, OctCudaQueue queue, GError **error);

/* Every other size, with the kernel as it is; see oct-cuda-cs-passes.cu. */
typedef struct {
  guint lines;
  cufftHandle forth, back; /* modes to cells, cells to modes */
} OctCudaCsTransforms;

typedef struct {
  OctCudaTable table;            /* all of the tables, one after the other */
  OctCudaCsTransforms all, some; /* some: for the noise */
  gpointer buffers[9];
  float *sigmas;
  OctCudaCsPasses passes; /* the same for all B-scans */
} OctCudaCsInPasses;

/* FALSE with an error; then, too, it has to be cleared. */
gboolean oct_cuda_cs_in_passes_init (
    OctCudaCsInPasses *in_passes, const OctCsParams *params, GError **error);
void oct_cuda_cs_in_passes_clear (OctCudaCsInPasses *in_passes);
gboolean oct_cuda_cs_in_passes_run (OctCudaCsInPasses *in_passes,
    const OctCudaCsRun *run, OctCudaQueue queue, GError **error);

/* A background in front of octcs in one pass, see oct-cuda-cs-pass.c. */
typedef struct _OctCudaCsPass OctCudaCsPass;

/* NULL: there is none for these steps. */
OctCudaCsPass *oct_cuda_cs_pass_new (
    const OctStep *const *steps, guint n, guint bscans);
gboolean oct_cuda_cs_pass_run (OctCudaCsPass *pass, const OctFrame *in,
    OctPlan *last, const OctFrame *out, gpointer stream, GError **error);
void oct_cuda_cs_pass_free (OctCudaCsPass *pass);

G_END_DECLS
