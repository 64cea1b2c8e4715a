/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-section.h"

#include <math.h>
#include <string.h>

static gboolean
section_is_finite (const OctPoint *p)
{
  return isfinite (p->x) && isfinite (p->y) && isfinite (p->z);
}

gboolean
oct_slice_check (const OctSlice *slice, GError **error)
{
  if (section_is_finite (&slice->origin) && section_is_finite (&slice->right)
      && section_is_finite (&slice->down))
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "A position or an angle of the plane is not a finite number; set them to "
      "finite numbers.");
  return FALSE;
}

gboolean
oct_enface_check (const OctEnface *enface, GError **error)
{
  if ((guint)enface->mode >= OCT_N_ENFACE_MODES || enface->thickness < 1
      || enface->threshold > 255 || enface->surface_rise > 255
      || enface->surface_radius > OCT_ENFACE_MAX_RADIUS) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "A projection of mode %u over %u depths with a threshold of %u, a rise "
        "of %u and a radius of %u was asked for; it can have 1 depth or more, "
        "grey levels up to 255 and a radius of at most %u.",
        enface->mode, enface->thickness, enface->threshold,
        enface->surface_rise, enface->surface_radius, OCT_ENFACE_MAX_RADIUS);
    return FALSE;
  }
  if (enface->is_auto
      || (isfinite (enface->black) && isfinite (enface->white)
          && enface->black < enface->white))
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "The range of the picture is %g to %g: min must be below max.",
      enface->black, enface->white);
  return FALSE;
}

gboolean
oct_section_picture_check (const OctSectionPicture *p, GError **error)
{
  if ((p->format == OCT_IMAGE_GRAY8 || p->format == OCT_IMAGE_NV12
          || p->format == OCT_IMAGE_RGBA)
      && p->width >= 1 && p->height >= 1 && p->width <= OCT_SECTION_MAX_PICTURE
      && p->height <= OCT_SECTION_MAX_PICTURE)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "A picture of %u x %u pixels is not possible; set 1 to %u each way.",
      p->width, p->height, OCT_SECTION_MAX_PICTURE);
  return FALSE;
}

double
oct_enface_get_full (const OctEnface *enface, guint depth)
{
  switch (enface->mode) {
  case OCT_ENFACE_SUM:
    return MAX (1.0, 255.0 - enface->threshold)
           * MIN (depth, enface->thickness);
  case OCT_ENFACE_DEPTH:
    return enface->thickness;
  default:
    return 255;
  }
}

/* -------------------------------------------------------------------- state */

void
oct_enface_state_init (OctEnfaceState *state, guint bscans)
{
  memset (state, 0, sizeof *state);
  state->bscans = bscans;
  state->found = g_malloc (bscans);
  state->project = g_malloc (bscans);
  state->there = g_malloc (bscans);
  oct_enface_state_forget (state);
}

void
oct_enface_state_clear (OctEnfaceState *state)
{
  g_clear_pointer (&state->found, g_free);
  g_clear_pointer (&state->project, g_free);
  g_clear_pointer (&state->there, g_free);
}

void
oct_enface_state_forget (OctEnfaceState *state)
{
  memset (state->found, TRUE, state->bscans);
  memset (state->project, TRUE, state->bscans);
  memset (state->there, FALSE, state->bscans);
}

void
oct_enface_state_change (OctEnfaceState *state, guint bscan)
{
  guint radius =
      state->begun && state->last.flatten ? state->last.surface_radius : 0;
  guint last = MIN (bscan + radius, state->bscans - 1);

  state->there[bscan] = TRUE;
  state->found[bscan] = TRUE;
  for (guint y = bscan > radius ? bscan - radius : 0; y <= last; y++)
    state->project[y] = TRUE;
}

void
oct_enface_state_take (OctEnfaceState *state, const OctEnface *enface)
{
  const OctEnface *last = &state->last;
  gboolean same_found = state->begun
                        && enface->surface_from == last->surface_from
                        && enface->surface_rise == last->surface_rise;
  /* B-scans that changed while no surface was asked for have none */
  gboolean same = same_found && enface->mode == last->mode
                  && enface->start == last->start
                  && enface->thickness == last->thickness
                  && enface->threshold == last->threshold
                  && enface->flatten == last->flatten
                  && enface->surface_radius == last->surface_radius;

  if (!same_found)
    memset (state->found, TRUE, state->bscans);
  if (!same)
    memset (state->project, TRUE, state->bscans);
  state->last = *enface;
  state->begun = TRUE;
}

gboolean
oct_enface_next_run (guint8 *marks, guint bscans, guint *first, guint *n)
{
  guint y = *first;

  while (y < bscans && !marks[y])
    y++;
  *first = y;
  while (y < bscans && marks[y])
    marks[y++] = FALSE;
  *n = y - *first;
  return *n > 0;
}
