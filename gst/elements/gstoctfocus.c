/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctfocus.h"
#include "oct-backend.h"

#include <math.h>

/* B-scans are gathered until there are that many lines, but not for long. */
#define ENOUGH_LINES 200
#define MOST_BSCANS 64

typedef enum {
  IDLE,
  GATHERING, /* B-scans are needed */
  SEARCHING, /* the thread is at work */
} State;

struct _GstOctFocus {
  GstElement *element;
  GstOctFocusDone done;
  GMutex lock; /* for `thread` and to begin */
  GThread *thread;
  GstOctFocusKind kind; /* does not change from a beginning to its end */
  gint state;           /* atomic */
  gint cancelled;       /* atomic */

  /* streaming thread, and then the thread */
  GPtrArray *bscans; /* GstOctAside */
  guint lines;
  OctCalibration *calibration;
  gboolean third;
  GstOctFocusPhase former;
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
focus_forget (GstOctFocus *focus)
{
  g_ptr_array_set_size (focus->bscans, 0);
  focus->lines = 0;
  g_clear_pointer (&focus->calibration, oct_calibration_unref);
}

static void
focus_join (GstOctFocus *focus)
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
gst_oct_focus_begin (GstOctFocus *focus, GstOctFocusKind kind)
{
  gboolean idle;

  g_mutex_lock (&focus->lock);
  idle = g_atomic_int_get (&focus->state) == IDLE;
  if (idle) {
    focus->kind = kind;
    g_atomic_int_set (&focus->state, GATHERING);
  }
  g_mutex_unlock (&focus->lock);
  return idle;
}

void
gst_oct_focus_stop (GstOctFocus *focus)
{
  g_atomic_int_set (&focus->cancelled, TRUE);
  focus_join (focus);
  focus_forget (focus);
  g_atomic_int_set (&focus->state, IDLE);
  g_atomic_int_set (&focus->cancelled, FALSE);
}

gboolean
gst_oct_focus_wants (GstOctFocus *focus)
{
  return g_atomic_int_get (&focus->state) == GATHERING;
}

/* ------------------------------------------------------------------- search */

/* Where an A-line lies across the B-scan, and its values. */
typedef struct {
  guint place;
  const float *values;
} Line;

static gint
compare_places (gconstpointer a, gconstpointer b)
{
  guint first = ((const Line *)a)->place, second = ((const Line *)b)->place;

  return (first > second) - (first < second);
}

/* spectra[lines][samples] of all B-scans, those from the same place next to
 * each other: parts of the lines, which say how sure the answer is, are parts
 * of the scene then, and not the same scene again.  Buffers may differ in their
 * number of B-scans, and so of lines. */
static float *
read_spectra (GstOctFocus *focus, guint samples, GError **error)
{
  g_autoptr (GArray) lines =
      g_array_sized_new (FALSE, FALSE, sizeof (Line), focus->lines);
  float *spectra;

  for (guint i = 0; i < focus->bscans->len; i++) {
    GstOctAside *aside = g_ptr_array_index (focus->bscans, i);
    const float *values = gst_oct_aside_read (aside, error);

    if (values == NULL)
      return NULL;
    for (guint k = 0; k < gst_oct_aside_get_lines (aside); k++) {
      Line line = { gst_oct_aside_get_place (aside, k),
        values + (gsize)k * samples };

      g_array_append_val (lines, line);
    }
  }
  g_array_sort (lines, compare_places); /* in order of time at each place */
  spectra = g_new (float, (gsize)lines->len *samples);
  for (guint i = 0; i < lines->len; i++)
    memcpy (spectra + (gsize)i * samples, g_array_index (lines, Line, i).values,
        samples * sizeof (float));
  return spectra;
}

/* Spectra as measured become uniform in wavenumber. */
static gboolean
focus_resample (
    GstOctFocus *focus, guint samples, float **spectra, GError **error)
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

/* rad/um; 0: not known */
static double
get_half_range (OctCalibration *calibration)
{
  double k_min = 0, k_max = 0;

  if (calibration != NULL)
    oct_calibration_get_k_range (calibration, &k_min, &k_max);
  return 0.5 * (k_max - k_min);
}

/* The phase in force, rad at the ends of the axis. */
static double
get_former (const GstOctFocus *focus, double half_range, guint order)
{
  const GstOctFocusPhase *former = &focus->former;

  return order == 2 ? former->a2 * pow (half_range, 2) + former->phase2
                    : former->a3 * pow (half_range, 3) + former->phase3;
}

/* phase[samples]: that of the calibration, and of the third order if that is
 * given */
static double *
focus_make_phase (GstOctFocus *focus, guint samples, double half_range)
{
  const double *given =
      focus->calibration != NULL
          ? oct_calibration_get_dispersion (focus->calibration)
          : NULL;
  double *phase = g_new0 (double, samples);
  gboolean third = focus->third || focus->kind == GST_OCT_FOCUS_WAVENUMBERS;
  double c3 = third ? 0 : get_former (focus, half_range, 3);

  for (guint n = 0; n < samples; n++)
    phase[n] = (given != NULL ? given[n] : 0)
               - c3 * pow (2.0 * n / (samples - 1) - 1, 3);
  return phase;
}

static gboolean
search_in (const OctAutofocusParams *params, const float *spectra,
    GstOctFocusResult *result, GError **error)
{
  if (result->kind == GST_OCT_FOCUS_WAVENUMBERS)
    return oct_refine_find (params, spectra, &result->wavenumbers, error)
           && oct_refine_check (&result->wavenumbers, error);
  return oct_autofocus_find (params, spectra, &result->dispersion, error)
         && oct_autofocus_check (&result->dispersion, error);
}

static gboolean
focus_search (GstOctFocus *focus, GstOctFocusResult *result, GError **error)
{
  const GstOctInfo *info =
      gst_oct_aside_get_info (g_ptr_array_index (focus->bscans, 0));
  g_autofree double *phase =
      focus_make_phase (focus, info->columns, result->half_range);
  OctAutofocusParams params = { .samples = info->columns,
    .lines = focus->lines,
    .phase = phase,
    .first = OCT_AUTOFOCUS_FIRST_BIN,
    .third = focus->third,
    .former = { get_former (focus, result->half_range, 2),
        focus->third ? get_former (focus, result->half_range, 3) : 0 },
    .cancelled = &focus->cancelled };
  g_autofree float *spectra = read_spectra (focus, info->columns, error);

  return spectra != NULL
         && (info->axis == GST_OCT_AXIS_WAVENUMBER
             || focus_resample (focus, info->columns, &spectra, error))
         && search_in (&params, spectra, result, error);
}

static gpointer
focus_run (gpointer data)
{
  GstOctFocus *focus = data;
  GstOctFocusResult result = { .kind = focus->kind,
    .half_range = get_half_range (focus->calibration) };
  g_autoptr (GError) error = NULL;

  focus_search (focus, &result, &error);
  focus_forget (focus);
  if (g_atomic_int_get (&focus->cancelled))
    return NULL;
  /* done() may begin the next one */
  g_atomic_int_set (&focus->state, IDLE);
  focus->done (focus->element, &result, error);
  return NULL;
}

/* ------------------------------------------------------------------ B-scans */

void
gst_oct_focus_refuse (GstOctFocus *focus, const GError *error)
{
  GstOctFocusResult result = { .kind = focus->kind };

  focus_forget (focus);
  g_atomic_int_set (&focus->state, IDLE);
  focus->done (focus->element, &result, error);
}

/* Spectra that are uniform in wavenumber need no calibration: phases are those
 * at their ends. */
static gboolean
focus_check (
    const GstOctInfo *info, OctCalibration *calibration, GError **error)
{
  if (info->axis == GST_OCT_AXIS_WAVENUMBER
      || (calibration != NULL
          && oct_calibration_get_samples (calibration) == info->columns
          && oct_calibration_get_positions (calibration) != NULL))
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "The dispersion cannot be looked for: the spectra are not uniform in "
      "wavenumber, and no calibration says where their wavenumbers lie; set "
      "`calibration`, or `wavelength-min` and `wavelength-max`, on octsrc or "
      "octdcsub.");
  return FALSE;
}

