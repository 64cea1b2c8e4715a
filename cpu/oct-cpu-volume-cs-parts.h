/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Volumes that are filled in, on the CPU: what its parts share.
 *
 * A-scans are in blocks of 16 depths, [B-scan][A-line][block][2][16], real
 * parts and imaginary ones: what is done along the lateral directions is the
 * same for 16 depths side by side.  Spectra are in groups of 16 A-lines that
 * were taken, [group][sample][16].
 */
#pragma once

#include "oct-cpu-lanes-fft.h"
#include "oct-cpu-lanes.h"
#include "oct-cpu-private.h"
#include "oct-volume-cs.h"

G_BEGIN_DECLS

/* Floats of 16 complex values. */
#define OCT_CPU_VOLUME_CS_BLOCK (2 * OCT_LANES)

struct _OctVolumeCs {
  OctVolumeCsParams params;
  guint lines, bscans, depths, blocks;
  guint threads;
  gsize line; /* floats of an A-scan */

  float *given;    /* what was stored: A-scans, or spectra by their masks */
  guint8 *valid;   /* [mask->count] of the A-lines that are taken: is there */
  float *volume;   /* A-scans: as they came, then filled in */
  float *work;     /* the same size, NULL before it is needed */
  float *residual; /* the same size as given, likewise */

  /* spectra; masks[OCT_VOLUME_CS_MASKS] is for A-lines that are not there */
  float *window, *masks; /* [samples], [OCT_VOLUME_CS_MASKS + 1][samples] */
  OctLanesFft *to_depths, *to_samples;

  /* along B-scans and across them, where they are needed */
  OctLanesFft *forward[2], *backward[2];
  float *twiddles[2]; /* [count][2] */

  guint8 *scratch; /* of the threads */
  gsize scratch_size;
};

/* Where A-line x of B-scan y is. */
static inline float *
oct_cpu_volume_cs_line (const OctVolumeCs *cs, float *volume, guint32 place)
{
  return volume + place * cs->line;
}

static inline gpointer
oct_cpu_volume_cs_scratch (const OctVolumeCs *cs, guint thread)
{
  return cs->scratch + thread * cs->scratch_size;
}

/* The spectral mask of number k of the A-lines that are taken. */
const float *oct_cpu_volume_cs_mask_of (const OctVolumeCs *cs, guint k);

/* Spectra [samples][16] of group `group` to the A-scans of its A-lines in
 * `volume`, those that are there. */
void oct_cpu_volume_cs_adjoint (const OctVolumeCs *cs, guint group,
    const float *spectra, float *volume, float *bins, gpointer scratch);

/* Orthonormal cosine transform along direction d (0: a B-scan) of blocks `step`
 * floats apart, or its inverse, in place; `memory`: two blocks for each of them
 * and scratch of the transforms. */
void oct_cpu_volume_cs_cosines (const OctVolumeCs *cs, guint d, gboolean back,
    float *lines, gsize step, gpointer memory);
/* Bytes of that memory. */
gsize oct_cpu_volume_cs_lateral_scratch (const OctVolumeCs *cs);

/* Bytes of each thread for the methods along the A-lines, without those of the
 * transforms. */
gsize oct_cpu_volume_cs_envelope_scratch (guint samples);
gsize oct_cpu_volume_cs_axial_scratch (guint samples);

/* A-scans of all A-lines that are there, in `volume`, from a part of the
 * samples of their spectra: the first step of the paper, `steps` at most. */
void oct_cpu_volume_cs_axial (OctVolumeCs *cs, guint steps);

/* Fills in the volume, from the stored A-lines and their A-scans in it. */
gboolean oct_cpu_volume_cs_envelope (
    OctVolumeCs *cs, const OctVolumeCsSettings *settings, GError **error);
gboolean oct_cpu_volume_cs_paper (
    OctVolumeCs *cs, const OctVolumeCsSettings *settings, GError **error);
gboolean oct_cpu_volume_cs_joint (
    OctVolumeCs *cs, const OctVolumeCsSettings *settings, GError **error);

G_END_DECLS
