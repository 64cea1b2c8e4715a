/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The meaning of the dimensions of an array, and arrays whose B-scans are not
 * one piece of the file: Fortran order, several channels, samples that are not
 * the last dimension.
 */
#pragma once

#include "oct-opening.h"

G_BEGIN_DECLS

/* An array as its file describes it, by convention
 * [volumes][B-scans][lines][samples][channels]; those in front may be missing,
 * and the channels. */
typedef struct {
  guint dims;
  guint64 lengths[OCT_ARRAY_MAX_DIMS];
  gboolean first_is_fastest;  /* in the file: NumPy's Fortran order */
  gboolean counted_backwards; /* MATLAB: its first dimension is the last here */
  const char *text;           /* as its author writes it */
} OctShape;

#define OCT_NO_AXIS G_MAXUINT

/* The meaning of the dimensions of a shape, as indices. */
typedef struct {
  guint sample, line, channel; /* or OCT_NO_AXIS: the last two */
  guint64 channel_read;        /* from 0 on */
  guint n_bscans;
  guint bscans[OCT_ARRAY_MAX_DIMS]; /* those that are left, slowest first */
} OctAxes;

/* Chooses the axes by `sample-dimension` and `channel`, else by the convention.
 * FALSE with OCT_ERROR_SETTINGS: a setting does not fit, several channels and
 * none is chosen, or A-lines of so few samples that another dimension is meant.
 */
gboolean oct_axes_choose (const OctOpening *opening, const OctShape *shape,
    OctAxes *axes, GError **error);

/* Checks sizes against the settings and fills those of `opening`, as
 * oct_opening_take_shape(). */
gboolean oct_opening_take_axes (OctOpening *opening, const OctShape *shape,
    const OctAxes *axes, GError **error);

/* Reads bytes of the values, from `offset` of them on. */
typedef gboolean (*OctLayoutFetch) (
    gpointer content, guint64 offset, gpointer dest, gsize size);

/* Both for an array of `opening`, whose `stored` and `data_offset` or
 * `container` are set.  If its B-scans are not one piece, another container
 * collects their values, which owns the one that was there; `fetch` then reads
 * from that. */
gboolean oct_opening_take_array (OctOpening *opening, const OctShape *shape,
    OctLayoutFetch fetch, GError **error);

G_END_DECLS
