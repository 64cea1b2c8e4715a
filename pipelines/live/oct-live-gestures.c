/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-gestures.h"

#include <gio/gio.h>
#include <libevdev/libevdev.h>
#include <string.h>

#define ANY (KEY_MAX + 1)

static const char *const action_names[OCT_LIVE_N_PEDAL_ACTIONS] = { NULL,
  "record", "keep", "mark", "freeze", "background", "focus" };
static const char *const gesture_names[OCT_LIVE_N_GESTURES] = { "press", "long",
  "double" };

/* --------------------------------------------------------------------- the map
 */

/* -1: there is none of this name. */
static gint
find_key (const char *name)
{
  guint64 number;

  if (g_str_equal (name, "any"))
    return ANY;
  if (g_ascii_string_to_unsigned (name, 10, 1, KEY_MAX, &number, NULL))
    return (gint)number;
  return libevdev_event_code_from_name (EV_KEY, name);
}

static gint
find_name (const char *const *names, guint count, const char *name)
{
  for (guint i = 0; i < count; i++)
    if (g_strcmp0 (names[i], name) == 0)
      return (gint)i;
  return -1;
}

/* One part of the map, "long:KEY_B=keep". */
static gboolean
parse_part (OctLiveGestures *gestures, const char *part, GError **error)
{
  const char *equals = strchr (part, '='), *colon = strchr (part, ':');
  g_autofree char *gesture_name = NULL, *key_name = NULL, *action_name = NULL;
  gint gesture = OCT_LIVE_PRESS, key, action;

  if (equals != NULL && colon != NULL && colon < equals) {
    gesture_name = g_strndup (part, colon - part);
    gesture = find_name (
        gesture_names, OCT_LIVE_N_GESTURES, g_strstrip (gesture_name));
    part = colon + 1;
  }
  key_name = equals != NULL ? g_strndup (part, equals - part) : g_strdup (part);
  action_name = g_strdup (equals != NULL ? equals + 1 : "");
  key = find_key (g_strstrip (key_name));
  action = find_name (
      action_names, OCT_LIVE_N_PEDAL_ACTIONS, g_strstrip (action_name));
  if (gesture < 0)
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "'%s' in --pedal-keys is none of press, long and double.",
        gesture_name);
  else if (key < 0 || key > ANY)
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "'%s' in --pedal-keys is not a key: it is any, a name such as KEY_B, "
        "or "
        "a number; evtest shows those of a pedal.",
        key_name);
  else if (action < 0)
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "'%s' in --pedal-keys is not an action: it is record, keep, mark, "
        "freeze, background or focus, as in KEY_B=record.",
        action_name);
  else
    gestures->actions[key][gesture] = (OctLivePedalAction)action;
  return gesture >= 0 && key >= 0 && key <= ANY && action >= 0;
}

gboolean
oct_live_gestures_parse (
    OctLiveGestures *gestures, const char *map, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (map, ",", -1);

  memset (gestures, 0, sizeof *gestures);
  if (parts[0] == NULL)
    return parse_part (gestures, "", error);
  for (char **part = parts; *part != NULL; part++)
    if (!parse_part (gestures, g_strstrip (*part), error))
      return FALSE;
  /* keys with actions of their own do nothing else */
  for (guint key = 0; key <= KEY_MAX; key++) {
    gboolean own = FALSE;

    for (guint i = 0; i < OCT_LIVE_N_GESTURES; i++)
      own |= gestures->actions[key][i] != OCT_LIVE_PEDAL_NOTHING;
    if (!own)
      memcpy (gestures->actions[key], gestures->actions[ANY],
          sizeof gestures->actions[key]);
  }
  return TRUE;
}

/* ----------------------------------------------------------------- the presses
 */

OctLivePedalAction
oct_live_gestures_take (
    OctLiveGestures *gestures, guint code, gboolean down, gint64 now)
{
  const OctLivePedalAction *actions;
  OctLiveKey *key;

  if (code > KEY_MAX || gestures->keys[code].down == down)
    return OCT_LIVE_PEDAL_NOTHING;
  key = &gestures->keys[code];
  actions = gestures->actions[code];
  key->down = down;
  if (down) {
    key->done =
        key->released_at != 0 && now - key->released_at < OCT_LIVE_BOUNCE;
    if (key->done)
      return OCT_LIVE_PEDAL_NOTHING;
    key->deadline = 0;
    key->done =
        key->waits || (!actions[OCT_LIVE_LONG] && !actions[OCT_LIVE_DOUBLE]);
    if (key->done) {
      gboolean second = key->waits;

      key->waits = FALSE;
      return actions[second ? OCT_LIVE_DOUBLE : OCT_LIVE_PRESS];
    }
    if (actions[OCT_LIVE_LONG])
      key->deadline = now + OCT_LIVE_LONG_PRESS;
    return OCT_LIVE_PEDAL_NOTHING;
  }
  key->released_at = now;
  if (key->done)
    return OCT_LIVE_PEDAL_NOTHING;
  /* nobody had the time to ask while it was down */
  if (key->deadline != 0 && now >= key->deadline) {
    key->deadline = 0;
    return actions[OCT_LIVE_LONG];
  }
  key->waits = actions[OCT_LIVE_DOUBLE] != OCT_LIVE_PEDAL_NOTHING;
  key->deadline = key->waits ? now + OCT_LIVE_DOUBLE_PRESS : 0;
  return key->waits ? OCT_LIVE_PEDAL_NOTHING : actions[OCT_LIVE_PRESS];
}

OctLivePedalAction
oct_live_gestures_expire (OctLiveGestures *gestures, gint64 now)
{
  for (guint code = 0; code <= KEY_MAX; code++) {
    OctLiveKey *key = &gestures->keys[code];
    OctLivePedalAction action;

    if (key->deadline == 0 || key->deadline > now)
      continue;
    key->deadline = 0;
    action =
        gestures->actions[code][key->waits ? OCT_LIVE_PRESS : OCT_LIVE_LONG];
    key->done = TRUE;
    key->waits = FALSE;
    if (action != OCT_LIVE_PEDAL_NOTHING)
      return action;
  }
  return OCT_LIVE_PEDAL_NOTHING;
}

gint64
oct_live_gestures_get_deadline (const OctLiveGestures *gestures)
{
  gint64 first = 0;

  for (guint code = 0; code <= KEY_MAX; code++) {
    gint64 deadline = gestures->keys[code].deadline;

    if (deadline != 0 && (first == 0 || deadline < first))
      first = deadline;
  }
  return first;
}

void
oct_live_gestures_reset (OctLiveGestures *gestures)
{
  memset (gestures->keys, 0, sizeof gestures->keys);
}
