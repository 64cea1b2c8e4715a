/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-scan-stream.h"

#include <math.h>
#include <string.h>

/* Samples that are computed at once. */
#define BLOCK 4096u

typedef enum {
  PART_JOIN, /* `way`, then the path from its first sample on */
  PART_PATH,
  PART_LOOP, /* the way back of the path, then its first sample */
  PART_PARK, /* `way` to rest, then rest */
  PART_REST,
} Part;

struct _OctScanStream {
  OctScanPath *path, *next; /* next: NULL, none */
  OctScanDrive drive, next_drive;
  guint64 volumes; /* to take, 0: without end */
  gboolean stopping;

  /* the path before it is averaged and looked ahead in */
  Part part;
  guint at;    /* in the way or the path */
  guint sweep; /* PART_PATH: the one under way */
  GArray *way; /* of OctScanPoint */
  guint64 taken;
  guint64 lines, first_line;  /* A-lines made, and of them before this path */
  guint64 rounds, round_line; /* oct_scan_stream_count_rounds() */

  /* samples `first` .. first + raw->len - 1 of it; those before 0 are rest */
  GArray *raw;   /* of OctScanPoint */
  GArray *gates; /* of guint8, as many */
  gint64 first;
  gint64 rest; /* from here on all samples are rest; -1: not known */

  gint64 out;                     /* the next sample to be read */
  OctScanPoint *smooth, *command; /* scratch */
  gsize scratch;
};

/* -------------------------------------------------------------------- drive */

static double
drive_omega (const OctScanDrive *drive)
{
  return 2 * G_PI * drive->frequency;
}

double
oct_scan_drive_reach (
    const OctScanDrive *drive, const OctScanLimits *limits, guint axis)
{
  double w = drive_omega (drive), reach = limits->amplitude[axis];

  if (drive->frequency > 0)
    reach += 2 * drive->damping * limits->velocity[axis] / w
             + limits->acceleration[axis] / (w * w);
  return reach;
}

/* How far ahead it looks, in samples. */
static double
drive_ahead (const OctScanDrive *drive, double line_rate, guint axis)
{
  double delay = drive->delay[axis];

  if (drive->frequency > 0)
    delay -= 2 * drive->damping / drive_omega (drive);
  return delay * line_rate;
}

static gboolean
drive_equal (const OctScanDrive *a, const OctScanDrive *b)
{
  return a->smooth == b->smooth && a->delay[0] == b->delay[0]
         && a->delay[1] == b->delay[1] && a->frequency == b->frequency
         && a->damping == b->damping;
}

/* Samples of the path before and after one that it needs. */
static void
drive_get_reach (
    const OctScanDrive *drive, double line_rate, guint *before, guint *after)
{
  double least = 0, most = 0;

  for (guint c = 0; c < OCT_SCAN_AXES; c++) {
    double ahead = drive_ahead (drive, line_rate, c);

    least = MIN (least, floor (ahead));
    most = MAX (most, floor (ahead) + 1);
  }
  *before = (guint)-least + drive->smooth / 2 + 1;
  *after = (guint)most + drive->smooth / 2 + 1;
}

/* --------------------------------------------------------------------- path */

static const OctScanState *
stream_stop_state (const OctScanStream *s)
{
  return &s->path->stops[s->sweep].state;
}

/* FALSE: it is too long. */
static gboolean
stream_find_way (
    OctScanStream *s, const OctScanState *from, const OctScanState *to)
{
  g_array_set_size (s->way, 0);
  return oct_scan_join (
      from, to, &s->path->limits, 1 / s->path->line_rate, s->way, NULL);
}

/* Ways from rest to a path and back were tried when the path was made. */
static void
stream_find_way_of_rest (
    OctScanStream *s, const OctScanState *from, const OctScanState *to)
{
  gboolean found = stream_find_way (s, from, to);

  g_assert (found);
}

static void
stream_park (OctScanStream *s)
{
  static const OctScanState rest;

  stream_find_way_of_rest (s, stream_stop_state (s), &rest);
  s->part = PART_PARK;
  s->at = 0;
}

static void
stream_begin (OctScanStream *s)
{
  s->part = PART_JOIN;
  s->at = 0;
  s->sweep = 0;
}

static void
stream_take_next (OctScanStream *s)
{
  oct_scan_path_unref (s->path);
  s->path = g_steal_pointer (&s->next);
  s->first_line = s->lines;
}

/* The last sweep of the path has ended. */
static void
stream_end_path (OctScanStream *s)
{
  if (s->next == NULL) {
    s->rounds++;
    s->round_line = s->lines;
    s->part = s->path->body < s->path->count ? PART_LOOP : PART_PATH;
    s->at = s->part == PART_LOOP ? s->path->body : 0;
    s->sweep = 0;
    return;
  }
  if (!drive_equal (&s->drive, &s->next_drive)
      || !stream_find_way (s, stream_stop_state (s), &s->next->entry)) {
    stream_park (s);
    return;
  }
  stream_take_next (s);
  stream_begin (s);
}

