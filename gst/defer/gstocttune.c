/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstocttune.h"
#include "gstoctaside.h"
#include "oct-scan-tuner.h"

#include <math.h>

/* Depths of an image that are looked at, and values of all of them: more would
 * take memory and time, and 64 depths are enough. */
#define MOST_DEPTHS 256u
#define MOST_VALUES (1u << 26)

/* The B-scans of all asides, as the tuner takes them. */
typedef struct {
  guint sweeps, lines, depths;
  guint there;      /* depths of a B-scan */
  guint bytes;      /* of a pixel */
  gboolean deep;    /* 16 bits */
  gboolean complex; /* A-scans: each row is an A-line */
  float *amplitudes;
  guint8 *reverse, *apart;
  guint taken;
  guint64 next; /* number of the B-scan that follows the last one */
  float levels[256];
} Tune;

GstOctInfo
gst_oct_tune_get_info (const GstOctInfo *images)
{
  GstOctInfo info = *images;

  if (info.is_video
      && GST_VIDEO_INFO_FORMAT (&info.video) == GST_VIDEO_FORMAT_RGBA)
    info.columns *= 4;
  return info;
}

static gboolean
tune_init (Tune *tune, GPtrArray *bscans, GError **error)
{
  const GstOctInfo *info = gst_oct_aside_get_info (bscans->pdata[0]);
  gsize values;

  *tune = (Tune){ .bytes = 1 };
  tune->complex = !info->is_video;
  if (info->is_video
      && GST_VIDEO_INFO_FORMAT (&info->video) == GST_VIDEO_FORMAT_RGBA)
    tune->bytes = 4;
  tune->deep = info->format == OCT_SAMPLE_U16;
  tune->lines = info->columns / tune->bytes;
  tune->there = info->rows / info->bscans;
  if (tune->complex) {
    tune->lines = info->rows / info->bscans;
    tune->there = info->columns;
  }
  for (guint i = 0; i < bscans->len; i++)
    tune->sweeps += gst_oct_aside_get_info (bscans->pdata[i])->bscans;
  tune->depths = MIN (MIN (tune->there, MOST_DEPTHS),
      MAX ((guint)(MOST_VALUES / ((gsize)tune->sweeps * tune->lines)), 1));
  values = (gsize)tune->sweeps * tune->lines * tune->depths;
  tune->amplitudes = g_try_new (float, values);
  tune->reverse = g_new0 (guint8, tune->sweeps);
  tune->apart = g_new0 (guint8, tune->sweeps);
  for (guint i = 0; i < 256; i++)
    tune->levels[i] =
        (float)pow (10, GST_OCT_TUNE_RANGE / 20 * (double)i / 255);
  if (tune->amplitudes != NULL)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_MEMORY,
      "%u B-scans of %u A-lines take %" G_GSIZE_FORMAT
      " MB to find a delay, and there is not as much memory; take fewer.",
      tune->sweeps, tune->lines, values * sizeof (float) / 1000000);
  return FALSE;
}

static void
tune_clear (Tune *tune)
{
  g_free (tune->amplitudes);
  g_free (tune->reverse);
  g_free (tune->apart);
}

/* Pixel `column` of a row. */
static float
tune_get_level (const Tune *tune, const guint8 *row, guint column)
{
  const guint8 *pixel = row + (gsize)column * tune->bytes;

  if (tune->deep)
    return (float)pow (10, GST_OCT_TUNE_RANGE / 20
                               * ((const guint16 *)(gconstpointer)row)[column]
                               / 65535);
  if (tune->bytes == 4)
    return tune->levels[(pixel[0] + pixel[1] + pixel[2]) / 3];
  return tune->levels[pixel[0]];
}

/* A-line `line` of a B-scan at a depth of it. */
static float
tune_get_amplitude (const Tune *tune, const guint8 *values, gsize stride,
    gsize depth, gsize line)
{
  const float *parts;

  if (!tune->complex)
    return tune_get_level (tune, values + depth * stride, (guint)line);
  parts = (const float *)(gconstpointer)(values + line * stride) + 2 * depth;
  return hypotf (parts[0], parts[1]);
}

/* A B-scan, its depths spread over those that it has. */
static void
tune_add_bscan (Tune *tune, const guint8 *values, gsize stride, guint64 number)
{
  float *to =
      tune->amplitudes + (gsize)tune->taken * tune->lines * tune->depths;

  for (guint z = 0; z < tune->depths; z++) {
    gsize depth = (gsize)z * tune->there / tune->depths;

    for (guint i = 0; i < tune->lines; i++)
      to[(gsize)i * tune->depths + z] =
          tune_get_amplitude (tune, values, stride, depth, i);
  }
  tune->reverse[tune->taken] = number % 2 == 1;
  tune->apart[tune->taken] = tune->taken > 0 && number != tune->next;
  tune->next = number + 1;
  tune->taken++;
}

static gboolean
tune_add (Tune *tune, GstOctAside *aside, GError **error)
{
  const GstOctInfo *info = gst_oct_aside_get_info (aside);
  const GstOctBscanNumber *first = gst_oct_aside_get_number (aside);
  const guint8 *values = gst_oct_aside_read (aside, error);
  gsize stride = gst_oct_info_row_size (info);
  gsize rows = info->rows / info->bscans;

  for (guint i = 0; values != NULL && i < info->bscans; i++) {
    guint64 number = first->number + i;

    tune_add_bscan (tune, values + i * rows * stride, stride,
        first->volume > 0 ? number % first->volume : number);
  }
  return values != NULL;
}

gpointer
gst_oct_tune_find (GPtrArray *bscans, const gint *cancelled, GError **error)
{
  g_autofree OctScanTuning *found = g_new0 (OctScanTuning, 1);
  gboolean ok;
  Tune tune;

  ok = tune_init (&tune, bscans, error);
  for (guint i = 0; ok && i < bscans->len; i++)
    ok = !g_atomic_int_get (cancelled)
         && tune_add (&tune, bscans->pdata[i], error);
  ok = ok
       && oct_scan_tuner_find (
           &(OctScanSweeps){ tune.sweeps, tune.lines, tune.depths,
               tune.amplitudes, tune.reverse, tune.apart, cancelled },
           found, error);
  tune_clear (&tune);
  return ok ? g_steal_pointer (&found) : NULL;
}
