/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-cpu-fftw.h"

#include "oct-cpu-private.h"

/* A transform of 1280 is measured in 0.3 s, one of 2560 in 0.5 s; stopped
 * before its end the planner gives what it had guessed, which is a fifth
 * slower. */
#define PLANNER_SECONDS 1.0

static fftwf_plan
make_plan (OctCpuFftwKind kind, guint length, gpointer in, gpointer out)
{
  switch (kind) {
  case OCT_CPU_FFTW_FORWARD:
    return fftwf_plan_dft_1d ((int)length, in, out, FFTW_FORWARD, FFTW_MEASURE);
  case OCT_CPU_FFTW_BACKWARD:
    return fftwf_plan_dft_1d (
        (int)length, in, out, FFTW_BACKWARD, FFTW_MEASURE);
  case OCT_CPU_FFTW_REAL_TO_COMPLEX:
    return fftwf_plan_dft_r2c_1d ((int)length, in, out, FFTW_MEASURE);
  case OCT_CPU_FFTW_COMPLEX_TO_REAL:
    return fftwf_plan_dft_c2r_1d ((int)length, in, out, FFTW_MEASURE);
  }
  return NULL;
}

/* With the lock of the table held. */
static fftwf_plan
measure (OctCpuFftwKind kind, guint length, GError **error)
{
  gsize values = (gsize)length + 2;
  gpointer in = oct_cpu_alloc (values, sizeof (fftwf_complex), error);
  gpointer out =
      in != NULL ? oct_cpu_alloc (values, sizeof (fftwf_complex), error) : NULL;
  fftwf_plan plan = NULL;

  if (out != NULL) {
    /* other users of FFTW in this process do not know our lock */
    fftwf_make_planner_thread_safe ();
    fftwf_set_timelimit (PLANNER_SECONDS);
    plan = make_plan (kind, length, in, out);
    fftwf_set_timelimit (FFTW_NO_TIMELIMIT);
    if (plan == NULL)
      g_set_error (error, OCT_ERROR, OCT_ERROR_MEMORY,
          "FFTW has no plan for a transform of length %u", length);
  }
  oct_cpu_free (in);
  oct_cpu_free (out);
  return plan;
}

fftwf_plan
oct_cpu_fftw_plan (OctCpuFftwKind kind, guint length, GError **error)
{
  static GMutex lock;
  static GHashTable *plans[OCT_CPU_FFTW_COMPLEX_TO_REAL + 1]; /* by length */
  fftwf_plan plan;

  g_mutex_lock (&lock);
  if (plans[kind] == NULL)
    plans[kind] = g_hash_table_new (NULL, NULL);
  plan = g_hash_table_lookup (plans[kind], GUINT_TO_POINTER (length));
  if (plan == NULL) {
    plan = measure (kind, length, error);
    if (plan != NULL)
      g_hash_table_insert (plans[kind], GUINT_TO_POINTER (length), plan);
  }
  g_mutex_unlock (&lock);
  return plan;
}
