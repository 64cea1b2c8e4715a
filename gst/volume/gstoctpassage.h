/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The way of B-scans into something that is kept where a backend works, and out
 * of it again: they come from and go to host memory or a GPU.  For one thread
 * at a time.
 *
 * On the GPU nothing here waits for it: what is queued in the compute stream
 * between begin() and end() has its input, and what is queued between
 * begin_output() and end_output() its output.
 */
#pragma once

#include "gstoctallocation.h"

G_BEGIN_DECLS

typedef struct _GstOctPassage GstOctPassage;

/* `cuda` NULL: the CPU, and then the input is in host memory.  NULL with an
 * error. */
GstOctPassage *gst_oct_passage_new (GstOctCuda *cuda, const GstOctInfo *input,
    gboolean input_on_gpu, GError **error);
void gst_oct_passage_free (GstOctPassage *passage);

/* Where the B-scans are kept, and its stream: NULL on the CPU. */
const OctBackend *gst_oct_passage_get_backend (const GstOctPassage *passage);
gpointer gst_oct_passage_get_stream (const GstOctPassage *passage);

/* Makes the context of the GPU current, around every call of the backend;
 * nothing on the CPU. */
gboolean gst_oct_passage_enter (GstOctPassage *passage, GError **error);
void gst_oct_passage_leave (GstOctPassage *passage);

/* B-scans of the same size, more or fewer in a buffer. */
gboolean gst_oct_passage_set_input (
    GstOctPassage *passage, const GstOctInfo *input, GError **error);

/* B-scans of one buffer, from begin() to end(), which follows if begin() was
 * TRUE. */
gboolean gst_oct_passage_begin (
    GstOctPassage *passage, GstBuffer *bscans, GError **error);
/* The frame of B-scan `image` of the buffer; `rows`: those of one. */
OctFrame gst_oct_passage_get_bscan (
    const GstOctPassage *passage, guint image, guint rows);
gboolean gst_oct_passage_end (GstOctPassage *passage, GError **error);

/* Takes caps of the output in host memory; returns them in GPU memory if the
 * element downstream of `src` asks for it and the B-scans are kept there. */
GstCaps *gst_oct_passage_choose_caps (
    GstOctPassage *passage, GstPad *src, GstCaps *caps);
/* Before the first B-scan, and when its caps change: `src` has them. */
gboolean gst_oct_passage_set_output (
    GstOctPassage *passage, GstPad *src, GstCaps *caps, GError **error);
/* Stops the output until it is set again: call before the backend frees the
 * B-scans, as it waits for the copies that are under way. */
void gst_oct_passage_forget_output (GstOctPassage *passage);
const GstOctInfo *gst_oct_passage_get_output (const GstOctPassage *passage);

/* A new buffer of the output.  Else, with an error or without one (flushing),
 * what it returns. */
GstFlowReturn gst_oct_passage_acquire (
    GstOctPassage *passage, GstBuffer **out, GError **error);
/* Where it is written.  After TRUE end_output() has to follow, with whether
 * that succeeded; between the two the context is current. */
gboolean gst_oct_passage_begin_output (
    GstOctPassage *passage, GstBuffer **out, OctFrame *to, GError **error);
gboolean gst_oct_passage_end_output (
    GstOctPassage *passage, gboolean success, GError **error);

G_END_DECLS
