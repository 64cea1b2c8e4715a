/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-sequence.h"

#include <string.h>

struct _OctSequence {
  const OctBackend *backend;
  guint n, bscans;
  OctStep *steps[OCT_SEQUENCE_MAX];
  OctOperation last;

  OctPlan *fused; /* NULL: one by one */

  OctPlan *plans[OCT_SEQUENCE_MAX];
  gpointer memory[2]; /* results between steps, in turn */
};

gboolean
oct_may_fuse (void)
{
  return g_strcmp0 (g_getenv ("OCT_FUSE"), "0") != 0;
}

/* Memory for the intermediate results, as large as the largest of them. */
static gboolean
sequence_make_memory (OctSequence *sequence, GError **error)
{
  gboolean has_last = sequence->last != OCT_N_OPERATIONS;
  gsize sizes[2] = { 0 };

  for (guint i = 0; i + (has_last ? 0 : 1) < sequence->n; i++) {
    OctStepShape shape = oct_step_get_output (sequence->steps[i]);

    sizes[i % 2] = MAX (sizes[i % 2], oct_step_shape_size (&shape));
  }
  for (guint i = 0; i < 2; i++)
    if (sizes[i] > 0
        && (sequence->memory[i] = sequence->backend->alloc (sizes[i], error))
               == NULL)
      return FALSE;
  return TRUE;
}

static gboolean
make_plans (OctSequence *sequence, guint *failed, GError **error)
{
  for (guint i = 0; i < sequence->n; i++) {
    OctOperation operation = oct_step_get_operation (sequence->steps[i]);

    *failed = i;
    sequence->plans[i] = sequence->backend->operations[operation]->create (
        oct_step_get_params (sequence->steps[i]), error);
    if (sequence->plans[i] == NULL)
      return FALSE;
  }
  return sequence_make_memory (sequence, error);
}

OctSequence *
oct_sequence_new (const OctBackend *backend, OctStep *const *steps, guint n,
    guint bscans, OctOperation last, guint *failed, GError **error)
{
  OctSequence *sequence = g_new0 (OctSequence, 1);
  const OctFusedTable *fused = backend->fused;

  g_assert (n >= 1 && n <= OCT_SEQUENCE_MAX);
  sequence->backend = backend;
  sequence->n = n;
  sequence->bscans = bscans;
  sequence->last = last;
  for (guint i = 0; i < n; i++)
    sequence->steps[i] = oct_step_ref (steps[i]);
  if (fused != NULL && oct_may_fuse ())
    sequence->fused = fused->create (
        (const OctStep *const *)sequence->steps, n, bscans, last);
  if (sequence->fused == NULL && !make_plans (sequence, failed, error))
    g_clear_pointer (&sequence, oct_sequence_free);
  return sequence;
}

void
oct_sequence_free (OctSequence *sequence)
{
  if (sequence->fused != NULL)
    sequence->backend->fused->destroy (sequence->fused);
  for (guint i = 0; i < sequence->n; i++) {
    if (sequence->plans[i] != NULL)
      sequence->backend->operations[oct_step_get_operation (sequence->steps[i])]
          ->destroy (sequence->plans[i]);
    oct_step_unref (sequence->steps[i]);
  }
  for (guint i = 0; i < 2; i++)
    if (sequence->memory[i] != NULL)
      sequence->backend->free (sequence->memory[i]);
  g_free (sequence);
}

gboolean
oct_sequence_is (const OctSequence *sequence, OctStep *const *steps, guint n,
    guint bscans, OctOperation last)
{
  return sequence->n == n && sequence->bscans == bscans
         && sequence->last == last
         && memcmp (sequence->steps, steps, n * sizeof *steps) == 0;
}

gboolean
oct_sequence_is_fused (const OctSequence *sequence)
{
  return sequence->fused != NULL;
}

static gboolean
run_one_by_one (OctSequence *sequence, const OctFrame *in, OctPlan *last,
    const OctFrame *out, gpointer stream, guint *failed, GError **error)
{
  const OctBackend *backend = sequence->backend;
  OctFrame from = *in;

  for (guint i = 0; i < sequence->n; i++) {
    OctStep *step = sequence->steps[i];
    OctStepShape shape = oct_step_get_output (step);
    OctFrame to = *out;

    if (last != NULL || i + 1 < sequence->n)
      to = (OctFrame){
        .planes = { { sequence->memory[i % 2], oct_step_shape_row (&shape) } }
      };
    to.lines = in->lines;
    *failed = i;
    if (!backend->operations[oct_step_get_operation (step)]->run (
            sequence->plans[i], &from, &to, stream, error))
      return FALSE;
    from = to;
  }
  *failed = sequence->n;
  return last == NULL
         || backend->operations[sequence->last]->run (
             last, &from, out, stream, error);
}

gboolean
oct_sequence_run (OctSequence *sequence, const OctFrame *in, OctPlan *last,
    const OctFrame *out, gpointer stream, guint *failed, GError **error)
{
  g_assert ((last != NULL) == (sequence->last != OCT_N_OPERATIONS));
  if (sequence->fused == NULL)
    return run_one_by_one (sequence, in, last, out, stream, failed, error);
  *failed = sequence->n - (last == NULL ? 1 : 0);
  return sequence->backend->fused->run (
      sequence->fused, in, last, out, stream, error);
}
