/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The noise of a volume: of volumes whose noise and tissue are known, and of
 * those that have none.
 */
#include "oct-volume-noise.h"

#include <math.h>
#include <string.h>

#define VOXELS 20000u /* in a band */

/* Adds `n` values of a normal distribution to a band, as its quantiles, rounded
 * and limited to grey levels. */
static void
add_normal (
    OctVolumeLevels *levels, guint band, guint n, double mean, double deviation)
{
  for (guint i = 0; i < n; i++) {
    /* bisection of the distribution's integral */
    double part = (i + 0.5) / n, low = -6, high = 6;

    while (high - low > 1e-4) {
      double middle = (low + high) / 2;

      if (0.5 * erfc (-middle / G_SQRT2) < part)
        low = middle;
      else
        high = middle;
    }
    levels->bands[band][(guint)CLAMP (
        floor (mean + deviation * low + 0.5), 0.0, 255.0)]++;
  }
}

static void
check_noise (const OctVolumeLevels *levels, double level, double spread)
{
  OctVolumeNoise noise;

  oct_volume_noise_find (levels, &noise);
  g_assert_true (noise.is_found);
  /* grey levels are whole numbers */
  g_assert_cmpfloat_with_epsilon (noise.level, level, 0.1);
  g_assert_cmpfloat_with_epsilon (noise.spread, spread, 0.1);
  g_assert_cmpfloat_with_epsilon (
      noise.threshold, MIN (255, noise.level + 4 * noise.spread), 1e-9);
}

/* As a scan is: noise in front of tissue, that fades into darker noise. */
static void
fill_scan (OctVolumeLevels *levels, double noise)
{
  memset (levels, 0, sizeof *levels);
  for (guint band = 0; band < OCT_VOLUME_BANDS; band++)
    add_normal (levels, band, VOXELS,
        band < 4    ? noise
        : band < 16 ? 190 - 8 * (band - 4)
                    : 94 - 5 * (band - 16),
        band < 4 ? 8 : 12);
}

static void
test_scan (void)
{
  g_autofree OctVolumeLevels *levels = g_new (OctVolumeLevels, 1);

  for (guint noise = 40; noise <= 100; noise += 20) {
    fill_scan (levels, noise);
    check_noise (levels, noise, 8);
  }
}

/* A fifth of the noise's band is tissue: m is then that of the 62.5 % of the
 * noise and s from there to its 19.8 %, 0.32 and 0.32 + 0.85 of its
 * deviation. */
static void
test_rough (void)
{
  g_autofree OctVolumeLevels *levels = g_new (OctVolumeLevels, 1);

  fill_scan (levels, 60);
  for (guint band = 0; band < 4; band++)
    add_normal (levels, band, VOXELS / 4, 200, 10);
  check_noise (levels, 60 + 0.3186 * 8, (0.3186 + 0.8480) * 8);
}

/* Tissue up to the first depth: the darkest band is deeper. */
static void
test_no_air (void)
{
  g_autofree OctVolumeLevels *levels = g_new0 (OctVolumeLevels, 1);

  for (guint band = 0; band < OCT_VOLUME_BANDS; band++)
    add_normal (levels, band, VOXELS, band < 28 ? 200 - 6 * band : 20, 4);
  check_noise (levels, 20, 4);
  /* a first band that is a little darker than the second is not air */
  memset (levels->bands[0], 0, sizeof levels->bands[0]);
  add_normal (levels, 0, VOXELS, 190, 12);
  check_noise (levels, 20, 4);
}

static void
test_noise_only (void)
{
  g_autofree OctVolumeLevels *levels = g_new0 (OctVolumeLevels, 1);
  OctVolumeNoise noise;
  guint above = 0;

  for (guint band = 0; band < OCT_VOLUME_BANDS; band++)
    add_normal (levels, band, VOXELS, 55, 6);
  check_noise (levels, 55, 6);
  oct_volume_noise_find (levels, &noise);
  for (guint level = (guint)noise.threshold + 1; level < 256; level++)
    above += levels->bands[3][level];
  g_assert_cmpuint (above, <=, VOXELS * 3e-5 + 1);
}

/* The amplitude of noise has a Rayleigh distribution: in dB and as grey levels
 * above its mean, as octlogscale makes them, and as a mean over neighbours. */
