/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctfocus.h"
#include "oct-backend.h"

#include <math.h>

/* B-scans are gathered until there are that many lines, but not for long. */
#define ENOUGH_LINES 200
#define MOST_BSCANS 64

typedef enum {
  IDLE,
  GATHERING, /* B-scans are wanted */
  SEARCHING, /* the thread is at work */
} State;

struct _GstOctFocus {
  GstElement *element;
  GstOctFocusDone done;
  GMutex lock; /* for `thread` */
  GThread *thread;
  gint state;     /* atomic */
  gint cancelled; /* atomic */

  /* streaming thread, and then the thread */
  GPtrArray *bscans; /* GstOctAside */
  guint lines;
  OctCalibration *calibration;
  gboolean third;
  double a3; /* um^3, where that is not looked for */
};

GstOctFocus *
gst_oct_focus_new (GstElement *element, GstOctFocusDone done)
{
  GstOctFocus *focus = g_new0 (GstOctFocus, 1);

  focus->element = element;
  focus->done = done;
  focus->bscans =
      g_ptr_array_new_with_free_func ((GDestroyNotify)gst_oct_aside_free);
  g_mutex_init (&focus->lock);
  return focus;
}

static void
forget (GstOctFocus *focus)
{
  g_ptr_array_set_size (focus->bscans, 0);
  focus->lines = 0;
  g_clear_pointer (&focus->calibration, oct_calibration_unref);
}

static void
join (GstOctFocus *focus)
{
  GThread *thread;

  g_mutex_lock (&focus->lock);
  thread = g_steal_pointer (&focus->thread);
  g_mutex_unlock (&focus->lock);
  if (thread != NULL)
    g_thread_join (thread);
}

void
gst_oct_focus_free (GstOctFocus *focus)
{
  gst_oct_focus_stop (focus);
  g_ptr_array_unref (focus->bscans);
  g_mutex_clear (&focus->lock);
  g_free (focus);
}

gboolean
gst_oct_focus_begin (GstOctFocus *focus)
{
  return g_atomic_int_compare_and_exchange (&focus->state, IDLE, GATHERING);
}

void
gst_oct_focus_stop (GstOctFocus *focus)
{
  g_atomic_int_set (&focus->cancelled, TRUE);
  join (focus);
  forget (focus);
  g_atomic_int_set (&focus->state, IDLE);
  g_atomic_int_set (&focus->cancelled, FALSE);
}

gboolean
gst_oct_focus_wants (GstOctFocus *focus)
{
  return g_atomic_int_get (&focus->state) == GATHERING;
}

/* ------------------------------------------------------------------- search */

/* spectra[lines][samples] of all B-scans, which have the same number of lines
 * here, beside each other those from the same place: parts of the lines, which
 * say how sure the answer is, are parts of the scene then, and not the same
 * scene again. */
static float *
read_spectra (GstOctFocus *focus, guint samples, GError **error)
{
  g_autofree float *spectra = g_new (float, (gsize)focus->lines *samples);
  guint bscans = focus->bscans->len;

  for (guint i = 0; i < bscans; i++) {
    GstOctAside *aside = g_ptr_array_index (focus->bscans, i);
    const float *values = gst_oct_aside_read (aside, error);

    if (values == NULL)
      return NULL;
    for (guint line = 0; line < gst_oct_aside_get_lines (aside); line++)
      memcpy (spectra + ((gsize)line * bscans + i) * samples,
          values + (gsize)line * samples, samples * sizeof (float));
  }
  return g_steal_pointer (&spectra);
}

/* Spectra as measured become uniform in wavenumber. */
static gboolean
resample (GstOctFocus *focus, guint samples, float **spectra, GError **error)
{
  const OctOperationTable *table =
      oct_backend_cpu ()->operations[OCT_OPERATION_RESAMPLE];
  OctResampleParams params = { samples, focus->lines, OCT_RESAMPLE_CUBIC, 1,
    oct_calibration_get_positions (focus->calibration) };
  g_autofree float *uniform = g_new (float, (gsize)focus->lines *samples);
  OctFrame from = { .planes = { { *spectra, samples * sizeof (float) } } };
  OctFrame to = { .planes = { { uniform, samples * sizeof (float) } } };
  OctPlan *plan = table->create (&params, error);
  gboolean ok = plan != NULL && table->run (plan, &from, &to, NULL, error);

  if (plan != NULL)
    table->destroy (plan);
  if (ok) {
    g_free (*spectra);
    *spectra = g_steal_pointer (&uniform);
  }
  return ok;
}

static double
get_half_range (OctCalibration *calibration)
{
  double k_min = 0, k_max = 0;

  oct_calibration_get_k_range (calibration, &k_min, &k_max);
  return 0.5 * (k_max - k_min);
}

