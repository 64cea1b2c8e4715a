/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-layout.h"

#include "oct-file.h"

#include <string.h>

/* The last dimension of four or more, if it is as short as that, is channels. */
#define FEW 16

/* Spectra of less than so many samples are of no OCT system, if another
 * dimension of the array has as many as those of one. */
#define FEW_SAMPLES 256
#define MANY_SAMPLES 512

/* -------------------------------------------------------- what the axes are */

/* As its author counts them, 1 is the first. */
static guint
number_of_axis (const OctShape *shape, guint axis)
{
  return shape->counted_backwards ? shape->dims - axis : axis + 1;
}

static gboolean
refuse_axes (const OctOpening *opening, const OctShape *shape,
    const char *found, const char *advice, GError **error)
{
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "%s has the shape %s, %s; %s", opening->file, shape->text, found, advice);
  return FALSE;
}

/* The axis that is set; OCT_NO_AXIS: none is. */
static gboolean
find_wanted (const OctOpening *opening, const OctShape *shape, guint *axis,
    GError **error)
{
  guint wanted = opening->settings->sample_dimension;
  g_autofree char *found = NULL, *advice = NULL;

  *axis = OCT_NO_AXIS;
  if (wanted == 0)
    return TRUE;
  if (wanted <= shape->dims) {
    /* counting backwards is its own inverse */
    *axis = number_of_axis (shape, wanted - 1) - 1;
    return TRUE;
  }
  found = g_strdup_printf (
      "but `sample-dimension` is %u", opening->settings->sample_dimension);
  advice =
      g_strdup_printf ("set it to one of 1 to %u, or leave it 0", shape->dims);
  return refuse_axes (opening, shape, found, advice, error);
}

/* `wanted`: the axis of the samples that is set, or none. */
static gboolean
find_channel (const OctOpening *opening, const OctShape *shape, guint wanted,
    OctAxes *axes, GError **error)
{
  guint last = shape->dims - 1, set = opening->settings->channel;
  guint64 count = shape->lengths[last];
  /* if the samples are named, four dimensions are volumes in another order */
  guint least = wanted == OCT_NO_AXIS ? 3 : 4;
  g_autofree char *found = NULL, *advice = NULL;

  axes->channel = OCT_NO_AXIS;
  axes->channel_read = set != 0 ? set - 1 : 0;
  if (set == 0 && (last == 0 || wanted == last))
    return TRUE;
  if (set != 0
      && (last == 0 || wanted == last || count > OCT_READER_MAX_CHANNELS)) {
    found = g_strdup_printf ("which has no channels, but `channel` is %u", set);
    return refuse_axes (opening, shape, found, "leave it 0", error);
  }
  if (set > count || (set == 0 && count > 1 && count <= FEW && last >= least)) {
    found = set != 0 ? g_strdup_printf ("thus %" G_GUINT64_FORMAT
                                        " channels, but `channel` is %u",
                count, set)
                     : g_strdup_printf ("thus %" G_GUINT64_FORMAT
                                        " channels, but only one can be read",
                         count);
    advice = g_strdup_printf (
        "set `channel` to one of 1 to %" G_GUINT64_FORMAT
        ", or `sample-dimension` if dimension %u is the samples",
        count, number_of_axis (shape, last));
    return refuse_axes (opening, shape, found, advice, error);
  }
  if (set != 0 || count == 1)
    axes->channel = last;
  return TRUE;
}

/* A-lines are next to the samples, whether these come last or first; in all
 * other orders they are last. */
static void
arrange_axes (guint rest, guint wanted, OctAxes *axes)
{
  axes->sample = wanted != OCT_NO_AXIS ? wanted : rest - 1;
  axes->line = OCT_NO_AXIS;
  axes->n_bscans = 0;
  if (rest == 1)
    return;
  if (axes->sample == 0) {
    axes->line = 1;
    for (guint i = rest - 1; i > 1; i--)
      axes->bscans[axes->n_bscans++] = i;
    return;
  }
  axes->line = axes->sample == rest - 1 ? rest - 2 : rest - 1;
  for (guint i = 0; i < rest; i++)
    if (i != axes->sample && i != axes->line)
      axes->bscans[axes->n_bscans++] = i;
}

