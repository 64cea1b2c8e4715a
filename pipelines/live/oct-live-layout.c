/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-layout.h"

#include <math.h>

#define GAP 8          /* pixels between two pictures */
#define INSET 0.36     /* of the width and height of the screen */
#define MARGIN 0.02    /* of an inset, from the edges */
#define WIDE_FRAME 2.2 /* frames of two eyes beside each other */
#define HIGH_FRAME 1.2 /* ... above each other */

const char *const oct_live_layout_names[] = { "beside", "inset", "field",
  "microscope", "oct", NULL };
const char *const oct_live_eye_names[] = { "left", "right", "both", NULL };
const char *const oct_live_stereo_names[] = { "none", "side-by-side",
  "top-bottom", NULL };

static gint
layout_even (double pixels)
{
  return 2 * (gint)floor (pixels / 2.0 + 0.5);
}

/* As large as it can be in a place, whose end it touches: 0 left or upper, 1
 * right or lower, 0.5 in the middle. */
static OctLiveBox
layout_fit (
    double x, double y, double width, double height, double aspect, double end)
{
  double w = width, h = height;

  if (aspect > 0.0) {
    w = MIN (width, height * aspect);
    h = w / aspect;
  }
  return (OctLiveBox){ layout_even (x + end * (width - w)),
    layout_even (y + end * (height - h)), MAX (2, layout_even (w)),
    MAX (2, layout_even (h)) };
}

static OctLiveBox
layout_fit_inset (gint width, gint height, double aspect)
{
  double margin = MARGIN * width;

  return layout_fit (width * (1.0 - INSET) - margin,
      height * (1.0 - INSET) - margin, width * INSET, height * INSET, aspect,
      1.0);
}

static void
layout_squeeze (OctLiveBox *box, gint from)
{
  if (box->width == 0)
    return;
  box->x = from + layout_even (box->x / 2.0);
  box->width = MAX (2, layout_even (box->width / 2.0));
}

void
oct_live_layout_find (OctLiveLayout layout, OctLiveEyeChoice eyes, gint width,
    gint height, double field, double oct, OctLivePlaces *places)
{
  double half = (width - GAP) / 2.0;

  *places = (OctLivePlaces){ .eye = eyes == OCT_LIVE_EYE_RIGHT ? 1 : 0 };
  switch (layout) {
  case OCT_LIVE_LAYOUT_BESIDE:
    places->field[0] = layout_fit (0, 0, half, height, field, 0.5);
    places->oct[0] = layout_fit (half + GAP, 0, half, height, oct, 0.5);
    break;
  case OCT_LIVE_LAYOUT_INSET:
    places->field[0] = layout_fit (0, 0, width, height, field, 0.5);
    places->oct[0] = layout_fit_inset (width, height, oct);
    break;
  case OCT_LIVE_LAYOUT_FIELD:
    places->oct[0] = layout_fit (0, 0, width, height, oct, 0.5);
    places->field[0] = layout_fit_inset (width, height, field);
    break;
  case OCT_LIVE_LAYOUT_MICROSCOPE:
    places->field[0] = layout_fit (0, 0, width, height, field, 0.5);
    break;
  case OCT_LIVE_LAYOUT_OCT:
  case OCT_LIVE_N_LAYOUTS:
    places->oct[0] = layout_fit (0, 0, width, height, oct, 0.5);
    break;
  }
  if (eyes != OCT_LIVE_EYE_BOTH)
    return;
  places->field[1] = places->field[0];
  places->oct[1] = places->oct[0];
  for (guint eye = 0; eye < OCT_LIVE_EYES; eye++) {
    layout_squeeze (&places->field[eye], (gint)eye * (width / 2));
    layout_squeeze (&places->oct[eye], (gint)eye * (width / 2));
  }
}

double
oct_live_layout_get_field (OctLiveStereo stereo, gint width, gint height)
{
  double whole = (double)MAX (1, width) / MAX (1, height);

  if (stereo == OCT_LIVE_STEREO_SIDE && whole > WIDE_FRAME)
    return whole / 2.0;
  if (stereo == OCT_LIVE_STEREO_TOP && whole < HIGH_FRAME)
    return whole * 2.0;
  return whole;
}
