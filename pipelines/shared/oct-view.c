/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-view.h"

#include <math.h>
#include <string.h>

#include "oct-options.h"
#include "oct-types.h"

#define MOST_UM 1e6
#define MOST_FRAMES 256

void
oct_view_options_join (int *argc, char **argv)
{
  for (int i = 1; i + 2 < *argc; i++)
    if (g_str_equal (argv[i], "--depth-um")
        && strchr (argv[i + 1], ',') == NULL) {
      g_autofree char *both = g_strconcat (argv[i + 1], ",", argv[i + 2], NULL);

      argv[i + 1] = (char *)g_intern_string (both);
      for (int k = i + 2; k < *argc; k++)
        argv[k] = argv[k + 1]; /* NULL at the end */
      *argc -= 1;
    }
}

void
oct_view_options_add (
    GOptionContext *context, gboolean has_bits, OctViewOptions *options)
{
  const GOptionEntry entries[] = {
    { "bits", 0, 0, G_OPTION_ARG_INT, &options->bits,
        "Bits of the grey levels in pictures (PNG): 8 (default) or 16", "N" },
    { "depth-um", 0, 0, G_OPTION_ARG_STRING, &options->depths,
        "Depths of the images, in micrometres of the sample (default: all)",
        "FROM TO" },
    { "average", 0, 0, G_OPTION_ARG_INT, &options->average,
        "B-scans in a running mean (default: 1, none)", "N" },
    { "background", 0, 0, G_OPTION_ARG_STRING, &options->background,
        "Background to remove: a mode of octdcsub", "MODE" },
    { "window", 0, 0, G_OPTION_ARG_STRING, &options->window,
        "Window of the spectra: hann (default), none, hamming, blackman, "
        "tukey, gaussian",
        "NAME" },
    { "speckle", 0, 0, G_OPTION_ARG_NONE, &options->speckle,
        "Filter speckle in the images", NULL },
    { NULL },
  };

  options->average = 1;
  options->bits = 8;
  oct_options_add (context, "Images", has_bits ? entries : entries + 1, NULL);
}

static gboolean
view_read_depths (OctViewOptions *options)
{
  char *end;

  options->from = g_ascii_strtod (options->depths, &end);
  if (end == options->depths || *end != ',')
    return FALSE;
  options->depths[end - options->depths] = '\0';
  options->to = g_ascii_strtod (end + 1, &end);
  return *end == '\0' && options->from >= 0.0 && options->to > options->from
         && options->to <= MOST_UM;
}

gboolean
oct_view_options_check (OctViewOptions *options, GError **error)
{
  if (options->average < 1 || options->average > MOST_FRAMES)
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--average is the number of B-scans in a mean, 1 to %d.", MOST_FRAMES);
  else if (options->depths != NULL && !view_read_depths (options))
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--depth-um takes two depths in micrometres, from 0 up to %.0f, the "
        "smaller one first, as in --depth-um 200 900.",
        MOST_UM);
  else if (options->bits != 8 && options->bits != 16)
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--bits is 8 or 16, the bits of grey levels, not %d.", options->bits);
  else
    return TRUE;
  return FALSE;
}

const char *
oct_view_options_get_format (const OctViewOptions *options)
{
  return options->bits == 16 ? "GRAY16_LE" : "GRAY8";
}

void
oct_view_options_clear (OctViewOptions *options)
{
  g_free (options->depths);
  g_free (options->background);
  g_free (options->window);
}

char *
oct_view_options_describe_filters (const OctViewOptions *options)
{
  g_autofree char *average = options->average > 1 ? g_strdup_printf (
                                 "octaverage frames=%d ! ", options->average)
                                                  : g_strdup ("");

  return g_strconcat (average, options->speckle ? "octspeckle ! " : "", NULL);
}

/* Sets a choice, or names the choices that there are. */
static gboolean
view_set (GstElement *reconstruct, const char *property, const char *option,
    const char *name, GError **error)
{
  GParamSpec *spec =
      g_object_class_find_property (G_OBJECT_GET_CLASS (reconstruct), property);
  GEnumClass *values = G_PARAM_SPEC_ENUM (spec)->enum_class;
  g_autoptr (GString) list = g_string_new (NULL);

  if (name == NULL)
    return TRUE;
  if (g_enum_get_value_by_nick (values, name) != NULL) {
    gst_util_set_object_arg (G_OBJECT (reconstruct), property, name);
    return TRUE;
  }
  for (guint i = 0; i < values->n_values; i++)
    g_string_append_printf (
        list, "%s%s", i > 0 ? ", " : "", values->values[i].value_nick);
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
      "%s is one of %s, not '%s'.", option, list->str, name);
  return FALSE;
}

typedef struct {
  double from, to; /* metres of air */
} Depths;

/* The first caps with a scale have all depths: the next ones have those that
 * are wanted.  Caps come without a scale until the calibration is there, and at
 * the latest with the first buffer. */
static GstPadProbeReturn
view_on_data (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  const Depths *depths = data;
  gboolean is_buffer = (info->type & GST_PAD_PROBE_TYPE_BUFFER) != 0;
  g_autoptr (GstElement) reconstruct = gst_pad_get_parent_element (pad);
  double spacing, first, last;
  GstCaps *caps;

  if (is_buffer) {
    GST_ELEMENT_ERROR (reconstruct, STREAM, FORMAT,
        ("--depth-um needs a calibration with wavelengths, but the depths have "
         "no scale; give --calibration, or --depth-start and --depth-bins."),
        (NULL));
    return GST_PAD_PROBE_REMOVE;
  }
  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) != GST_EVENT_CAPS)
    return GST_PAD_PROBE_OK;
  gst_event_parse_caps (GST_PAD_PROBE_INFO_EVENT (info), &caps);
  if (!gst_structure_get_double (
          gst_caps_get_structure (caps, 0), "z-spacing", &spacing))
    return GST_PAD_PROBE_OK;
  first = round (depths->from / spacing);
  last = round (depths->to / spacing);
  g_object_set (reconstruct, "depth-start", (guint)first, "depth-bins",
      (guint)MAX (last - first, 1.0), NULL);
  return GST_PAD_PROBE_REMOVE;
}

gboolean
oct_view_options_use (
    const OctViewOptions *options, GstElement *reconstruct, GError **error)
{
  g_autoptr (GstPad) src = gst_element_get_static_pad (reconstruct, "src");
  double scale =
      1e-6 * (options->index > 0.0 ? options->index : OCT_TISSUE_INDEX);

  if (!view_set (
          reconstruct, "mode", "--background", options->background, error)
      || !view_set (reconstruct, "window", "--window", options->window, error))
    return FALSE;
  if (options->depths != NULL) {
    Depths *depths = g_new (Depths, 1);

    *depths = (Depths){ options->from * scale, options->to * scale };
    gst_pad_add_probe (src,
        GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM | GST_PAD_PROBE_TYPE_BUFFER,
        view_on_data, depths, g_free);
  }
  return TRUE;
}