/* SciPy writes [B-scans][lines][samples] where MATLAB means the reverse, and
 * NumPy's Fortran order often comes from MATLAB. */
static gboolean
check_plausible (const OctOpening *opening, const OctShape *shape,
    const OctAxes *axes, GError **error)
{
  guint64 samples = shape->lengths[axes->sample], most = 0;
  g_autofree char *found = NULL, *advice = NULL;
  guint longest = axes->sample;

  if (opening->settings->sample_dimension != 0
      || samples == opening->settings->samples)
    return TRUE;
  for (guint i = 0; i < shape->dims; i++)
    if (i != axes->channel && shape->lengths[i] > most) {
      most = shape->lengths[i];
      longest = i;
    }
  if (shape->first_is_fastest && longest == 0 && most > samples)
    found = g_strdup_printf ("stored column by column (fortran_order), where "
                             "the samples may be first or last");
  else if (samples < FEW_SAMPLES && most >= MANY_SAMPLES && most >= 4 * samples)
    found = g_strdup_printf ("thus A-lines of %" G_GUINT64_FORMAT " samples, "
                             "but hundreds are expected",
        samples);
  else
    return TRUE;
  advice = g_strdup_printf ("set `sample-dimension` to %u if the "
                            "%" G_GUINT64_FORMAT " are the samples, or to %u "
                            "if it is right",
      number_of_axis (shape, longest), most,
      number_of_axis (shape, axes->sample));
  return refuse_axes (opening, shape, found, advice, error);
}

gboolean
oct_axes_choose (const OctOpening *opening, const OctShape *shape,
    OctAxes *axes, GError **error)
{
  guint wanted;

  g_assert (shape->dims >= 1 && shape->dims <= OCT_ARRAY_MAX_DIMS);
  if (!find_wanted (opening, shape, &wanted, error)
      || !find_channel (opening, shape, wanted, axes, error))
    return FALSE;
  arrange_axes (
      shape->dims - (axes->channel != OCT_NO_AXIS ? 1 : 0), wanted, axes);
  return check_plausible (opening, shape, axes, error);
}

gboolean
oct_opening_take_axes (OctOpening *opening, const OctShape *shape,
    const OctAxes *axes, GError **error)
{
  guint64 bscans = 1, three[3];
  guint n = 3;

  for (guint i = 0; i < axes->n_bscans; i++)
    if (!g_uint64_checked_mul (
            &bscans, bscans, shape->lengths[axes->bscans[i]]))
      bscans = 0; /* what oct_opening_take_shape() calls impossible */
  three[--n] = shape->lengths[axes->sample];
  if (axes->line != OCT_NO_AXIS)
    three[--n] = shape->lengths[axes->line];
  if (axes->n_bscans > 0)
    three[--n] = bscans;
  if (!oct_opening_take_shape (opening, 3 - n, three + n, shape->text, error))
    return FALSE;
  if (axes->n_bscans > 1 && opening->settings->bscans == 0)
    opening->info.bscans = (guint)MIN (
        shape->lengths[axes->bscans[axes->n_bscans - 1]], G_MAXUINT);
  return TRUE;
}

/* ------------------------------------------------------- values in any order */

/* Values of B-scans that are kept at once, if each of them is spread over the
 * whole file. */
#define MAX_BLOCK_BYTES (256u << 20)
/* Read from the file at once. */
#define WINDOW (8u << 20)
/* Samples that are written together, if those of an A-line are far apart in the
 * file: a line of the cache. */
#define TOGETHER 32