/* A sweep has ended; `at` is the sample after it. */
static void
stream_end_sweep (OctScanStream *s)
{
  guint each = s->path->sweeps / s->path->volumes;

  s->taken += (s->sweep + 1) % each == 0;
  if (s->stopping || (s->volumes > 0 && s->taken >= s->volumes))
    stream_park (s);
  else if (s->sweep + 1 < s->path->sweeps)
    s->sweep++;
  else
    stream_end_path (s);
}

/* Appends the next sample of the path. */
static void
stream_step (OctScanStream *s)
{
  OctScanPoint point = { { 0, 0 } };
  guint8 gate = 0;

  while (
      (s->part == PART_JOIN || s->part == PART_PARK) && s->at >= s->way->len) {
    if (s->part == PART_PARK)
      s->rest = s->first + s->raw->len;
    s->part = s->part == PART_JOIN ? PART_PATH : PART_REST;
    s->at = 0;
  }
  if (s->part == PART_JOIN || s->part == PART_PARK) {
    point = g_array_index (s->way, OctScanPoint, s->at++);
  } else if (s->part != PART_REST) {
    point = s->path->points[s->at];
    gate = s->path->active[s->at++];
    s->lines += gate;
  }
  g_array_append_val (s->raw, point);
  g_array_append_val (s->gates, gate);
  if (s->part == PART_PATH && s->at == s->path->stops[s->sweep].end) {
    stream_end_sweep (s);
  } else if (s->part == PART_LOOP && s->at == s->path->count) {
    s->part = PART_PATH;
    s->at = 0;
  }
}

/* ------------------------------------------------------------------- sending */

/* Begins anew at rest. */
static void
stream_start (OctScanStream *s)
{
  static const OctScanState rest;
  guint before, after;

  drive_get_reach (&s->drive, s->path->line_rate, &before, &after);
  s->rest = -1;
  /* the first samples to be read are rest, however far it looks ahead */
  s->out = -(gint64)after - 1;
  s->first = s->out - before;
  g_array_set_size (s->raw, 0);
  g_array_set_size (s->gates, 0);
  g_array_set_size (s->raw, (guint)-s->first);
  g_array_set_size (s->gates, (guint)-s->first);
  if (s->raw->len > 0) {
    memset (s->raw->data, 0, s->raw->len * sizeof (OctScanPoint));
    memset (s->gates->data, 0, s->gates->len);
  }
  stream_find_way_of_rest (s, &rest, &s->path->entry);
  stream_begin (s);
}

/* The mean over `smooth` samples around each of samples first .. first + n - 1;
 * the whole path is there. */
static void
stream_smooth (const OctScanStream *s, gint64 first, guint n)
{
  guint width = s->drive.smooth, half = width / 2;
  const OctScanPoint *raw =
      &g_array_index (s->raw, OctScanPoint, (guint)(first - s->first) - half);

  for (guint c = 0; c < OCT_SCAN_AXES; c++) {
    /* differences from the first one: the sums stay small */
    double origin = raw[0].at[c], sum = 0;

    for (guint i = 0; i + 1 < width; i++)
      sum += raw[i].at[c] - origin;
    for (guint i = 0; i < n; i++) {
      sum += raw[i + width - 1].at[c] - origin;
      s->smooth[i].at[c] = origin + sum / width;
      sum -= raw[i].at[c] - origin;
    }
  }
}

/* The input with which a scanner of second order is at smooth[1 .. n - 2]. */
static void
stream_invert (const OctScanStream *s, guint n)
{
  double w = drive_omega (&s->drive), rate = s->path->line_rate;
  double slope = s->drive.damping / w * rate, bend = rate * rate / (w * w);

  for (guint i = 1; i + 1 < n; i++)
    for (guint c = 0; c < OCT_SCAN_AXES; c++) {
      double before = s->smooth[i - 1].at[c], now = s->smooth[i].at[c];
      double after = s->smooth[i + 1].at[c];

      s->command[i].at[c] =
          now + slope * (after - before) + bend * (after - 2 * now + before);
    }
}

