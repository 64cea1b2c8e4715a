/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The motion in the layers phantom: tissue that breathes and drifts, B-scans
 * side by side, an instrument tip that passes.
 */
#pragma once

#include "oct-phantom-flow.h"
#include "oct-phantom-settings.h"
#include "oct-phantom-surgery.h"
#include "oct-phantom-tissue.h"

typedef struct _OctScene OctScene;

/* Where everything is during one B-scan; lengths in um. */
typedef struct {
  double shift_start, shift_end; /* of the tissue, axial */
  guint column;                  /* of the first A-line, */
  double between;                /* and how far it is to the next one */
  guint realisations[2];         /* of the speckle, mixed with */
  float mix[2];                  /* these weights; the second may be 0 */
  gboolean instrument;           /* whether it is there at all, then: */
  double tip;                    /* its end, A-lines from the first */
  double tip_depth;
  OctSurgery surgery; /* if the scene is surgery */
  /* [lines][2][samples] the field in the spot; NULL: there is no spot, and
   * A-lines are put together from the members above */
  gint16 *fields;
  guint64 frame;        /* its number, if the scan is a path, */
  const double *places; /* and its places, [lines][2] */
  double *shifts;       /* [lines] of all that is in `fields`, um; NULL: none */
} OctSceneFrame;

/* peak: counts of the reference arm at its maximum.  The spectrometer and the
 * noise have to outlive the scene. */
OctScene *oct_scene_new (const OctSpectrometer *spectrometer,
    const OctNoise *noise, guint64 seed, const OctPhantomSettings *settings,
    double peak);
void oct_scene_free (OctScene *scene);
/* NULL: it is none of flow. */
OctFlow *oct_scene_get_flow (const OctScene *scene);

/* With a spot it takes memory of four B-scans, until clear_frame().  `places`:
 * of a scene that follows them, [lines][2], which stay there until then; NULL:
 * those of the settings. */
void oct_scene_set_frame (const OctScene *scene, guint64 frame,
    const double *places, OctSceneFrame *moment);
void oct_scene_clear_frame (OctSceneFrame *moment);

/* spectrum[samples]: expected counts of A-line `line`. */
void oct_scene_fill_line (const OctScene *scene, const OctSceneFrame *moment,
    guint line, float *spectrum);