typedef struct {
  char *file;
  int fd;
  guint64 data_offset;

  /* the container of the values, or NULL: the file */
  OctLayoutFetch fetch;
  const OctContainer *container;
  gpointer content;

  gsize size;           /* of a value */
  guint64 total;        /* values of the array */
  guint64 first;        /* value where the channel begins */
  guint64 sample, line; /* values from one to the next */
  guint samples, lines;
  guint64 frames;
  guint n_bscans;
  guint64 lengths[OCT_ARRAY_MAX_DIMS], steps[OCT_ARRAY_MAX_DIMS];

  guint block; /* B-scans read at once */
  guint64 begin;
  guint held;
  guint8 *values; /* [held][lines][samples] from `begin` on, or NULL */
  guint8 *window; /* values from window_at on */
  guint64 window_at;
  gsize window_values;
} Strided;

static void
strided_close (gpointer data)
{
  Strided *strided = data;

  if (strided->content != NULL)
    strided->container->close (strided->content);
  g_free (strided->file);
  g_free (strided->values);
  g_free (strided->window);
  g_free (strided);
}

/* The place of sample 0 of line 0 of B-scan `frame`, in values. */
static guint64
find_bscan (const Strided *strided, guint64 frame)
{
  guint64 place = strided->first;

  for (guint i = strided->n_bscans; i-- > 0; frame /= strided->lengths[i])
    place += frame % strided->lengths[i] * strided->steps[i];
  return place;
}

/* Whether `count` values from `at` on are there. */
static gboolean
window_has (const Strided *strided, guint64 at, guint64 count)
{
  guint64 left = strided->window_values;

  return at >= strided->window_at && at - strided->window_at <= left
         && count <= left - (at - strided->window_at);
}

/* Moves the values of the window from `at` on to its beginning.  Returns: how
 * many values those are. */
static gsize
keep_window (Strided *strided, guint64 at)
{
  gsize kept = 0;

  if (window_has (strided, at, 1)) {
    gsize gone = (gsize)(at - strided->window_at);

    kept = strided->window_values - gone;
    memmove (strided->window, strided->window + gone * strided->size,
        kept * strided->size);
  }
  strided->window_at = at;
  strided->window_values = kept;
  return kept;
}

/* Reads values from `at` on, to have that at `place`.  Values already in the
 * window are not read again: in a packed file, all before them would have to be
 * unpacked once more. */
static gboolean
fetch_window (Strided *strided, guint64 at, guint64 place)
{
  guint64 values = WINDOW / strided->size, from;
  gsize count = (gsize)MIN (values, strided->total - at), kept, more;

  if (strided->window == NULL)
    strided->window = g_malloc (MIN (WINDOW, strided->total * strided->size));
  kept = keep_window (strided, at);
  from = (at + kept) * strided->size;
  more = (count - kept) * strided->size;
  if (more > 0 && strided->fetch != NULL) {
    if (!strided->fetch (strided->content, from,
            strided->window + kept * strided->size, more))
      return FALSE;
  } else if (more > 0) {
    gssize got = oct_file_read (strided->fd, strided->data_offset + from,
        strided->window + kept * strided->size, more);

    count = kept + (got > 0 ? (gsize)got / strided->size : 0);
  }
  strided->window_values = count;
  return place - at < count;
}

/* Samples i .. end - 1 of B-scans, whose places in the file and in `values` are
 * those of `places` and [count][lines][samples]. */
static gboolean
gather_samples (Strided *strided, const guint64 *places, guint count,
    guint line, guint i, guint end, guint8 *values)
{
  gsize size = strided->size, row = strided->samples * size;

  for (guint n = 0; n < count; n++) {
    guint8 *to = values + ((gsize)n * strided->lines + line) * row;

    for (guint s = i; s < end; s++) {
      guint64 place = places[n] + line * strided->line + s * strided->sample;

      if (place - strided->window_at >= strided->window_values
          && !fetch_window (
              strided, place - place % (WINDOW / (guint)strided->size), place))
        return FALSE;
      oct_stored_copy_value (to + s * size,
          strided->window + (place - strided->window_at) * size, size);
    }
  }
  return TRUE;
}

