/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Where octsrc gets its B-scans: a file, a recording of several, either held in
 * memory, or the virtual OCT system, with one interface.
 *
 * Thread-safety: one thread at a time.
 */
#pragma once

#include "gstoctcaps.h"
#include "oct-calibration.h"
#include "oct-phantom-flow.h"
#include "oct-phantom.h"
#include "oct-reader.h"
#include "oct-scan-mask.h"
#include "oct-scan-places.h"

G_BEGIN_DECLS

/* The A-lines of a volume that are used. */
typedef enum {
  GST_OCT_SCAN_MASK_NONE, /* all */
  GST_OCT_SCAN_MASK_SAME_LINES,
  GST_OCT_SCAN_MASK_SCATTERED,
  GST_OCT_SCAN_MASK_FILE,
} GstOctScanMaskChoice;

typedef struct {
  GstOctScanMaskChoice kind;
  double rate;
  guint max_gap;
  guint64 seed;
  char *file;   /* to read, or NULL */
  char *output; /* to write, or NULL */
} GstOctScanCut;

/* The path along which the virtual OCT system looks. */
typedef struct {
  gint pattern; /* an OctScanKind, or GST_OCT_SCAN_LOOK_NONE */
  double width; /* of the pattern, mm */
  char *file;   /* of OCT_SCAN_FILE, or NULL */
} GstOctScanLook;

#define GST_OCT_SCAN_LOOK_NONE -1
/* The width of its sample, mm. */
#define GST_OCT_SCAN_SAMPLE OCT_PHANTOM_SAMPLE

typedef struct {
  char *location; /* NULL = the virtual OCT system */
  gboolean preload;
  GstAllocator *allocator;    /* for preloaded data, NULL = the usual one */
  OctReaderSettings reader;   /* sizes and sample format hold for both */
  guint repeats;              /* B-scans at each place, 0 = as the file says */
  OctPhantomSettings phantom; /* the rest of the virtual OCT system */
  GstOctScanCut cut;          /* of whole volumes */
  GstOctScanLook look;        /* of the virtual OCT system */
} GstOctInputSettings;

typedef struct _GstOctInput GstOctInput;

/* Errors: those of oct_reader_open(), oct_recording_open() and
 * oct_phantom_new(), OCT_ERROR_MEMORY when a file to preload is larger than the
 * memory of the machine. */
GstOctInput *gst_oct_input_open (
    const GstOctInputSettings *settings, GError **error);
void gst_oct_input_close (GstOctInput *input);

/* Sizes; of the virtual system `frames` is G_MAXUINT64.  Where volumes are cut
 * down they are those of compact ones.  `repeats` is 1 or more. */
const OctReaderInfo *gst_oct_input_get_info (const GstOctInput *input);

/* Which A-lines of a volume there are from B-scan `frame` on (no new
 * reference); NULL: all of them, or nobody knows.  All masks of an input are
 * for volumes of one size. */
OctScanMask *gst_oct_input_get_scan_mask (
    const GstOctInput *input, guint64 frame);

/* Where the A-lines of a volume are (no new reference); NULL: on a raster, or
 * nobody knows. */
OctScanPlaces *gst_oct_input_get_places (const GstOctInput *input);

/* Another path of volumes of the same size, along which the virtual system looks
 * from the next B-scan on.  FALSE: it does not look along one. */
gboolean gst_oct_input_follow (GstOctInput *input, OctScanPlaces *places);

/* Where B-scan `frame` is in the scan, counted from the beginning of the first
 * volume: after B-scans that a recording lost while it was made, it is not its
 * number.  That of `frames` is where the scan ends. */
guint64 gst_oct_input_get_place (const GstOctInput *input, guint64 frame);

/* The first B-scan of the volume of `n` if buffers of `per_buffer` B-scans hold
 * whole ones, else `n`. */
guint64 gst_oct_input_get_begin (
    GstOctInput *input, guint64 n, guint per_buffer);
/* How many B-scans from `frame` on, at most `most`, follow each other in the
 * scan, are of one mask and are not missing, through the end of the input if
 * that is right; at least 1. */
guint64 gst_oct_input_count_alike (
    const GstOctInput *input, guint64 frame, guint64 most);

/* Whether B-scan `frame` is missing: the file announces it, and it is not there
 * or turned out to be damaged when it was read.  Others can be read then. */
gboolean gst_oct_input_lacks (const GstOctInput *input, guint64 frame);

/* How many B-scans are missing, as far as it is known; of volumes that are cut
 * down, B-scans of whole ones. */
guint64 gst_oct_input_count_missing (const GstOctInput *input);

/* A calibration that the input itself carries (no new reference), or NULL. */
OctCalibration *gst_oct_input_get_calibration (GstOctInput *input);

/* A sentence for the user about what is missing or left over in the file, to be
 * freed; NULL when all is well. */
char *gst_oct_input_describe_flaws (
    const GstOctInput *input, const char *location);

/* B-scans per second as stated in a recording, A-lines per second within them,
 * centre wavelength in metres; 0 = unknown. */
double gst_oct_input_get_bscan_rate (const GstOctInput *input);
double gst_oct_input_get_line_rate (const GstOctInput *input);
double gst_oct_input_get_wavelength (GstOctInput *input);
/* Whether a recording says that half of the samples are a k-clock. */
gboolean gst_oct_input_has_k_clock (const GstOctInput *input);

/* The memory of `count` B-scans from `frame` on if they are held already and
 * follow each other (a new reference), else NULL: then they have to be read. */
GstMemory *gst_oct_input_get_memory (
    GstOctInput *input, guint64 frame, guint count);

/* Which A-lines of B-scan `frame` are there, valid[lines], 0: lost.  FALSE: all
 * are, or it is not known, as of a recording that is cut down by a mask. */
gboolean gst_oct_input_get_valid (
    const GstOctInput *input, guint64 frame, guint8 *valid);

/* Reads B-scan `frame` to dest [lines][samples], rows `stride` bytes apart. */
gboolean gst_oct_input_read (GstOctInput *input, guint64 frame, gpointer dest,
    gsize stride, GError **error);

/* The same of info->bscans B-scans from `frame` on, those after the last one
 * from the beginning again: read to a buffer, with the strides that it has. */
gboolean gst_oct_input_fill (GstOctInput *input, guint64 frame,
    const GstOctInfo *info, GstBuffer *buffer, GError **error);
/* Or a buffer of memory that is held already, else NULL.  any_stride: the next
 * element respects a GstVideoMeta. */
GstBuffer *gst_oct_input_wrap (GstOctInput *input, guint64 frame,
    const GstOctInfo *info, gboolean any_stride);
/* Says in the GstOctScanMeta of such a buffer which A-lines are lost, if any
 * is. */
void gst_oct_input_tell_lost (GstOctInput *input, guint64 frame,
    const GstOctInfo *info, GstBuffer *buffer);

G_END_DECLS
