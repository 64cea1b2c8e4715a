/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Pipelines from spectra to images whose elements may fail: what they deliver
 * until then, and what they say.  Every function fails the test at hand when
 * something is not as it should be.
 */
#pragma once

#include <gst/gst.h>

#define FAILING_BSCANS 12
/* async=false: a pipeline that fails before its first image never plays.  Then
 * a short stream may be over before its sink plays, and one that waits there
 * for its images to be taken never does. */
#define FAILING_SINK                                                           \
  " ! appsink name=sink sync=false async=false wait-on-eos=false"

/* Those of a test, for its fixture: one that fails leaves its pipelines to the
 * end, since in one process with the others the next one would wait for their
 * threads. */
void failing_begin (void);
void failing_end (void);

/* octsrc, the chain on `backend`, queues between its elements where wished for,
 * and `sink`, FAILING_SINK for example.  Ended by failing_stop(). */
GstElement *failing_make (
    guint bscans, const char *backend, gboolean queues, const char *sink);
/* Another one. */
GstElement *failing_launch (const char *launch);
void failing_stop (GstElement *pipeline);

/* The backend that is tested, "cpu" or "cuda". */
const char *failing_backend (void);

/* OctArray of grey levels, NULL where one could not be mapped. */
typedef GPtrArray FailingImages;

/* Takes images until the end, or until nothing more comes after an error, which
 * is the first on the bus and put into `message`. */
FailingImages *failing_collect (GstElement *pipeline, GstMessage **message);
/* The images of that many B-scans on the CPU, with the given sink or
 * FAILING_SINK. */
FailingImages *failing_expect_from (guint bscans, const char *sink);
FailingImages *failing_expect (guint bscans);
/* Returns: how many of them could be mapped, all of which are as expected. */
guint failing_check_images (FailingImages *found, FailingImages *expected);

/* An error with these words; `element`: its name, or NULL for any filter of
 * ours. */
void failing_check_message (
    GstMessage *message, const char *element, const char *words);
/* Further errors come only from octsrc and queues, which the flow stops. */
void failing_check_other_messages (GstElement *pipeline);
/* No operation runs any more. */
void failing_check_stopped (void);
/* The failure does not affect a new pipeline. */
void failing_check_good (const char *backend, FailingImages *expected);
