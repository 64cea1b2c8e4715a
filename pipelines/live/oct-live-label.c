/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-label.h"
#include "oct-live-json.h"

#define NONE "none"

static const struct {
  const char *name, *words;
} sides[] = {
  { NONE, NULL },
  { "OD", "right eye (OD)" },
  { "OS", "left eye (OS)" },
  { "right", "right" },
  { "left", "left" },
};

static gint
label_find (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (sides); i++)
    if (g_strcmp0 (sides[i].name, name) == 0)
      return (gint)i;
  return -1;
}

const char *
oct_live_label_find_side (const char *name)
{
  gint i = label_find (name);

  return i >= 0 ? sides[i].name : NULL;
}

const char *
oct_live_label_get_side (const OctLiveLabel *label)
{
  gint i = label_find (label->side);

  return i >= 0 ? sides[i].words : NULL;
}

void
oct_live_label_set (
    OctLiveLabel *label, const char *text, const char *side, gboolean shown)
{
  g_free (label->text);
  *label = (OctLiveLabel){ g_strdup (text), side, shown };
}

void
oct_live_label_clear (OctLiveLabel *label)
{
  g_clear_pointer (&label->text, g_free);
}

static gboolean
label_has_text (const OctLiveLabel *label)
{
  return label->text != NULL && *label->text != '\0';
}

char *
oct_live_label_describe (const OctLiveLabel *label)
{
  const char *side = oct_live_label_get_side (label);
  gboolean both = side != NULL && label_has_text (label);

  if (side == NULL && !label_has_text (label))
    return NULL;
  return g_strconcat (label_has_text (label) ? "Case: " : "",
      label_has_text (label) ? label->text : "", both ? "; " : "",
      side != NULL ? "Side: " : "", side, NULL);
}

void
oct_live_label_add (
    const OctLiveLabel *label, gboolean knows, JsonBuilder *builder)
{
  gboolean tells = knows || label->shown;

  oct_live_json_add_string (
      builder, "label", tells && label->text != NULL ? label->text : "");
  oct_live_json_add_string (
      builder, "side", tells && label->side != NULL ? label->side : NONE);
  oct_live_json_add_boolean (builder, "labelShown", label->shown);
}
