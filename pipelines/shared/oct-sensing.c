/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-sensing.h"
#include "oct-options.h"

/* -1 might be given by a user. */
#define NOT_GIVEN (-G_MAXDOUBLE)

static GParamSpec *
find_property (GstElement *element, const char *name)
{
  return g_object_class_find_property (G_OBJECT_GET_CLASS (element), name);
}

static const GEnumValue *
sensing_get_values (GstElement *element)
{
  return G_PARAM_SPEC_ENUM (find_property (element, "solver"))
      ->enum_class->values;
}

const GEnumValue *
oct_sensing_solvers (void)
{
  static const GEnumValue none = { 0 };
  static gsize once = 0;

  if (g_once_init_enter (&once)) {
    GstElement *element = gst_element_factory_make ("octreconstruct", NULL);
    const GEnumValue *values = &none;

    if (element != NULL) {
      gst_object_ref_sink (element);
      /* types of a plugin stay */
      values = sensing_get_values (element);
      gst_object_unref (element);
    }
    g_once_init_leave (&once, (gsize)values);
  }
  return (const GEnumValue *)once;
}

/* ------------------------------------------------------------------ options
 */

void
oct_sensing_options_add (GOptionContext *context, OctSensingOptions *options)
{
  const GOptionEntry entries[] = {
    { "solver", 0, 0, G_OPTION_ARG_STRING, &options->solver,
        "With --method cs: persistent (default), continued, sparsa", "NAME" },
    { "tau", 0, 0, G_OPTION_ARG_DOUBLE, &options->tau,
        "With --method cs: threshold in standard deviations of the noise "
        "(default: 3)",
        "NUMBER" },
    { "sampling-rate", 0, 0, G_OPTION_ARG_DOUBLE, &options->sampling_rate,
        "With --method cs: part of the samples that is used (default: 0.4)",
        "NUMBER" },
    { NULL }
  };

  options->tau = options->sampling_rate = NOT_GIVEN;
  oct_options_add (context, "Compressive sensing", entries, NULL);
}

void
oct_sensing_options_clear (OctSensingOptions *options)
{
  g_clear_pointer (&options->solver, g_free);
}

static gboolean
sensing_check_solver (const char *name, GError **error)
{
  g_autoptr (GString) list = g_string_new (NULL);

  if (name == NULL)
    return TRUE;
  for (const GEnumValue *value = oct_sensing_solvers (); value->value_nick;
       value++) {
    if (g_str_equal (value->value_nick, name))
      return TRUE;
    g_string_append_printf (
        list, "%s%s", list->len > 0 ? ", " : "", value->value_nick);
  }
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
      "--solver is one of %s here, not '%s'.", list->str, name);
  return FALSE;
}

static gboolean
is_sensing (GstElement *reconstruct)
{
  gint method;
  GParamSpec *spec = find_property (reconstruct, "method");

  g_object_get (reconstruct, "method", &method, NULL);
  return g_str_equal (
      g_enum_get_value (G_PARAM_SPEC_ENUM (spec)->enum_class, method)
          ->value_nick,
      OCT_SENSING_METHOD);
}

gboolean
oct_sensing_options_use (
    const OctSensingOptions *options, GstElement *reconstruct, GError **error)
{
  gboolean has_tau = options->tau != NOT_GIVEN,
           has_rate = options->sampling_rate != NOT_GIVEN;

  if (options->solver == NULL && !has_tau && !has_rate)
    return TRUE;
  if (!is_sensing (reconstruct)) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--solver, --tau and --sampling-rate are those of compressive sensing; "
        "set --method cs too.");
    return FALSE;
  }
  if (!sensing_check_solver (options->solver, error))
    return FALSE;
  if (has_tau && !(options->tau >= 0 && options->tau <= OCT_SENSING_TAU_MAX)) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--tau is %g; it has to be from 0 to %g.", options->tau,
        OCT_SENSING_TAU_MAX);
    return FALSE;
  }
  if (has_rate
      && !(options->sampling_rate > 0 && options->sampling_rate <= 1)) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--sampling-rate is %g; it has to be above 0 and 1 at most.",
        options->sampling_rate);
    return FALSE;
  }
  if (options->solver != NULL)
    gst_util_set_object_arg (G_OBJECT (reconstruct), "solver", options->solver);
  if (has_tau)
    g_object_set (reconstruct, "tau", options->tau, NULL);
  if (has_rate)
    g_object_set (reconstruct, "sampling-rate", options->sampling_rate, NULL);
  return TRUE;
}
