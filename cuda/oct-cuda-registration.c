/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Means of frames that are moved to where the last one is: memory and launches.
 */
#include "oct-cuda-registration.h"

#define NAME "average"

struct _OctCudaRegistered {
  OctAverageParams params;
  OctCudaAverageKind kind;
  OctCudaRegistration search; /* with device memory, which this owns */
  gpointer ring;
  gsize values; /* of one frame */
  gboolean overlap;
};

void
oct_cuda_registered_free (OctCudaRegistered *self)
{
  if (self == NULL)
    return;
  for (guint l = 0; l < OCT_REGISTRATION_LEVELS; l++) {
    oct_cuda_free (self->search.mean[l]);
    oct_cuda_free (self->search.frame[l]);
  }
  oct_cuda_free (self->search.sums);
  oct_cuda_free (self->search.shift);
  oct_cuda_free (self->search.where);
  oct_cuda_free (self->ring);
  g_free (self);
}

static OctCudaRegistrationValue
cuda_registration_get_value (const OctAverageParams *params)
{
  switch (params->format) {
  case OCT_SAMPLE_U8:
    return OCT_AVERAGE_PARTS (params) == 4 ? OCT_CUDA_REGISTRATION_COLOURS
                                           : OCT_CUDA_REGISTRATION_BYTES;
  case OCT_SAMPLE_U16:
    return OCT_CUDA_REGISTRATION_WORDS;
  default:
    return OCT_CUDA_REGISTRATION_COMPLEX;
  }
}

static gboolean
alloc_levels (OctCudaRegistered *self, GError **error)
{
  OctCudaRegistration *r = &self->search;

  for (guint l = 0; l < r->plan.n; l++) {
    const OctRegistrationLevel *level = &r->plan.levels[l];
    gsize row = MAX (1, level->columns) * sizeof (float);

    r->mean[l] = oct_cuda_alloc (MAX (1, level->sampled) * row, NAME, error);
    if (r->mean[l] == NULL)
      return FALSE;
    if (l == 0)
      continue;
    r->frame[l] = oct_cuda_alloc (MAX (1, level->rows) * row, NAME, error);
    if (r->frame[l] == NULL)
      return FALSE;
  }
  return TRUE;
}

static gboolean
cuda_registration_alloc_all (OctCudaRegistered *self, GError **error)
{
  const OctAverageParams *p = &self->params;
  OctCudaRegistration *r = &self->search;
  gsize size = p->of == OCT_AVERAGE_POWER ? sizeof (float)
                                          : oct_sample_format_size (p->format);

  self->ring = oct_cuda_alloc (p->frames * self->values * size, NAME, error);
  if (self->ring == NULL)
    return FALSE;
  r->where = oct_cuda_alloc (p->frames * 2 * sizeof (int), NAME, error);
  if (r->where == NULL)
    return FALSE;
  r->shift = oct_cuda_alloc (2 * sizeof (int), NAME, error);
  if (r->shift == NULL)
    return FALSE;
  r->sums = oct_cuda_alloc (
      OCT_REGISTRATION_TRIED * sizeof (OctRegistrationSums), NAME, error);
  return r->sums != NULL && alloc_levels (self, error);
}

OctCudaRegistered *
oct_cuda_registered_new (
    const OctAverageParams *params, OctCudaAverageKind kind, GError **error)
{
  OctCudaRegistered *self = g_new0 (OctCudaRegistered, 1);

  self->params = *params;
  self->kind = kind;
  self->values = oct_average_count_values (params);
  self->overlap = oct_cuda_can_overlap ();
  self->search.kind = cuda_registration_get_value (params);
  self->search.plan = oct_registration_plan (params->rows / OCT_BSCANS (params),
      params->values / OCT_AVERAGE_PARTS (params), params->max_shift);
  if (cuda_registration_alloc_all (self, error))
    return self;
  oct_cuda_registered_free (self);
  return NULL;
}

static gboolean
mean_of_plane (OctCudaRegistered *self, const OctAverageTurn *turn,
    const OctFrame *in, const OctFrame *out, guint plane, OctCudaQueue queue,
    GError **error)
{
  const OctAverageParams *p = &self->params;
  guint rows = p->rows / OCT_BSCANS (p);
  OctCudaMoved m = { .kind = self->kind,
    .in = in->planes[plane].data,
    .in_stride = in->planes[plane].stride,
    .out = out->planes[plane].data,
    .out_stride = out->planes[plane].stride,
    .width = plane > 0 ? p->more_values : p->values,
    .rows = plane > 0 ? p->more_rows : rows,
    .parts = plane > 0 ? 2 : OCT_AVERAGE_PARTS (p),
    .at = plane > 0 ? (gsize)rows * p->values : 0,
    .values = self->values,
    .ring = self->ring,
    .where = self->search.where,
    .place = turn->place,
    .count = turn->count,
    .frames = p->frames,
    .half = plane > 0 };

  return oct_cuda_check (oct_cuda_launch_moved (&m, queue), NAME, error);
}

gboolean
oct_cuda_registered_run (OctCudaRegistered *self, const OctAverageTurn *turn,
    const OctFrame *in, const OctFrame *out, gpointer stream, GError **error)
{
  OctCudaQueue queue = { stream, self->overlap };
  OctCudaRegistration *r = &self->search;
  cudaError_t status;

  r->place = turn->place;
  r->former = (turn->place + self->params.frames - 1) % self->params.frames;
  r->plane = in->planes[0].data;
  r->stride = in->planes[0].stride;
  if (turn->is_first)
    status = cudaMemsetAsync (
        r->where + 2 * turn->place, 0, 2 * sizeof (int), stream);
  else
    status = oct_cuda_launch_registration_find (r, queue);
  if (!oct_cuda_check (status, NAME, error)
      || !mean_of_plane (self, turn, in, out, 0, queue, error)
      || (self->params.more_rows > 0
          && !mean_of_plane (self, turn, in, out, 1, queue, error)))
    return FALSE;
  r->plane = out->planes[0].data;
  r->stride = out->planes[0].stride;
  return oct_cuda_check (
      oct_cuda_launch_registration_keep (r, queue), NAME, error);
}
