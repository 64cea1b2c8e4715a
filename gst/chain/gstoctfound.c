/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctfound.h"
#include "gstoctbus.h"
#include "oct-refine.h"

#define DISPERSION "a2", "a3", "phase2", "phase3"

/* Adds `found` to `former`, unless that is not a valid correction, and so not
 * in force either. */
static char *
found_compose (const char *found, const char *former)
{
  g_auto (GStrv) fields = g_strsplit (found, ",", 4);
  double coefficients[4] = { 0 };
  char *warp;

  for (guint i = 0; i < 4 && fields[i] != NULL; i++)
    coefficients[i] = g_ascii_strtod (fields[i], NULL);
  warp = oct_refine_compose (coefficients, former, NULL);
  return warp != NULL ? warp : oct_refine_compose (coefficients, NULL, NULL);
}

static void
copy_property (GstStructure *to, GstElement *element, const char *name)
{
  GParamSpec *spec =
      g_object_class_find_property (G_OBJECT_GET_CLASS (element), name);
  GValue value = G_VALUE_INIT;

  g_value_init (&value, spec->value_type);
  g_object_get_property (G_OBJECT (element), name, &value);
  gst_structure_take_value (to, name, &value);
}

/* Sets what is found, and returns a message that says so. */
static GstMessage *
found_use (GstOctHistory *history, GstElement *element, GstMessage *message)
{
  static const char *const names[] = { "k-warp", DISPERSION };
  GstObject *sender = GST_MESSAGE_SRC (message);
  GstStructure *s = gst_structure_copy (gst_message_get_structure (message));
  GstStructure *former = gst_structure_new_empty ("former");
  g_autofree char *warp = NULL;
  GstMessage *told;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    copy_property (former, element, names[i]);
  warp = found_compose (gst_structure_get_string (s, "k-warp"),
      gst_structure_get_string (former, "k-warp"));
  gst_structure_set (s, "result", G_TYPE_STRING, "changed", "k-warp",
      G_TYPE_STRING, warp, "former-k-warp", G_TYPE_STRING,
      gst_structure_get_string (former, "k-warp"), NULL);
  gst_oct_history_push (history, element, former);
  g_object_freeze_notify (G_OBJECT (element));
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    g_object_set_property (
        G_OBJECT (element), names[i], gst_structure_get_value (s, names[i]));
  g_object_thaw_notify (G_OBJECT (element));
  told = gst_oct_bus_message_new (sender, s);
  gst_message_unref (message);
  return told;
}

/* The element has set it: its fields "former-..." are what was set before. */
static void
found_remember (
    GstOctHistory *history, GstElement *element, const GstStructure *s)
{
  static const char *const names[] = { DISPERSION, "background-spectrum",
    "mode" };
  GstStructure *former = gst_structure_new_empty ("former");

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *field = g_strconcat ("former-", names[i], NULL);
    const GValue *value = gst_structure_get_value (s, field);

    if (value != NULL)
      gst_structure_set_value (former, names[i], value);
  }
  gst_oct_history_push (history, element, former);
}

GstMessage *
gst_oct_found_take (
    GstOctHistory *history, GstElement *element, GstMessage *message)
{
  const GstStructure *s = gst_message_get_structure (message);
  const char *result;

  if (!gst_message_has_name (message, "oct-autofocus")
      && !gst_message_has_name (message, "oct-background"))
    return message;
  result = gst_structure_get_string (s, "result");
  if (g_strcmp0 (result, "found") == 0)
    return found_use (history, element, message);
  if (g_strcmp0 (result, "changed") == 0)
    found_remember (history, element, s);
  else if (g_strcmp0 (result, "undone") == 0)
    gst_oct_history_drop (history, element);
  return message;
}

static char *
found_describe (const GstStructure *undone)
{
  double a2 = 0, a3 = 0, phase2 = 0, phase3 = 0;
  const char *what = gst_structure_has_field (undone, "k-warp")
                         ? "the wavenumbers of before, "
                         : "";

  if (gst_structure_has_field (undone, "background-spectrum"))
    return g_strdup_printf ("Back to mode=%s and the background of before.",
        gst_structure_get_string (undone, "mode"));
  gst_structure_get (undone, "a2", G_TYPE_DOUBLE, &a2, "a3", G_TYPE_DOUBLE, &a3,
      "phase2", G_TYPE_DOUBLE, &phase2, "phase3", G_TYPE_DOUBLE, &phase3, NULL);
  return phase2 == 0 && phase3 == 0
             ? g_strdup_printf (
                 "Back to %sa2 = %.4g um^2, a3 = %.4g um^3.", what, a2, a3)
             : g_strdup_printf (
                 "Back to %sphase2 = %.4g rad, phase3 = %.4g rad.", what,
                 phase2, phase3);
}

gboolean
gst_oct_found_undo (GstOctHistory *history, GstElement *element)
{
  GstStructure *undone = gst_oct_history_undo (history, element);
  g_autofree char *text = NULL;

  if (undone == NULL)
    return FALSE;
  text = found_describe (undone);
  gst_structure_set_name (
      undone, gst_structure_has_field (undone, "background-spectrum")
                  ? "oct-background"
                  : "oct-autofocus");
  gst_structure_set (undone, "result", G_TYPE_STRING, "undone", "text",
      G_TYPE_STRING, text, NULL);
  gst_oct_bus_post (element, undone);
  return TRUE;
}
