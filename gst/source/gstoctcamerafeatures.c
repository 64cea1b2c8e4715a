/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctcamerafeatures.h"
#include "oct-types.h"

#include <string.h>

#define PIXEL_FORMAT "PixelFormat"
#define FREE "free"

/* Aravis takes any text for a number, for 0 if it is none. */
static gboolean
is_valid_number (ArvGcNode *node, const char *value)
{
  char *end = NULL;

  if (ARV_IS_GC_ENUMERATION (node) || ARV_IS_GC_BOOLEAN (node))
    return TRUE;
  if (ARV_IS_GC_FLOAT (node))
    g_ascii_strtod (value, &end);
  else if (ARV_IS_GC_INTEGER (node))
    g_ascii_strtoll (value, &end, 0);
  else
    return TRUE;
  return end != value && *end == '\0';
}

/* The same of true and false. */
static gboolean
is_valid_choice (ArvGcNode *node, const char *value)
{
  return !ARV_IS_GC_BOOLEAN (node) || g_str_equal (value, "true")
         || g_str_equal (value, "false");
}

/* `value` may be NULL, for a command. */
static gboolean
set_feature (ArvDevice *device, const char *id, const char *name,
    const char *value, GError **error)
{
  ArvGcNode *node = arv_device_get_feature (device, name);
  g_autoptr (GError) reason = NULL;

  if (!ARV_IS_GC_FEATURE_NODE (node)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The camera \"%s\" has no feature \"%s\"; write names in `features` of "
        "octcamerasrc as the camera's manual does.",
        id, name);
    return FALSE;
  }
  if ((value == NULL) != (ARV_IS_GC_COMMAND (node) != 0)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "\"%s\" in `features` of octcamerasrc is %s; write %s.", name,
        value == NULL ? "a feature without a value"
                      : "a command, which takes no value",
        value == NULL ? "NAME=VALUE" : "its name alone");
    return FALSE;
  }
  if (value == NULL) {
    arv_device_execute_command (device, name, &reason);
  } else if (!is_valid_number (node, value)) {
    g_set_error_literal (
        &reason, OCT_ERROR, OCT_ERROR_SETTINGS, "it takes a number");
  } else if (!is_valid_choice (node, value)) {
    g_set_error_literal (
        &reason, OCT_ERROR, OCT_ERROR_SETTINGS, "it takes true or false");
  } else {
    arv_gc_feature_node_set_value_from_string (
        ARV_GC_FEATURE_NODE (node), value, &reason);
  }
  if (reason == NULL)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "The camera \"%s\" refuses %s%s%s (%s); set `features` of octcamerasrc "
      "to "
      "values that it takes.",
      id, name, value != NULL ? "=" : "", value != NULL ? value : "",
      reason->message);
  return FALSE;
}

gboolean
gst_oct_camera_set_features (ArvCamera *camera, const char *id,
    const char *features, gboolean *has_format, GError **error)
{
  ArvDevice *device = arv_camera_get_device (camera);
  g_auto (GStrv) words = NULL;
  g_autoptr (GError) reason = NULL;

  *has_format = FALSE;
  if (features == NULL)
    return TRUE;
  if (!g_shell_parse_argv (features, NULL, &words, &reason)) {
    if (g_error_matches (reason, G_SHELL_ERROR, G_SHELL_ERROR_EMPTY_STRING))
      return TRUE;
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "`features` of octcamerasrc cannot be read (%s); write NAME=VALUE "
        "NAME=VALUE, and values with spaces in quotes.",
        reason->message);
    return FALSE;
  }
  for (char **word = words; *word != NULL; word++) {
    char *value = strchr (*word, '=');

    if (value != NULL)
      *value++ = '\0';
    *has_format |= g_str_equal (*word, PIXEL_FORMAT);
    if (!set_feature (device, id, *word, value, error))
      return FALSE;
  }
  return TRUE;
}

gboolean
gst_oct_camera_is_triggered (const char *trigger)
{
  return trigger != NULL && *trigger != '\0' && !g_str_equal (trigger, FREE);
}

gboolean
gst_oct_camera_set_trigger (
    ArvCamera *camera, const char *id, const char *trigger, GError **error)
{
  g_autoptr (GError) reason = NULL;
  g_autofree const char **sources = NULL;
  g_autofree char *list = NULL;
  guint count = 0;

  if (trigger == NULL || *trigger == '\0')
    return TRUE;
  if (!gst_oct_camera_is_triggered (trigger)) {
    /* one that has no trigger runs freely */
    arv_camera_clear_triggers (camera, NULL);
    return TRUE;
  }
  arv_camera_set_trigger (camera, trigger, &reason);
  if (reason == NULL)
    return TRUE;
  sources = arv_camera_dup_available_trigger_sources (camera, &count, NULL);
  if (count > 0) {
    g_autofree const char **ended = g_new0 (const char *, count + 1);

    memcpy (ended, sources, count * sizeof *ended);
    list = g_strjoinv (", ", (char **)ended);
  }
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "The camera \"%s\" refuses the trigger \"%s\" (%s); set `trigger` of "
      "octcamerasrc to free%s%s.",
      id, trigger, reason->message, count > 0 ? ", or one of " : "",
      count > 0 ? list : "");
  return FALSE;
}
