/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The text NAME.oct of a recording of raw spectra (oct-recording.h), which says
 * what is in it: a key file.
 *
 *   [oct-recording]
 *   version=1
 *   sample-format=gray16-le          or gray8
 *   samples=2048                     per A-line
 *   lines=500                        A-lines per B-scan
 *   bscans-per-volume=256            optional
 *   first-bscan=17                   place of the first B-scan in its volume,
 *                                    below bscans-per-volume; optional
 *   repeats=4                        B-scans that were taken one after the other
 *                                    at each place, all of them counted;
 *                                    optional
 *   line-rate=70000                  A-lines per second, optional
 *   bscan-rate=120                   B-scans per second, if they are fewer than
 *                                    line-rate / lines, as the scanner flies back
 *                                    between them; optional
 *   wavelength=8.5e-07               centre wavelength in metres, optional
 *   k-clock=true                     the second half of the samples is the clock
 *                                    of a swept source; optional
 *   start-time=2026-05-04T08:15:00.250000Z   of the first B-scan, optional
 *   missing=100:12;340:1;            B-scans that were lost while recording:
 *                                    12 before B-scan 100, 1 before 340;
 *                                    optional
 *   lost-parts=3;5;                  numbers of parts that were deleted, moved
 *                                    or replaced while recording: they are left
 *                                    out; optional
 *   scan-masks=0:0;512:1;            the scan leaves A-lines out: from B-scan 0
 *                                    on those that the file of mask 0 says,
 *                                    from B-scan 512 on those of mask 1;
 *                                    optional
 *   lost-lines=true                  A-lines were lost: which ones is in a file
 *                                    next to the recording (oct-lost-lines.h);
 *                                    optional
 *   measurements=scan-spectra.csv;scan-ascans.csv;scan-meters.csv;
 *                                    files next to the recording with the
 *                                    measurements of octmeter; optional
 *   calibration-until=120            first B-scan that had another calibration
 *                                    than the one below; optional
 *   [calibration]                    optional, lists of one value per sample
 *   k-min=6.98                       ends of the wavenumber axis, rad/um
 *   k-max=7.95
 *   positions=0;1.02;...             in samples, of each uniform wavenumber
 *   nodes=0;0.98;...                 of each sample on the uniform axis
 *   dispersion=0;0.01;...            rad, at each uniform wavenumber
 *   sample-dispersion=0;0.01;...     rad, at each sample where known there
 *   background=512;...               counts
 */
#pragma once

#include "oct-calibration.h"

G_BEGIN_DECLS

/* B-scans that were lost while recording. */
typedef struct {
  guint64 frame; /* the first one after the gap, by its number in the parts */
  guint64 count; /* how many are missing before it */
} OctRecordingGap;

/* Which A-lines there are from a B-scan on. */
typedef struct {
  guint64 frame; /* of the parts */
  guint number;  /* of the file of the mask, see oct_recording_mask_path() */
} OctRecordingMask;

/* Not more different masks, and not more changes from one to another. */
#define OCT_RECORDING_MAX_MASKS 64
#define OCT_RECORDING_MAX_MASK_CHANGES 4096

/* More gaps than these are not kept apart: the last one has all that follow.
 * It is the most that a text may have. */
#define OCT_RECORDING_MAX_GAPS 4096
/* More parts than these cannot be lost. */
#define OCT_RECORDING_MAX_LOST_PARTS 4096
/* There are not more files of measurements. */
#define OCT_RECORDING_MAX_MEASUREMENTS 64

typedef struct {
  OctSampleFormat sample_format; /* U8 or U16 */
  guint samples, lines;
  guint bscans;                /* per volume, 0 = unknown */
  double line_rate;            /* A-lines per second, 0 = unknown */
  gint64 start_time;           /* us since 1970 (UTC), 0 = unknown */
  OctCalibration *calibration; /* a reference, or NULL */
  GArray *gaps;                /* OctRecordingGap, or NULL */
  GArray *lost_parts;          /* guint, ascending, or NULL */
  guint64 calibration_until;   /* B-scans it is right for, 0 = all */
  char **measurements;         /* names of files, or NULL */
  guint first_bscan;           /* place of the first one, below bscans */
  guint repeats;               /* B-scans at each place, 0 = unknown */
  GArray *masks;               /* OctRecordingMask, from 0 on, or NULL */
  double bscan_rate;           /* B-scans per second, 0 = line_rate / lines */
  double wavelength;           /* centre, m, 0 = unknown */
  gboolean k_clock;            /* half of the samples is that of an A-line */
  gboolean lost_lines;         /* a file says which A-lines are lost */
} OctRecordingInfo;

/* Adds a gap; `frame` is not smaller than those before. */
void oct_recording_info_add_gap (
    OctRecordingInfo *info, guint64 frame, guint64 count);

/* Mask `number` holds from `frame` on, which is not smaller than those before;
 * the first one from 0 on.  FALSE when there were too many changes already. */
gboolean oct_recording_info_set_mask (
    OctRecordingInfo *info, guint64 frame, guint number);

/* Part `part` with its B-scans `frame` to `frame` + `count` - 1 is lost: they
 * become a gap, and the later ones move up.  FALSE when too many are lost
 * already. */
gboolean oct_recording_info_lose_part (
    OctRecordingInfo *info, guint part, guint64 frame, guint64 count);

/* Whether that part is among the lost ones. */
gboolean oct_recording_info_lacks_part (
    const OctRecordingInfo *info, guint part);

void oct_recording_info_clear (OctRecordingInfo *info);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (OctRecordingInfo, oct_recording_info_clear)

/* The text of `info`, to be freed.  Parsed again, which never fails, every
 * number is the same to the last bit; what no camera has (more than 1e9 A-lines
 * per second, a time before 1970) is left out as unknown. */
char *oct_recording_format (const OctRecordingInfo *info);

/* Parses text[size] of any content into `info`, which must be empty; `file`
 * begins the messages ("Recording 'x.oct'").  Time and memory grow with `size`
 * alone, and above 16 MiB nothing of it is read.  Error: OCT_ERROR_FORMAT. */
gboolean oct_recording_parse (const char *file, const char *text, gsize size,
    OctRecordingInfo *info, GError **error);

/* TRUE when the bytes that a file begins with are those of the text of a
 * recording. */
gboolean oct_recording_begins (gconstpointer bytes, gsize size);

/* The same of the file itself. */
gboolean oct_recording_is_one (const char *path);

/* Reads the text `path` into `info`, which must be empty.  Errors:
 * OCT_ERROR_NOT_FOUND, _READ, _FORMAT. */
gboolean oct_recording_read_text (
    const char *path, OctRecordingInfo *info, GError **error);

G_END_DECLS
