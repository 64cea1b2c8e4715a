/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A volume and its pictures, wherever images come from and pictures go to: in
 * host memory or on the GPU.  For one thread at a time.
 *
 * On the GPU nothing here waits but for pictures that foreign elements read
 * there: images are fetched and stored in the order of the compute stream,
 * pictures are made in a stream of their own and arrive in page-locked memory
 * while the host goes on.
 */
#pragma once

#include "gstoctallocation.h"
#include "oct-volume.h"

G_BEGIN_DECLS

typedef struct _GstOctRenderer GstOctRenderer;

/* The kind of pictures. */
typedef enum {
  GST_OCT_RENDERER_RAYS,     /* gst_oct_renderer_render() */
  GST_OCT_RENDERER_SECTIONS, /* gst_oct_renderer_slice(), _enface() */
} GstOctRendererKind;

/* `cuda` NULL: the CPU.  `input`: of the buffers of images, `params`: of the
 * volume. */
GstOctRenderer *gst_oct_renderer_new (GstOctRendererKind kind, GstOctCuda *cuda,
    const GstOctInfo *input, gboolean input_on_gpu,
    const OctVolumeParams *params, GError **error);
void gst_oct_renderer_free (GstOctRenderer *renderer);

const OctVolumeParams *gst_oct_renderer_get_params (GstOctRenderer *renderer);

/* Images of one buffer, from begin() to end(), which follows where begin() was
 * TRUE. */
gboolean gst_oct_renderer_begin (
    GstOctRenderer *renderer, GstBuffer *images, GError **error);
/* Images `image` .. image + n - 1 of the buffer as B-scans `bscan` and so on.
 */
gboolean gst_oct_renderer_store (GstOctRenderer *renderer, guint image,
    guint bscan, guint n, GError **error);
/* Image `image` as B-scan `bscan`, in a mean with those before it; `first`: it
 * is the first of them, of at most `frames`. */
gboolean gst_oct_renderer_store_mean (GstOctRenderer *renderer, guint image,
    guint bscan, guint frames, gboolean first, GError **error);
gboolean gst_oct_renderer_end (GstOctRenderer *renderer, GError **error);

/* See OctVolumeTable. */
gboolean gst_oct_renderer_show (GstOctRenderer *renderer, GError **error);
gboolean gst_oct_renderer_clear (GstOctRenderer *renderer, GError **error);
gboolean gst_oct_renderer_get_levels (GstOctRenderer *renderer,
    OctVolumeLevels *levels, gboolean *changed, GError **error);
double gst_oct_renderer_get_time (GstOctRenderer *renderer);
double gst_oct_renderer_get_fixed_time (GstOctRenderer *renderer);

/* Before the first picture, and when its caps change. */
gboolean gst_oct_renderer_set_output (GstOctRenderer *renderer,
    const GstOctInfo *output, gboolean output_on_gpu, GError **error);
/* See gst_oct_access_set_reader(). */
void gst_oct_renderer_set_reader (
    GstOctRenderer *renderer, GstOctReader reader);
/* The frame, format and size of `picture` are those of `out`. */
gboolean gst_oct_renderer_render (GstOctRenderer *renderer,
    const OctVolumeLook *look, OctVolumePicture *picture, GstBuffer *out,
    GError **error);
gboolean gst_oct_renderer_slice (GstOctRenderer *renderer,
    const OctSlice *slice, GstBuffer *out, GError **error);
gboolean gst_oct_renderer_enface (GstOctRenderer *renderer,
    const OctEnface *enface, GstBuffer *out, GError **error);

G_END_DECLS
