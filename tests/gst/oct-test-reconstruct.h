/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Shared by the tests of octreconstruct: its methods, each as a chain of
 * elements, and spectra of the virtual OCT system.
 */
#pragma once

#include "oct-test-pipelines.h"

/* B-scans of 16 A-lines of 256 samples, and where grey images go. */
#define SOURCE "octsrc samples=256 lines=16 bscans=4"
#define SINK " ! appsink name=sink sync=false"
#define GREY " ! capsfilter caps=video/x-raw,format=GRAY8"

/* Nicks of its `method`. */
#define OCT_TEST_METHODS 4
extern const char *const oct_test_methods[OCT_TEST_METHODS];

/* The elements of a method that follow octdcsub, with the settings of
 * octdispersion, octkresample and the transform; to be freed. */
char *oct_test_describe_method (const char *method, const char *dispersion,
    const char *interpolation, const char *transform);

/* A pipeline that plays, with every filter where OCT_TEST_BACKEND wants it. */
GstElement *oct_test_start_filters (const char *launch);

/* A file of four B-scans of SOURCE, written at the first call; the path to be
 * freed, the file to be removed by oct_test_remove_files(). */
char *oct_test_spectra_path (void);
