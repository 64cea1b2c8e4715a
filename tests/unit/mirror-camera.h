/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A spectrometer with a mirror as sample, in double precision: pixels of finite
 * width, a Gaussian spot, a wavelength scale that is bent, dispersion in the
 * sample arm, shot noise, read noise, 12 bits.
 */
#pragma once

#include <glib.h>

typedef struct {
  guint samples;
  double centre, fwhm, span; /* um, of the source and of all pixels */
  double bend, cube;         /* um, of the wavelength scale at its ends */
  double ripple, ripples;    /* samples, and how often over the record */
  double a2, a3;             /* um^2, um^3 */
  double reflectivity;       /* amplitude, to that of the reference arm */
  double ghost;              /* amplitude of a second one, to the first */
  double ghost_distance;     /* um, deeper than the first */
  double level;              /* of full scale, of the source */
  double drift;              /* rad rms, of the phase from line to line */
  guint seed;                /* 0: no noise */
} MirrorCamera;

/* 1024 pixels, 845 nm, 50 nm wide, 100 nm over all pixels. */
#define MIRROR_CAMERA                                                          \
  {                                                                            \
    .samples = 1024, .centre = 0.845, .fwhm = 0.05, .span = 0.1,               \
    .bend = 0.004, .cube = 0.001, .a2 = 30, .a3 = 15, .reflectivity = 0.3,     \
    .ghost_distance = 40, .level = 0.75 * 0.7, .drift = 0.5, .seed = 1         \
  }

#define MIRROR_CAMERA_FULL 4095

/* counts[lines][samples] of a mirror at `depth` um, negative on the other side
 * of the zero delay; each call draws other noise. */
void mirror_camera_see (
    const MirrorCamera *camera, double depth, guint lines, double *counts);

/* um */
double mirror_camera_wavelength (const MirrorCamera *camera, double pixel);

/* K and D of oct-mirrors.h, for mirrors at positive depths, and the square of
 * the source's spectrum: [samples] each.  Returns the span of wavenumbers in
 * rad/um. */
double mirror_camera_truth (
    const MirrorCamera *camera, double *k, double *d, double *light);
