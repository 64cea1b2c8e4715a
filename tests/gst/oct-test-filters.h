/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Shared by the tests of elements that turn images into images.
 */
#pragma once

#include "oct-test-pipelines.h"

/* The first plane of an image, grey, without gaps. */
typedef struct {
  guint width, height;
  guint8 *pixels;
  GstBuffer *buffer; /* it was in */
  GstCaps *caps;
} TestImage;

void oct_test_image_free (TestImage *image);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TestImage, oct_test_image_free)

/* `images` B-scans of volumes of `bscans`, the same ones at every start, as
 * NV12 and through these elements, such as "! octflip depth=true". */
GstElement *oct_test_filter_start (
    guint bscans, guint images, const char *behind);
TestImage *oct_test_filter_pull (GstElement *pipeline);
/* NULL at the end. */
TestImage *oct_test_filter_try_pull (GstElement *pipeline);

/* Pushes the segment that follows a flush. */
void oct_test_filter_segment (GstHarness *harness);

/* The formats that an element accepts from octreconstruct, in host memory, with
 * various elements after it. */
void oct_test_filter_check_formats (const char *element);
