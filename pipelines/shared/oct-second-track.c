/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-second-track.h"
#include "oct-encoder.h"

/* For the first frame. */
#define FIRST_TIME G_TIME_SPAN_SECOND

struct _OctSecondTrack {
  GstAppSrc *appsrc;
  OctTap *tap;      /* NULL before it has begun */
  gint64 finishing; /* since when, 0: not yet */
};

OctSecondTrack *
oct_second_track_new (
    GstBin *pipeline, GstElement *sink, guint bitrate, GError **error)
{
  const OctEncoderSettings settings = { .bitrate = bitrate };
  GstElement *source = oct_tap_make_source (OCT_TAP_FROM_ZERO);
  GstElement *encoder = oct_encoder_new (&settings, NULL, error);
  OctSecondTrack *track;

  if (source == NULL || encoder == NULL)
    return NULL;
  gst_bin_add_many (pipeline, source, encoder, NULL);
  /* parts begin with a key frame of the first track, and not of this one */
  g_object_set (sink, "max-size-time", (guint64)0, NULL);
  if (!gst_element_link (source, encoder)
      || !gst_element_link_pads (encoder, "src", sink, "video_aux_%u"))
    return NULL;
  track = g_new0 (OctSecondTrack, 1);
  track->appsrc = gst_object_ref (GST_APP_SRC (source));
  return track;
}

void
oct_second_track_begin (OctSecondTrack *track, OctTap *leader, GstPad *pad,
    GstClockTime queue, OctTapEnded ended, gpointer data)
{
  track->tap =
      oct_tap_new_beside (leader, pad, track->appsrc, queue, ended, data);
}

void
oct_second_track_get_stats (OctSecondTrack *track, OctTapStats *stats)
{
  *stats = (OctTapStats){ 0 };
  if (track != NULL && track->tap != NULL)
    oct_tap_get_stats (track->tap, stats);
}

gboolean
oct_second_track_finish (OctSecondTrack *track)
{
  OctTapStats stats;

  if (track == NULL)
    return TRUE;
  if (track->finishing == 0)
    track->finishing = g_get_monotonic_time ();
  oct_second_track_get_stats (track, &stats);
  if (stats.frames == 0
      && g_get_monotonic_time () - track->finishing < FIRST_TIME)
    return FALSE;
  oct_second_track_close (track);
  gst_app_src_end_of_stream (track->appsrc);
  return TRUE;
}

void
oct_second_track_close (OctSecondTrack *track)
{
  if (track != NULL && track->tap != NULL)
    oct_tap_close (track->tap);
}

void
oct_second_track_free (OctSecondTrack *track)
{
  if (track == NULL)
    return;
  oct_tap_free (track->tap);
  gst_object_unref (track->appsrc);
  g_free (track);
}
