/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Scans whose A-lines are not in the order of a raster: along a path that the
 * recording keeps, or back and forth.
 *
 * oct-live and oct-record put octremap in while they run, with a queue that
 * drops B-scans (oct-remapped.h): here all are wanted, as fast as they come,
 * and the option says beforehand that there is a path.
 */
#include "oct-convert-parts.h"

#include <string.h>

#include "oct-number.h"
#include "oct-options.h"
#include "oct/oct.h"

void
oct_convert_remap_add_options (
    GOptionContext *context, OctConvertOptions *options)
{
  /* clang-format off */
  const GOptionEntry entries[] = {
    { "remap", 0, 0, G_OPTION_ARG_NONE, &options->remap,
      "Make a raster of a scan along a path, as a spiral, which the recording keeps",
      NULL },
    { "remap-settings", 0, 0, G_OPTION_ARG_STRING, &options->remap_settings,
      "--remap: properties of octremap, as \"columns=512 rows=512 delay-x=2.5\"",
      "TEXT" },
    { "flip", 0, 0, G_OPTION_ARG_STRING, &options->flip,
      "Turn images, or B-scans of the way back: properties of octflip, as \"way-back=odd way-back-shift=5\"",
      "TEXT" },
    { NULL },
  };
  /* clang-format on */

  oct_options_add (context, "Scans along a path", entries, NULL);
}

const char *
oct_convert_remap_check (const OctConvertOptions *options)
{
  if (!options->remap && options->remap_settings != NULL)
    return "--remap-settings belongs to --remap.";
  if (options->remap && (options->flow || options->doppler))
    return "--flow and --doppler compare A-lines that were taken one after the "
           "other, which the raster of --remap does not have; leave one out.";
  if (options->remap && (options->crop_start > 0 || options->crop_end > 0))
    return "--crop-start and --crop-end leave A-lines of rasters out, and "
           "--remap needs all that the path tells; leave one out.";
  if (options->flip != NULL
      && (options->ascans || options->flow || options->doppler))
    return "--flip is for images, but --ascans, --flow and --doppler write "
           "others; leave one of them out.";
  return NULL;
}

static gboolean
remap_refuse (GError **error, const char *option, const char *setting,
    const char *name, const char *reason)
{
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
      "%s has '%s', but %s; gst-inspect-1.0 oct%s lists the properties and "
      "their ranges.",
      option, setting, reason, name);
  return FALSE;
}

/* `setting`: "property=value". */
static gboolean
remap_set (GstElement *element, const char *option, const char *setting,
    GError **error)
{
  const char *name = GST_OBJECT_NAME (element), *is = strchr (setting, '=');
  g_autofree char *key = g_strndup (
      setting, is != NULL ? (gsize)(is - setting) : strlen (setting));
  GParamSpec *property =
      g_object_class_find_property (G_OBJECT_GET_CLASS (element), key);
  g_auto (GValue) value = G_VALUE_INIT;

  if (is == NULL || is[1] == '\0')
    return remap_refuse (
        error, option, setting, name, "settings are as in depth=true");
  if (property == NULL || (property->flags & G_PARAM_WRITABLE) == 0
      || property->owner_type == GST_TYPE_OBJECT)
    return remap_refuse (error, option, setting, name,
        "the element does not have this property, or it cannot be set");
  g_value_init (&value, property->value_type);
  if (!gst_value_deserialize (&value, is + 1)
      || g_param_value_validate (property, &value))
    return remap_refuse (
        error, option, setting, name, "the property cannot have this value");
  g_object_set_property (G_OBJECT (element), key, &value);
  return TRUE;
}

/* `settings`: of `option`, or NULL. */
static gboolean
remap_set_all (GstElement *element, const char *option, const char *settings,
    GError **error)
{
  g_auto (GStrv) parts =
      settings != NULL ? g_strsplit_set (settings, " \t\n", -1) : NULL;

  for (guint i = 0; parts != NULL && parts[i] != NULL; i++)
    if (*parts[i] != '\0' && !remap_set (element, option, parts[i], error))
      return FALSE;
  return TRUE;
}

/* The path says already in which order A-lines were taken. */
static gboolean
remap_check_flip (
    const OctConvertOptions *options, GstElement *flip, GError **error)
{
  static const char *const names[] = { "way-back", "lateral", "scan" };

  for (guint i = 0; options->remap && i < G_N_ELEMENTS (names); i++) {
    GValue value = G_VALUE_INIT;
    gboolean usual;

    g_object_get_property (G_OBJECT (flip), names[i], &value);
    usual = g_param_value_defaults (
        g_object_class_find_property (G_OBJECT_GET_CLASS (flip), names[i]),
        &value);
    g_value_unset (&value);
    if (usual)
      continue;
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--flip sets %s, but --remap puts each A-line where its path says, on "
        "the way back too; set depth alone, or leave out --remap.",
        names[i]);
    return FALSE;
  }
  return TRUE;
}

char *
oct_convert_remap_describe (const OctConvertOptions *options)
{
  return g_strconcat (options->flip != NULL ? "octflip name=flip ! " : "",
      options->remap ? "octremap name=remap ! " : "", NULL);
}

gboolean
oct_convert_remap_use (
    const OctConvertOptions *options, GstElement *pipeline, GError **error)
{
  g_autoptr (GstElement) remap =
      gst_bin_get_by_name (GST_BIN (pipeline), "remap");
  g_autoptr (GstElement) flip =
      gst_bin_get_by_name (GST_BIN (pipeline), "flip");

  if (remap != NULL
      && !remap_set_all (
          remap, "--remap-settings", options->remap_settings, error))
    return FALSE;
  return flip == NULL
         || (remap_set_all (flip, "--flip", options->flip, error)
             && remap_check_flip (options, flip, error));
}

guint
oct_convert_remap_get_bscans (GstElement *pipeline)
{
  g_autoptr (GstElement) remap =
      gst_bin_get_by_name (GST_BIN (pipeline), "remap");
  g_autoptr (GstPad) pad =
      remap != NULL ? gst_element_get_static_pad (remap, "sink") : NULL;
  GstEvent *event;
  guint bscans = 0;

  for (guint i = 0; pad != NULL && bscans == 0
                    && (event = gst_pad_get_sticky_event (
                            pad, GST_EVENT_CUSTOM_DOWNSTREAM_STICKY, i))
                           != NULL;
       i++) {
    if (gst_event_has_name (event, GST_OCT_SCAN_PATH_EVENT_NAME))
      gst_structure_get_uint (
          gst_event_get_structure (event), GST_OCT_SCAN_PATH_BSCANS, &bscans);
    gst_event_unref (event);
  }
  return bscans;
}

guint64
oct_convert_remap_get_missing (GstElement *pipeline)
{
  g_autoptr (GstElement) remap =
      gst_bin_get_by_name (GST_BIN (pipeline), "remap");
  guint64 missing = 0;

  if (remap != NULL)
    g_object_get (remap, "missing", &missing, NULL);
  return missing;
}

char *
oct_convert_remap_describe_missing (
    const OctConvertOptions *options, guint64 missing)
{
  g_autofree char *bscans = oct_number_count (missing, "B-scan");

  if (missing == 0)
    return g_strdup ("");
  return options->remap ? g_strdup_printf (
             "%s of the path %s missing, with A-lines of the volume before "
             "or near ones in place of them",
             bscans, oct_number_be (missing))
                        : g_strdup_printf ("%s %s missing and black", bscans,
                            oct_number_be (missing));
}
