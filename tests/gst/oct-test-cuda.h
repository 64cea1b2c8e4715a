/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The element tests on a GPU.  With OCT_TEST_BACKEND=cuda in the environment
 * the filters of a test get backend=cuda, buffers pushed to the elements after
 * octdcsub lie in GstCudaMemory, and a program without a device ends at once
 * with exit status 77.
 */
#pragma once

#include <gst/check/gstharness.h>
#include <gst/gst.h>

/* Whether OCT_TEST_BACKEND asks for the GPU. */
gboolean oct_test_on_gpu (void);

/* Says why a test has no meaning on the GPU; TRUE there. */
gboolean oct_test_skips_on_gpu (const char *reason);

/* Whether a driver and a GPU are there and this build can use them.  Leaves
 * CUDA of this process alone, so that tests may still be forked. */
gboolean oct_test_has_device (void);

/* Adds backend=cuda after the name of every filter; takes over `launch`. */
char *oct_test_cuda_launch (char *launch);

/* Whether the first element of the harness wants memory on the GPU. */
gboolean oct_test_wants_gpu_memory (GstHarness *harness);

/* A GstCudaContext of its own, and that of the harness's first element: both
 * to be unreffed with gst_object_unref(). */
GstObject *oct_test_cuda_context_new (void);
GstObject *oct_test_cuda_context_of (GstHarness *harness);

/* The bytes and what belongs to them in the memory of the GPU; takes the
 * buffer. */
GstBuffer *oct_test_cuda_buffer (GstObject *context, GstBuffer *buffer);

/* Where the harness wants it; takes the buffer. */
GstBuffer *oct_test_place (GstHarness *harness, GstBuffer *buffer);

/* All but `rest` bytes of the memory of the GPU, in one context; to be given
 * back with oct_test_cuda_free(). */
typedef struct _OctTestHoard OctTestHoard;
OctTestHoard *oct_test_cuda_hoard (guint64 rest);
void oct_test_cuda_free (OctTestHoard *hoard);

/* GPUs of this machine. */
guint oct_test_cuda_devices (void);

/* Bytes of the GPU that nobody uses. */
guint64 oct_test_cuda_free_memory (void);

/* Nothing is computed in the context of the element until it is let go; what
 * does not wait for computing goes on.  To be let go before the element is. */
typedef struct _OctTestHold OctTestHold;
OctTestHold *oct_test_cuda_hold (GstElement *element);
void oct_test_cuda_let_go (OctTestHold *hold);

/* Queues a kernel in the stream of the current context that takes a moment and
 * then writes where no memory is. */
void oct_test_cuda_stray (gpointer stream);
