/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Mirrors that are late: octscangen drives them over a raster that goes forth and
 * back on one line, and the virtual system sees along their path.
 */
#pragma once

#include "oct-scan-pattern.h"
#include "oct-test.h"

#define OCT_TEST_MIRRORS_LINES 256u
#define OCT_TEST_MIRRORS_BSCANS 8u
#define OCT_TEST_MIRRORS_SAMPLES 512u
#define OCT_TEST_MIRRORS_RATE 1e5
#define OCT_TEST_MIRRORS_FREQUENCY 2000.0
#define OCT_TEST_MIRRORS_DAMPING 0.8
/* Their delay, A-lines. */
#define OCT_TEST_MIRRORS_LAG                                                   \
  (2 * OCT_TEST_MIRRORS_DAMPING / (2 * G_PI * OCT_TEST_MIRRORS_FREQUENCY)      \
      * OCT_TEST_MIRRORS_RATE)
#define OCT_TEST_MIRRORS_WIDTH 4.31 /* mm: A-lines lie between columns */

/* Where the mirrors are at the A-lines of the second volume if octscangen has this
 * delay in s: [BSCANS][LINES] mm, g_free() it. */
OctScanPoint *oct_test_mirrors_follow (double delay);

/* The spectra of a still sample along these places, and the calibration, as the
 * test's files spectra.raw and calibration.csv. */
void oct_test_mirrors_take (const OctScanPoint *places, double noise);

/* The next message oct-tune, gst_structure_free() it. */
GstStructure *oct_test_mirrors_wait (GstElement *pipeline);

/* Emits the action signal tune of the element `name`, and returns its answer. */
gboolean oct_test_mirrors_tune (
    GstElement *bin, const char *name, guint bscans);

double oct_test_mirrors_get (const GstStructure *message, const char *field);

/* The delay is OCT_TEST_MIRRORS_LAG. */
void oct_test_mirrors_check_delay (const GstStructure *message);

#define OCT_TEST_MIRRORS_WIDE 64u
#define OCT_TEST_MIRRORS_HIGH 4u

/* An image [HIGH][WIDE] with random levels, its columns `late` columns late on the
 * way in which it is taken. */
void oct_test_mirrors_draw (guint8 *pixels, gboolean back, gint late);

/* A harness in which results are messages, too; images of these caps come. */
GstHarness *oct_test_mirrors_harness (const char *element, guint images);

/* As oct_test_mirrors_wait(). */
GstStructure *oct_test_mirrors_wait_for_harness (GstHarness *harness);
