/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * How long the device works on a picture: two events in its stream.  The time
 * is that of one picture after the other, not of each: while one is measured
 * others are not, and nobody waits.
 */
#pragma once

#include <cuda_runtime_api.h>
#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  cudaEvent_t began, ended;
  gboolean measures; /* both are on their way */
  double time;       /* s, of the last one that was measured */
} OctCudaTimer;

/* `timer`: zeros.  `name` begins the messages.  FALSE with OCT_ERROR_DEVICE or
 * _MEMORY; then and in the end oct_cuda_timer_clear(). */
gboolean oct_cuda_timer_init (
    OctCudaTimer *timer, const char *name, GError **error);
void oct_cuda_timer_clear (OctCudaTimer *timer);

/* Around the work in `stream`.  *measured: whether this one is, for the end. */
gboolean oct_cuda_timer_begin (OctCudaTimer *timer, cudaStream_t stream,
    gboolean *measured, const char *name, GError **error);
gboolean oct_cuda_timer_end (OctCudaTimer *timer, cudaStream_t stream,
    gboolean measured, const char *name, GError **error);

/* In seconds; 0: none has ended yet.  Does not wait. */
double oct_cuda_timer_get (OctCudaTimer *timer);

G_END_DECLS
