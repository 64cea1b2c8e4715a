/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctsampling.h"
#include "gstocterror.h"

#define DEFAULT_RATE 0.4 /* Xu, Huang and Kang 2014 */
#define DEFAULT_MAX_GAP 8
#define DEFAULT_SEED 1

GType
gst_oct_mask_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { OCT_MASK_VARIABLE_DENSITY,
        "At random, more where the source has more light (column background "
        "of the calibration, else a Gaussian)",
        "variable-density" },
    { OCT_MASK_MAX_GAP,
        "At random, with at most `max-gap` samples in a row left out",
        "max-gap" },
    { OCT_MASK_LINEAR_K,
        "The samples nearest to a random part of the uniform wavenumbers",
        "linear-k" },
    { GST_OCT_MASK_FILE, "As `mask-file` says", "file" },
    { 0, NULL, NULL },
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstOctMask", values));
  return type;
}

void
gst_oct_sampling_init (GstOctSampling *sampling)
{
  sampling->kind = OCT_MASK_VARIABLE_DENSITY;
  sampling->rate = DEFAULT_RATE;
  sampling->max_gap = DEFAULT_MAX_GAP;
  sampling->seed = DEFAULT_SEED;
}

void
gst_oct_sampling_clear (GstOctSampling *sampling)
{
  gst_oct_mask_file_clear (&sampling->file);
  g_clear_pointer (&sampling->output, g_free);
}

/* ------------------------------------------------------------- properties */

void
gst_oct_sampling_install_properties (GObjectClass *klass)
{
  GParamFlags live =
      G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING;

  g_object_class_install_property (klass, GST_OCT_PROP_MASK,
      g_param_spec_enum ("mask", "Mask", "Which samples of a spectrum are used",
          GST_TYPE_OCT_MASK, OCT_MASK_VARIABLE_DENSITY, live));
  g_object_class_install_property (klass, GST_OCT_PROP_SAMPLING_RATE,
      g_param_spec_double ("sampling-rate", "Sampling rate",
          "Part of the samples that is used, above 0 (not for mask=file)", 0.0,
          1.0, DEFAULT_RATE, live));
  g_object_class_install_property (klass, GST_OCT_PROP_MAX_GAP,
      g_param_spec_uint ("max-gap", "Largest gap",
          "Samples in a row that may be left out (mask=max-gap)", 0,
          OCT_MAX_SAMPLES, DEFAULT_MAX_GAP, live));
  g_object_class_install_property (klass, GST_OCT_PROP_SEED,
      g_param_spec_uint64 ("seed", "Seed",
          "Number that the choice of samples begins with; the same one gives "
          "the same mask",
          0, G_MAXUINT64, DEFAULT_SEED, live));
  g_object_class_install_property (klass, GST_OCT_PROP_MASK_FILE,
      g_param_spec_string ("mask-file", "Mask file",
          "Text file with 0 or 1 for every sample of a whole A-line "
          "(mask=file)",
          NULL, live));
  g_object_class_install_property (klass, GST_OCT_PROP_MASK_OUTPUT,
      g_param_spec_string ("mask-output", "Mask output",
          "File to write the mask to that is in use, for the camera to keep "
          "the same samples (none = not written)",
          NULL, live));
  gst_type_mark_as_plugin_api (GST_TYPE_OCT_MASK, 0);
}

gboolean
gst_oct_sampling_set_property (GstOctFilter *filter, GstOctSampling *sampling,
    guint id, const GValue *value)
{
  GST_OBJECT_LOCK (filter);
  switch (id) {
  case GST_OCT_PROP_MASK:
    sampling->kind = g_value_get_enum (value);
    break;
  case GST_OCT_PROP_SAMPLING_RATE:
    sampling->rate = g_value_get_double (value);
    break;
  case GST_OCT_PROP_MAX_GAP:
    sampling->max_gap = g_value_get_uint (value);
    break;
  case GST_OCT_PROP_SEED:
    sampling->seed = g_value_get_uint64 (value);
    break;
  case GST_OCT_PROP_MASK_FILE:
    gst_oct_mask_file_set (&sampling->file, g_value_get_string (value));
    break;
  case GST_OCT_PROP_MASK_OUTPUT:
    g_free (sampling->output);
    sampling->output = g_value_dup_string (value);
    sampling->told_of_output = FALSE;
    break;
  default:
    GST_OBJECT_UNLOCK (filter);
    return FALSE;
  }
  sampling->told = FALSE;
  GST_OBJECT_UNLOCK (filter);
  /* the length of the file decides the number of depths */
  gst_oct_filter_property_changed (
      filter, id == GST_OCT_PROP_MASK || id == GST_OCT_PROP_MASK_FILE);
  return TRUE;
}

