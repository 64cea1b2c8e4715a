/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctpath.h"
#include "gstoctcs.h"
#include "gstoctdcsub.h"
#include "gstoctdispersion.h"
#include "gstocterror.h"
#include "gstoctfft.h"
#include "gstoctkresample.h"
#include "gstoctlogscale.h"
#include "gstoctnufft.h"

#define BIT(part) (1u << (part))

static const struct {
  const char *factory, *name;
  GType (*get_type) (void);
} elements[GST_OCT_N_PARTS] = {
  [GST_OCT_PART_DCSUB] = { "octdcsub", "dcsub", gst_oct_dcsub_get_type },
  [GST_OCT_PART_KRESAMPLE] = { "octkresample", "kresample",
      gst_oct_kresample_get_type },
  [GST_OCT_PART_DISPERSION] = { "octdispersion", "dispersion",
      gst_oct_dispersion_get_type },
  [GST_OCT_PART_FFT] = { "octfft", "fft", gst_oct_fft_get_type },
  [GST_OCT_PART_NUFFT] = { "octnufft", "nufft", gst_oct_nufft_get_type },
  [GST_OCT_PART_CS] = { "octcs", "cs", gst_oct_cs_get_type },
  [GST_OCT_PART_LOGSCALE] = { "octlogscale", "logscale",
      gst_oct_logscale_get_type },
};

GType
gst_oct_method_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { GST_OCT_METHOD_RESAMPLE, "Resampling and FFT", "resample" },
    { GST_OCT_METHOD_NUFFT, "NUFFT", "nufft" },
    { GST_OCT_METHOD_NUDFT, "NUDFT (exact, slow)", "nudft" },
    { GST_OCT_METHOD_CS, "Compressive sensing (slow)", "cs" },
    { 0, NULL, NULL },
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (
        &type, g_enum_register_static ("GstOctReconstructMethod", values));
  return type;
}

GType
gst_oct_output_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { GST_OCT_OUTPUT_IMAGES, "Images, by octlogscale", "images" },
    { GST_OCT_OUTPUT_ASCANS, "Complex A-scans, without octlogscale", "ascans" },
    { 0, NULL, NULL },
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (
        &type, g_enum_register_static ("GstOctReconstructOutput", values));
  return type;
}

GType
gst_oct_gathering_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { GST_OCT_GATHER_AUTO, "Those that wait, on a GPU", "auto" },
    { GST_OCT_GATHER_NEVER, "One by one", "never" },
    { 0, NULL, NULL },
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (
        &type, g_enum_register_static ("GstOctReconstructGathering", values));
  return type;
}

const char *
gst_oct_method_name (GstOctMethod method)
{
  g_autoptr (GEnumClass) methods = g_type_class_ref (GST_TYPE_OCT_METHOD);

  return g_enum_get_value (methods, (gint)method)->value_nick;
}

gboolean
gst_oct_path_is_uniform (GstOctPath *path)
{
  GObject *dcsub = G_OBJECT (path->parts[GST_OCT_PART_DCSUB]);
  GParamSpec *spec =
      g_object_class_find_property (G_OBJECT_GET_CLASS (dcsub), "axis");
  gint axis;

  g_object_get (dcsub, "axis", &axis, NULL);
  return g_str_equal (
      g_enum_get_value (G_PARAM_SPEC_ENUM (spec)->enum_class, axis)->value_nick,
      "wavenumber");
}

static guint
path_find_parts (GstOctPath *path, GstOctMethod method)
{
  guint wanted =
      BIT (GST_OCT_PART_DCSUB) | BIT (GST_OCT_PART_DISPERSION)
      | (path->output == GST_OCT_OUTPUT_IMAGES ? BIT (GST_OCT_PART_LOGSCALE)
                                               : 0);

  switch (method) {
  case GST_OCT_METHOD_NUFFT:
  case GST_OCT_METHOD_NUDFT:
    return wanted | BIT (GST_OCT_PART_NUFFT);
  case GST_OCT_METHOD_CS:
    return wanted | BIT (GST_OCT_PART_CS);
  default:
    return wanted | BIT (GST_OCT_PART_FFT)
           | (gst_oct_path_is_uniform (path) ? 0
                                             : BIT (GST_OCT_PART_KRESAMPLE));
  }
}

gboolean
gst_oct_path_check (GstOctPath *path, GstOctMethod method, GError **error)
{
  if ((method != GST_OCT_METHOD_NUFFT && method != GST_OCT_METHOD_NUDFT)
      || !gst_oct_path_is_uniform (path))
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "method=%s of octreconstruct takes spectra as measured, but "
      "axis=wavenumber says that they are uniform in wavenumber already; set "
      "method=resample, or axis=auto.",
      gst_oct_method_name (method));
  return FALSE;
}

void
gst_oct_path_unlink (GstOctPath *path)
{
  GstElement *before = NULL;

  for (guint i = 0; i < GST_OCT_N_PARTS; i++) {
    if ((path->linked & BIT (i)) == 0)
      continue;
    if (before != NULL)
      gst_element_unlink (before, path->parts[i]);
    before = path->parts[i];
  }
  if (path->behind != NULL && gst_pad_is_linked (path->behind)) {
    g_autoptr (GstPad) last = gst_pad_get_peer (path->behind);

    gst_pad_unlink (last, path->behind);
  }
  path->linked = 0;
}

