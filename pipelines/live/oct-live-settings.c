/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-settings.h"
#include "oct-live-json.h"

#include <string.h>

#define LONGEST_CHOICE 32

#define SWITCH_ROW(member, name, property)                                     \
  { name, property, OCT_LIVE_SWITCH,                                           \
    G_STRUCT_OFFSET (OctLiveSettings, member), 0.0, 0.0 },
#define NUMBER_ROW(member, name, property, least, most)                        \
  { name, property, OCT_LIVE_NUMBER,                                           \
    G_STRUCT_OFFSET (OctLiveSettings, member), least, most },
#define COUNT_ROW(member, name, property, least, most)                         \
  { name, property, OCT_LIVE_COUNT, G_STRUCT_OFFSET (OctLiveSettings, member), \
    least, most },
#define CHOICE_ROW(member, name, property)                                     \
  { name, property, OCT_LIVE_CHOICE,                                           \
    G_STRUCT_OFFSET (OctLiveSettings, member), 0.0, 0.0 },

const OctLiveSetting oct_live_settings_table[OCT_LIVE_N_SETTINGS] = {
  OCT_LIVE_SETTINGS (SWITCH_ROW, NUMBER_ROW, COUNT_ROW, CHOICE_ROW)
};

gpointer
oct_live_setting_at (
    const OctLiveSetting *setting, const OctLiveSettings *settings)
{
  return G_STRUCT_MEMBER_P (settings, setting->offset);
}

static gboolean
read_switch (JsonNode *node, gboolean *value)
{
  if (json_node_get_value_type (node) != G_TYPE_BOOLEAN)
    return FALSE;
  *value = json_node_get_boolean (node);
  return TRUE;
}

static gboolean
settings_read_number (
    const OctLiveSetting *setting, JsonNode *node, double *value)
{
  GType type = json_node_get_value_type (node);

  if (type != G_TYPE_DOUBLE && type != G_TYPE_INT64)
    return FALSE;
  *value = type == G_TYPE_INT64 ? (double)json_node_get_int (node)
                                : json_node_get_double (node);
  /* refuses NaN, too */
  return *value >= setting->least && *value <= setting->most;
}

static gboolean
settings_read_count (const OctLiveSetting *setting, JsonNode *node, gint *value)
{
  double number;

  if (!settings_read_number (setting, node, &number) || number != (gint)number)
    return FALSE;
  *value = (gint)number;
  return TRUE;
}

static gboolean
settings_read_choice (JsonNode *node, char **value)
{
  const char *text = json_node_get_value_type (node) == G_TYPE_STRING
                         ? json_node_get_string (node)
                         : NULL;

  if (text == NULL || *text == '\0' || strlen (text) > LONGEST_CHOICE)
    return FALSE;
  for (const char *c = text; *c; c++)
    if (!g_ascii_isalnum (*c) && *c != '-')
      return FALSE;
  *value = g_strdup (text);
  return TRUE;
}

gboolean
oct_live_setting_read (
    const OctLiveSetting *setting, JsonNode *value, OctLiveSettings *settings)
{
  gpointer place = oct_live_setting_at (setting, settings);

  switch (setting->kind) {
  case OCT_LIVE_SWITCH:
    return read_switch (value, place);
  case OCT_LIVE_NUMBER:
    return settings_read_number (setting, value, place);
  case OCT_LIVE_COUNT:
    return settings_read_count (setting, value, place);
  case OCT_LIVE_CHOICE:
    return settings_read_choice (value, place);
  }
  return FALSE;
}

void
oct_live_settings_free_choices (OctLiveSettings *settings)
{
  for (guint i = 0; i < OCT_LIVE_N_SETTINGS; i++)
    if (oct_live_settings_table[i].kind == OCT_LIVE_CHOICE)
      g_clear_pointer (
          (char **)oct_live_setting_at (&oct_live_settings_table[i], settings),
          g_free);
}

void
oct_live_settings_copy (
    const OctLiveSettings *from, guint64 given, OctLiveSettings *to)
{
  static const gsize sizes[] = { [OCT_LIVE_SWITCH] = sizeof (gboolean),
    [OCT_LIVE_NUMBER] = sizeof (double),
    [OCT_LIVE_COUNT] = sizeof (gint),
    [OCT_LIVE_CHOICE] = sizeof (const char *) };

  for (guint i = 0; i < OCT_LIVE_N_SETTINGS; i++) {
    const OctLiveSetting *setting = &oct_live_settings_table[i];

    if ((given & G_GUINT64_CONSTANT (1) << i) != 0)
      memcpy (oct_live_setting_at (setting, to),
          oct_live_setting_at (setting, from), sizes[setting->kind]);
  }
}

void
oct_live_settings_add (const OctLiveSettings *settings, JsonBuilder *builder)
{
  for (guint i = 0; i < OCT_LIVE_N_SETTINGS; i++) {
    const OctLiveSetting *setting = &oct_live_settings_table[i];
    gconstpointer place = oct_live_setting_at (setting, settings);

    switch (setting->kind) {
    case OCT_LIVE_SWITCH:
      oct_live_json_add_boolean (
          builder, setting->name, *(const gboolean *)place);
      break;
    case OCT_LIVE_NUMBER:
      oct_live_json_add_number (builder, setting->name, *(const double *)place);
      break;
    case OCT_LIVE_COUNT:
      oct_live_json_add_number (builder, setting->name, *(const gint *)place);
      break;
    case OCT_LIVE_CHOICE:
      oct_live_json_add_string (
          builder, setting->name, *(const char *const *)place);
      break;
    }
  }
}
