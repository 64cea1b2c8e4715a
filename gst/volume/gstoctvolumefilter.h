/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * GstOctVolumeFilter: the base class of elements that make pictures of volumes.
 *
 * The base class takes B-scans and keeps the volume that they are of, decides
 * when there is a picture, agrees on caps, has the next picture drawn when
 * something was set while nothing comes, reports lost B-scans, and does
 * memory, errors, and the properties `backend`, `cuda-device-id` and `stats`.
 * An element states its pictures, its properties, and how one is drawn.
 *
 * gstoctvolumefilter.c takes the B-scans and makes the pictures,
 * gstoctvolumefilterclass.c is the element around it, as in gstoctfilter.
 */
#pragma once

#include "gstoctplace.h"
#include "gstoctchoice.h"
#include "gstoctrenderer.h"
#include "gstoctscan.h"
#include "gstoctvolumecommon.h"

G_BEGIN_DECLS

#define GST_TYPE_OCT_VOLUME_FILTER (gst_oct_volume_filter_get_type ())
#define GST_OCT_VOLUME_FILTER(object)                                          \
  (G_TYPE_CHECK_INSTANCE_CAST (                                                \
      (object), GST_TYPE_OCT_VOLUME_FILTER, GstOctVolumeFilter))
#define GST_OCT_VOLUME_FILTER_CLASS(klass)                                     \
  (G_TYPE_CHECK_CLASS_CAST (                                                   \
      (klass), GST_TYPE_OCT_VOLUME_FILTER, GstOctVolumeFilterClass))
#define GST_OCT_VOLUME_FILTER_GET_CLASS(object)                                \
  (G_TYPE_INSTANCE_GET_CLASS (                                                 \
      (object), GST_TYPE_OCT_VOLUME_FILTER, GstOctVolumeFilterClass))

GType gst_oct_volume_filter_get_type (void);

typedef struct _GstOctVolumeFilter GstOctVolumeFilter;
typedef struct _GstOctVolumeFilterClass GstOctVolumeFilterClass;
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstOctVolumeFilter, gst_object_unref)

struct _GstOctVolumeFilterClass {
  GstElementClass parent_class;

  GstOctRendererKind kind;
  const GstOctProperties *properties;
  gsize common;         /* offset of a GstOctVolumeCommon in the settings */
  const char *caps;     /* of pictures in host memory, */
  const char *gpu_caps; /* and on the GPU */

  /* All but draw() and choose_caps() may be NULL.  In the streaming thread, or
   * one that has its lock. */

  /* Whether elements downstream accept pictures of such settings. */
  gboolean (*check_caps) (
      GstOctVolumeFilter *filter, gconstpointer settings, GError **error);
  /* Whether these settings fit; with GST_OCT_TO_USE they are in force from now
   * on, and `settings` stays where it is until the next ones are. */
  gboolean (*configure) (GstOctVolumeFilter *filter, gconstpointer settings,
      GstOctPurpose purpose, GError **error);
  /* Caps of the pictures out of those that are possible (taken); `n` / `d`: the
   * frame rate to aim at. */
  GstCaps *(*choose_caps) (GstOctVolumeFilter *filter, gconstpointer settings,
      GstCaps *possible, gint n, gint d);
  /* Takes the negotiated caps; FALSE: `settings` cannot have them. */
  gboolean (*take_caps) (GstOctVolumeFilter *filter, gconstpointer settings,
      const GstOctInfo *output, GError **error);
  /* Draws a picture by filter->renderer for the stream time `at` (or none);
   * `fine`: however long it takes.  *coarse: it could be better at rest. */
  gboolean (*draw) (GstOctVolumeFilter *filter, GstClockTime at, gboolean fine,
      GstBuffer *out, gboolean *coarse, GError **error);
  /* Pictures differ though nothing is set. */
  gboolean (*moves) (GstOctVolumeFilter *filter);
  /* Handles a navigation event, in any thread; TRUE: it was for this element.
   */
  gboolean (*navigate) (GstOctVolumeFilter *filter, GstEvent *event);
  void (*add_stats) (GstOctVolumeFilter *filter, GstStructure *stats);
  void (*stop) (GstOctVolumeFilter *filter);
};

