/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-version.h"

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

void
oct_version_add (GOptionContext *context)
{
  const GOptionEntry entries[] = {
    { "version", 0, G_OPTION_FLAG_NO_ARG, G_OPTION_ARG_CALLBACK, print_version,
        "Print the version", NULL },
    { NULL },
  };

  g_option_context_add_main_entries (context, entries, NULL);
}
