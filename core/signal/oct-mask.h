/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Which samples of a spectrum are kept for compressive sensing: masks of one 0
 * or 1 per sample, generated or read from a file.
 *
 * The same settings give the same mask on every machine.
 */
#pragma once

#include "oct-types.h"

G_BEGIN_DECLS

typedef enum {
  /* more samples where the source has more light (Xu, Huang and Kang 2014):
   * each weighs (density / largest density)^1/2 + 0.1 in a drawing without
   * replacement */
  OCT_MASK_VARIABLE_DENSITY,
  /* drawn evenly, but never more than max_gap samples in a row left out and
   * both ends kept */
  OCT_MASK_MAX_GAP,
  /* the sample that is the nearest to each of a random part of the uniform
   * wavenumbers (Zhang, Huang and Kang, Proc. SPIE 8225 (2012)) */
  OCT_MASK_LINEAR_K,
} OctMaskKind;

/* Samples that an A-scan needs, unless the A-line has fewer: a reflector is
 * three numbers (depth, amplitude, phase), two reflectors are six, and what is
 * noise shows only in samples beyond those that the numbers are found by.
 * Nearly any A-scan goes with fewer. */
#define OCT_MASK_LEAST 8u

typedef struct {
  OctMaskKind kind;
  guint samples; /* 1 .. OCT_MAX_SAMPLES */
  double rate;   /* (0, 1]: part of the samples that is kept, at least one */
  guint64 seed;
  guint max_gap; /* MAX_GAP only */
  /* [samples] counts of the source, VARIABLE_DENSITY only; values below 0
   * count as 0.  NULL: a Gaussian over the middle, half as wide (FWHM) as the
   * samples */
  const double *density;
  /* [samples] positions on the uniform wavenumber axis, rising or falling,
   * LINEAR_K only.  NULL: the samples are uniform */
  const double *nodes;
} OctMaskSettings;

/* A mask of settings->samples, each 0 or 1; g_free().  LINEAR_K keeps fewer
 * than asked for when not so many samples are the nearest to any uniform
 * wavenumber.  NULL with OCT_ERROR_SETTINGS. */
guint8 *oct_mask_new (const OctMaskSettings *settings, GError **error);

/* Samples that the mask keeps. */
guint oct_mask_count (const guint8 *mask, guint samples);

/* nearest[samples]: for each uniform wavenumber j = 0, 1, ... the sample n
 * whose nodes[n] is the nearest to j; nodes [samples], rising or falling. */
void oct_mask_find_nearest (
    guint samples, const double *nodes, guint32 *nearest);

/* A mask from a text file of zeros and ones, one for each sample in the order
 * of the spectrum, separated by line ends, blanks or commas; lines that begin
 * with '#' are skipped.  g_free().  NULL with OCT_ERROR_NOT_FOUND, _READ or
 * _FORMAT. */
guint8 *oct_mask_read (const char *path, guint *samples, GError **error);
/* The same from a text; `source` begins the sentences of errors. */
guint8 *oct_mask_parse (const char *source, const char *text, gsize length,
    guint *samples, GError **error);

/* Writes such a file, one line per sample.  FALSE with OCT_ERROR_WRITE or
 * _DISK_FULL. */
gboolean oct_mask_write (
    const char *path, const guint8 *mask, guint samples, GError **error);

G_END_DECLS
