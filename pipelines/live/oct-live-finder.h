/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The sources that there are: cameras, rings of digitizers, files of a folder,
 * the virtual OCT system.  Nobody can name another one from a page.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef enum {
  OCT_LIVE_FOUND_VIRTUAL,
  OCT_LIVE_FOUND_GIVEN, /* on the command line */
  OCT_LIVE_FOUND_CAMERA,
  OCT_LIVE_FOUND_DIGITIZER,
  OCT_LIVE_FOUND_FILE,
  OCT_LIVE_FOUND_MICROSCOPE,
  OCT_LIVE_FOUND_CALIBRATION,
  OCT_LIVE_N_FOUND
} OctLiveFoundKind;

/* Names in messages. */
extern const char *const oct_live_found_names[OCT_LIVE_N_FOUND];

typedef struct {
  OctLiveFoundKind kind;
  char *key;      /* the same whenever it is found; one line in UTF-8 */
  char *label;    /* for people; UTF-8 */
  char *argument; /* of the command line, or NULL: none is needed */
} OctLiveFound;

/* An empty list, which frees its items. */
GPtrArray *oct_live_found_new (void);
/* Takes `argument`. */
void oct_live_found_add (GPtrArray *found, OctLiveFoundKind kind,
    const char *name, const char *label, char *argument);

/* Adds what can be found; `folder`: of files of spectra and
 * calibrations, or NULL.  It takes its time,
 * cameras of a network may take seconds: any thread. */
void oct_live_find (GPtrArray *found, const char *folder);

G_END_DECLS