/* `count` B-scans from `frame` on to values [count][lines][samples], so that
 * the file is read from its beginning to its end. */
static gboolean
strided_gather (Strided *strided, guint64 frame, guint count, guint8 *values)
{
  g_autofree guint64 *places = g_new (guint64, count);
  guint64 lowest = G_MAXUINT64;
  guint together;

  for (guint n = 0; n < count; n++) {
    places[n] = find_bscan (strided, frame + n);
    lowest = MIN (lowest, places[n]);
  }
  if (strided->line >= strided->sample) {
    for (guint line = 0; line < strided->lines; line++)
      for (guint s = 0; s < strided->samples; s += TOGETHER)
        if (!gather_samples (strided, places, count, line, s,
                MIN (s + TOGETHER, strided->samples), values))
          return FALSE;
    return TRUE;
  }
  /* as many as one window has */
  together =
      (guint)CLAMP (WINDOW / strided->size / strided->sample, 1, TOGETHER);
  for (guint s = 0; s < strided->samples; s += together) {
    guint64 at = lowest + s * strided->sample;
    guint64 needed = MIN (together, strided->samples - s) * strided->sample;

    if (!window_has (strided, at, MIN (needed, strided->total - at))
        && !fetch_window (strided, at, at))
      return FALSE;
    for (guint line = 0; line < strided->lines; line++)
      if (!gather_samples (strided, places, count, line, s,
              MIN (s + together, strided->samples), values))
        return FALSE;
  }
  return TRUE;
}

static gboolean
strided_read_bscan (
    gpointer data, guint64 frame, gpointer values, GError **error)
{
  Strided *strided = data;
  gsize bytes = (gsize)strided->lines * strided->samples * strided->size;
  gboolean ok = TRUE;

  if (strided->block == 1) {
    ok = strided_gather (strided, frame, 1, values);
  } else if (strided->held == 0 || frame < strided->begin
             || frame - strided->begin >= strided->held) {
    guint64 begin = frame - frame % strided->block;
    guint count = (guint)MIN (strided->block, strided->frames - begin);

    if (strided->values == NULL)
      strided->values = g_malloc (strided->block * bytes);
    strided->held = 0;
    ok = strided_gather (strided, begin, count, strided->values);
    strided->begin = begin;
    strided->held = ok ? count : 0;
  }
  if (!ok)
    return oct_missing_set_unread (
        strided->file, frame, OCT_MISSING_DAMAGED ", or save it again", error);
  if (strided->block > 1)
    memcpy (values, strided->values + (frame - strided->begin) * bytes, bytes);
  return TRUE;
}

static const OctContainer container = { strided_read_bscan, strided_close };

/* Values from one index of each dimension to the next. */
static void
find_steps (const OctShape *shape, guint64 *steps)
{
  guint64 step = 1;

  for (guint i = 0; i < shape->dims; i++) {
    guint axis = shape->first_is_fastest ? i : shape->dims - 1 - i;

    steps[axis] = step;
    step *= shape->lengths[axis]; /* of checked arrays, in all below 2^63 */
  }
}

/* Whether B-scans follow each other, and their values, line by line. */
static gboolean
layout_is_plain (
    const OctShape *shape, const OctAxes *axes, const guint64 *steps)
{
  guint order[OCT_ARRAY_MAX_DIMS], n = 0;
  guint64 step = 1;

  if (axes->channel != OCT_NO_AXIS && axes->channel_read > 0)
    return FALSE; /* it does not begin with the array */
  memcpy (order, axes->bscans, sizeof order);
  n = axes->n_bscans;
  if (axes->line != OCT_NO_AXIS)
    order[n++] = axes->line;
  order[n++] = axes->sample;
  while (n-- > 0) {
    if (shape->lengths[order[n]] > 1 && steps[order[n]] != step)
      return FALSE;
    step *= shape->lengths[order[n]];
  }
  return TRUE;
}

