/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctremaptune.h"
#include "gstoctbus.h"
#include "gstocttake.h"
#include "gstocttune.h"
#include "oct-scan-tuner.h"

#include <math.h>

#define KEY "oct-remap-tune"
/* B-scans with more lost A-lines, part of all, are left out; and the search ends
 * after so many of them. */
#define MOST_LOST 8
#define MOST_LEFT_OUT 200

struct _GstOctRemapTune {
  GstElement *element;
  GstOctTake *take;
  gint busy;    /* atomic: a search has begun, and its message has not come */
  gint wanted;  /* atomic: B-scans */
  gint checked; /* atomic: the path goes forth and back */

  /* streaming thread */
  guint left_out;

  /* under the object lock */
  gboolean axes[OCT_SCAN_AXES];
  double line_rate; /* 0: not known */
};

static GstOctRemapTune *
remap_tune_get (gpointer element)
{
  return g_object_get_data (element, KEY);
}

/* One message for each search. */
static void
remap_tune_post (GstOctRemapTune *tune, const char *result, GstStructure *more)
{
  gst_structure_set (more, "result", G_TYPE_STRING, result, NULL);
  if (g_atomic_int_compare_and_exchange (&tune->busy, TRUE, FALSE))
    gst_oct_bus_post (tune->element, more);
  else
    gst_structure_free (more);
}

static void
remap_tune_fail (GstOctRemapTune *tune, const char *text)
{
  remap_tune_post (tune, "failed",
      gst_structure_new ("oct-tune", "text", G_TYPE_STRING, text, NULL));
}

void
gst_oct_remap_tune_end (GstOctRemapTune *tune, const char *why)
{
  gst_oct_take_stop (tune->take);
  remap_tune_fail (tune, why);
}

void
gst_oct_remap_tune_finish (GstOctRemapTune *tune, const char *why)
{
  if (gst_oct_take_wants (tune->take))
    gst_oct_remap_tune_end (tune, why);
}

/* ------------------------------------------------------------------- result */

static char *
remap_tune_describe (
    const OctScanTuning *found, const char *axes, double line_rate)
{
  g_autofree char *time = line_rate > 0 ? g_strdup_printf (
                              " or %.4g us", found->lag / line_rate * 1e6)
                                        : g_strdup ("");
  g_autofree char *which = axes[1] != '\0' ? g_strdup ("delay-x and delay-y")
                                           : g_strdup_printf ("delay-%s", axes);

  return g_strdup_printf (
      "The beam is %.3f A-lines%s late (correlation %.2f); add this to %s of "
      "octscangen, or set %s of octremap to it.",
      found->lag, time, found->correlation, which, which);
}

/* `done` of the GstOctTakeKind. */
static void
remap_tune_done (GstElement *element, gconstpointer result, const GError *error)
{
  GstOctRemapTune *tune = remap_tune_get (element);
  const OctScanTuning *found = result;
  g_autofree char *text = NULL;
  const char *axes;
  double line_rate;
  GstStructure *s;

  if (found == NULL) {
    remap_tune_fail (tune, error->message);
    return;
  }
  GST_OBJECT_LOCK (element);
  axes = tune->axes[0] ? tune->axes[1] ? "xy" : "x" : "y";
  line_rate = tune->line_rate;
  GST_OBJECT_UNLOCK (element);
  text = remap_tune_describe (found, axes, line_rate);
  s = gst_structure_new ("oct-tune", "text", G_TYPE_STRING, text, "delay-lines",
      G_TYPE_DOUBLE, found->lag, "axes", G_TYPE_STRING, axes, "correlation",
      G_TYPE_DOUBLE, found->correlation, "pairs", G_TYPE_UINT, found->pairs,
      NULL);
  if (isfinite (found->error))
    gst_structure_set (s, "delay-error", G_TYPE_DOUBLE, found->error, NULL);
  if (line_rate > 0)
    gst_structure_set (s, "delay", G_TYPE_DOUBLE, found->lag / line_rate, NULL);
  remap_tune_post (tune, "found", s);
}

/* ------------------------------------------------------------------ B-scans */

