/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * From scatterers at the depths of some columns to the interference fields that
 * the pixels of the spectrometer see of them.
 */
#pragma once

#include "oct-phantom-fft.h"
#include "oct-phantom-spectrometer.h"

/* Field amplitude, relative to the reference arm, that a stored value of one
 * stands for. */
#define OCT_TISSUE_FIELD_UNIT (0.5f / 32767.0f)

/* Data that all columns share. */
typedef struct {
  guint samples, depths, grid;
  float *twiddles;
  float *depth_weights; /* [depths] fall-off over the kernel's transform */
  guint *first;         /* [samples] first grid point of the kernel */
  float *kernel;        /* [samples][width of the kernel] */
  float *turn;          /* [samples] pairs (re, im): dispersion, middle depth */
} OctSynthesis;

/* Depth q is at q times the z_spacing of the spectrometer. */
void oct_synthesis_init (OctSynthesis *synthesis, const OctSpectrometer *s);
void oct_synthesis_clear (OctSynthesis *synthesis);

/* Where scatterers are put in: 4 planes of [grid][OCT_PHANTOM_LANES], re, im
 * and two for work, g_free().  Clear it before columns are put in. */
float *oct_synthesis_new_grid (const OctSynthesis *synthesis);
void oct_synthesis_clear_grid (const OctSynthesis *synthesis, float *grid);

/* Puts values[depths], relative to the reference arm, of one column into its
 * lane of a plane.  The middle depth is the transform's zero. */
static inline void
oct_synthesis_place (
    const OctSynthesis *synthesis, const float *values, float *lane)
{
  guint half = synthesis->depths / 2;
  guint q;

  for (q = 0; q < synthesis->depths; q++) {
    gsize at = (q + synthesis->grid - half) & (synthesis->grid - 1);

    lane[at * OCT_PHANTOM_LANES] = values[q] * synthesis->depth_weights[q];
  }
}

/* field[OCT_PHANTOM_LANES][2][samples], real part first, in units of
 * OCT_TISSUE_FIELD_UNIT.  Overwrites the grid. */
void oct_synthesis_see (
    const OctSynthesis *synthesis, float *grid, gint16 *field);
