/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-keeper.h"
#include "oct-live-filters.h"
#include "oct-live-history.h"
#include "oct-live-properties.h"

/* Settings are saved with the instrument this long after a change, ms. */
#define KEEP_DELAY 1000

struct _OctLiveKeeper {
  const OctLiveSource *source;
  const OctLiveSettings *settings;
  const char **used;      /* the method that works */
  GstElement *kept;       /* octreconstruct that is saved, NULL: nothing is */
  char *ends[OCT_N_ENDS]; /* words of directions, or NULL */
  guint timer;
};

static void
take_kept_settings (OctLiveSettings *settings, GstElement *element)
{
  g_autofree char *k_warp = NULL, *background = NULL;

  oct_live_settings_get (settings, element);
  g_object_get (element, "min", &settings->min, "max", &settings->max, "k-warp",
      &k_warp, "background-spectrum", &background, NULL);
  oct_live_settings_set_text (&settings->k_warp, k_warp);
  oct_live_settings_set_text (&settings->background, background);
  settings->automatic =
      !g_str_equal (oct_instrument_get_nick (element, "range"), "manual");
}

void
oct_live_keeper_get_defaults (
    const OctLiveSource *source, OctLiveSettings *settings)
{
  g_autoptr (GstElement) element =
      gst_element_factory_make ("octreconstruct", NULL);
  const char *other = source->source;

  /* neither has the background of the virtual system */
  if (source->digitizer != NULL)
    other = source->digitizer->socket;
  *settings = (OctLiveSettings){ .automatic = TRUE,
    .min = 0.0,
    .max = 60.0,
    .method = settings->method,
    .average = 1,
    .speckle = OCT_LIVE_NO_SPECKLE_FILTER,
    /* pixels that no A-line of a path is near stay black */
    .fill = source->scan_file != NULL ? OCT_FILL_OFF : OCT_FILL_DEFAULT };
  if (element == NULL) /* reported by the code that needs it */
    return;
  gst_object_ref_sink (element);
  oct_source_options_set_depths (source->file, element);
  oct_live_settings_get (settings, element);
  /* the mean of a B-scan must not contain A-lines that are lost */
  settings->mode =
      g_intern_string (source->digitizer != NULL && source->scan_file != NULL
                           ? "fixed-pattern-scaled"
                           : oct_source_options_get_mode (source->file, other));
}

/* Settings begin as they were kept; and are kept as they begin. */
static gboolean
keeper_load (OctLiveKeeper *keeper, OctLiveSettings *settings, GError **error)
{
  const OctInstrumentOptions *instrument = keeper->source->instrument;
  const char *calibration = keeper->source->file->calibration;
  g_autoptr (GstElement) element =
      gst_element_factory_make ("octreconstruct", NULL);

  if (element == NULL) /* reported by the code that needs it */
    return TRUE;
  gst_object_ref_sink (element);
  if (!oct_instrument_load (element, instrument->load, calibration, error))
    return FALSE;
  if (instrument->load == NULL)
    gst_util_set_object_arg (G_OBJECT (element), "mode", settings->mode);
  if (keeper->source->ends != NULL)
    oct_instrument_set_ends (element, keeper->source->ends);
  for (guint i = 0; i < OCT_N_ENDS; i++)
    keeper->ends[i] = g_strdup (oct_instrument_get_ends (element, i));
  oct_source_options_set_depths (keeper->source->file, element);
  take_kept_settings (settings, element);
  *keeper->used = settings->method = oct_instrument_get_method (element)->id;
  if (instrument->save != NULL)
    keeper->kept = gst_object_ref (element);
  return oct_instrument_save (element, instrument->save, calibration, error);
}

static void
keeper_on_scan (gpointer data)
{
  oct_live_keeper_keep_soon (data);
}

OctLiveKeeper *
oct_live_keeper_new (const OctLiveSource *source, OctLiveSettings *settings,
    const char **used, GError **error)
{
  OctLiveKeeper *keeper = g_new0 (OctLiveKeeper, 1);

  keeper->source = source;
  keeper->settings = settings;
  keeper->used = used;
  if (source->scanner != NULL)
    oct_scanner_set_changed (source->scanner, keeper_on_scan, keeper);
  if (keeper_load (keeper, settings, error))
    return keeper;
  oct_live_keeper_free (keeper);
  return NULL;
}

/* Saves the present settings, with the method that works. */
static void
keeper_keep (OctLiveKeeper *keeper)
{
  const OctLiveSettings *settings = keeper->settings;
  g_autofree char *scan = NULL;
  g_autoptr (GError) error = NULL;

  if (keeper->source->scanner != NULL) {
    scan = oct_scanner_write_scan (keeper->source->scanner);
    oct_instrument_set_scan (keeper->kept, scan);
  }
  oct_live_settings_put (settings, keeper->kept);
  oct_method_use (keeper->kept, oct_method_find (*keeper->used));
  g_object_set (keeper->kept, "min", settings->min, "max", settings->max, NULL);
  if (!settings->automatic)
    gst_util_set_object_arg (G_OBJECT (keeper->kept), "range", "manual");
  else if (g_str_equal (
               oct_instrument_get_nick (keeper->kept, "range"), "manual"))
    gst_util_set_object_arg (G_OBJECT (keeper->kept), "range", "contrast");
  if (!oct_instrument_save (keeper->kept, keeper->source->instrument->save,
          keeper->source->file->calibration, &error))
    g_printerr ("Note: %s\n", error->message);
}

static gboolean
on_keep (gpointer data)
{
  OctLiveKeeper *keeper = data;

  keeper->timer = 0;
  keeper_keep (keeper);
  return G_SOURCE_REMOVE;
}

const char *
oct_live_keeper_get_ends (
    const OctLiveKeeper *keeper, const OctLiveSource *source, OctEnds ends)
{
  if (keeper != NULL)
    return keeper->ends[ends];
  return source->ends != NULL ? source->ends->words[ends] : NULL;
}

void
oct_live_keeper_keep_soon (OctLiveKeeper *keeper)
{
  if (keeper != NULL && keeper->kept != NULL && keeper->timer == 0)
    keeper->timer = g_timeout_add (KEEP_DELAY, on_keep, keeper);
}

void
oct_live_keeper_free (OctLiveKeeper *keeper)
{
  if (keeper->timer != 0) {
    g_source_remove (keeper->timer);
    on_keep (keeper);
  }
  if (keeper->source->scanner != NULL)
    oct_scanner_set_changed (keeper->source->scanner, NULL, NULL);
  gst_clear_object (&keeper->kept);
  for (guint i = 0; i < OCT_N_ENDS; i++)
    g_free (keeper->ends[i]);
  g_free (keeper);
}
