/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The virtual spectrometer of the phantom: source, pixels, dispersion and the
 * signal of a reflector through them.  Lengths in um, wavenumbers in rad/um.
 */
#pragma once

#include "oct-calibration.h"

/* Source: Gaussian spectrum; the camera sees 1.1 of its widths either side. */
#define OCT_SPECTROMETER_CENTRE 0.845
#define OCT_SPECTROMETER_FWHM 0.050
#define OCT_SPECTROMETER_SPAN 0.110

/* Gaussian spot of the spectrometer, full width at half maximum, pixels. */
#define OCT_SPECTROMETER_SPOT 1.0

/* Dispersion left between the arms, um^2: widens the point spread function
 * three to four times until it is compensated. */
#define OCT_SPECTROMETER_A2 80.0

/* Reference arm at its maximum, of full scale. */
#define OCT_SPECTROMETER_LEVEL 0.7

typedef struct {
  guint samples;
  double *wavelength; /* [samples] um, ascending */
  double *k;          /* [samples] rad/um, descending */
  double *dispersion; /* [samples] rad, phase the sample arm has in excess */
  double *source;     /* [samples] as the pixels see it, maximum about 1 */
  double k_centre;
  double pixel_k;   /* wavenumbers across the centre pixel, rad/um */
  double z_spacing; /* um per depth bin of a transform over all samples */
  double range;     /* um, largest depth */
} OctSpectrometer;

void oct_spectrometer_init (OctSpectrometer *spectrometer, guint samples);
void oct_spectrometer_clear (OctSpectrometer *spectrometer);

/* background[samples] = counts at OCT_SPECTROMETER_LEVEL of full_scale. */
OctCalibration *oct_spectrometer_calibrate (
    const OctSpectrometer *s, double full_scale, GError **error);

/* relative[samples] = S |1 + reflectivity exp (i (2 k z + dispersion))|^2 as
 * pixels and spot see it; the source's maximum is 1. */
void oct_spectrometer_see_mirror (
    const OctSpectrometer *s, double z, double reflectivity, double *relative);

/* Contrast that pixel and spot leave of the fringes of depth z, at the centre
 * of the spectrum (Hu, Pan, Rollins: Analytical model of spectrometer-based
 * two-beam spectral interferometry, Appl. Opt. 2007, eq. 10). */
double oct_spectrometer_get_fall_off (const OctSpectrometer *s, double z);
