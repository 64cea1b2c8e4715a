/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A recording of the buffers at a pad of a running pipeline.  It can begin and
 * end at any time, several at once, on the same pad or on others.
 *
 * The recording has a pipeline, a bus and a thread of its own.  The pad's
 * pipeline only hands references of its buffers over and never waits: if disk
 * or encoder are too slow, frames of the recording are dropped and counted, and
 * if recording fails, the rest goes on.  Its files are watched: one that is
 * deleted, moved or replaced is noticed within a second, and the recording goes
 * on in a new one.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef enum {
  OCT_RECORD_VIDEO,    /* H.264 in Matroska: OUTPUT-00000.mkv, ... */
  OCT_RECORD_MP4,      /* H.264 in one fragmented MP4: OUTPUT.mp4, and
                          OUTPUT-2.mp4, ... only if the one before is lost */
  OCT_RECORD_LOSSLESS, /* FFV1 in Matroska: OUTPUT-00000.mkv, ...; an image of
                          GRAY16_LE keeps its 16 bits */
  OCT_RECORD_RAW,      /* spectra as they are: OUTPUT.oct (text) and
                          OUTPUT-00000.raw, ..., for octsrc location=OUTPUT.oct;
                          the pad has raw spectra (GRAY8, GRAY16_LE) */
} OctRecordKind;

typedef struct {
  OctRecordKind kind;
  const char *output;   /* path without ending; the folder has to exist, and
                           none of the files: nothing is ever overwritten */
  guint part_seconds;   /* length of a part of Matroska, 0 = 180 */
  guint bitrate;        /* of H.264 in kbit/s, 0 = 8000 */
  const char *comment;  /* one line, kept in OUTPUT.txt; or NULL */
  GstPad *calibration;  /* raw: a source pad after which the calibration is
                           known (of octdcsub) if the recorded pad may lack
                           it; or NULL */
  GstPad *second;       /* OCT_RECORD_VIDEO: a source pad with video of the same
                           clock and base time, some pictures of it each second,
                           as the file waits for them: a second track; or NULL */
  gboolean meters;      /* measurements are kept next to it, too */
  const char *measured; /* path without ending of the recording that they are
                           next to, for the text (OUTPUT.oct, OUTPUT.txt);
                           NULL: there are none */
  guint file_mode;      /* permissions of the files, whatever the umask;
                           0 = 0600, for their owner alone */
} OctRecorderSettings;

typedef enum {
  OCT_RECORDER_RECORDING,
  OCT_RECORDER_STOPPING, /* files are being finished */
  OCT_RECORDER_DONE,     /* files are complete */
  OCT_RECORDER_FAILED,   /* ended by itself (full disk, ...), or a part of it
                            is lost: the rest is there and can be played */
} OctRecorderState;

typedef struct {
  OctRecorderState state;
  const char *message; /* one sentence for the user, else NULL: FAILED, and as
                          soon as files were deleted, moved or replaced, where
                          recording goes on in a new part; belongs to the
                          recorder */
  GstClockTime time;   /* recorded so far */
  guint64 frames;      /* taken, without those that are known to be lost; once
                          DONE or FAILED those that can be played */
  guint64 dropped;     /* not taken: disk or encoder were too slow */
  guint64 lost;        /* taken, but in no file that is there */
  guint64 second;      /* of the second track, as `frames` */
  guint64 second_dropped; /* ... in no file */
  guint64 bytes;          /* in all files of the recording that are there */
  guint64 disk_left;      /* bytes that the user can still write there */
  guint parts;       /* files with frames, without the text of raw spectra */
  const char *first; /* path of the first of them, NULL without any and of raw
                          spectra; belongs to the recorder */
} OctRecorderStats;

typedef struct _OctRecorder OctRecorder;

/* Records from the next buffer that passes the source pad `pad`, which has to
 * carry system memory; the strings are copied.  Any thread, any state of the
 * pipeline.  NULL with an error of one sentence: a missing encoder, files that
 * exist, a folder that cannot be written to, no room on the disk. */
OctRecorder *oct_recorder_start (
    GstPad *pad, const OctRecorderSettings *settings, GError **error);

/* Adds a measurement of octmeter of the recorded spectra or A-scans, the
 * structure of its message, to a recording with `meters` (oct-measurements.h).
 * Any thread; waits for nothing. */
void oct_recorder_add_measurement (
    OctRecorder *recorder, const GstStructure *measurement);

/* Takes no further frame and finishes the files, in the recorder's thread: the
 * call itself returns at once.  Repeated calls do nothing. */
void oct_recorder_stop (OctRecorder *recorder);

/* Waits until the recording is DONE or FAILED, FALSE after `timeout`
 * (GST_CLOCK_TIME_NONE = however long it takes). */
gboolean oct_recorder_wait (OctRecorder *recorder, GstClockTime timeout);

/* Waits however long it takes.  After some seconds it prints on the terminal
 * why it waits, and how to give up. */
void oct_recorder_wait_and_tell (OctRecorder *recorder);

/* Any thread; cheap, brought up to date several times a second. */
void oct_recorder_get_stats (OctRecorder *recorder, OctRecorderStats *stats);

/* Stops, waits until the files are finished, and frees. */
void oct_recorder_free (OctRecorder *recorder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OctRecorder, oct_recorder_free)

G_END_DECLS