struct _GstOctVolumeFilter {
  GstElement parent;
  GstPad *sink, *src;

  GstOctPlace place;
  GstOctChoice choice;
  gint stale; /* atomic: settings have changed */

  /* under the stream lock of the sink pad */
  GstOctVolumeCommon common; /* of the settings in force */
  GstOctSpacing spacing;     /* of places */
  guint depth_start;         /* of the images */
  double seen_part;          /* of the depths, that has signal; 1: not known */
  gboolean told_spacing, configured;
  GstOctInfo input, output;
  GstCaps *input_caps;
  GstSegment segment;
  GQueue waiting; /* events to be sent after the first caps */
  gboolean input_on_gpu, has_input, has_output;
  GstOctRenderer *renderer;
  GstBufferPool *pool;
  GstOctScan scan;
  guint places;  /* that pictures show, 0: not known yet */
  guint row;     /* place of the last B-scan in a mean, G_MAXUINT: none */
  guint8 *valid; /* A-lines of the buffer, see gst_oct_lost_get_valid() */
  GstOctScanCounts told;
  gint fps_n, fps_d;
  gboolean shown;     /* there is something to see */
  gboolean fresh;     /* it is in no picture yet */
  GstClockTime time;  /* of the last B-scan */
  GstClockTime drawn; /* of the last picture */
  GstClockTime due;   /* of the next, in a film */
  guint64 pictures;
  gboolean failed, ended;
  gboolean spares_time; /* pictures take half of the time at most */
  /* monotonic, us: the end of the last picture, and how long it took with all
   * that waited for it */
  gint64 drew_at, draw_time;

  /* pictures while scanning pauses */
  GThread *thread;
  GMutex lock;
  GCond cond;
  /* under the lock */
  gboolean moved, coarse, stops;
  gboolean late;     /* B-scans came that are in no picture yet */
  gint64 drawn_at;   /* monotonic */
  gint64 came_at;    /* the last B-scan, the same */
  gint64 between[2]; /* the last ones, the same */

  /* under the object lock */
  GstStructure *stats;
};

/* The description of an element; its texts are static. */
typedef struct {
  GstOctRendererKind kind;
  const GstOctProperties *properties;
  gsize common;
  const char *long_name, *description;
  const char *caps, *gpu_caps;
} GstOctVolumeFilterDescription;

/* Metadata, both pad templates and the properties in one call. */
void gst_oct_volume_filter_class_describe (GstOctVolumeFilterClass *klass,
    const GstOctVolumeFilterDescription *description);

/* How large voxels of the images are, those of the stream or assumed, which is
 * reported once where `tell`. */
GstOctVoxel gst_oct_volume_filter_get_voxel (
    GstOctVolumeFilter *self, gboolean tell);
/* The same for settings that are not in force; all zeros before there are
 * images. */
GstOctVoxel gst_oct_volume_filter_get_voxel_of (
    GstOctVolumeFilter *self, const GstOctVolumeCommon *common);

/* ------------------------------------------- for gstoctvolumefilterclass.c */

/* Posts the error, once: nothing follows. */
GstFlowReturn gst_oct_volume_filter_fail (
    GstOctVolumeFilter *self, GError **error);

/* The following with the stream lock of the sink pad. */

/* Puts the settings in force that were set. */
gboolean gst_oct_volume_filter_configure (
    GstOctVolumeFilter *self, GError **error);

GstFlowReturn gst_oct_volume_filter_take_buffer (
    GstOctVolumeFilter *self, GstBuffer *buffer);
/* A picture for that time; `fine`: however long it takes. */
GstFlowReturn gst_oct_volume_filter_make_picture (
    GstOctVolumeFilter *self, GstClockTime time, gboolean fine);
/* The next picture shows all that is stored so far. */
GstFlowReturn gst_oct_volume_filter_show (GstOctVolumeFilter *self);
/* Sends on the events that had to wait for caps. */
void gst_oct_volume_filter_push_waiting (GstOctVolumeFilter *self);

/* Makes a picture of the B-scans that were not in one yet, and reports lost
 * ones. */
void gst_oct_volume_filter_drain (GstOctVolumeFilter *self);

G_END_DECLS
