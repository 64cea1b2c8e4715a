/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The pipeline of oct-record: from a source of spectra to B-scans for the eye
 * and for measurement, next to those of a camera if one is set.  It runs
 * whether or not something is recorded.
 */
#pragma once

#include "oct-digitizer.h"
#include "oct-instrument.h"
#include "oct-record-volume.h"
#include "oct-scanner.h"
#include "oct-sensing.h"
#include "oct-view.h"

G_BEGIN_DECLS

#define OCT_RECORD_MOST_REPEATS 64

typedef struct {
  OctSourceOptions spectra;
  OctInstrumentOptions instrument;
  OctSensingOptions sensing;
  OctViewOptions images;
  char *source;     /* launch line that delivers raw spectra, or NULL */
  char *oct_camera; /* becomes `source` */
  OctDigitizerOptions digitizer; /* or, with a socket, the spectra of that */
  OctScannerOptions scanner;
  double line_rate;   /* A-lines per second, 0 = as the recording says, else 30
                         B-scans per second */
  char *method;       /* id of an OctMethod, NULL = the default */
  char *scan_mask;    /* file of the mask of the scan, NULL = the source sends
                         it, or takes all A-lines */
  char *fill;         /* id of an OctFillWay, NULL = the default */
  gboolean raw;       /* spectra are recorded: keep them in main memory */
  gboolean held;      /* the last spectra are: the same */
  gboolean meters;    /* measure spectra and A-scans: messages of octmeter */
  gboolean lossless;  /* also make images of 16 bit */
  double min, max;    /* of these, dB */
  char *camera;       /* device, "test", or NULL */
  gboolean clock;     /* burnt in; always with a camera */
  gint width, height; /* of the B-scan */
  OctRecordVolume volume;
  gboolean flow; /* also make images of vessels */
  gint repeats;  /* B-scans at each place, 0: as the source says */
  char *view;    /* launch line of a sink, or NULL */
} OctRecordOptions;

/* NULL with a sentence.  It owns the scanner, if there is one. */
GstElement *oct_record_pipeline_new (
    const OctRecordOptions *options, GError **error);

/* Has the scanner driven. */
void oct_record_pipeline_scan (GstElement *pipeline);

/* Source pads to record: raw spectra, images for the eye (camera and clock
 * included), images of 16 bit, of vessels, and the one that knows the
 * calibration. */
GstPad *oct_record_pipeline_get_spectra (GstElement *pipeline);
GstPad *oct_record_pipeline_get_images (GstElement *pipeline);
GstPad *oct_record_pipeline_get_lossless (GstElement *pipeline);
GstPad *oct_record_pipeline_get_flow (GstElement *pipeline);
GstPad *oct_record_pipeline_get_calibration (GstElement *pipeline);

typedef struct {
  guint64 frames;  /* B-scans that were reconstructed */
  guint64 dropped; /* B-scans that the source, or the reconstruction after it,
                      was too slow for */
  guint64 lost_lines; /* A-lines of a digitizer that never came */
} OctRecordCounts;

/* To be called once the pipeline was made; freed with it. */
void oct_record_pipeline_count (GstElement *pipeline);
OctRecordCounts oct_record_pipeline_get_counts (GstElement *pipeline);

G_END_DECLS
