/* SPDX-License-Identifier: LGPL-2.1-or-later */
/** Where the microscope's picture and the one of OCT are on one screen. */
#pragma once

#include "oct-live-aim.h"

G_BEGIN_DECLS

typedef enum {
  OCT_LIVE_LAYOUT_BESIDE, /* the microscope left, OCT right */
  OCT_LIVE_LAYOUT_INSET,  /* OCT in the field */
  OCT_LIVE_LAYOUT_FIELD,  /* the field in OCT */
  OCT_LIVE_LAYOUT_MICROSCOPE,
  OCT_LIVE_LAYOUT_OCT,
  OCT_LIVE_N_LAYOUTS
} OctLiveLayout;

typedef enum {
  OCT_LIVE_EYE_LEFT,
  OCT_LIVE_EYE_RIGHT,
  OCT_LIVE_EYE_BOTH, /* side by side, each half as wide */
  OCT_LIVE_N_EYE_CHOICES
} OctLiveEyeChoice;

/* How the source has both eyes in one picture. */
typedef enum {
  OCT_LIVE_STEREO_NONE,
  OCT_LIVE_STEREO_SIDE, /* left | right */
  OCT_LIVE_STEREO_TOP,  /* left above right */
  OCT_LIVE_N_STEREOS
} OctLiveStereo;

/* Names in messages and options; by the values above, NULL at the end. */
extern const char *const oct_live_layout_names[];
extern const char *const oct_live_eye_names[];
extern const char *const oct_live_stereo_names[];

/* A rectangle of the screen in pixels; width 0: not shown. */
typedef struct {
  gint x, y, width, height;
} OctLiveBox;

/* By eye; with one of them chosen, box 1 is not shown.  `eye`: which eye of the
 * source box 0 is. */
typedef struct {
  OctLiveBox field[OCT_LIVE_EYES], oct[OCT_LIVE_EYES];
  guint eye;
} OctLivePlaces;

/* `field`, `oct`: width of the pictures over their height, 0: any, which fills
 * its place.  Edges are even, as video has half as many colours. */
void oct_live_layout_find (OctLiveLayout layout, OctLiveEyeChoice eyes,
    gint width, gint height, double field, double oct, OctLivePlaces *places);

/* Width over height of the picture for one eye in a frame of the source.  An eye with
 * half of the columns or rows of a frame that has the shape of one eye was
 * squeezed into it. */
double oct_live_layout_get_field (
    OctLiveStereo stereo, gint width, gint height);

G_END_DECLS