/* The number of whole B-scans in a file that ends before its array does, if the
 * B-scans follow each other; 0: not even one. */
static guint64
count_frames_there (
    const Strided *strided, gboolean bscans_last, guint64 values)
{
  guint64 first = strided->first + 1 + (strided->lines - 1) * strided->line
                  + (strided->samples - 1) * strided->sample;
  guint64 step =
      strided->n_bscans > 0 ? strided->steps[strided->n_bscans - 1] : 1;

  if (values >= strided->total)
    return strided->frames;
  if (!bscans_last || values < first)
    return 0;
  return MIN (strided->frames, (values - first) / step + 1);
}

/* After the sizes of `opening` are known. */
static gboolean
strided_finish (OctOpening *opening, Strided *strided, const OctShape *shape,
    const OctAxes *axes, GError **error)
{
  guint64 steps[OCT_ARRAY_MAX_DIMS], bytes;
  gboolean bscans_last = TRUE;

  find_steps (shape, steps);
  strided->samples = opening->info.samples;
  strided->lines = opening->info.lines;
  strided->frames = opening->info.frames;
  strided->sample = steps[axes->sample];
  strided->line = axes->line != OCT_NO_AXIS ? steps[axes->line] : 1;
  if (axes->channel != OCT_NO_AXIS)
    strided->first = axes->channel_read * steps[axes->channel];
  strided->n_bscans = axes->n_bscans;
  for (guint i = 0; i < axes->n_bscans; i++) {
    strided->lengths[i] = shape->lengths[axes->bscans[i]];
    strided->steps[i] = steps[axes->bscans[i]];
  }
  if (axes->n_bscans == 0) { /* `lines` divides the lines of two dimensions */
    strided->n_bscans = 1;
    strided->lengths[0] = strided->frames;
    strided->steps[0] = strided->line * strided->lines;
  }
  for (guint i = 0; i < strided->n_bscans; i++)
    if (strided->lengths[i] > 1
        && strided->steps[i] < MAX (strided->line, strided->sample))
      bscans_last = FALSE;
  bytes = (guint64)strided->samples * strided->lines * strided->size;
  strided->block =
      bscans_last ? 1
                  : (guint)CLAMP (MAX_BLOCK_BYTES / bytes, 1, strided->frames);
  strided->total = 1;
  for (guint i = 0; i < shape->dims; i++)
    strided->total *= shape->lengths[i];
  if (strided->content != NULL)
    return TRUE;
  bytes = opening->file_size - MIN (opening->data_offset, opening->file_size);
  opening->info.leftover_bytes = 0;
  opening->info.frames = strided->frames =
      count_frames_there (strided, bscans_last, bytes / strided->size);
  if (strided->frames > 0)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
      "%s holds %" G_GUINT64_FORMAT " bytes of spectra, which are not all of "
      "an array of the shape %s; it was cut off, copy or save it again",
      opening->file, bytes, shape->text);
  return FALSE;
}

gboolean
oct_opening_take_array (OctOpening *opening, const OctShape *shape,
    OctLayoutFetch fetch, GError **error)
{
  guint64 steps[OCT_ARRAY_MAX_DIMS];
  Strided *strided;
  OctAxes axes;

  if (!oct_axes_choose (opening, shape, &axes, error))
    return FALSE;
  find_steps (shape, steps);
  if (layout_is_plain (shape, &axes, steps))
    return oct_opening_take_axes (opening, shape, &axes, error);
  strided = g_new0 (Strided, 1);
  strided->file = g_strdup (opening->file);
  strided->fd = opening->fd;
  strided->data_offset = opening->data_offset;
  strided->fetch = fetch;
  strided->container = opening->container;
  strided->content = opening->content;
  strided->size = oct_stored_get (opening->stored)->size;
  opening->container = &container;
  opening->content = strided;
  return oct_opening_take_axes (opening, shape, &axes, error)
         && strided_finish (opening, strided, shape, &axes, error);
}
