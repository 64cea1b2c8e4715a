/* SPDX-License-Identifier: LGPL-2.1-or-later */
/** The options of oct-dicom, checked. */
#pragma once

#include "oct-dicom-types.h"

G_BEGIN_DECLS

typedef enum {
  OCT_DICOM_ECHO,
  OCT_DICOM_WORKLIST_LIST,
  OCT_DICOM_SEND,
  OCT_DICOM_COMMIT,
  OCT_DICOM_TAGS,
  OCT_DICOM_VIDEO,
  OCT_DICOM_STEP_BEGIN,
  OCT_DICOM_STEP_COMPLETE,
  OCT_DICOM_STEP_DISCONTINUE,
  OCT_DICOM_STEP_TELL,
} OctDicomCommand;

typedef struct {
  OctDicomCommand command;
  OctDicomPeer peer;
  char *peer_text, *listen_text; /* as they were given */
  char **files;                  /* the other arguments */
  /* worklist, tags, step begin */
  char *date, *modality, *station, *output, *from;
  gboolean json;
  gint every; /* seconds, 0: once */
  /* send, commit */
  char *queue, *watch;
  char *listen_address; /* NULL: do not listen */
  guint listen_port;
  gint retries, commit_wait;
  gboolean no_commit, stay;
  /* step */
  char *step, *scheduled, *reason;
  int reason_index;
  char *tags; /* video */
} OctDicomOptions;

/* FALSE with a sentence that ends with a full stop. */
gboolean oct_dicom_options_parse (
    OctDicomOptions *options, int *argc, char ***argv, GError **error);
void oct_dicom_options_clear (OctDicomOptions *options);

G_END_DECLS
