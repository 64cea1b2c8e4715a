/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-instrument.h"
#include "oct-calibration.h"
#include "oct-options.h"

/* Properties of octreconstruct for the wavenumbers of the samples and for the
 * dispersion. */
static const char *const calibrating[] = { "wavelength-min", "wavelength-max",
  "wavelength-polynomial", "k-polynomial", "flip", "k-warp", "a2", "a3",
  "phase2", "phase3" };

/* For each direction its option, its entry in the file of presets, and the name
 * of the data on octreconstruct. */
static const struct {
  const char *option, *tag, *data;
} directions[OCT_N_ENDS] = {
  { "--scan-ends", "scan-ends", "oct-scan-ends" },
  { "--slow-ends", "slow-ends", "oct-slow-ends" },
};
#define SCAN_TAG "scan"
#define START_TAG "start"
#define STARTED_TAG "started"
#define SCAN_DATA "oct-scan"
#define LONGEST_END 16 /* characters: they stand on small pictures */

void
oct_instrument_options_add (
    GOptionContext *context, OctInstrumentOptions *options)
{
  GOptionEntry entries[] = {
    { "instrument", 0, 0, G_OPTION_ARG_STRING, &options->load,
        "Use calibration and settings kept under this name; --calibration "
        "replaces that calibration",
        "NAME" },
    { "save-instrument", 0, 0, G_OPTION_ARG_STRING, &options->save,
        "Keep calibration and settings under this name", "NAME" },
    { NULL },
  };

  oct_options_add (context, "Instrument", entries, NULL);
}

void
oct_instrument_options_clear (OctInstrumentOptions *options)
{
  g_free (options->load);
  g_free (options->save);
}

/* ------------------------------------------------------ ends of directions */

void
oct_ends_options_add (GOptionContext *context, OctEndsOptions *options)
{
  const GOptionEntry entries[] = {
    { "scan-ends", 0, 0, G_OPTION_ARG_STRING, &options->words[OCT_ENDS_SCAN],
        "Words for the sides of B-scans, at the first and the last A-line, as "
        "left,right; --save-instrument keeps them",
        "FIRST,LAST" },
    { "slow-ends", 0, 0, G_OPTION_ARG_STRING, &options->words[OCT_ENDS_SLOW],
        "The same for the first and the last B-scan of a volume, as "
        "front,back",
        "FIRST,LAST" },
    { NULL },
  };

  oct_options_add (context, "Sides of the images", entries, NULL);
}

static gboolean
is_end_word (const char *word)
{
  glong length = g_utf8_strlen (word, -1);

  for (const char *c = word; *c; c = g_utf8_next_char (c))
    if (!g_unichar_isprint (g_utf8_get_char (c)))
      return FALSE;
  return length > 0 && length <= LONGEST_END;
}

/* The file of presets may have been written by hand. */
static gboolean
are_ends (const char *words)
{
  g_auto (GStrv) both = NULL;

  if (!g_utf8_validate (words, -1, NULL))
    return FALSE;
  both = g_strsplit (words, ",", 3);
  return g_strv_length (both) == 2 && is_end_word (both[0])
         && is_end_word (both[1]);
}

gboolean
oct_ends_options_check (const OctEndsOptions *options, GError **error)
{
  for (guint i = 0; i < OCT_N_ENDS; i++)
    if (options->words[i] != NULL && !are_ends (options->words[i])) {
      g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
          "%s takes two words of up to %d characters with a comma between "
          "them, as in %s left,right.",
          directions[i].option, LONGEST_END, directions[i].option);
      return FALSE;
    }
  return TRUE;
}

void
oct_ends_options_clear (OctEndsOptions *options)
{
  for (guint i = 0; i < OCT_N_ENDS; i++)
    g_free (options->words[i]);
}

void
oct_instrument_set_ends (GstElement *reconstruct, const OctEndsOptions *options)
{
  for (guint i = 0; i < OCT_N_ENDS; i++)
    if (options->words[i] != NULL)
      g_object_set_data_full (G_OBJECT (reconstruct), directions[i].data,
          g_strdup (options->words[i]), g_free);
}

const char *
oct_instrument_get_ends (GstElement *reconstruct, OctEnds ends)
{
  return g_object_get_data (G_OBJECT (reconstruct), directions[ends].data);
}

static void
load_ends (GstElement *reconstruct, const char *name)
{
  for (guint i = 0; i < OCT_N_ENDS; i++) {
    char *words = NULL;

    /* GStreamer finds those that there are not, too */
    if (gst_preset_get_meta (
            GST_PRESET (reconstruct), name, directions[i].tag, &words)
        && words != NULL && are_ends (words))
      g_object_set_data_full (
          G_OBJECT (reconstruct), directions[i].data, words, g_free);
    else
      g_free (words);
  }
}

/* Those of an instrument that is replaced go, too. */
static gboolean
save_ends (GstElement *reconstruct, const char *name)
{
  gboolean saved = TRUE;

  for (guint i = 0; i < OCT_N_ENDS; i++) {
    const char *words = oct_instrument_get_ends (reconstruct, i);
    g_autofree char *former = NULL;

    (void)gst_preset_get_meta (
        GST_PRESET (reconstruct), name, directions[i].tag, &former);
    if (g_strcmp0 (words, former) != 0)
      saved &= gst_preset_set_meta (
          GST_PRESET (reconstruct), name, directions[i].tag, words);
  }
  return saved;
}

