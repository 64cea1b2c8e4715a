/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * What is computed once, however many people watch: the source, the
 * reconstruction, H.264 for WebRTC, JPEG for browsers without it (both only
 * while somebody watches), and the image that was the last.
 *
 * Every branch behind the image has a queue of its own that drops what it
 * cannot take, so that none of them holds up the source or another branch.
 */
#pragma once

#include "oct-launch.h"

G_BEGIN_DECLS

typedef struct {
  const OctSourceOptions *file; /* of spectra; all zero: virtual OCT system */
  const char *source; /* pipeline of raw spectra, or NULL; file->calibration
                         is theirs */
  const char *images; /* pipeline of finished images, or NULL */
  double line_rate;   /* of the file, A-lines per second; 0 = 30 B-scans per
                         second */
  guint bitrate;      /* of H.264 in kbit/s */
} OctLiveSource;

/* What viewers can change.  min and max in dB, a2 in um^2, a3 in um^3. */
typedef struct {
  gboolean automatic;
  double min, max;
  double a2, a3;
  const char *method; /* id of an OctMethod */
} OctLiveSettings;

/* What is known of the images; zero or NULL as long as it is not. */
typedef struct {
  gint width, height;  /* A-lines, depths */
  double rate;         /* B-scans per second by the caps */
  double z_spacing;    /* metres per depth in air */
  const char *backend; /* "CPU", "CUDA" */
  const char *encoder; /* factory of the H.264 encoder */
} OctLiveInfo;

/* Numbers since the start. */
typedef struct {
  guint64 frames;    /* images made */
  guint64 dropped;   /* of these, not sent, because encoding was too slow */
  guint64 missed;    /* B-scans that the source had to drop before */
  GstClockTime time; /* running time now */
} OctLiveCounts;

typedef struct _OctLiveGraph OctLiveGraph;

typedef enum {
  OCT_LIVE_H264, /* access units, byte stream; streaming thread */
  OCT_LIVE_JPEG, /* one image each; streaming thread */
  OCT_LIVE_N_STREAMS
} OctLiveStream;

/* Gets every buffer of a stream, in the streaming thread: it must not wait.
 * The buffer's PTS is the running time of its B-scan. */
typedef void (*OctLiveBufferFunc) (
    GstBuffer *buffer, GstCaps *caps, gpointer data);

/* Called in the main context once, when the source has ended or failed: with
 * one sentence, which is NULL at a regular end. */
typedef void (*OctLiveEndFunc) (const char *message, gpointer data);

/* NULL with an error of one sentence. */
OctLiveGraph *oct_live_graph_new (const OctLiveSource *source, GError **error);
void oct_live_graph_start (
    OctLiveGraph *graph, OctLiveEndFunc func, gpointer data);
void oct_live_graph_free (OctLiveGraph *graph);

/* Adds a receiver of a stream, whose id it returns.  A key frame follows. */
guint oct_live_graph_add_receiver (OctLiveGraph *graph, OctLiveStream stream,
    OctLiveBufferFunc func, gpointer data);
/* When it returns, the receiver is not called any more. */
void oct_live_graph_remove_receiver (OctLiveGraph *graph, guint id);
/* Asks for a key frame; the encoder makes at most three of them a second. */
void oct_live_graph_request_key_frame (OctLiveGraph *graph);

/* FALSE when the images come finished and there is nothing to set. */
gboolean oct_live_graph_has_settings (OctLiveGraph *graph);
void oct_live_graph_get_settings (
    OctLiveGraph *graph, OctLiveSettings *settings);
/* FALSE with an error of one sentence when a value is impossible; nothing has
 * changed then. */
gboolean oct_live_graph_set_settings (
    OctLiveGraph *graph, const OctLiveSettings *settings, GError **error);

void oct_live_graph_get_info (OctLiveGraph *graph, OctLiveInfo *info);
void oct_live_graph_get_counts (OctLiveGraph *graph, OctLiveCounts *counts);
/* The last image as it left the reconstruction, NULL before the first. */
GstSample *oct_live_graph_get_image (OctLiveGraph *graph);
/* The source pad that the images leave by, to record from; a reference. */
GstPad *oct_live_graph_get_image_pad (OctLiveGraph *graph);
/* Clock and base time, for the pipelines of viewers. */
GstClock *oct_live_graph_get_clock (
    OctLiveGraph *graph, GstClockTime *base_time);

G_END_DECLS
