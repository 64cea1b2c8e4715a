/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The operations of oct-operation.c as the rows of a table, for
 * properties.py.
 */
#include "oct-operation.h"

#include <stdio.h>

static const struct {
  const char *name, *params;
} operations[] = {
#define ROW(NAME, name, params) { #name, #params },
  OCT_OPERATIONS (ROW)
#undef ROW
};

/* For most parameters: subtracting a background that is still to be found is
 * not a step, subtracting one that was found is. */
static const char *
when (OctOperation operation)
{
  static const OctBackgroundParams found = { .found = TRUE };

  return oct_operation_can_wait (operation, &found) ? "yes" : "no";
}

int
main (void)
{
  printf ("| operation | what it does | parameters | may be done later "
          "| in place |\n|---|---|---|---|---|\n");
  for (OctOperation i = 0; i < OCT_N_OPERATIONS; i++)
    printf ("| `%s` | %s | `%s` | %s | %s |\n", operations[i].name,
        oct_operation_get_summary (i), operations[i].params, when (i),
        oct_operation_is_in_place (i) ? "yes" : "no");
  return 0;
}
