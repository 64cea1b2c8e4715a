/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-history.h"

/* More than anybody goes back. */
#define MOST 50

typedef struct {
  OctLiveFind what;
  OctLiveSettings former; /* the previous values of the changed settings */
} Step;

struct _OctLiveHistory {
  GQueue steps; /* Step, the last one at the tail */
};

void
oct_live_settings_set_text (const char **place, const char *text)
{
  char *former = (char *)*place;

  *place = text != NULL && *text != '\0' ? g_ref_string_new (text) : NULL;
  g_clear_pointer (&former, g_ref_string_release);
}

void
oct_live_settings_clear (OctLiveSettings *settings)
{
  oct_live_settings_set_text (&settings->k_warp, NULL);
  oct_live_settings_set_text (&settings->background, NULL);
}

static void
free_step (gpointer data)
{
  Step *step = data;

  oct_live_settings_clear (&step->former);
  g_free (step);
}

OctLiveHistory *
oct_live_history_new (void)
{
  return g_new0 (OctLiveHistory, 1);
}

void
oct_live_history_free (OctLiveHistory *history)
{
  g_queue_clear_full (&history->steps, free_step);
  g_free (history);
}

/* Copies the settings that a search of this kind changes. */
static void
live_history_copy (
    OctLiveFind what, const OctLiveSettings *from, OctLiveSettings *to)
{
  if (what == OCT_LIVE_FIND_BACKGROUND) {
    oct_live_settings_set_text (&to->background, from->background);
    to->mode = from->mode;
    return;
  }
  to->a2 = from->a2;
  to->a3 = from->a3;
  to->phase2 = from->phase2;
  to->phase3 = from->phase3;
  if (what == OCT_LIVE_FIND_WAVENUMBERS)
    oct_live_settings_set_text (&to->k_warp, from->k_warp);
}

static OctLiveFind
get_kind (const GstStructure *result)
{
  if (gst_structure_has_name (result, "oct-background"))
    return OCT_LIVE_FIND_BACKGROUND;
  return gst_structure_has_field (result, "k-warp") ? OCT_LIVE_FIND_WAVENUMBERS
                                                    : OCT_LIVE_FIND_DISPERSION;
}

void
oct_live_history_take (OctLiveHistory *history, const GstStructure *result,
    OctLiveSettings *settings)
{
  OctLiveSettings found = { .k_warp =
                                gst_structure_get_string (result, "k-warp"),
    .background = gst_structure_get_string (result, "background-spectrum"),
    .mode = g_intern_string (gst_structure_get_string (result, "mode")) };
  Step *step = g_new0 (Step, 1);

  gst_structure_get (result, "a2", G_TYPE_DOUBLE, &found.a2, "a3",
      G_TYPE_DOUBLE, &found.a3, "phase2", G_TYPE_DOUBLE, &found.phase2,
      "phase3", G_TYPE_DOUBLE, &found.phase3, NULL);
  step->what = get_kind (result);
  live_history_copy (step->what, settings, &step->former);
  live_history_copy (step->what, &found, settings);
  g_queue_push_tail (&history->steps, step);
  if (history->steps.length > MOST)
    free_step (g_queue_pop_head (&history->steps));
}

const char *
oct_live_history_describe (const OctLiveHistory *history)
{
  static const char *const words[OCT_LIVE_N_FINDS] = {
    [OCT_LIVE_FIND_DISPERSION] = "dispersion",
    [OCT_LIVE_FIND_WAVENUMBERS] = "wavenumbers and dispersion",
    [OCT_LIVE_FIND_BACKGROUND] = "background",
  };
  const Step *last = g_queue_peek_tail ((GQueue *)&history->steps);

  return last != NULL ? words[last->what] : NULL;
}

static char *
live_history_describe (OctLiveFind what, const OctLiveSettings *settings)
{
  const char *wavenumbers =
      what == OCT_LIVE_FIND_WAVENUMBERS ? "the wavenumbers of before, " : "";

  if (what == OCT_LIVE_FIND_BACKGROUND)
    return g_strdup_printf (
        "Back to the background of before (mode %s).", settings->mode);
  if (settings->phase2 != 0.0 || settings->phase3 != 0.0)
    return g_strdup_printf ("Back to %sphase2 = %.4g rad, phase3 = %.4g rad.",
        wavenumbers, settings->phase2, settings->phase3);
  return g_strdup_printf ("Back to %sa2 = %.4g um^2, a3 = %.4g um^3.",
      wavenumbers, settings->a2, settings->a3);
}

char *
oct_live_history_undo (OctLiveHistory *history, OctLiveSettings *settings)
{
  Step *last = g_queue_pop_tail (&history->steps);
  char *text;

  if (last == NULL)
    return NULL;
  live_history_copy (last->what, &last->former, settings);
  text = live_history_describe (last->what, settings);
  free_step (last);
  return text;
}
