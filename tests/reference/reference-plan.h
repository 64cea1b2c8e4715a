/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * What the files of the reference share.
 */
#pragma once

#include "oct-reference.h"
#include "oct-cs.h"

struct _OctPlan {
  OctOperation operation;
  union {
    OctBackgroundParams background; /* of the mean, too */
    OctResampleParams resample;
    OctDispersionParams dispersion;
    OctFftParams fft;
    OctNufftParams nufft;
    OctCsParams cs;
    OctLogscaleParams logscale;
  } p;
  /* what the parameters point to, owned */
  double *tables[2];
  guint32 *column;
  /* history */
  double *running; /* [samples], NULL before the first B-scan */
  gboolean has_range;
  double range_min, range_max; /* in the unit of the image's scale */
};

void reference_mean (OctReference *plan, const Complex *in, double *mean);
void reference_background (
    OctReference *plan, const Complex *in, const double *mean, Complex *out);
void reference_resample (
    const OctResampleParams *p, const Complex *in, Complex *out);
void reference_dispersion (
    const OctDispersionParams *p, const Complex *in, Complex *out);
void reference_fft (const OctFftParams *p, const Complex *in, Complex *out);
void reference_non_uniform (
    const OctNufftParams *p, gboolean gridded, const Complex *in, Complex *out);
void reference_cs (const OctCsParams *p, const Complex *in, Complex *out);
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