/* The next n samples, at most BLOCK; all that they need is there. */
static void
stream_send (OctScanStream *s, OctScanPoint *points, guint8 *active, guint n)
{
  guint before, after, half = s->drive.smooth / 2, all;
  gint64 first;
  const OctScanPoint *command;

  drive_get_reach (&s->drive, s->path->line_rate, &before, &after);
  /* without the part that the mean needs */
  first = s->out - before + half;
  all = n + before + after - 2 * half;
  if (s->scratch < all) {
    s->smooth = g_renew (OctScanPoint, s->smooth, all);
    s->command = g_renew (OctScanPoint, s->command, all);
    s->scratch = all;
  }
  stream_smooth (s, first, all);
  if (s->drive.frequency > 0)
    stream_invert (s, all);
  command = s->drive.frequency > 0 ? s->command : s->smooth;
  for (guint c = 0; c < OCT_SCAN_AXES; c++) {
    double ahead = drive_ahead (&s->drive, s->path->line_rate, c);
    double whole = floor (ahead), part = ahead - whole;
    guint from = (guint)(s->out + (gint64)whole - first);

    for (guint i = 0; i < n; i++)
      points[i].at[c] = (1 - part) * command[from + i].at[c]
                        + part * command[from + i + 1].at[c];
  }
  memcpy (active, s->gates->data + (s->out - s->first), n);
}

/* Those that are not needed any more. */
static void
stream_drop (OctScanStream *s, guint before)
{
  gint64 old = s->out - before - s->first;

  /* not for a few */
  if (old < BLOCK)
    return;
  g_array_remove_range (s->raw, 0, (guint)old);
  g_array_remove_range (s->gates, 0, (guint)old);
  s->first += old;
}

/* Up to n samples, 0 at the end. */
static guint
stream_read_block (
    OctScanStream *s, OctScanPoint *points, guint8 *active, guint n)
{
  guint before, after;

  drive_get_reach (&s->drive, s->path->line_rate, &before, &after);
  if (s->rest >= 0 && s->out - (gint64)before > s->rest) {
    if (s->stopping || (s->volumes > 0 && s->taken >= s->volumes))
      return 0;
    /* at rest in the middle, where any drive sends the same */
    if (s->next != NULL) {
      s->drive = s->next_drive;
      stream_take_next (s);
    }
    stream_start (s);
    drive_get_reach (&s->drive, s->path->line_rate, &before, &after);
  }
  while (s->first + s->raw->len < s->out + n + after)
    stream_step (s);
  /* not beyond the rest after which it ends */
  if (s->rest >= 0)
    n = (guint)MIN (n, s->rest + before + 1 - s->out);
  stream_send (s, points, active, n);
  s->out += n;
  stream_drop (s, before);
  return n;
}

guint
oct_scan_stream_read (
    OctScanStream *s, OctScanPoint *points, guint8 *active, guint n)
{
  guint done = 0;

  while (done < n) {
    guint got = stream_read_block (
        s, points + done, active + done, MIN (n - done, BLOCK));

    if (got == 0)
      break;
    done += got;
  }
  return done;
}

/* ------------------------------------------------------------------- stream */

OctScanStream *
oct_scan_stream_new (
    OctScanPath *path, const OctScanDrive *drive, guint64 volumes)
{
  OctScanStream *s = g_new0 (OctScanStream, 1);

  s->path = oct_scan_path_ref (path);
  s->volumes = volumes;
  s->way = g_array_new (FALSE, FALSE, sizeof (OctScanPoint));
  s->raw = g_array_new (FALSE, FALSE, sizeof (OctScanPoint));
  s->gates = g_array_new (FALSE, FALSE, 1);
  s->drive = *drive;
  stream_start (s);
  return s;
}

void
oct_scan_stream_free (OctScanStream *s)
{
  oct_scan_path_unref (s->path);
  g_clear_pointer (&s->next, oct_scan_path_unref);
  g_array_unref (s->way);
  g_array_unref (s->raw);
  g_array_unref (s->gates);
  g_free (s->smooth);
  g_free (s->command);
  g_free (s);
}

/* Whether they send the beam to the same places. */
static gboolean
path_equal (const OctScanPath *a, const OctScanPath *b)
{
  return a->count == b->count && a->body == b->body
         && memcmp (a->points, b->points, a->count * sizeof *a->points) == 0
         && memcmp (a->active, b->active, a->count) == 0;
}

void
oct_scan_stream_change (
    OctScanStream *s, OctScanPath *path, const OctScanDrive *drive)
{
  gboolean same = drive_equal (drive, &s->drive) && path_equal (path, s->path);

  g_clear_pointer (&s->next, oct_scan_path_unref);
  /* a closed curve goes on without a way */
  s->next = same ? NULL : oct_scan_path_ref (path);
  s->next_drive = *drive;
}

const OctScanPath *
oct_scan_stream_get_path (const OctScanStream *s, guint64 *first)
{
  *first = s->first_line;
  return s->path;
}

guint64
oct_scan_stream_count_rounds (const OctScanStream *s, guint64 *first)
{
  *first = s->round_line;
  return s->rounds;
}

void
oct_scan_stream_stop (OctScanStream *s)
{
  s->stopping = TRUE;
}