/* FALSE: the search has failed. */
static gboolean
remap_tune_check (
    GstOctRemapTune *tune, const GstOctInfo *info, const OctScanPlaces *places)
{
  g_autoptr (GError) error = NULL;
  gboolean axes[OCT_SCAN_AXES] = { FALSE, FALSE };

  if (!oct_scan_tuner_check_path (places, axes, &error)) {
    gst_oct_remap_tune_end (tune, error->message);
    return FALSE;
  }
  GST_OBJECT_LOCK (tune->element);
  tune->axes[0] = axes[0];
  tune->axes[1] = axes[1];
  tune->line_rate = info->line_rate_n > 0 && info->line_rate_d > 0
                        ? (double)info->line_rate_n / info->line_rate_d
                        : 0;
  GST_OBJECT_UNLOCK (tune->element);
  tune->left_out = 0;
  g_atomic_int_set (&tune->checked, TRUE);
  return TRUE;
}

static gboolean
remap_tune_is_whole (const guint8 *valid, guint count)
{
  guint lost = 0;

  for (guint i = 0; valid != NULL && i < count; i++)
    lost += valid[i] == 0;
  return lost <= count / MOST_LOST;
}

void
gst_oct_remap_tune_take (GstOctRemapTune *tune, GstBuffer *buffer,
    const GstOctInfo *info, gboolean on_gpu, const OctScanPlaces *places,
    guint bscan, const guint8 *valid)
{
  const GstOctBscanNumber first = { bscan, places->bscans };
  GstOctInfo taken;

  if (!gst_oct_take_wants (tune->take)
      || (!g_atomic_int_get (&tune->checked)
          && !remap_tune_check (tune, info, places)))
    return;
  taken = gst_oct_tune_get_info (info);
  if (remap_tune_is_whole (valid, info->bscans * places->lines))
    gst_oct_take_add (tune->take, buffer, &taken, on_gpu, &first);
  else if (++tune->left_out == MOST_LEFT_OUT)
    gst_oct_remap_tune_end (tune,
        "Most B-scans have lost more than an eighth of their A-lines, and the "
        "delay of the mirrors is found from whole ones; look why the source "
        "loses them.");
}

void
gst_oct_remap_tune_restart (GstOctRemapTune *tune)
{
  if (!g_atomic_int_get (&tune->busy))
    return;
  gst_oct_take_stop (tune->take);
  g_atomic_int_set (&tune->checked, FALSE);
  if (g_atomic_int_get (&tune->busy))
    gst_oct_take_begin (tune->take, (guint)g_atomic_int_get (&tune->wanted));
}

/* ------------------------------------------------------------------- object */

static gboolean
remap_tune_begin (GstElement *element, guint bscans)
{
  GstOctRemapTune *tune = remap_tune_get (element);

  if (!g_atomic_int_compare_and_exchange (&tune->busy, FALSE, TRUE))
    return FALSE;
  g_atomic_int_set (&tune->wanted, (gint)CLAMP (bscans, 2, GST_OCT_TAKE_MOST));
  g_atomic_int_set (&tune->checked, FALSE);
  gst_oct_take_begin (tune->take, (guint)g_atomic_int_get (&tune->wanted));
  return TRUE;
}

void
gst_oct_remap_tune_install (GObjectClass *klass)
{
  /**
   * GstOctRemap::tune:
   * @bscans: how many B-scans, 2 to 100
   *
   * Finds the delay of the mirrors in the next B-scans, as they come in, of a
   * path that goes forth and back.  The element message "oct-tune" has the
   * result; nothing is set.
   *
   * Returns: %FALSE when that is under way already
   */
  g_signal_new_class_handler ("tune", G_TYPE_FROM_CLASS (klass),
      G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION, G_CALLBACK (remap_tune_begin), NULL,
      NULL, NULL, G_TYPE_BOOLEAN, 1, G_TYPE_UINT);
}

static void
remap_tune_free (gpointer data)
{
  GstOctRemapTune *tune = data;

  gst_oct_take_free (tune->take);
  g_free (tune);
}

GstOctRemapTune *
gst_oct_remap_tune_add (GstElement *element)
{
  static const GstOctTakeKind kind = { "oct-tune", 0, gst_oct_tune_find, g_free,
    remap_tune_done };
  GstOctRemapTune *tune = g_new0 (GstOctRemapTune, 1);

  tune->element = element;
  tune->take = gst_oct_take_new (element, &kind);
  g_object_set_data_full (G_OBJECT (element), KEY, tune, remap_tune_free);
  return tune;
}
