/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Layered scattering tissue with speckle: the interference fields of its
 * columns, computed once, from which A-lines are put together.
 */
#pragma once

#include "oct-phantom-noise.h"
#include "oct-phantom-synthesis.h"

typedef struct {
  guint samples;
  guint columns;      /* lateral positions, a power of two; they wrap around */
  guint realisations; /* of the speckle in the same structure: 1, 2 or 4 */
  gint16 *fields;     /* [realisations][columns][2][samples], real part first */
} OctTissue;

/* slow_axis: whether B-scans at several positions are needed, so that the
 * speckle has to change between them. */
OctTissue *oct_tissue_new (const OctSpectrometer *spectrometer,
    const OctNoise *noise, guint64 seed, gboolean slow_axis);
void oct_tissue_free (OctTissue *tissue);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OctTissue, oct_tissue_free)

/* Real part, [samples]; the imaginary part follows. */
static inline const gint16 *
oct_tissue_get_field (const OctTissue *tissue, guint realisation, guint column)
{
  gsize at =
      (gsize)realisation * tissue->columns + (column & (tissue->columns - 1));

  return tissue->fields + at * 2 * tissue->samples;
}
