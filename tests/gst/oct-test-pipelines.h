/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Whole pipelines: what comes out of their appsinks, and how they end.
 */
#pragma once

#include "oct-test.h"

/* A pipeline, and the same playing; ended by oct_test_stop(). */
GstElement *oct_test_make (const char *launch);
GstElement *oct_test_start (const char *launch);
void oct_test_stop (GstElement *pipeline);

/* The sentence of an error, NULL when there was none. */
char *oct_test_take_error (GstElement *pipeline);

/* The next sample of the appsink `name`, NULL at the end. */
GstSample *oct_test_pull_from (GstElement *pipeline, const char *name);
/* The grey levels of its image in whatever format, or other values. */
OctArray *oct_test_pull (GstElement *pipeline, const char *name);

/* At "sink" both give the same `count` arrays, to within a grey level, and then
 * nothing. */
void oct_test_compare_pipelines (
    GstElement *one, GstElement *other, guint count);

/* Whether it comes to its end without an error, whose sentence is printed and
 * holds each of the words (NULL-terminated, or NULL). */
gboolean oct_test_plays (const char *launch, const char **words);

/* Buffers that have come to a pad. */
typedef struct {
  gint count; /* atomic */
} OctTestCounter;

/* A probe of an OctTestCounter. */
GstPadProbeReturn oct_test_count_buffer (
    GstPad *pad, GstPadProbeInfo *info, gpointer data);

/* A pipeline that plays and counts what comes to its element "sink";
 * `counter` outlives it. */
GstElement *oct_test_start_counted (
    const char *launch, OctTestCounter *counter);

/* Until so many have come; fails when the pipeline does. */
void oct_test_wait_for (
    GstElement *pipeline, OctTestCounter *counter, gint count);
