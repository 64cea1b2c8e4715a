/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Shared by the files of the reference.
 */
#pragma once

#include "oct-reference.h"
#include "oct-cs.h"

struct _OctPlan {
  OctOperation operation;
  gpointer params; /* a copy of them */
  /* history */
  double *running; /* [samples], NULL before the first B-scan */
  gboolean has_range;
  double range_min, range_max; /* in the unit of the image's scale */
  GQueue past;                 /* frames in a mean, arrays of Complex */
  double noise;                /* of angiography, and images that it is of */
  guint noise_images;
  guint repeats;                 /* of this place, that were aligned */
  struct _ReferenceClock *clock; /* the reference of a k-clock */
  /* of the last B-scan: its noise in counts, or the frames in its mean */
  double found;
};

/* One for every operation, reference_<name>: see oct_reference_run(). */
typedef void (*ReferenceRun) (
    OctReference *plan, const Complex *in, const double *mean, Complex *out);
#define REFERENCE_DECLARE(NAME, name, params)                                  \
  void reference_##name (OctReference *plan, const Complex *in,                \
      const double *mean, Complex *out);
OCT_OPERATIONS (REFERENCE_DECLARE)
#undef REFERENCE_DECLARE

/* Forgets the frames in a mean. */
void reference_forget (OctReference *plan);

/* Frees what a k-clock has found; NULL is allowed. */
void reference_clock_free (struct _ReferenceClock *clock);

/* The range so far, of other parameters, in the unit of these. */
void reference_range_rescale (
    OctReference *plan, const OctLogscaleParams *former);
/* FALSE: there is no range, the image is black. */
gboolean reference_range (
    OctReference *plan, const Complex *in, double *min, double *max);
double reference_scaled (OctScale scale, Complex a);

/* turns[k] = exp (-2 pi i k / length) */
Complex *reference_turns (guint length);
/* value modulo period, never negative */
guint reference_wrap (gint64 value, guint period);
/* Whether all nodes are whole numbers but for rounding. */
gboolean reference_are_uniform (const double *nodes, guint count);
/* weights[cells of the kernel][..]: see reference-nufft.c */
typedef struct {
  guint cells, modes;
  gint middle;
  OctKernel kernel;
  double parameter; /* beta or t */
  guint width;
} ReferenceGrid;

ReferenceGrid reference_choose_grid (const OctNufftParams *p);
double reference_kernel (const ReferenceGrid *grid, double u);
double reference_kernel_transform (const ReferenceGrid *grid, gint q);
