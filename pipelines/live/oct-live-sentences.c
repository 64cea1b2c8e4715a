/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-sentences.h"
#include "oct-method-names.h"

/* Messages of other libraries may lack the full stop. */
char *
oct_live_describe_failure (const char *what, const char *message)
{
  return g_strdup_printf ("%s has failed: %s%s", what, message,
      g_str_has_suffix (message, ".") ? "" : ".");
}

char *
oct_live_describe_revert (
    const char *bad, const char *good, OctLiveBlame blame, const char *message)
{
  const char *before = oct_method_find (good)->label;
  const char *after = oct_method_find (bad)->label;
  const char *end = g_str_has_suffix (message, ".") ? "" : ".";

  return blame == OCT_LIVE_GUILTY
             ? g_strdup_printf ("The reconstruction \"%s\" has failed, and "
                                "\"%s\" is used again: %s%s",
                 after, before, message, end)
             : g_strdup_printf (
                 "The pictures failed right after the change to the "
                 "reconstruction \"%s\", which may be why, and \"%s\" is used "
                 "again: %s%s",
                 after, before, message, end);
}

const char *
oct_live_describe_no_search (gboolean finished, gboolean none, gboolean looking)
{
  if (finished)
    return "These pictures come finished from their source; there is nothing "
           "to look for here.";
  if (none)
    return "There are no pictures to look at; begin when they come again.";
  return looking ? "The search is running already." : NULL;
}

void
oct_live_print_stop (gboolean any, double seconds, const char *advice)
{
  g_printerr ("%s for %.0f s, and no error. %s\n",
      any ? "No new pictures have come from the source"
          : "No picture has come from the source yet",
      seconds, advice);
}
