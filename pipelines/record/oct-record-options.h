/* SPDX-License-Identifier: LGPL-2.1-or-later */
/** The command line of oct-record. */
#pragma once

#include "oct-record-pipeline.h"

G_BEGIN_DECLS

typedef struct {
  OctRecordOptions pipeline;
  char *output, *size, *mode;
  guint file_mode; /* of `mode` */
  gint seconds, part_seconds, bitrate;
  gint keep_seconds; /* 0: nothing is held */
  gint keep_memory;  /* MB of spectra, 0: none are held */
  gboolean mp4, no_video, no_meters;
  char *stream, *address, *password_file;
  gint rtsp_port; /* -1 = no server */
} OctRecordProgramOptions;

/* Reads and checks the command line; FALSE with an error of one sentence. */
gboolean oct_record_options_parse (
    OctRecordProgramOptions *options, int *argc, char ***argv, GError **error);
void oct_record_options_clear (OctRecordProgramOptions *options);

/* Whether somebody is to see it over a network. */
gboolean oct_record_options_stream (const OctRecordProgramOptions *options);

G_END_DECLS
