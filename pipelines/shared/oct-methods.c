/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The methods of octreconstruct, in a file that a test can replace. */
#include "oct-methods.h"

static const GEnumValue *
methods_get_values (GObjectClass *klass, const char *property)
{
  GParamSpec *spec = g_object_class_find_property (klass, property);

  return G_PARAM_SPEC_ENUM (spec)->enum_class->values;
}

/* People choose from the kinds of interpolation, too. */
static void
methods_add (GArray *list, GObjectClass *klass)
{
  const GEnumValue *kinds = methods_get_values (klass, "interpolation");

  for (const GEnumValue *method = methods_get_values (klass, "method");
       method->value_nick; method++) {
    OctMethod row = { method->value_nick, method->value_name,
      method->value_nick };

    if (!g_str_equal (method->value_nick, "resample")) {
      g_array_append_val (list, row);
      continue;
    }
    for (const GEnumValue *kind = kinds; kind->value_nick; kind++) {
      row.id = row.interpolation = kind->value_nick;
      row.label = kind->value_name;
      g_array_append_val (list, row);
    }
  }
}

static GObjectClass *
load_class (void)
{
  g_autoptr (GstElementFactory) factory =
      gst_element_factory_find ("octreconstruct");
  g_autoptr (GstPluginFeature) loaded = NULL;

  if (factory != NULL)
    loaded = gst_plugin_feature_load (GST_PLUGIN_FEATURE (factory));
  /* types of a plugin stay */
  return loaded != NULL
             ? g_type_class_ref (gst_element_factory_get_element_type (
                 GST_ELEMENT_FACTORY (loaded)))
             : NULL;
}

const OctMethod *
oct_methods (void)
{
  static gsize once = 0;

  if (g_once_init_enter (&once)) {
    GArray *list = g_array_new (TRUE, TRUE, sizeof (OctMethod));
    GObjectClass *klass = load_class ();

    if (klass != NULL)
      methods_add (list, klass);
    g_once_init_leave (&once, (gsize)g_array_free (list, FALSE));
  }
  return (const OctMethod *)once;
}

void
oct_method_use (GstElement *reconstruct, const OctMethod *method)
{
  if (method->interpolation != NULL)
    gst_util_set_object_arg (
        G_OBJECT (reconstruct), "interpolation", method->interpolation);
  gst_util_set_object_arg (G_OBJECT (reconstruct), "method", method->method);
}
