/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The axis of uniform wavenumbers and the samples on it: arithmetic on columns
 * that oct-calibration.c has checked, n >= 2 values each.
 */
#pragma once

#include "oct-types.h"

G_BEGIN_DECLS

/* rad/um of a wavelength in nm */
double oct_calibration_wavenumber (double nm);

/* From the wavelengths nm[n], rising or falling: k ascends uniformly between
 * their wavenumbers *k_min and *k_max, and the wavelength is linear between
 * pixels.  positions[n]: where to read for each uniform wavenumber, in samples;
 * nodes[n]: where each sample lies on the uniform axis. */
void oct_calibration_axis_from_wavelengths (const double *nm, guint n,
    double *positions, double *nodes, double *k_min, double *k_max);

/* nodes[n] of the positions k_index[n], rising or falling: the inverse, linear
 * between entries and continued linearly outside. */
void oct_calibration_axis_from_k_index (
    const double *k_index, guint n, double *nodes);

/* positions[n] of samples that lie at k_position[n] on the axis, rising or
 * falling: the inverse, by the polynomial of third order through the four
 * samples around, and continued linearly outside. */
void oct_calibration_axis_from_k_position (
    const double *k_position, guint n, double *positions);

/* values[n] of the samples, which lie at nodes[n], at the uniform wavenumbers:
 * linear between samples, constant beyond the first and the last. */
void oct_calibration_axis_to_uniform (
    const double *nodes, const double *values, guint n, double *uniform);

/* The other way round. */
void oct_calibration_axis_to_samples (
    const double *nodes, const double *uniform, guint n, double *values);

/* The order of values[n] turned round. */
void oct_calibration_axis_turn (double *values, guint n);

/* positions[n] of a uniform axis that is read at x + shift[n] in place of x =
 * -1 .. 1: linear between entries, and beyond the ends as there. */
void oct_calibration_axis_shift (
    double *positions, const double *shift, guint n);

G_END_DECLS