/* --------------------------------------------------------------------- scan */

static GstElement *
instrument_make (void)
{
  GstElement *element = gst_element_factory_make ("octreconstruct", NULL);

  return element != NULL ? gst_object_ref_sink (element) : NULL;
}

/* A text kept with an instrument beside its settings, to be freed; or NULL. */
static char *
instrument_get_text (const char *name, const char *tag)
{
  g_autoptr (GstElement) element = instrument_make ();
  char *text = NULL;

  if (element != NULL)
    (void)gst_preset_get_meta (GST_PRESET (element), name, tag, &text);
  return text;
}

char *
oct_instrument_get_scan (const char *name)
{
  return instrument_get_text (name, SCAN_TAG);
}

void
oct_instrument_set_scan (GstElement *reconstruct, const char *scan)
{
  g_object_set_data_full (
      G_OBJECT (reconstruct), SCAN_DATA, g_strdup (scan), g_free);
}

static gboolean
save_scan (GstElement *reconstruct, const char *name)
{
  const char *scan = g_object_get_data (G_OBJECT (reconstruct), SCAN_DATA);

  return scan == NULL
         || gst_preset_set_meta (
             GST_PRESET (reconstruct), name, SCAN_TAG, scan);
}

/* -------------------------------------------------------------------- start */

char *
oct_instrument_get_start (const char *name)
{
  return instrument_get_text (name, START_TAG);
}

void
oct_instrument_note_start (const char *name, const char *start)
{
  g_autoptr (GstElement) element = instrument_make ();
  g_autofree char *now =
      g_strdup_printf ("%020" G_GINT64_FORMAT, g_get_real_time ());

  if (element == NULL)
    return;
  /* the next start offers another one first if that fails, no more */
  (void)gst_preset_set_meta (GST_PRESET (element), name, STARTED_TAG, now);
  if (start != NULL)
    (void)gst_preset_set_meta (GST_PRESET (element), name, START_TAG, start);
}

typedef struct {
  char *name, *started; /* when, or NULL */
} Started;

static void
started_free (gpointer data)
{
  Started *one = data;

  g_free (one->name);
  g_free (one->started);
  g_free (one);
}

static gint
instrument_compare_starts (gconstpointer a, gconstpointer b)
{
  const Started *first = *(const Started *const *)a,
                *second = *(const Started *const *)b;
  gint order = g_strcmp0 (second->started, first->started);

  return order != 0 ? order : g_strcmp0 (first->name, second->name);
}

char **
oct_instrument_list (void)
{
  g_autoptr (GstElement) element = instrument_make ();
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func (started_free);
  g_autoptr (GStrvBuilder) sorted = g_strv_builder_new ();
  g_auto (GStrv) names = NULL;

  if (element != NULL)
    names = gst_preset_get_preset_names (GST_PRESET (element));
  for (guint i = 0; names != NULL && names[i] != NULL; i++) {
    Started *one = g_new0 (Started, 1);

    one->name = g_strdup (names[i]);
    (void)gst_preset_get_meta (
        GST_PRESET (element), names[i], STARTED_TAG, &one->started);
    g_ptr_array_add (all, one);
  }
  g_ptr_array_sort (all, instrument_compare_starts);
  for (guint i = 0; i < all->len; i++)
    g_strv_builder_add (sorted, ((Started *)g_ptr_array_index (all, i))->name);
  return g_strv_builder_end (sorted);
}

void
oct_instrument_remove (const char *name)
{
  g_autoptr (GstElement) element = instrument_make ();

  if (element != NULL)
    (void)gst_preset_delete_preset (GST_PRESET (element), name);
}

/* ------------------------------------------------------------- instruments */

static char *
list_names (GstElement *reconstruct)
{
  g_auto (GStrv) names = gst_preset_get_preset_names (GST_PRESET (reconstruct));

  return names != NULL && names[0] != NULL ? g_strjoinv (", ", names) : NULL;
}

static void
instrument_reset (GstElement *reconstruct, const char *name)
{
  GParamSpec *spec =
      g_object_class_find_property (G_OBJECT_GET_CLASS (reconstruct), name);

  g_object_set_property (
      G_OBJECT (reconstruct), name, g_param_spec_get_default_value (spec));
}

/* The faults of a file are reported when the first B-scan needs it. */
static gboolean
has_background (const char *path)
{
  OctCalibrationSettings settings = { .file = (char *)path };
  guint rows = oct_calibration_settings_count_rows (&settings);
  g_autoptr (OctCalibration) calibration =
      rows >= 2 ? oct_calibration_new (&settings, rows, NULL) : NULL;

  return calibration != NULL
         && oct_calibration_get_background (calibration) != NULL;
}