static void
test_speckle (void)
{
  g_autofree OctVolumeLevels *levels = g_new0 (OctVolumeLevels, 1);
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  const double per_db = 255 / 35.0;
  double sum = 0, sum2 = 0;
  OctVolumeNoise noise;
  guint above = 0;

  for (guint i = 0; i < OCT_VOLUME_BANDS * VOXELS; i++) {
    double mean = 0, power;

    for (guint k = 0; k < 24; k++) {
      power = -log (1 - g_rand_double (rand));
      mean += MAX (0, 60 + per_db * 10 * log10 (power)) / 24;
    }
    if (i % OCT_VOLUME_BANDS == 9) /* tissue */
      mean = 200 + (gint)(i % 7);
    else if (i % OCT_VOLUME_BANDS == 0) {
      sum += mean;
      sum2 += mean * mean;
    }
    levels->bands[i % OCT_VOLUME_BANDS][(guint)(mean + 0.5)]++;
  }
  sum /= VOXELS;
  sum2 = sqrt (sum2 / VOXELS - sum * sum);
  oct_volume_noise_find (levels, &noise);
  g_assert_cmpfloat_with_epsilon (noise.level, sum, 0.1 * sum2);
  g_assert_cmpfloat_with_epsilon (noise.spread, sum2, 0.1 * sum2);
  for (guint level = (guint)noise.threshold + 1; level < 256; level++)
    above += levels->bands[0][level];
  g_assert_cmpuint (above, <=, VOXELS / 5000);
}

static void
test_none (void)
{
  static const guint all[] = { 0, 1, 128, 255 };
  g_autofree OctVolumeLevels *levels = g_new (OctVolumeLevels, 1);
  OctVolumeNoise noise;
  OctVolumeWindow window;

  for (guint i = 0; i <= G_N_ELEMENTS (all); i++) {
    memset (levels, 0, sizeof *levels);
    for (guint band = 0; band < OCT_VOLUME_BANDS && i > 0; band++)
      levels->bands[band][all[i - 1]] = VOXELS;
    oct_volume_noise_find (levels, &noise);
    g_assert_false (noise.is_found);
    g_assert_cmpfloat (noise.threshold, ==, 0);
    oct_volume_window_find (levels, noise.threshold, &window);
    g_assert_cmpfloat (window.mip_low, <, window.mip_high);
    g_assert_true (isfinite (window.gain) && window.gain > 0);
  }
}

/* Every level is as frequent in all bands: half of the range from the median to
 * the 15.87 % is more than noise has.  Normal noise of nearly that spread is
 * found. */
static void
test_ramp (void)
{
  g_autofree OctVolumeLevels *levels = g_new0 (OctVolumeLevels, 1);
  OctVolumeNoise noise;

  for (guint band = 0; band < OCT_VOLUME_BANDS; band++)
    for (guint level = 0; level < 256; level++)
      levels->bands[band][level] = 64;
  oct_volume_noise_find (levels, &noise);
  g_assert_false (noise.is_found);
  g_assert_cmpfloat (noise.threshold, ==, 0);
  /* the ramp is passed over for a band that has noise */
  memset (levels->bands[5], 0, sizeof levels->bands[5]);
  add_normal (levels, 5, VOXELS, 40, 8);
  check_noise (levels, 40, 8);
}

/* Most of the noise is white: there is no threshold that leaves anything. */
static void
test_saturated (void)
{
  g_autofree OctVolumeLevels *levels = g_new0 (OctVolumeLevels, 1);
  OctVolumeNoise noise;

  for (guint band = 0; band < OCT_VOLUME_BANDS; band++)
    add_normal (levels, band, VOXELS, 254, 5);
  oct_volume_noise_find (levels, &noise);
  g_assert_true (noise.is_found);
  g_assert_cmpfloat (noise.threshold, ==, 255);
}

/* B-scans that never came are 0, and change nothing. */
static void
test_partly (void)
{
  g_autofree OctVolumeLevels *levels = g_new (OctVolumeLevels, 1);
  OctVolumeWindow all, some;

  fill_scan (levels, 60);
  for (guint level = 150; level < 250; level++)
    levels->maxima[level] = 40;
  oct_volume_window_find (levels, 92, &all);
  /* 4000 A-lines: 20 are below black and above white */
  g_assert_cmpfloat_with_epsilon (all.mip_low, 150, 0.01);
  g_assert_cmpfloat_with_epsilon (all.mip_high, 249, 0.01);
  g_assert_cmpfloat (all.low, ==, 92);
  for (guint band = 0; band < OCT_VOLUME_BANDS; band++)
    levels->bands[band][0] += 3 * VOXELS;
  levels->maxima[0] = 3 * 4000;
  check_noise (levels, 60, 8);
  oct_volume_window_find (levels, 92, &some);
  g_assert_cmpfloat (some.mip_low, ==, all.mip_low);
  g_assert_cmpfloat (some.mip_high, ==, all.mip_high);
  g_assert_cmpfloat_with_epsilon (some.gain, all.gain, 1e-3 * all.gain);
}

