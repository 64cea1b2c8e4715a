/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-method-names.h"

const OctMethod *
oct_method_find (const char *id)
{
  for (const OctMethod *method = oct_methods (); method->id; method++)
    if (g_strcmp0 (method->id, id) == 0)
      return method;
  return NULL;
}

char *
oct_method_list (void)
{
  GString *list = g_string_new (NULL);

  for (const OctMethod *method = oct_methods (); method->id; method++)
    g_string_append_printf (
        list, "%s%s", list->len > 0 ? ", " : "", method->id);
  return g_string_free (list, FALSE);
}