static gboolean
focus_add (GstOctFocus *focus, GstBuffer *buffer, const GstOctInfo *info,
    gboolean on_gpu, OctCalibration *calibration, GError **error)
{
  GstOctAside *aside;
  GstOctInfo there;

  if (!focus_check (info, calibration, error))
    return FALSE;
  /* spectra of another kind start again */
  if (focus->bscans->len > 0
      && !gst_oct_info_same_bscans (
          info, gst_oct_aside_get_info (g_ptr_array_index (focus->bscans, 0))))
    focus_forget (focus);
  gst_oct_info_of_buffer (&there, info, buffer);
  aside = gst_oct_aside_new (buffer, &there, on_gpu,
      gst_oct_lines_spread (there.rows, OCT_AUTOFOCUS_LINES), error);
  if (aside == NULL)
    return FALSE;
  g_ptr_array_add (focus->bscans, aside);
  focus->lines += gst_oct_aside_get_lines (aside);
  g_clear_pointer (&focus->calibration, oct_calibration_unref);
  if (calibration != NULL
      && oct_calibration_get_samples (calibration) == info->columns)
    focus->calibration = oct_calibration_ref (calibration);
  return TRUE;
}

void
gst_oct_focus_add (GstOctFocus *focus, GstBuffer *buffer,
    const GstOctInfo *info, gboolean on_gpu, OctCalibration *calibration,
    gboolean third, const GstOctFocusPhase *former)
{
  g_autoptr (GError) error = NULL;

  focus->third = third;
  focus->former = *former;
  if (!focus_add (focus, buffer, info, on_gpu, calibration, &error)) {
    gst_oct_focus_refuse (focus, error);
    return;
  }
  if (focus->lines < ENOUGH_LINES && focus->bscans->len < MOST_BSCANS)
    return;
  focus_join (focus); /* of the search before, which is done */
  g_atomic_int_set (&focus->state, SEARCHING);
  g_mutex_lock (&focus->lock);
  focus->thread = g_thread_new ("oct-autofocus", focus_run, focus);
  g_mutex_unlock (&focus->lock);
}
