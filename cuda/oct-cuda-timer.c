/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-cuda-timer.h"
#include "oct-cuda-private.h"

/* An error that is nobody's is not to be found by the next call. */
static void
cuda_timer_ignore (cudaError_t status)
{
  if (status != cudaSuccess)
    cudaGetLastError ();
}

gboolean
oct_cuda_timer_init (OctCudaTimer *timer, const char *name, GError **error)
{
  return oct_cuda_check (cudaEventCreate (&timer->began), name, error)
         && oct_cuda_check (cudaEventCreate (&timer->ended), name, error);
}

void
oct_cuda_timer_clear (OctCudaTimer *timer)
{
  if (timer->began != NULL)
    cuda_timer_ignore (cudaEventDestroy (timer->began));
  if (timer->ended != NULL)
    cuda_timer_ignore (cudaEventDestroy (timer->ended));
}

static void
take_time (OctCudaTimer *timer)
{
  float ms = 0;

  if (!timer->measures)
    return;
  if (cudaEventQuery (timer->ended) != cudaSuccess) {
    cudaGetLastError ();
    return;
  }
  if (cudaEventElapsedTime (&ms, timer->began, timer->ended) == cudaSuccess)
    timer->time = ms * 1e-3;
  else
    cudaGetLastError ();
  timer->measures = FALSE;
}

gboolean
oct_cuda_timer_begin (OctCudaTimer *timer, cudaStream_t stream,
    gboolean *measured, const char *name, GError **error)
{
  take_time (timer);
  *measured = !timer->measures;
  return !*measured
         || oct_cuda_check (
             cudaEventRecord (timer->began, stream), name, error);
}

gboolean
oct_cuda_timer_end (OctCudaTimer *timer, cudaStream_t stream, gboolean measured,
    const char *name, GError **error)
{
  if (!measured)
    return TRUE;
  if (!oct_cuda_check (cudaEventRecord (timer->ended, stream), name, error))
    return FALSE;
  timer->measures = TRUE;
  return TRUE;
}

double
oct_cuda_timer_get (OctCudaTimer *timer)
{
  take_time (timer);
  return timer->time;
}
