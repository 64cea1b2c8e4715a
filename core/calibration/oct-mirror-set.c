/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-mirror-set.h"

#include <stdlib.h>

OctMirrorSet *
oct_mirror_set_new (guint samples)
{
  OctMirrorSet *set = g_new0 (OctMirrorSet, 1);

  set->samples = samples;
  set->mirrors = g_ptr_array_new ();
  set->notes = g_ptr_array_new_with_free_func (g_free);
  set->used = g_array_new (FALSE, FALSE, sizeof (guint));
  return set;
}

void
oct_mirror_set_free (OctMirrorSet *set)
{
  if (set == NULL)
    return;
  for (guint i = 0; i < set->mirrors->len; i++) {
    OctMirror *mirror = oct_mirror_set_get (set, i);

    oct_fringe_free (mirror->fringe);
    g_free (mirror->name);
    g_free (mirror->reason);
    g_free (mirror);
  }
  g_ptr_array_unref (set->mirrors);
  g_ptr_array_unref (set->notes);
  g_array_unref (set->used);
  oct_mirror_fit_free (set->fit);
  g_free (set);
}

void
oct_mirror_set_add (OctMirrorSet *set, const char *name, OctFringe *fringe,
    double side, double position)
{
  OctMirror *mirror = g_new0 (OctMirror, 1);

  mirror->name = g_strdup (name);
  mirror->fringe = fringe;
  mirror->side = side;
  mirror->position = position;
  mirror->used = TRUE;
  mirror->bin = fringe->frequency;
  g_ptr_array_add (set->mirrors, mirror);
}

OctMirror *
oct_mirror_set_get (const OctMirrorSet *set, guint i)
{
  return g_ptr_array_index (set->mirrors, i);
}

OctMirror *
oct_mirror_set_get_used (const OctMirrorSet *set, guint i)
{
  return oct_mirror_set_get (set, g_array_index (set->used, guint, i));
}

void
oct_mirror_set_note (OctMirrorSet *set, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_ptr_array_add (set->notes, g_strdup_vprintf (format, arguments));
  va_end (arguments);
}

void
oct_mirror_leave_out (OctMirror *mirror, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_free (mirror->reason);
  mirror->reason = g_strdup_vprintf (format, arguments);
  mirror->used = FALSE;
  va_end (arguments);
}

void
oct_mirror_set_list_used (OctMirrorSet *set)
{
  g_array_set_size (set->used, 0);
  for (guint i = 0; i < set->mirrors->len; i++)
    if (oct_mirror_set_get (set, i)->used)
      g_array_append_val (set->used, i);
}

static int
compare_numbers (gconstpointer a, gconstpointer b)
{
  double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

guint
oct_mirror_set_count_depths (const OctMirrorSet *set, const gboolean *which)
{
  const OctMirrorFit *f = set->fit;
  g_autofree double *depths = g_new (double, f->mirrors + 1);
  double deepest = 0, last = 0;
  guint count = 0, found = 0;

  for (guint m = 0; m < f->mirrors; m++) {
    deepest = MAX (deepest, f->a[m]);
    if (which == NULL || which[m])
      depths[count++] = f->a[m] * f->sides[m];
  }
  qsort (depths, count, sizeof *depths, compare_numbers);
  for (guint i = 0; i < count; i++) {
    if (i > 0 && depths[i] - last < OCT_MIRROR_SET_ONE_DEPTH * deepest)
      continue;
    last = depths[i];
    found++;
  }
  return found;
}

/* A depth that is there twice proves no more than once. */
gboolean
oct_mirror_set_is_proven (const OctMirrorSet *set)
{
  guint depths = oct_mirror_set_count_depths (set, NULL);

  return depths > 2 || (depths == 2 && set->by_distance);
}

void
oct_mirror_set_exchange_sides (OctMirrorSet *set)
{
  for (guint i = 0; i < set->mirrors->len; i++)
    oct_mirror_set_get (set, i)->side *= -1;
}

gboolean
oct_mirror_set_is_one_depth (const OctMirrorSet *set)
{
  return oct_mirror_fit_get_spread (set->fit) < OCT_MIRROR_SET_ONE_DEPTH;
}
