/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-options.h"

#include <stdlib.h>

const char *
oct_version_get (void)
{
  return VERSION;
}

static gboolean
print_version (
    const char *option, const char *value, gpointer data, GError **error)
{
  g_autofree char *name = g_path_get_basename (g_get_prgname ());

  g_print ("%s (gst-oct) %s\n", name, VERSION);
  exit (EXIT_SUCCESS);
}

static gboolean
print_help (
    const char *option, const char *value, gpointer context, GError **error)
{
  g_autofree char *help = g_option_context_get_help (context, FALSE, NULL);

  g_print ("%s", help);
  exit (EXIT_SUCCESS);
}

void
oct_options_add (GOptionContext *context, const char *section,
    const GOptionEntry *entries, gpointer data)
{
  g_autofree char *heading = g_strconcat (section, ":", NULL);
  GOptionGroup *group =
      g_option_group_new (section, heading, heading, data, NULL);

  g_option_group_add_entries (group, entries);
  g_option_context_add_group (context, group);
}

void
oct_options_add_help (GOptionContext *context)
{
  const GOptionEntry entries[] = {
    { "help", 'h', G_OPTION_FLAG_NO_ARG, G_OPTION_ARG_CALLBACK, print_help,
        "Show help options", NULL },
    { "version", 0, G_OPTION_FLAG_NO_ARG, G_OPTION_ARG_CALLBACK, print_version,
        "Print the version", NULL },
    { NULL },
  };

  g_option_context_set_help_enabled (context, FALSE);
  oct_options_add (context, "Help", entries, context);
}
