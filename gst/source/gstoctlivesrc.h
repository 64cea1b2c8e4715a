/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * GstOctLiveSrc: the base class of sources that deliver B-scans of a device.
 *
 * It counts losses and reports them: a warning for people, and a message for
 * programs each second with losses. It stamps buffers, answers the query of
 * the latency, and says why elements downstream do not fit the device.
 */
#pragma once

#include "gstoctpushsrc.h"

G_BEGIN_DECLS

#define GST_TYPE_OCT_LIVE_SRC (gst_oct_live_src_get_type ())
#define GST_OCT_LIVE_SRC(object)                                               \
  (G_TYPE_CHECK_INSTANCE_CAST ((object), GST_TYPE_OCT_LIVE_SRC, GstOctLiveSrc))
#define GST_OCT_LIVE_SRC_CLASS(klass)                                          \
  (G_TYPE_CHECK_CLASS_CAST ((klass), GST_TYPE_OCT_LIVE_SRC, GstOctLiveSrcClass))
#define GST_OCT_LIVE_SRC_GET_CLASS(object)                                     \
  (G_TYPE_INSTANCE_GET_CLASS (                                                 \
      (object), GST_TYPE_OCT_LIVE_SRC, GstOctLiveSrcClass))

GType gst_oct_live_src_get_type (void);

typedef struct _GstOctLiveSrc GstOctLiveSrc;
typedef struct _GstOctLiveSrcClass GstOctLiveSrcClass;
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstOctLiveSrc, gst_object_unref)

/* Since the start. */
typedef struct {
  guint64 frames;     /* B-scans delivered */
  guint64 lost;       /* A-lines or frames that never came */
  guint64 too_slow;   /* of these, lost because the pipeline was slow */
  guint64 incomplete; /* B-scans that came without a part of them */
  guint64 reconnects;
} GstOctLiveCounters;

struct _GstOctLiveSrcClass {
  GstOctPushSrcClass parent_class;

  /* The element message, with the fields lost, incomplete, frames, lost-now and
   * incomplete-now (since the message before), all guint64, and the name of the
   * field for `too_slow`. */
  const char *lost_message, *too_slow;
  void (*warn_of_losses) (GstOctLiveSrc *self, const GstOctLiveCounters *now);
};

struct _GstOctLiveSrc {
  GstOctPushSrc parent;

  char *device;  /* "The digitizer", to begin sentences */
  gint flushing; /* atomic */

  /* under the object lock */
  GstOctLiveCounters counters;
  GstClockTime duration; /* of a B-scan; NONE: not known */

  /* streaming thread */
  gboolean discont;
  gint64 heard;    /* monotonic time of the last data */
  gboolean silent; /* a warning has said so */
  GstOctLiveCounters told;
  gint64 told_at;
};

/* At the start. */
void gst_oct_live_src_begin (GstOctLiveSrc *self);

/* Adds to a member of self->counters. */
#define gst_oct_live_src_add(self, counter, more)                              \
  gst_oct_live_src_add_to (self, &(self)->counters.counter, more)
void gst_oct_live_src_add_to (
    GstOctLiveSrc *self, guint64 *counter, guint64 more);

/* `last`: does not wait for the end of the second. */
void gst_oct_live_src_tell_losses (GstOctLiveSrc *self, gboolean last);

/* Data have come from the device, or are expected from now on. */
void gst_oct_live_src_hear (GstOctLiveSrc *self);

/* Whether it is time to warn that nothing has come for `limit` ms (0: never),
 * once until the next data. */
gboolean gst_oct_live_src_is_silent (GstOctLiveSrc *self, guint limit);

/* Describes B-scan `number` of volumes of `bscans` (0: not known). */
void gst_oct_live_src_stamp (GstOctLiveSrc *self, GstBuffer *buffer,
    GstClockTime time, guint64 number, guint bscans);

G_END_DECLS
