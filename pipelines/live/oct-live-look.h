/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The view on the pages, of volumes and of motion: the settings of the
 * tabs, which those who control have in common.  One table lists them, with the
 * possible values and the property that each one sets of octvolume, octenface,
 * octslice, octangio, octdoppler or octdynamic; messages, pipelines and the
 * page's start follow it.
 */
#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

typedef enum {
  OCT_LIVE_SHOW, /* OctLiveShow */
  OCT_LIVE_YAW,
  OCT_LIVE_PITCH,
  OCT_LIVE_ZOOM,
  OCT_LIVE_PAN_X,
  OCT_LIVE_PAN_Y,
  OCT_LIVE_RENDERING,
  OCT_LIVE_THRESHOLD,
  OCT_LIVE_OPACITY,
  OCT_LIVE_STEREO, /* 1: side by side */
  OCT_LIVE_CROP_LEFT,
  OCT_LIVE_CROP_RIGHT,
  OCT_LIVE_CROP_FRONT,
  OCT_LIVE_CROP_BACK,
  OCT_LIVE_CROP_TOP,
  OCT_LIVE_CROP_BOTTOM,
  OCT_LIVE_CUT_X,
  OCT_LIVE_CUT_Y,
  OCT_LIVE_SLAB_MODE,
  OCT_LIVE_FLATTEN, /* 1: the slab follows the surface */
  OCT_LIVE_SLAB_START,
  OCT_LIVE_SLAB_THICKNESS,
  OCT_LIVE_AT_X, /* the three planes, parts of the volume */
  OCT_LIVE_AT_Y,
  OCT_LIVE_AT_Z,
  OCT_LIVE_FLOW_LEAST, /* dB above still tissue */
  OCT_LIVE_FLOW_WINDOW,
  OCT_LIVE_FLOW_MODE,
  OCT_LIVE_FLOW_START, /* of the slab from above, um */
  OCT_LIVE_FLOW_THICKNESS,
  OCT_LIVE_DOPPLER_BETWEEN,
  OCT_LIVE_DOPPLER_RANGE, /* mm/s, 0: the largest without ambiguity */
  OCT_LIVE_DOPPLER_ANGLE,
  OCT_LIVE_DOPPLER_LEAST, /* dB above noise */
  OCT_LIVE_DOPPLER_WINDOW,
  OCT_LIVE_DYNAMIC_FRAMES,
  OCT_LIVE_DYNAMIC_FASTEST, /* Hz */
  OCT_LIVE_N_LOOKS
} OctLiveLookValue;

typedef enum {
  OCT_LIVE_BSCANS,
  OCT_LIVE_VOLUME,
  OCT_LIVE_EN_FACE,
  OCT_LIVE_PLANES,
  OCT_LIVE_FLOW, /* this and those below: of A-scans, oct-live-flow.h */
  OCT_LIVE_DOPPLER,
  OCT_LIVE_DYNAMIC,
} OctLiveShow;

/* Numbers, 0 or 1, or the index of a choice. */
typedef struct {
  double values[OCT_LIVE_N_LOOKS];
} OctLiveLook;

typedef struct {
  const char *name;           /* in messages */
  const char *element;        /* factory that it is for, NULL: none */
  const char *property;       /* of it */
  const char *also;           /* another one that gets the same, or NULL */
  OctLiveShow show;           /* the only one with it; OCT_LIVE_BSCANS: all of
                                 volumes */
  double least, most;         /* numbers */
  double first;               /* at the start */
  const char *const *choices; /* nicks of the property; NULL: a number */
} OctLiveLookField;

/* `oct_live_look_fields[OCT_LIVE_N_LOOKS]` */
extern const OctLiveLookField oct_live_look_fields[];

void oct_live_look_init (OctLiveLook *look);

/* Puts a member of a message into `look`; FALSE if none has that name or the
 * value is not allowed.  `which`: its OctLiveLookValue. */
gboolean oct_live_look_read (
    OctLiveLook *look, const char *name, JsonNode *value, guint *which);

/* NULL, or why these values do not go together, one sentence. */
const char *oct_live_look_check (const OctLiveLook *look);

/* Whether it needs A-scans, and not images. */
gboolean oct_live_look_moves (const OctLiveLook *look);

/* Name of the chosen value if `value` is one with choices. */
const char *oct_live_look_get_choice (
    const OctLiveLook *look, OctLiveLookValue value);

/* Adds all values as members. */
void oct_live_look_add (const OctLiveLook *look, JsonBuilder *builder);

G_END_DECLS
