/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctforward.h"

#include <string.h>

static const char *
inner_name (const GstOctForward *forward)
{
  return forward->inner != NULL ? forward->inner : forward->name;
}

/* The same property under another name: GLib has no copy of them. */
static GParamSpec *
copy_spec (
    GParamSpec *spec, const char *name, const char *blurb, GParamFlags flags)
{
  const char *nick = g_param_spec_get_nick (spec);

  if (G_IS_PARAM_SPEC_ENUM (spec))
    return g_param_spec_enum (name, nick, blurb, spec->value_type,
        G_PARAM_SPEC_ENUM (spec)->default_value, flags);
  if (G_IS_PARAM_SPEC_BOOLEAN (spec))
    return g_param_spec_boolean (
        name, nick, blurb, G_PARAM_SPEC_BOOLEAN (spec)->default_value, flags);
  if (G_IS_PARAM_SPEC_STRING (spec))
    return g_param_spec_string (
        name, nick, blurb, G_PARAM_SPEC_STRING (spec)->default_value, flags);
  if (G_IS_PARAM_SPEC_INT (spec))
    return g_param_spec_int (name, nick, blurb,
        G_PARAM_SPEC_INT (spec)->minimum, G_PARAM_SPEC_INT (spec)->maximum,
        G_PARAM_SPEC_INT (spec)->default_value, flags);
  if (G_IS_PARAM_SPEC_UINT (spec))
    return g_param_spec_uint (name, nick, blurb,
        G_PARAM_SPEC_UINT (spec)->minimum, G_PARAM_SPEC_UINT (spec)->maximum,
        G_PARAM_SPEC_UINT (spec)->default_value, flags);
  g_assert (G_IS_PARAM_SPEC_DOUBLE (spec));
  return g_param_spec_double (name, nick, blurb,
      G_PARAM_SPEC_DOUBLE (spec)->minimum, G_PARAM_SPEC_DOUBLE (spec)->maximum,
      G_PARAM_SPEC_DOUBLE (spec)->default_value, flags);
}

void
gst_oct_forward_install (
    GObjectClass *klass, guint id, const GstOctForward *forward, GType inner)
{
  const GParamFlags times = GST_PARAM_MUTABLE_READY | GST_PARAM_MUTABLE_PAUSED
                            | GST_PARAM_MUTABLE_PLAYING
                            | GST_PARAM_CONTROLLABLE;
  GObjectClass *described = g_type_class_ref (inner);
  GParamSpec *spec =
      g_object_class_find_property (described, inner_name (forward));
  const char *blurb = g_param_spec_get_blurb (spec);
  g_autofree char *with_time = NULL;
  GParamFlags flags =
      forward->at_start ? GST_PARAM_MUTABLE_READY : spec->flags & times;

  if (forward->when != NULL)
    blurb = with_time = g_strdup_printf (
        "%s: %c%s", forward->when, g_ascii_tolower (blurb[0]), blurb + 1);
  g_object_class_install_property (klass, id,
      copy_spec (spec, forward->name, blurb, G_PARAM_READWRITE | flags));
  g_type_class_unref (described);
}

void
gst_oct_forward_set (const GstOctForward *forward, GstElement **parts,
    guint n_parts, const GValue *value)
{
  for (guint i = 0; i < n_parts; i++)
    if ((forward->parts & (1u << i)) != 0)
      g_object_set_property (G_OBJECT (parts[i]), inner_name (forward), value);
}

void
gst_oct_forward_get (
    const GstOctForward *forward, GstElement **parts, GValue *value)
{
  g_object_get_property (G_OBJECT (parts[g_bit_nth_lsf (forward->parts, -1)]),
      inner_name (forward), value);
}

/* ------------------------------------------------------------------ presets */

/* The presets of the one class that has them. */
static struct {
  const GstOctForward *forwards;
  guint n_forwards;
  gboolean (*load) (GstPreset *preset, const char *name);
} presets;

static char **
gst_oct_forward_get_property_names (GstPreset *preset)
{
  GStrvBuilder *names = g_strv_builder_new ();
  char **list;

  g_strv_builder_add (names, "method");
  for (guint i = 0; i < presets.n_forwards; i++)
    if (!presets.forwards[i].of_computer)
      g_strv_builder_add (names, presets.forwards[i].name);
  list = g_strv_builder_end (names);
  g_strv_builder_unref (names);
  return list;
}

static gboolean
has_preset (GstPreset *preset, const char *name)
{
  g_auto (GStrv) names = gst_preset_get_preset_names (preset);

  return names != NULL && g_strv_contains ((const char *const *)names, name);
}

/* GStreamer 1.22 writes the texts of a preset with escapes and leaves them in
 * when it reads: "0,1" comes back as "0\\,1". */
static void
remove_escapes (GstPreset *preset, const char *name)
{
  GParamSpec *spec =
      g_object_class_find_property (G_OBJECT_GET_CLASS (preset), name);
  g_autofree char *text = NULL, *plain = NULL;

  if (!G_IS_PARAM_SPEC_STRING (spec))
    return;
  g_object_get (preset, name, &text, NULL);
  if (text == NULL || strchr (text, '\\') == NULL)
    return;
  plain = g_strcompress (text);
  g_object_set (preset, name, plain, NULL);
}

/* A property that a preset does not name gets its default, and not its previous
 * value. */
static gboolean
gst_oct_forward_load_preset (GstPreset *preset, const char *name)
{
  g_auto (GStrv) names = gst_oct_forward_get_property_names (preset);
  GObjectClass *klass = G_OBJECT_GET_CLASS (preset);
  gboolean ok;

  if (!has_preset (preset, name))
    return FALSE;
  g_object_freeze_notify (G_OBJECT (preset));
  for (guint i = 0; names[i] != NULL; i++)
    g_object_set_property (G_OBJECT (preset), names[i],
        g_param_spec_get_default_value (
            g_object_class_find_property (klass, names[i])));
  ok = presets.load (preset, name);
  for (guint i = 0; ok && names[i] != NULL; i++)
    remove_escapes (preset, names[i]);
  g_object_thaw_notify (G_OBJECT (preset));
  return ok;
}

void
gst_oct_forward_init_preset (
    gpointer iface, const GstOctForward *forwards, guint n_forwards)
{
  GstPresetInterface *preset = iface;

  presets.forwards = forwards;
  presets.n_forwards = n_forwards;
  presets.load = preset->load_preset;
  preset->get_property_names = gst_oct_forward_get_property_names;
  preset->load_preset = gst_oct_forward_load_preset;
}