gboolean
gst_oct_sampling_get_property (
    GstOctFilter *filter, GstOctSampling *sampling, guint id, GValue *value)
{
  gboolean known = TRUE;

  GST_OBJECT_LOCK (filter);
  switch (id) {
  case GST_OCT_PROP_MASK:
    g_value_set_enum (value, sampling->kind);
    break;
  case GST_OCT_PROP_SAMPLING_RATE:
    g_value_set_double (value, sampling->rate);
    break;
  case GST_OCT_PROP_MAX_GAP:
    g_value_set_uint (value, sampling->max_gap);
    break;
  case GST_OCT_PROP_SEED:
    g_value_set_uint64 (value, sampling->seed);
    break;
  case GST_OCT_PROP_MASK_FILE:
    g_value_set_string (value, sampling->file.path);
    break;
  case GST_OCT_PROP_MASK_OUTPUT:
    g_value_set_string (value, sampling->output);
    break;
  default:
    known = FALSE;
  }
  GST_OBJECT_UNLOCK (filter);
  return known;
}

/* ------------------------------------------------------------------- masks */

/* What is in the file, or NULL with an error. */
static const guint8 *
read_file (GstOctSampling *sampling, guint *entries, GError **error)
{
  if (gst_oct_mask_file_given (&sampling->file))
    return gst_oct_mask_file_read (&sampling->file, "octcs", entries, error);
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "mask=file needs a file and `mask-file` of octcs is empty; set it to a "
      "text file with one 0 or 1 for every sample.");
  return NULL;
}

void
gst_oct_sampling_copy (GstOctSampling *to, const GstOctSampling *from)
{
  gst_oct_sampling_clear (to);
  *to = *from;
  to->file = (GstOctMaskFile){ 0 };
  gst_oct_mask_file_copy (&to->file, &from->file);
  to->output = g_strdup (from->output);
}

gboolean
gst_oct_sampling_find_samples (GstOctSampling *sampling, GstOctFilter *filter,
    guint columns, guint *samples, OctCalibration **calibration, GError **error)
{
  g_autoptr (OctCalibration) upstream = NULL;
  GError *local = NULL;

  *samples = columns;
  *calibration = NULL;
  if (sampling->kind == GST_OCT_MASK_FILE) {
    if (read_file (sampling, samples, error) == NULL
        || !gst_oct_mask_file_check (&sampling->file, columns, error))
      return FALSE;
    *calibration = gst_oct_mask_file_ref_calibration (
        &sampling->file, filter, columns, &local);
  } else {
    if (!gst_oct_filter_has_own_calibration (filter))
      upstream = gst_oct_filter_ref_upstream_calibration (filter);
    if (upstream != NULL)
      *samples = oct_calibration_get_samples (upstream);
    *calibration = gst_oct_filter_ref_calibration (filter, *samples, &local);
  }
  if (local != NULL)
    g_propagate_error (error, local);
  return local == NULL;
}

guint8 *
gst_oct_sampling_make_mask (GstOctSampling *sampling, guint samples,
    const double *nodes, const double *density, GError **error)
{
  OctMaskSettings settings = { .kind = sampling->kind,
    .samples = samples,
    .rate = sampling->rate,
    .seed = sampling->seed,
    .max_gap = sampling->max_gap,
    .density = density,
    .nodes = nodes };

  if (sampling->kind == GST_OCT_MASK_FILE) {
    const guint8 *mask = read_file (sampling, &samples, error);
    return g_memdup2 (mask, samples);
  }
  return oct_mask_new (&settings, error);
}

gboolean
gst_oct_sampling_write_mask (const GstOctSampling *sampling, const guint8 *mask,
    guint samples, GError **error)
{
  GError *local = NULL;

  if (sampling->output == NULL || sampling->output[0] == '\0'
      || oct_mask_write (sampling->output, mask, samples, &local))
    return TRUE;
  gst_oct_error_name_property (&local, "`mask-output` of octcs");
  g_propagate_error (error, local);
  return FALSE;
}
