/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Shared by the element tests: harnesses, inputs and their reference outputs,
 * calibrations, B-scan positions, error messages.  Every helper fails the
 * current test when something is wrong.
 */
#pragma once

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/video/video.h>
#include "gstoctscanmeta.h"
#include "oct-test-cuda.h"
#include "oct-test-reference.h"

/* Largest relative l2 error of an A-line (1e-5 as promised), images to within
 * `levels` grey levels everywhere. */
void oct_test_compare (
    const OctArray *found, const OctArray *expected, guint levels);
/* The same largest error without failing. */
double oct_test_error (const OctArray *found, const OctArray *expected);

/* A harness of elements, '@' in `launch` stands for the folder of the inputs.
 * Messages go to oct_test_bus(). */
GstHarness *oct_test_harness (const char *launch);
GstBus *oct_test_bus (GstHarness *harness);
/* `launch` with '@' replaced, and backend=cuda set when the test is to run on
 * the GPU. */
char *oct_test_launch (const char *launch);

/* Caps of `lines` lines of such values: raw spectra, spectra (`axis`,
 * wavelength when NULL), A-scans (axis "depth"). */
GstCaps *oct_test_caps (const OctArray *array, guint lines, const char *axis);
/* As gst_harness_set_src_caps() and gst_harness_push(), with memory on the GPU
 * where the first element takes that. */
void oct_test_set_src_caps (GstHarness *harness, GstCaps *caps);
GstFlowReturn oct_test_push_buffer (GstHarness *harness, GstBuffer *buffer);
void oct_test_set_caps (
    GstHarness *harness, const OctArray *array, const char *axis);
/* Rows as the caps have them; 0 rows = all. */
GstBuffer *oct_test_buffer (const OctArray *array, guint first, guint rows);
/* The same in rows of `stride` bytes that start at `offset`, with a
 * GstVideoMeta, as capture drivers deliver them. */
GstBuffer *oct_test_strided_buffer (
    const OctArray *array, gsize offset, gsize stride);

/* Values of a buffer with these caps; of NV12 the luma, chroma is checked. */
OctArray *oct_test_read (GstBuffer *buffer, GstCaps *caps);
/* Pushes `buffer`, which it takes over, and returns the output. */
OctArray *oct_test_push (GstHarness *harness, GstBuffer *buffer);
/* The bytes of the next buffer; g_bytes_unref() */
GBytes *oct_test_pull_bytes (GstHarness *harness);
/* Caps and values in one. */
OctArray *oct_test_run (
    GstHarness *harness, const OctArray *input, const char *axis);

/* Sets a property of the element of this factory from a string with '@' as
 * above, or to NULL. */
void oct_test_set (GstHarness *harness, const char *factory,
    const char *property, const char *value);

/* The same when the element sends its next caps, which are then those before.
 */
void oct_test_set_with_caps (GstHarness *harness, const char *factory,
    const char *property, const char *value);

/* The current caps at the output of the harness. */
GstStructure *oct_test_output (GstHarness *harness);

/* Exactly one element error was posted, and its sentence holds each of the
 * words (NULL-terminated). */
void oct_test_assert_error (GstBus *bus, ...) G_GNUC_NULL_TERMINATED;
/* Exactly one warning of settings that are not taken was posted and no error,
 * and its sentence holds each of the words (NULL-terminated). */
void oct_test_assert_refused_live (GstBus *bus, ...) G_GNUC_NULL_TERMINATED;
/* Neither an error nor a warning was posted. */
void oct_test_assert_quiet (GstBus *bus);

/* The sticky event of the calibration that `properties` of octdcsub give. */
GstEvent *oct_test_calibration (const char *properties, guint samples);

/* The plugin hides its symbols: the meta by its registered name. */
void oct_test_add_scan_meta (
    GstBuffer *buffer, guint bscan, guint bscans, guint64 volume);
/* Says in it that of the `lines` A-lines of the buffer `n` from `first` on are
 * lost, too. */
void oct_test_lose_lines (GstBuffer *buffer, guint lines, guint first, guint n);
/* All 0: the buffer has none. */
GstOctScanPosition oct_test_get_scan_position (GstBuffer *buffer);

/* Folder of files that other programs wrote: the tree's, or where the tests run
 * without the tree the one that OCT_TEST_VECTORS names. */
const char *oct_test_vectors (void);

/* places[samples]: those that a mask file keeps; returns their number. */
guint oct_test_read_mask (const char *path, guint samples, guint *places);
/* Only the samples that a mask file keeps, as an array [lines][kept]. */
OctArray *oct_test_keep_samples (const OctArray *input, const char *path);

/* Cases whose name starts with `prefix`. */
typedef struct {
  const char *name, *launch, *axis, *input_name;
  guint bscans;
  OctArray *input, *expected;
} OctTestCase;

guint oct_test_count_cases (const char *prefix);
OctTestCase *oct_test_get_case (const char *prefix, guint i);
void oct_test_free_case (OctTestCase *test_case);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OctTestCase, oct_test_free_case)
/* Runs it through a harness and compares. */
void oct_test_run_case (const char *prefix, guint i);