static void
replace_calibration (GstElement *reconstruct, const char *calibration)
{
  g_object_freeze_notify (G_OBJECT (reconstruct));
  for (guint i = 0; i < G_N_ELEMENTS (calibrating); i++)
    instrument_reset (reconstruct, calibrating[i]);
  if (has_background (calibration)) {
    instrument_reset (reconstruct, "background");
    instrument_reset (reconstruct, "background-spectrum");
  }
  g_object_set (reconstruct, "calibration", calibration, NULL);
  g_object_thaw_notify (G_OBJECT (reconstruct));
}

gboolean
oct_instrument_load (GstElement *reconstruct, const char *name,
    const char *calibration, GError **error)
{
  g_autofree char *names = NULL;

  if (name == NULL)
    return TRUE;
  if (gst_preset_load_preset (GST_PRESET (reconstruct), name)) {
    load_ends (reconstruct, name);
    if (calibration != NULL)
      replace_calibration (reconstruct, calibration);
    return TRUE;
  }
  names = list_names (reconstruct);
  if (names != NULL)
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "There is no instrument '%s'; --instrument is one of: %s.", name,
        names);
  else
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "There is no instrument '%s', nor any other; keep one with "
        "--save-instrument NAME.",
        name);
  return FALSE;
}

/* Whether a key file can have it as the head of a group. */
static gboolean
is_name (const char *name)
{
  if (*name == '\0' || *name == '_' || !g_utf8_validate (name, -1, NULL))
    return FALSE;
  for (const char *c = name; *c; c++)
    if (g_ascii_iscntrl (*c) || *c == '[' || *c == ']')
      return FALSE;
  return g_utf8_strlen (name, -1) <= 80;
}

gboolean
oct_instrument_check_name (const char *name, GError **error)
{
  if (is_name (name))
    return TRUE;
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
      "--save-instrument is a name of up to 80 characters without brackets "
      "that does not begin with '_', as in \"Bench 3\".");
  return FALSE;
}

gboolean
oct_instrument_save (GstElement *reconstruct, const char *name,
    const char *calibration, GError **error)
{
  g_autofree char *path = NULL;

  if (name == NULL)
    return TRUE;
  if (!oct_instrument_check_name (name, error))
    return FALSE;
  if (calibration != NULL) {
    path = g_canonicalize_filename (calibration, NULL);
    g_object_set (reconstruct, "calibration", path, NULL);
  }
  if (gst_preset_save_preset (GST_PRESET (reconstruct), name)
      && save_ends (reconstruct, name) && save_scan (reconstruct, name))
    return TRUE;
  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_FAILED,
      "The instrument '%s' cannot be kept: the folder '%s' of GStreamer's "
      "presets cannot be written to.",
      name, g_get_user_data_dir ());
  return FALSE;
}

void
oct_instrument_copy_axis (GstElement *reconstruct, GstElement *meter)
{
  static const char *const names[] = { "calibration", "wavelength-min",
    "wavelength-max", "wavelength-polynomial", "k-polynomial", "flip", "k-warp",
    "window" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    GValue value = G_VALUE_INIT;

    g_value_init (&value, g_object_class_find_property (
                              G_OBJECT_GET_CLASS (reconstruct), names[i])
                              ->value_type);
    g_object_get_property (G_OBJECT (reconstruct), names[i], &value);
    g_object_set_property (G_OBJECT (meter), names[i], &value);
    g_value_unset (&value);
  }
}

const char *
oct_instrument_get_nick (GstElement *element, const char *property)
{
  GParamSpec *spec =
      g_object_class_find_property (G_OBJECT_GET_CLASS (element), property);
  gint value;

  g_object_get (element, property, &value, NULL);
  return g_enum_get_value (G_PARAM_SPEC_ENUM (spec)->enum_class, value)
      ->value_nick;
}

void
oct_instrument_set_contrast (
    GstElement *reconstruct, GstElement *logscale, char **range)
{
  const char *kept = oct_instrument_get_nick (reconstruct, "range");
  double smoothing;

  *range = g_strdup (g_str_equal (kept, "manual") ? "contrast" : kept);
  gst_util_set_object_arg (G_OBJECT (logscale), "scale",
      oct_instrument_get_nick (reconstruct, "scale"));
  g_object_get (reconstruct, "range-smoothing", &smoothing, NULL);
  if (smoothing > 0.0)
    g_object_set (logscale, "range-smoothing", smoothing, NULL);
}

void
oct_instrument_use_contrast (GstElement *reconstruct, GstElement *logscale)
{
  g_autofree char *range = NULL;
  double min, max;

  oct_instrument_set_contrast (reconstruct, logscale, &range);
  g_object_get (reconstruct, "min", &min, "max", &max, NULL);
  g_object_set (logscale, "min", min, "max", max, NULL);
  gst_util_set_object_arg (G_OBJECT (logscale), "range",
      oct_instrument_get_nick (reconstruct, "range"));
}

const OctMethod *
oct_instrument_get_method (GstElement *reconstruct)
{
  const char *method = oct_instrument_get_nick (reconstruct, "method");
  const OctMethod *found = oct_method_find (method);

  return found != NULL ? found
                       : oct_method_find (oct_instrument_get_nick (
                           reconstruct, "interpolation"));
}
