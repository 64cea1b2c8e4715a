/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctmean.h"
#include "gstoctaside.h"

#include <math.h>

static double
mean_get_value (OctSampleFormat format, gconstpointer values, gsize i)
{
  if (format == OCT_SAMPLE_U8)
    return ((const guint8 *)values)[i];
  if (format == OCT_SAMPLE_U16)
    return ((const guint16 *)values)[i];
  return ((const float *)values)[i];
}

/* A value of a float file that is not a finite number does not count. */
static gboolean
mean_add_lines (GstOctAside *aside, double *sum, guint *counts, guint *lines,
    GError **error)
{
  const GstOctInfo *info = gst_oct_aside_get_info (aside);
  gconstpointer values = gst_oct_aside_read (aside, error);
  gsize size = (gsize)gst_oct_aside_get_lines (aside) * info->columns;

  if (values == NULL)
    return FALSE;
  for (gsize i = 0; i < size; i++) {
    double value = mean_get_value (info->format, values, i);

    if (!isfinite (value))
      continue;
    sum[i % info->columns] += value;
    counts[i % info->columns]++;
  }
  *lines += gst_oct_aside_get_lines (aside);
  return TRUE;
}

/* sum[samples] becomes the mean. */
static gboolean
mean_divide (double *sum, const guint *counts, guint samples, GError **error)
{
  double total = 0;

  for (guint i = 0; i < samples; i++) {
    sum[i] = counts[i] > 0 ? sum[i] / counts[i] : 0;
    total += fabs (sum[i]);
  }
  if (total > 0)
    return TRUE;
  g_set_error_literal (error, OCT_ERROR, OCT_ERROR_FORMAT,
      "The spectra are zero everywhere, which is not a background; let the "
      "light of the reference arm reach the camera and take it again.");
  return FALSE;
}

gpointer
gst_oct_mean_find (GPtrArray *bscans, const gint *cancelled, GError **error)
{
  guint samples = gst_oct_aside_get_info (bscans->pdata[0])->columns;
  g_autofree guint *counts = g_new0 (guint, samples);
  GstOctMean *mean = g_new0 (GstOctMean, 1);
  gboolean ok = TRUE;

  mean->samples = samples;
  mean->values = g_new0 (double, samples);
  for (guint i = 0; ok && i < bscans->len; i++)
    ok = !g_atomic_int_get (cancelled)
         && mean_add_lines (
             bscans->pdata[i], mean->values, counts, &mean->lines, error);
  if (ok && mean_divide (mean->values, counts, samples, error))
    return mean;
  gst_oct_mean_free (mean);
  return NULL;
}

void
gst_oct_mean_free (gpointer data)
{
  GstOctMean *mean = data;

  g_free (mean->values);
  g_free (mean);
}
