/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-properties.h"
#include "oct-fill.h"
#include "oct-instrument.h"

/* The class of octreconstruct; NULL if it is not installed. */
static GObjectClass *
get_class (void)
{
  static gsize once = 0;
  static GObjectClass *class = NULL;

  if (g_once_init_enter (&once)) {
    GstElement *element = gst_element_factory_make ("octreconstruct", NULL);

    if (element != NULL) {
      gst_object_ref_sink (element);
      class = g_type_class_ref (G_OBJECT_TYPE (element));
      gst_object_unref (element);
    }
    g_once_init_leave (&once, 1);
  }
  return class;
}

/* The choice of that name, static, or NULL. */
static const char *
find_choice (const char *property, const char *name)
{
  GObjectClass *class = get_class ();
  GParamSpec *spec =
      class != NULL ? g_object_class_find_property (class, property) : NULL;
  const GEnumValue *value = spec != NULL && name != NULL
                                ? g_enum_get_value_by_nick (
                                    G_PARAM_SPEC_ENUM (spec)->enum_class, name)
                                : NULL;

  return value != NULL ? value->value_nick : NULL;
}

static gboolean
check_choices (OctLiveSettings *settings, GError **error)
{
  for (guint i = 0; i < OCT_LIVE_N_SETTINGS; i++) {
    const OctLiveSetting *setting = &oct_live_settings_table[i];
    const char **place = oct_live_setting_at (setting, settings);

    if (setting->kind != OCT_LIVE_CHOICE || setting->property == NULL)
      continue;
    *place = find_choice (setting->property, *place);
    if (*place == NULL) {
      g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_FAILED,
          "This %s is not installed here; choose another one.",
          setting->property);
      return FALSE;
    }
  }
  return TRUE;
}

gboolean
oct_live_settings_check (OctLiveSettings *settings, GError **error)
{
  const OctMethod *method;

  if (!settings->automatic && !(settings->min < settings->max)) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_FAILED,
        "Black is at %g dB and white at %g dB; white has to be above black.",
        settings->min, settings->max);
    return FALSE;
  }
  if (!check_choices (settings, error))
    return FALSE;
  settings->fill = oct_fill_find (settings->fill);
  if (settings->fill == NULL) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_FAILED,
        "A-lines cannot be filled in like that here; choose another way.");
    return FALSE;
  }
  method = oct_method_find (settings->method);
  if (method == NULL) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_FAILED,
        "This reconstruction is not installed here; choose another one.");
    return FALSE;
  }
  settings->method = method->id;
  return TRUE;
}

static void
put_setting (const OctLiveSetting *setting, const OctLiveSettings *settings,
    GstElement *element)
{
  gconstpointer place = oct_live_setting_at (setting, settings);

  switch (setting->kind) {
  case OCT_LIVE_SWITCH:
    g_object_set (element, setting->property, *(const gboolean *)place, NULL);
    break;
  case OCT_LIVE_NUMBER:
    g_object_set (element, setting->property, *(const double *)place, NULL);
    break;
  case OCT_LIVE_CHOICE:
    gst_util_set_object_arg (
        G_OBJECT (element), setting->property, *(const char *const *)place);
    break;
  }
}

void
oct_live_settings_put_properties (
    const OctLiveSettings *settings, GstElement *element)
{
  GObjectClass *class = G_OBJECT_GET_CLASS (element);

  for (guint i = 0; i < OCT_LIVE_N_SETTINGS; i++) {
    const OctLiveSetting *setting = &oct_live_settings_table[i];

    if (setting->property != NULL
        && g_object_class_find_property (class, setting->property) != NULL)
      put_setting (setting, settings, element);
  }
}

/* Together, as they are taken together or not. */
void
oct_live_settings_put (const OctLiveSettings *settings, GstElement *reconstruct)
{
  g_object_freeze_notify (G_OBJECT (reconstruct));
  oct_live_settings_put_properties (settings, reconstruct);
  g_object_set (reconstruct, "k-warp", settings->k_warp, "background-spectrum",
      settings->background, NULL);
  gst_util_set_object_arg (G_OBJECT (reconstruct), "mode", settings->mode);
  g_object_thaw_notify (G_OBJECT (reconstruct));
}

void
oct_live_settings_get (OctLiveSettings *settings, GstElement *reconstruct)
{
  for (guint i = 0; i < OCT_LIVE_N_SETTINGS; i++) {
    const OctLiveSetting *setting = &oct_live_settings_table[i];
    gpointer place = oct_live_setting_at (setting, settings);

    if (setting->property == NULL)
      continue;
    if (setting->kind == OCT_LIVE_CHOICE)
      *(const char **)place =
          oct_instrument_get_nick (reconstruct, setting->property);
    else
      g_object_get (reconstruct, setting->property, place, NULL);
  }
}
