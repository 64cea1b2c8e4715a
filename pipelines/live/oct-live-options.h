/* SPDX-License-Identifier: LGPL-2.1-or-later */
/** The command line of oct-live. */
#pragma once

#include "oct-digitizer.h"
#include "oct-instrument.h"
#include "oct-live-layout.h"
#include "oct-live-settings.h"
#include "oct-scanner.h"
#include "oct-view.h"

G_BEGIN_DECLS

typedef struct {
  OctSourceOptions file;
  OctInstrumentOptions instrument;
  OctEndsOptions ends;
  char *source, *images;
  char *oct_camera; /* becomes `source` */
  OctDigitizerOptions digitizer;
  OctScannerOptions scanner;
  char *scan_mask; /* file, or NULL */
  double line_rate;
  gboolean setup, open;
  char *files;  /* folder, or NULL */
  gint bitrate; /* kbit/s */
  char *address;
  gint port;
  char *udp_ports;
  guint first_port, last_port; /* of udp_ports, 0 = any */
  gint viewers;
  gint bscans;  /* per volume, 0 = as the source says */
  gint repeats; /* at each place, 0 = as the source says */
  gboolean flow;
  char *token_file, *cert, *key;
  char *record, *mode;
  char *audit;                                        /* file, or NULL */
  char *worklist;                                     /* file, or NULL */
  char *microscope;                                   /* source, or NULL */
  char *microscope_stereo, *microscope_aims, *screen; /* or NULL */
  OctLiveStereo stereo;                               /* of microscope_stereo */
  char *recording;                                    /* "both", ... or NULL */
  gint screen_width, screen_height, screen_rate;      /* of `screen` */
  gint keep_seconds;                                  /* 0: nothing is kept */
  gint keep_memory; /* MB of spectra, 0: none are kept */
  guint file_mode;  /* of `mode`, for recordings */
  char **pedals;    /* their devices, or NULL */
  char *pedal_keys; /* map of oct_live_gestures_parse(), never NULL */
  double width_um, length_um, refractive_index;
  OctViewOptions view;    /* at the start */
  OctLiveSettings wishes; /* of these and bits of those given */
  guint64 wished;
  gboolean loopback; /* `address` is one of this computer only */
} OctLiveOptions;

/* Reads and checks the command line; FALSE with an error of one sentence. */
gboolean oct_live_options_parse (
    OctLiveOptions *options, int *argc, char ***argv, GError **error);
/* Whether they name a source: not the virtual OCT system. */
gboolean oct_live_options_has_source (const OctLiveOptions *options);
/* A command line without the part of its source: the source itself, its
 * scan, its instrument, and the calibration, which is handed out or NULL.  To be
 * freed. */
char **oct_live_options_drop_source (
    char *const *arguments, char **calibration);
void oct_live_options_clear (OctLiveOptions *options);

G_END_DECLS