/* The output of the bin is that of its last element. */
static gboolean
path_set_target (GstOctPath *path, GstElement *last)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (last, "src");
  g_autoptr (GstPad) target = NULL;

  if (path->end == NULL) /* not made yet */
    return TRUE;
  if (path->behind != NULL)
    return gst_pad_is_linked (pad)
           || GST_PAD_LINK_SUCCESSFUL (gst_pad_link (pad, path->behind));
  target = gst_ghost_pad_get_target (GST_GHOST_PAD (path->end));
  return pad == target
         || gst_ghost_pad_set_target (GST_GHOST_PAD (path->end), pad);
}

static gboolean
is_flushing (GstElement *part)
{
  g_autoptr (GstPad) sink = gst_element_get_static_pad (part, "sink");
  g_autoptr (GstPad) src = gst_element_get_static_pad (part, "src");

  return GST_PAD_IS_FLUSHING (sink) || GST_PAD_IS_FLUSHING (src);
}

/* Adds the elements of `wanted` that are not there yet and links all of them;
 * those that it does without stay in the bin as they are.  They are started
 * when they have their neighbours, from whom they get the context of their GPU:
 * what the bin knows may be that of another one.  One that was unlinked between
 * the begin and the end of a seek would wait for that end for ever. */
static gboolean
link_parts (GstOctPath *path, guint wanted)
{
  GstElement *before = NULL;
  const guint linked = path->linked;
  gboolean ok = TRUE;
  guint started = 0;

  gst_oct_path_unlink (path);
  path->linked = wanted;
  for (guint i = 0; i < GST_OCT_N_PARTS; i++) {
    GstElement *part = path->parts[i];

    if ((wanted & BIT (i)) == 0)
      continue;
    if (GST_OBJECT_PARENT (part) == NULL) {
      gst_bin_add (path->bin, part);
      started |= BIT (i);
    } else if ((linked & BIT (i)) == 0 && is_flushing (part)) {
      gst_element_set_state (part, GST_STATE_NULL);
      started |= BIT (i);
    }
    ok &= before == NULL || gst_element_link_pads (before, "src", part, "sink");
    before = part;
  }
  ok = ok && path_set_target (path, before);
  for (guint i = 0; i < GST_OCT_N_PARTS; i++)
    if (started & BIT (i))
      ok &= gst_element_sync_state_with_parent (path->parts[i]);
  if (!ok)
    gst_oct_path_unlink (path);
  return ok;
}

void
gst_oct_path_restart (GstOctPath *path, GstOctPart part)
{
  if ((path->linked & BIT (part)) == 0)
    return;
  gst_element_set_state (path->parts[part], GST_STATE_NULL);
  gst_element_sync_state_with_parent (path->parts[part]);
}

gboolean
gst_oct_path_link (GstOctPath *path, GstOctMethod method)
{
  guint wanted = path_find_parts (path, method);

  if (path->linked == wanted && path->method == method)
    return TRUE;
  GST_INFO_OBJECT (path->bin, "method=%s", gst_oct_method_name (method));
  path->method = method;
  if (wanted & BIT (GST_OCT_PART_NUFFT))
    gst_util_set_object_arg (G_OBJECT (path->parts[GST_OCT_PART_NUFFT]),
        "method", gst_oct_method_name (method));
  if (path->linked != wanted)
    return link_parts (path, wanted);
  /* octnufft would keep the value before, and not say that it fails */
  gst_oct_path_restart (path, GST_OCT_PART_NUFFT);
  return TRUE;
}

void
gst_oct_path_remove_unused (GstOctPath *path)
{
  for (guint i = 0; i < GST_OCT_N_PARTS; i++) {
    GstElement *part = path->parts[i];

    if (i == GST_OCT_PART_DCSUB || (path->linked & BIT (i)) != 0
        || GST_OBJECT_PARENT (part) == NULL)
      continue;
    gst_element_set_state (part, GST_STATE_NULL);
    gst_bin_remove (path->bin, part);
  }
}

GType
gst_oct_part_get_type (GstOctPart part)
{
  return elements[part].get_type ();
}

GstOctPart
gst_oct_part_find (const char *name)
{
  GstOctPart part = 0;

  while (part < GST_OCT_N_PARTS && !g_str_equal (name, elements[part].name))
    part++;
  return part;
}

void
gst_oct_path_init (GstOctPath *path, GstBin *bin)
{
  path->bin = bin;
  for (guint i = 0; i < GST_OCT_N_PARTS; i++) {
    GstElement *part =
        gst_element_factory_make (elements[i].factory, elements[i].name);

    if (part == NULL) /* a program that has registered octreconstruct alone */
      part = g_object_new (
          elements[i].get_type (), "name", elements[i].name, NULL);
    path->parts[i] = gst_object_ref_sink (part);
  }
}

void
gst_oct_path_clear (GstOctPath *path)
{
  for (guint i = 0; i < GST_OCT_N_PARTS; i++)
    gst_clear_object (&path->parts[i]);
}