/* phase[samples]: that of the calibration, and of a3 where that is given */
static double *
make_phase (GstOctFocus *focus, guint samples, double half_range)
{
  const double *given = oct_calibration_get_dispersion (focus->calibration);
  double *phase = g_new0 (double, samples);
  double c3 = focus->third ? 0 : focus->a3 * pow (half_range, 3);

  for (guint n = 0; n < samples; n++)
    phase[n] = (given != NULL ? given[n] : 0)
               - c3 * pow (2.0 * n / (samples - 1) - 1, 3);
  return phase;
}

static gboolean
search (
    GstOctFocus *focus, double half_range, OctAutofocus *found, GError **error)
{
  const GstOctInfo *info =
      gst_oct_aside_get_info (g_ptr_array_index (focus->bscans, 0));
  g_autofree double *phase = make_phase (focus, info->columns, half_range);
  OctAutofocusParams params = { .samples = info->columns,
    .lines = focus->lines,
    .phase = phase,
    .first = OCT_AUTOFOCUS_FIRST_BIN,
    .third = focus->third,
    .cancelled = &focus->cancelled };
  g_autofree float *spectra = read_spectra (focus, info->columns, error);

  return spectra != NULL
         && (info->axis == GST_OCT_AXIS_WAVENUMBER
             || resample (focus, info->columns, &spectra, error))
         && oct_autofocus_find (&params, spectra, found, error)
         && oct_autofocus_check (found, error);
}

static gpointer
run (gpointer data)
{
  GstOctFocus *focus = data;
  OctAutofocus found = { 0 };
  g_autoptr (GError) error = NULL;
  double half_range = get_half_range (focus->calibration);

  search (focus, half_range, &found, &error);
  forget (focus);
  if (g_atomic_int_get (&focus->cancelled))
    return NULL;
  /* who hears of it may begin the next */
  g_atomic_int_set (&focus->state, IDLE);
  focus->done (focus->element, &found, half_range, error);
  return NULL;
}

/* ------------------------------------------------------------------ B-scans */

void
gst_oct_focus_refuse (GstOctFocus *focus, const GError *error)
{
  forget (focus);
  g_atomic_int_set (&focus->state, IDLE);
  focus->done (focus->element, NULL, 0, error);
}

static gboolean
check (const GstOctInfo *info, OctCalibration *calibration, GError **error)
{
  double k_min, k_max;

  if (calibration != NULL
      && oct_calibration_get_samples (calibration) == info->columns
      && oct_calibration_get_k_range (calibration, &k_min, &k_max)
      && oct_calibration_get_positions (calibration) != NULL)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "The dispersion cannot be looked for: a2 and a3 need the wavelengths of "
      "the spectra and there are none; set `calibration`, or `wavelength-min` "
      "and `wavelength-max`, on octsrc or octdcsub.");
  return FALSE;
}

static gboolean
add (GstOctFocus *focus, GstBuffer *buffer, const GstOctInfo *info,
    gboolean on_gpu, OctCalibration *calibration, GError **error)
{
  GstOctAside *aside;

  if (!check (info, calibration, error))
    return FALSE;
  /* spectra of another kind begin anew */
  if (focus->bscans->len > 0
      && !gst_oct_info_same_layout (
          info, gst_oct_aside_get_info (g_ptr_array_index (focus->bscans, 0))))
    forget (focus);
  aside = gst_oct_aside_new (buffer, info, on_gpu,
      gst_oct_lines_spread (info->rows, OCT_AUTOFOCUS_LINES), error);
  if (aside == NULL)
    return FALSE;
  g_ptr_array_add (focus->bscans, aside);
  focus->lines += gst_oct_aside_get_lines (aside);
  g_clear_pointer (&focus->calibration, oct_calibration_unref);
  focus->calibration = oct_calibration_ref (calibration);
  return TRUE;
}

void
gst_oct_focus_add (GstOctFocus *focus, GstBuffer *buffer,
    const GstOctInfo *info, gboolean on_gpu, OctCalibration *calibration,
    gboolean third, double a3)
{
  g_autoptr (GError) error = NULL;

  focus->third = third;
  focus->a3 = a3;
  if (!add (focus, buffer, info, on_gpu, calibration, &error)) {
    gst_oct_focus_refuse (focus, error);
    return;
  }
  if (focus->lines < ENOUGH_LINES && focus->bscans->len < MOST_BSCANS)
    return;
  join (focus); /* of the search before, which is done */
  g_atomic_int_set (&focus->state, SEARCHING);
  g_mutex_lock (&focus->lock);
  focus->thread = g_thread_new ("oct-autofocus", run, focus);
  g_mutex_unlock (&focus->lock);
}