/* MEAN: the mean A-line is as grey as it is said. */
static void
test_mean (void)
{
  g_autofree OctVolumeLevels *levels = g_new0 (OctVolumeLevels, 1);
  OctVolumeWindow window;

  for (guint band = 0; band < OCT_VOLUME_BANDS; band++)
    levels->bands[band][band < 8 ? 151 : 20] = VOXELS;
  levels->maxima[151] = 100;
  oct_volume_window_find (levels, 100, &window);
  /* a quarter of the depth stands 51 of 255 above the threshold */
  g_assert_cmpfloat_with_epsilon (
      window.gain * 0.25 * 0.2, OCT_VOLUME_MEAN_GREY, 1e-9);
}

static void
test_follow (void)
{
  double now = 100;

  g_assert_cmpfloat (oct_volume_follow (50, 90, 12), ==, 90);
  g_assert_cmpfloat (oct_volume_follow (90, 50, 12), ==, 50);
  for (guint i = 0; i < 20; i++) {
    double next = oct_volume_follow (now, 108, 12);

    g_assert_true (next > now && next < 108 && next - now <= 2);
    now = next;
  }
  g_assert_cmpfloat_with_epsilon (now, 108, 0.05);
}

/* The counted voxels: not more than possible, and not the rows near zero
 * delay. */
static void
test_counted (void)
{
  static const struct {
    guint lines, bscans, depth, decimation, step, first, start;
  } volumes[] = { { 64, 64, 512, 1, 1, 8 }, { 64, 64, 506, 1, 1, 2, 6 },
    { 64, 64, 500, 1, 1, 0, 12 }, { 65, 64, 512, 2, 2, 4 },
    { 100, 100, 512, 4, 2, 2 }, { 4097, 1, 1024, 8, 2, 2 },
    { 1, 1, 1, 1, 1, 0 }, { 1024, 1024, 100, 1, 16, 4 },
    { 8, 8, 40, 4, 1, 1 } };

  for (guint i = 0; i < G_N_ELEMENTS (volumes); i++) {
    OctVolumeParams params = { .lines = volumes[i].lines,
      .bscans = volumes[i].bscans,
      .depth = volumes[i].depth,
      .decimation = volumes[i].decimation,
      .depth_start = volumes[i].start,
      .pixel_size = 1 };

    g_assert_cmpuint (
        oct_volume_levels_get_step (&params), ==, volumes[i].step);
    g_assert_cmpuint (
        oct_volume_levels_get_first (&params), ==, volumes[i].first);
  }
}

/* fill_scan() with noise of 60, and a threshold of 92: 0.005 of a normal
 * distribution of the deviation 12 are above its mean + 2.576 x 12, so the
 * bands with a mean of 61 or more have signal, 4 (of 190) to 22 (64).  The
 * threshold of the noise, of the deviation 8, is 4 of them above it. */
static void
test_extent (void)
{
  g_autofree OctVolumeLevels *levels = g_new (OctVolumeLevels, 1);
  OctVolumeExtent extent;

  fill_scan (levels, 60);
  g_assert_true (oct_volume_extent_find (levels, 92, &extent));
  g_assert_cmpuint (extent.first, ==, 4);
  g_assert_cmpuint (extent.last, ==, 22);
  /* an instrument in 1 of 100 A-lines, above the tissue */
  levels->bands[1][220] += VOXELS / 100;
  g_assert_true (oct_volume_extent_find (levels, 92, &extent));
  g_assert_cmpuint (extent.first, ==, 1);
  /* without a threshold all is seen, and nothing above the largest level */
  g_assert_true (oct_volume_extent_find (levels, 0, &extent));
  g_assert_cmpuint (extent.first, ==, 0);
  g_assert_cmpuint (extent.last, ==, OCT_VOLUME_BANDS - 1);
  g_assert_false (oct_volume_extent_find (levels, 255, &extent));
  g_assert_cmpuint (extent.first, ==, 0);
  g_assert_cmpuint (extent.last, ==, OCT_VOLUME_BANDS - 1);
}

