/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctgridding.h"

/* The cheapest of those that lose less than 1e-3: docs/elements/octnufft.md.
 * Compressive sensing itself loses more. */
#define DEFAULT_OVERSAMPLING 1.25
#define DEFAULT_WIDTH 6

GType
gst_oct_kernel_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { OCT_KERNEL_KAISER_BESSEL, "Kaiser-Bessel", "kaiser-bessel" },
    { OCT_KERNEL_GAUSSIAN, "Gaussian", "gaussian" },
    { 0, NULL, NULL },
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstOctKernel", values));
  return type;
}

void
gst_oct_gridding_init (GstOctGridding *gridding)
{
  gridding->kernel = OCT_KERNEL_KAISER_BESSEL;
  gridding->oversampling = DEFAULT_OVERSAMPLING;
  gridding->width = DEFAULT_WIDTH;
}

void
gst_oct_gridding_install_properties (
    GObjectClass *klass, const char *when, const char *oversampling)
{
  /* the blurbs are made here */
  GParamFlags live = G_PARAM_READWRITE | G_PARAM_STATIC_NAME
                     | G_PARAM_STATIC_NICK | GST_PARAM_MUTABLE_PLAYING;
  g_autofree char *kernel =
      g_strdup_printf ("What spreads a sample over the grid (%s)", when);
  g_autofree char *width = g_strdup_printf (
      "Cells of the grid that a sample is spread over (%s)", when);
  g_autofree char *cells = g_strdup_printf ("%s (%s)", oversampling, when);

  g_object_class_install_property (klass, GST_OCT_PROP_KERNEL,
      g_param_spec_enum ("kernel", "Kernel", kernel, GST_TYPE_OCT_KERNEL,
          OCT_KERNEL_KAISER_BESSEL, live));
  g_object_class_install_property (klass, GST_OCT_PROP_OVERSAMPLING,
      g_param_spec_double ("oversampling", "Oversampling", cells, 1.25, 2.0,
          DEFAULT_OVERSAMPLING, live));
  g_object_class_install_property (klass, GST_OCT_PROP_KERNEL_WIDTH,
      g_param_spec_uint (
          "kernel-width", "Kernel width", width, 2, 8, DEFAULT_WIDTH, live));
  gst_type_mark_as_plugin_api (GST_TYPE_OCT_KERNEL, 0);
}

gboolean
gst_oct_gridding_set_property (GstOctFilter *filter, GstOctGridding *gridding,
    guint id, const GValue *value)
{
  if (id < GST_OCT_PROP_KERNEL || id > GST_OCT_PROP_KERNEL_WIDTH)
    return FALSE;
  GST_OBJECT_LOCK (filter);
  if (id == GST_OCT_PROP_KERNEL)
    gridding->kernel = g_value_get_enum (value);
  else if (id == GST_OCT_PROP_OVERSAMPLING)
    gridding->oversampling = g_value_get_double (value);
  else
    gridding->width = g_value_get_uint (value);
  GST_OBJECT_UNLOCK (filter);
  gst_oct_filter_property_changed (filter, FALSE);
  return TRUE;
}

gboolean
gst_oct_gridding_get_property (
    GstOctFilter *filter, GstOctGridding *gridding, guint id, GValue *value)
{
  if (id < GST_OCT_PROP_KERNEL || id > GST_OCT_PROP_KERNEL_WIDTH)
    return FALSE;
  GST_OBJECT_LOCK (filter);
  if (id == GST_OCT_PROP_KERNEL)
    g_value_set_enum (value, gridding->kernel);
  else if (id == GST_OCT_PROP_OVERSAMPLING)
    g_value_set_double (value, gridding->oversampling);
  else
    g_value_set_uint (value, gridding->width);
  GST_OBJECT_UNLOCK (filter);
  return TRUE;
}
