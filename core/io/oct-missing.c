/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-missing.h"

#include <errno.h>

/* Runs that a message names; of others the reason is not kept. */
#define MAX_NAMED 8

typedef struct {
  guint64 first, end; /* `end`: the first B-scan after it */
  char *reason;       /* or NULL */
} Run;

struct _OctMissing {
  GMutex lock;
  GArray *runs; /* Run, ascending, none overlaps another */
  guint64 count;
};

static void
clear_run (gpointer run)
{
  g_free (((Run *)run)->reason);
}

OctMissing *
oct_missing_new (void)
{
  OctMissing *missing = g_new0 (OctMissing, 1);

  g_mutex_init (&missing->lock);
  missing->runs = g_array_new (FALSE, FALSE, sizeof (Run));
  g_array_set_clear_func (missing->runs, clear_run);
  return missing;
}

void
oct_missing_free (OctMissing *missing)
{
  if (missing == NULL)
    return;
  g_array_unref (missing->runs);
  g_mutex_clear (&missing->lock);
  g_free (missing);
}

/* The first run that ends after `frame`. */
static guint
find_run (const OctMissing *missing, guint64 frame)
{
  guint low = 0, high = missing->runs->len;

  while (low < high) {
    guint middle = low + (high - low) / 2;

    if (g_array_index (missing->runs, Run, middle).end > frame)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/* Makes one of the runs `at` and the next, if they follow each other. */
static void
join_runs (OctMissing *missing, guint at)
{
  Run *first = &g_array_index (missing->runs, Run, at);

  if (at + 1 >= missing->runs->len || first[1].first != first->end
      || g_strcmp0 (first->reason, first[1].reason) != 0)
    return;
  first->end = first[1].end;
  g_array_remove_index (missing->runs, at + 1);
}

/* Without those that are there already, up to the run before `end`. */
static void
insert_run (OctMissing *missing, guint64 first, guint64 end, const char *reason)
{
  guint at = find_run (missing, first);
  Run *before = at > 0 ? &g_array_index (missing->runs, Run, at - 1) : NULL;
  Run run = { first, end, NULL };

  missing->count += end - first;
  if (missing->runs->len < MAX_NAMED)
    run.reason = g_strdup (reason);
  if (before != NULL && before->end == first
      && g_strcmp0 (before->reason, run.reason) == 0) {
    before->end = end;
    g_free (run.reason);
    at--;
  } else {
    g_array_insert_val (missing->runs, at, run);
  }
  join_runs (missing, at);
}

void
oct_missing_add (
    OctMissing *missing, guint64 first, guint64 count, const char *reason)
{
  guint64 end = first + MIN (count, G_MAXUINT64 - first);

  g_mutex_lock (&missing->lock);
  while (first < end) {
    guint at = find_run (missing, first);
    Run next = { end, end, NULL };

    if (at < missing->runs->len)
      next = g_array_index (missing->runs, Run, at);
    if (next.first > first)
      insert_run (missing, first, MIN (end, next.first), reason);
    first = MAX (next.end, first);
    if (next.first >= end)
      break;
  }
  g_mutex_unlock (&missing->lock);
}

guint64
oct_missing_count (OctMissing *missing)
{
  guint64 count;

  g_mutex_lock (&missing->lock);
  count = missing->count;
  g_mutex_unlock (&missing->lock);
  return count;
}

gboolean
oct_missing_has (OctMissing *missing, guint64 frame)
{
  gboolean has;
  guint at;

  g_mutex_lock (&missing->lock);
  at = find_run (missing, frame);
  has = at < missing->runs->len
        && g_array_index (missing->runs, Run, at).first <= frame;
  g_mutex_unlock (&missing->lock);
  return has;
}

guint64
oct_missing_cut_end (OctMissing *missing, guint64 announced)
{
  g_mutex_lock (&missing->lock);
  for (guint i = missing->runs->len; i-- > 0;) {
    const Run *run = &g_array_index (missing->runs, Run, i);

    if (run->end < announced)
      break;
    announced = MIN (announced, run->first);
  }
  g_mutex_unlock (&missing->lock);
  return announced;
}

static void
append_run (GString *text, const Run *run)
{
  if (text->len > 0)
    g_string_append (text, ", ");
  if (run->end - run->first == 1)
    g_string_append_printf (text, "B-scan %" G_GUINT64_FORMAT, run->first);
  else
    g_string_append_printf (text,
        "B-scans %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT, run->first,
        run->end - 1);
  if (run->reason != NULL)
    g_string_append_printf (text, " (%s)", run->reason);
}

char *
oct_missing_describe (OctMissing *missing)
{
  g_autoptr (GString) text = g_string_new (NULL);
  guint64 left;

  g_mutex_lock (&missing->lock);
  left = missing->count;
  for (guint i = 0; i < MIN (missing->runs->len, MAX_NAMED); i++) {
    const Run *run = &g_array_index (missing->runs, Run, i);

    append_run (text, run);
    left -= run->end - run->first;
  }
  g_mutex_unlock (&missing->lock);
  if (left > 0)
    g_string_append_printf (text, " and %" G_GUINT64_FORMAT " more", left);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

gboolean
oct_missing_set_unread (
    const char *file, guint64 frame, const char *why, GError **error)
{
  g_set_error (error, OCT_ERROR, OCT_ERROR_READ,
      "%s: B-scan %" G_GUINT64_FORMAT " cannot be read, %s", file, frame, why);
  return FALSE;
}

gboolean
oct_missing_set_short (
    const char *file, guint64 frame, gssize got, GError **error)
{
  g_autofree char *why =
      g_strdup_printf ("%s; restore the whole file and start again",
          got < 0 ? g_strerror (errno) : "the file has been shortened");

  return oct_missing_set_unread (file, frame, why, error);
}