static void
check_frame (OctVolumeFrame *frame, guint first, guint last, guint shown_first,
    guint shown_last)
{
  oct_volume_frame_follow (frame, &(OctVolumeExtent){ first, last });
  g_assert_cmpuint (frame->shown.first, ==, shown_first);
  g_assert_cmpuint (frame->shown.last, ==, shown_last);
}

/* The depths that pictures of a stream show grow at once and get fewer late. */
static void
test_frame (void)
{
  OctVolumeFrame frame = { 0 };

  check_frame (&frame, 10, 20, 9, 21);
  /* breathing: tissue that moves by a band changes nothing */
  check_frame (&frame, 9, 21, 9, 21);
  check_frame (&frame, 11, 19, 9, 21);
  /* an instrument comes, and goes for a short time */
  check_frame (&frame, 2, 20, 1, 21);
  for (guint i = 0; i < OCT_VOLUME_EXTENT_WAIT; i++)
    check_frame (&frame, 10, 20, 1, 21);
  check_frame (&frame, 2, 20, 1, 21);
  /* and for long: what came meanwhile is seen */
  for (guint i = 0; i < OCT_VOLUME_EXTENT_WAIT; i++)
    check_frame (&frame, i == 3 ? 8 : 10, 20, 1, 21);
  check_frame (&frame, 10, 20, 7, 21);
  /* a narrower extent does not matter if it is little */
  for (guint i = 0; i < 3 * OCT_VOLUME_EXTENT_WAIT; i++)
    check_frame (&frame, 11, 20, 7, 21);
  /* no band is beyond the volume */
  check_frame (&frame, 0, OCT_VOLUME_BANDS - 1, 0, OCT_VOLUME_BANDS - 1);
}

/* The middle between black and white on faces is the median of the voxels that
 * are seen in the brightest band: 190 in fill_scan(), of which all are seen. */
static void
test_face_white (void)
{
  g_autofree OctVolumeLevels *levels = g_new (OctVolumeLevels, 1);
  double black = OCT_VOLUME_FACE_BLACK (92);

  fill_scan (levels, 60);
  g_assert_cmpfloat_with_epsilon (
      (black + oct_volume_face_white_find (levels, 92)) / 2, 190, 0.1);
  /* of dark tissue it is not less than before, of bright not without end */
  memset (levels->bands + 4, 0, 28 * sizeof *levels->bands);
  add_normal (levels, 5, VOXELS, 110, 4);
  g_assert_cmpfloat (
      oct_volume_face_white_find (levels, 92), ==, OCT_VOLUME_FACE_WHITE);
  add_normal (levels, 6, VOXELS, 250, 1);
  g_assert_cmpfloat (
      oct_volume_face_white_find (levels, 92), ==, OCT_VOLUME_FACE_MOST_WHITE);
  g_assert_cmpfloat (
      oct_volume_face_white_find (levels, 0), ==, OCT_VOLUME_FACE_WHITE);
  g_assert_cmpfloat (
      oct_volume_face_white_find (levels, 255), ==, OCT_VOLUME_FACE_WHITE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/volume-noise/scan", test_scan);
  g_test_add_func ("/volume-noise/rough", test_rough);
  g_test_add_func ("/volume-noise/no-air", test_no_air);
  g_test_add_func ("/volume-noise/noise-only", test_noise_only);
  g_test_add_func ("/volume-noise/speckle", test_speckle);
  g_test_add_func ("/volume-noise/none", test_none);
  g_test_add_func ("/volume-noise/ramp", test_ramp);
  g_test_add_func ("/volume-noise/saturated", test_saturated);
  g_test_add_func ("/volume-noise/partly", test_partly);
  g_test_add_func ("/volume-noise/mean", test_mean);
  g_test_add_func ("/volume-noise/follow", test_follow);
  g_test_add_func ("/volume-noise/extent", test_extent);
  g_test_add_func ("/volume-noise/frame", test_frame);
  g_test_add_func ("/volume-noise/face-white", test_face_white);
  g_test_add_func ("/volume-noise/counted", test_counted);
  return g_test_run ();
}
