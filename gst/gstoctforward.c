/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctforward.h"

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
                            | GST_PARAM_MUTABLE_PLAYING;
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
