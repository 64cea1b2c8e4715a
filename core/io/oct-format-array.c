/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files that hold several arrays with names: which one is meant. */
#include "oct-opening.h"

#include <string.h>

/* Names in a message. */
#define MAX_LISTED 8
#define MAX_NAME 64

void
oct_array_clear (gpointer data)
{
  OctArray *array = data;

  g_free (array->name);
}

void
oct_array_set_shape (OctArray *array, guint dims, const guint64 *shape)
{
  array->dims = 0;
  for (guint i = 0; i < dims; i++) {
    if (shape[i] == 1)
      continue;
    if (array->dims == OCT_ARRAY_MAX_DIMS) {
      array->why_not = "has more than five dimensions";
      return;
    }
    array->axes[array->dims] = i;
    array->shape[array->dims++] = shape[i];
    if (shape[i] == 0)
      array->why_not = "is empty";
  }
  if (array->dims == 0 && array->why_not == NULL)
    array->why_not = "is a single number";
}

char *
oct_array_describe_shape (const OctArray *array, gboolean fastest_first)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < array->dims; i++) {
    guint at = fastest_first ? array->dims - 1 - i : i;

    g_string_append_printf (
        text, "%s%" G_GUINT64_FORMAT, i ? " x " : "", array->shape[at]);
  }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

char *
oct_array_show_name (const char *name)
{
  g_autofree char *valid = g_utf8_make_valid (name, -1);

  if (g_utf8_strlen (valid, -1) > MAX_NAME)
    strcpy (g_utf8_offset_to_pointer (valid, MAX_NAME - 3), "...");
  for (char *c = valid; *c != '\0'; c++)
    if (g_ascii_iscntrl (*c))
      *c = '?';
  return g_steal_pointer (&valid);
}

/* "'spectra' (1024 x 500), 'dark' (1024)": those with enough dimensions, or
 * all. */
static char *
list_arrays (const GArray *arrays, gboolean fastest_first, guint dims)
{
  g_autoptr (GString) list = g_string_new (NULL);
  guint n = 0;

  for (guint i = 0; i < arrays->len; i++) {
    const OctArray *array = &g_array_index (arrays, OctArray, i);
    g_autofree char *name = oct_array_show_name (array->name);
    g_autofree char *shape = oct_array_describe_shape (array, fastest_first);

    if (dims > 0 && (array->why_not != NULL || array->dims < dims))
      continue;
    if (n++ == MAX_LISTED) {
      g_string_append (list, ", ...");
      break;
    }
    g_string_append_printf (list, "%s'%s' (%s)", n > 1 ? ", " : "", name,
        array->why_not != NULL ? array->why_not : shape);
  }
  return g_string_free (g_steal_pointer (&list), FALSE);
}

static const OctArray *
find_named (const OctOpening *opening, const GArray *arrays,
    gboolean fastest_first, const char *property, const char *wanted,
    GError **error)
{
  g_autofree char *list = list_arrays (arrays, fastest_first, 0);
  g_autofree char *shown = oct_array_show_name (wanted);

  for (guint i = 0; i < arrays->len; i++) {
    const OctArray *array = &g_array_index (arrays, OctArray, i);

    if (strcmp (array->name, wanted) != 0)
      continue;
    if (array->why_not == NULL)
      return array;
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "%s: '%s' %s, but an array of real numbers with one to five "
        "dimensions is expected; set `%s` to another one, or save it as that",
        opening->file, shown, array->why_not, property);
    return NULL;
  }
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "%s has no array '%s', but %s; set `%s` to one of these", opening->file,
      shown, arrays->len > 0 ? list : "it is empty", property);
  return NULL;
}

const OctArray *
oct_opening_choose_array (const OctOpening *opening, const GArray *arrays,
    gboolean fastest_first, const char *property, GError **error)
{
  const char *variable = opening->settings->variable;
  const char *dataset = opening->settings->dataset;
  const char *wanted = variable != NULL ? variable : dataset;
  const OctArray *best = NULL;
  g_autofree char *list = NULL;
  gboolean several = FALSE;

  if (wanted != NULL)
    return find_named (opening, arrays, fastest_first, property,
        wanted + (dataset == wanted && *wanted == '/'), error);
  for (guint i = 0; i < arrays->len; i++) {
    const OctArray *array = &g_array_index (arrays, OctArray, i);

    if (array->why_not != NULL)
      continue;
    if (best == NULL || (array->dims > 1 && best->dims == 1)) {
      best = array;
      several = FALSE;
    } else if (array->dims > 1 || best->dims == 1) {
      several = TRUE;
    }
  }
  if (best != NULL && !several)
    return best;
  list = list_arrays (
      arrays, fastest_first, best != NULL ? 2 - (best->dims < 2) : 0);
  if (several)
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "%s has several arrays that may be spectra: %s; set `%s` to one of "
        "them",
        opening->file, list, property);
  else
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "%s has no array of real numbers with one to five dimensions%s%s; "
        "save "
        "the spectra as one",
        opening->file, arrays->len > 0 ? ", but " : "", list);
  return NULL;
}

gboolean
oct_opening_check_no_names (const OctOpening *opening, GError **error)
{
  const char *property = opening->settings->variable != NULL  ? "variable"
                         : opening->settings->dataset != NULL ? "dataset"
                                                              : NULL;

  if (property == NULL)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "%s contains no array with a name, but `%s` is set; leave it empty",
      opening->file, property);
  return FALSE;
}

gboolean
oct_opening_check_unnamed (const OctOpening *opening, GError **error)
{
  const OctReaderSettings *settings = opening->settings;

  if (settings->channel == 0 && settings->sample_dimension == 0)
    return oct_opening_check_no_names (opening, error);
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "%s contains no array whose dimensions can be chosen, but `%s` is set; "
      "leave it 0",
      opening->file, settings->channel != 0 ? "channel" : "sample-dimension");
  return FALSE;
}

gboolean
oct_opening_take_frames (OctOpening *opening, GError **error)
{
  const OctReaderSettings *settings = opening->settings;
  guint dimension = settings->sample_dimension;

  if (settings->channel != 0 || dimension == 0)
    return oct_opening_check_unnamed (opening, error);
  opening->transposed = dimension == 2;
  if (dimension == 2 || dimension == 3)
    return oct_opening_check_no_names (opening, error);
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "%s contains frames whose rows are dimension 2 and whose columns are "
      "dimension 3, but `sample-dimension` is %u; set it to 2 if each column "
      "is "
      "a spectrum, or leave it 0 if each row is one",
      opening->file, dimension);
  return FALSE;
}

gboolean
oct_array_options_check (gint sample_dimension, gint channel, GError **error)
{
  if (sample_dimension >= 0 && sample_dimension <= OCT_READER_MAX_DIMS
      && channel >= 0 && channel <= OCT_READER_MAX_CHANNELS)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "--sample-dimension is %d and --channel %d; give 1 to %d, and 1 to %d.",
      sample_dimension, channel, OCT_READER_MAX_DIMS, OCT_READER_MAX_CHANNELS);
  return FALSE;
}
