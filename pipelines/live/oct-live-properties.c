/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-properties.h"
#include "oct-fill.h"
#include "oct-live-filters.h"
#include "oct-instrument.h"

#include <string.h>

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

static char *
list_choices (const char *property)
{
  GString *list = g_string_new (NULL);
  GObjectClass *class = get_class ();
  GParamSpec *spec =
      class != NULL ? g_object_class_find_property (class, property) : NULL;
  const GEnumValue *value =
      spec != NULL ? G_PARAM_SPEC_ENUM (spec)->enum_class->values : NULL;

  for (; value != NULL && value->value_nick != NULL; value++)
    g_string_append_printf (
        list, "%s%s", list->len > 0 ? ", " : "", value->value_nick);
  return g_string_free (list, FALSE);
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
      g_autofree char *choices = list_choices (setting->property);

      g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_FAILED,
          "This %s does not exist here; choose one of %s.",
          g_str_equal (setting->property, "mode") ? "kind of background"
                                                  : setting->property,
          choices);
      return FALSE;
    }
  }
  settings->speckle = oct_live_filters_find (settings->speckle);
  if (settings->speckle == NULL) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_FAILED,
        "This speckle filter does not exist here; choose one of none, median, "
        "bilateral, lee.");
    return FALSE;
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

gboolean
oct_live_settings_check_background (const OctLiveSettings *settings,
    const OctLiveSettings *former, const char *calibration, GError **error)
{
  /* its column in the file */
  if (settings->mode == former->mode || calibration == NULL
      || !g_str_has_prefix (settings->mode, "background")
      || strstr (calibration, "background") != NULL)
    return TRUE;
  g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_FAILED,
      "No spectrum of the background is stored; block the light of the "
      "sample and press Take background.");
  return FALSE;
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
  case OCT_LIVE_COUNT:
    g_object_set (element, setting->property, *(const gint *)place, NULL);
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
