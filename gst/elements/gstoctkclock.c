/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-octkclock
 *
 * Makes the spectra of a swept source uniform in wavenumber by its k-clock: the
 * second channel of a digitizer, with the interference of two paths.
 *
 * |[
 * gst-launch-1.0 octdaqsrc socket=daq k-clock=true num-buffers=50 ! octkclock
 *   ! octdcsub ! octfft ! octlogscale ! videoconvert ! autovideosink
 * ]|
 */
#include "gstoctkclock.h"
#include "gstoctbus.h"
#include "gstoctcaps.h"
#include "gstoctrawcaps.h"
#include "gstoctscanmeta.h"

GST_DEBUG_CATEGORY_STATIC (gst_oct_kclock_debug);
#define GST_CAT_DEFAULT gst_oct_kclock_debug

#define TELL_TIME G_TIME_SPAN_SECOND

/* The way of the source's wavelength along a sweep. */
typedef enum {
  SWEEP_AUTO,
  SWEEP_RISING,
  SWEEP_FALLING,
} Sweep;

typedef struct {
  OctKclockMethod method;
  Sweep sweep;
  guint order, average;
  double max_jitter, min_snr, delay;
} Settings;

struct _GstOctKClock {
  GstOctFilter parent;

  /* streaming thread */
  guint64 told[OCT_MOST_COUNTS];  /* A-lines, by OctKclockFault */
  guint64 total[OCT_MOST_COUNTS]; /* of those, without lost ones */
  guint64 lost; /* A-lines that the source lost, and that are not told yet */
  gint64 told_at;
};

G_DEFINE_TYPE (GstOctKClock, gst_oct_kclock, GST_TYPE_OCT_FILTER);
GST_OCT_REGISTER_DEFINE (
    octkclock, "octkclock", GST_RANK_NONE, GST_TYPE_OCT_KCLOCK);

static const GEnumValue methods[] = {
  { OCT_KCLOCK_STATIC, "The mean sweep, delayed as each A-line is", "static" },
  { OCT_KCLOCK_FIT, "And a polynomial of `order` for what differs", "fit" },
  { OCT_KCLOCK_FULL, "And the phase of each sample, with its noise", "full" },
  { OCT_KCLOCK_AUTO, "fit where sweeps differ in shape, else static", "auto" },
  { 0, NULL, NULL },
};

static GST_OCT_DEFINE_ENUM (
    kclock_get_method_type, "GstOctKClockMethod", methods);

static const GEnumValue sweeps[] = {
  { SWEEP_AUTO, "As the calibration from upstream says, else rising", "auto" },
  { SWEEP_RISING, "From the shortest to the longest", "rising" },
  { SWEEP_FALLING, "From the longest to the shortest", "falling" },
  { 0, NULL, NULL },
};

static GST_OCT_DEFINE_ENUM (kclock_get_sweep_type, "GstOctKClockSweep", sweeps)

    static const GstOctProperty rows[] = {
      { "method", "Method", "How the phase of an A-line's clock is found",
          GST_OCT_PROPERTY_LIVE, NULL,
          GST_OCT_ENUM (
              Settings, method, kclock_get_method_type, OCT_KCLOCK_AUTO) },
      { "order", "Order", "method=fit: order of the polynomial along the sweep",
          GST_OCT_PROPERTY_LIVE, NULL,
          GST_OCT_UINT (Settings, order, 0, OCT_KCLOCK_MOST_ORDER, 6) },
      { "average", "Average",
          "A-lines over which the mean sweep is averaged, at most one buffer "
          "of them at a time",
          GST_OCT_PROPERTY_LIVE, NULL,
          GST_OCT_UINT (Settings, average, 1, OCT_KCLOCK_MOST_AVERAGE, 256) },
      { "max-jitter", "Largest jitter",
          "Samples by which sweeps may begin sooner or later than the mean "
          "sweep",
          GST_OCT_PROPERTY_LIVE, NULL,
          GST_OCT_DOUBLE (
              Settings, max_jitter, 0.0, OCT_KCLOCK_MOST_JITTER, 1.0) },
      { "min-snr", "Least SNR",
          "Signal-to-noise ratio of the clock in dB below which an A-line is "
          "refused",
          GST_OCT_PROPERTY_LIVE, NULL,
          GST_OCT_DOUBLE (Settings, min_snr, -20.0, 60.0, 5.0) },
      { "delay", "Delay",
          "Samples by which the spectra come after the clock, of cables of "
          "different length; oct-calibrate --clock finds it",
          GST_OCT_PROPERTY_LIVE, NULL,
          GST_OCT_DOUBLE (Settings, delay, -OCT_KCLOCK_MOST_DELAY,
              OCT_KCLOCK_MOST_DELAY, 0.0) },
      { "sweep", "Sweep",
          "Way of the wavelength along a sweep.  The output begins at the "
          "smallest wavenumber, which the signs of dispersion depend on",
          GST_OCT_PROPERTY_LIVE, NULL,
          GST_OCT_ENUM (Settings, sweep, kclock_get_sweep_type, SWEEP_AUTO) },
    };
static const GstOctProperties properties = GST_OCT_PROPERTIES (Settings, rows);

/* ------------------------------------------------------------------------ caps */

/* The number of samples of spectra without the clock, or of both. */
static void
kclock_set_samples (const GstStructure *from, const char *from_field,
    GstStructure *to, gboolean with_clock)
{
  gint samples;

  if (gst_structure_get_int (from, from_field, &samples))
    gst_structure_set (to, "samples", G_TYPE_INT,
        with_clock ? (gint)MIN (2 * (gint64)samples, G_MAXINT)
                   : MAX (1, samples / 2),
        NULL);
  else
    gst_structure_set (
        to, "samples", GST_TYPE_INT_RANGE, 1, (gint)OCT_MAX_SAMPLES, NULL);
}

static void
gst_oct_kclock_transform_structure (GstOctFilter *filter,
    gconstpointer settings, GstPadDirection direction, const GstStructure *from,
    GstCaps *result)
{
  gboolean raw = gst_structure_has_name (from, "video/x-raw");
  GstStructure *to = gst_structure_new (GST_OCT_SPECTRA_NAME, "format",
      G_TYPE_STRING, "F32LE", "axis", G_TYPE_STRING,
      direction == GST_PAD_SINK ? "wavenumber" : "wavelength", NULL);

  gst_oct_structure_copy_scan (from, to);
  gst_oct_structure_copy_field (
      from, GST_OCT_BSCANS_FIELD, to, GST_OCT_BSCANS_FIELD);
  gst_oct_structure_copy_field (from, raw ? "height" : "lines", to, "lines");
  if (raw)
    gst_oct_raw_set_lines (from, to);
  kclock_set_samples (
      from, raw ? "width" : "samples", to, direction == GST_PAD_SRC);
  if (direction == GST_PAD_SRC)
    gst_oct_raw_append (to, result);
  gst_caps_append_structure (result, to);
}

/* Whether the wavenumber falls along a sweep. */
static gboolean
kclock_is_falling (GstOctFilter *filter, Sweep sweep, guint samples)
{
  g_autoptr (OctCalibration) calibration =
      gst_oct_filter_ref_upstream_calibration (filter);
  const double *positions =
      calibration != NULL ? oct_calibration_get_positions (calibration) : NULL;

  if (sweep != SWEEP_AUTO || positions == NULL
      || oct_calibration_get_samples (calibration) != samples)
    return sweep != SWEEP_FALLING;
  return positions[samples - 1] < positions[0];
}

static gboolean
gst_oct_kclock_configure (GstOctFilter *filter, gconstpointer data,
    GstOctPurpose purpose, GError **error)
{
  const Settings *settings = data;
  const GstOctInfo *input = gst_oct_filter_get_input (filter);
  OctKclockParams params = { .format = input->format,
    .samples = input->columns / 2,
    .lines = input->rows,
    .bscans = input->bscans,
    .method = settings->method,
    .order = settings->order,
    .average = settings->average,
    .max_jitter = settings->max_jitter,
    .min_snr = settings->min_snr,
    .delay = settings->delay,
    .falling =
        kclock_is_falling (filter, settings->sweep, input->columns / 2) };

  if (input->columns % 2 != 0) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "A-lines of %u samples came, but octkclock expects as many samples of "
        "the k-clock as of the spectrum after them; set k-clock=true on "
        "octdaqsrc, or leave octkclock out where there is no k-clock.",
        input->columns);
    return FALSE;
  }
  return gst_oct_filter_set_plan (filter, OCT_OPERATION_KCLOCK, &params, error);
}

/* ---------------------------------------------------------------------- faults */

/* The fault of the clock, and how to mend it. */
static const char *const sentences[OCT_KCLOCK_N_FAULTS] = {
  [OCT_KCLOCK_WEAK] = "its SNR is below `min-snr`; give its channel more light "
                      "or gain, or lower `min-snr` of octkclock",
  [OCT_KCLOCK_GAP] = "it is interrupted; check its light and the range of its "
                     "channel",
  [OCT_KCLOCK_HOP] =
      "its phase jumps, as it does when the source hops from one "
      "mode to another; check the source and the trigger",
  [OCT_KCLOCK_LATE] = "the sweep begins farther from the others than "
                      "`max-jitter`; check the trigger, or raise `max-jitter` "
                      "of octkclock",
  [OCT_KCLOCK_NONE] = "there is none in the second half of the samples; check "
                      "its cable and its light, or set k-clock=true on "
                      "octdaqsrc",
  [OCT_KCLOCK_FAST] = "it has nearly half a cycle per sample or more; make the "
                      "path difference of its interferometer shorter, or the "
                      "sampling faster",
  [OCT_KCLOCK_SLOW] = "it has fewer than 8 cycles in a sweep; make the path "
                      "difference of its interferometer longer",
};

/* `fresh`: A-lines since the last time, by OctKclockFault. */
static void
kclock_warn (GstOctKClock *self, const guint64 *fresh)
{
  guint64 lines = 0, refused = 0, most = 0;
  OctKclockFault worst = OCT_KCLOCK_NONE;

  for (guint i = 0; i < OCT_KCLOCK_N_FAULTS; i++) {
    lines += fresh[i];
    if (i == OCT_KCLOCK_GOOD)
      continue;
    refused += fresh[i];
    if (fresh[i] > most) {
      most = fresh[i];
      worst = i;
    }
  }
  GST_ELEMENT_WARNING (self, STREAM, DECODE,
      ("The k-clock cannot be used in %" G_GUINT64_FORMAT
       " of %" G_GUINT64_FORMAT " A-lines, which are %s: mostly %s.",
          refused, lines,
          worst >= OCT_KCLOCK_NONE ? "black" : "resampled as the mean sweep is",
          sentences[worst]),
      (NULL));
}

/* A-lines since the last time: lost ones are zeros, whose clock is weak, or none
 * if that of the others is none.  Returns how many of them are still under
 * way. */
static guint64
kclock_find_fresh (GstOctKClock *self, const guint64 *now, guint64 *fresh)
{
  static const OctKclockFault of_zeros[] = { OCT_KCLOCK_WEAK, OCT_KCLOCK_NONE,
    OCT_KCLOCK_FAST, OCT_KCLOCK_SLOW };
  guint64 lost = self->lost;

  for (guint i = 0; i < OCT_KCLOCK_N_FAULTS; i++) {
    /* a plan for other caps counts anew */
    if (now[i] < self->told[i])
      memset (self->told, 0, sizeof self->told);
  }
  for (guint i = 0; i < OCT_KCLOCK_N_FAULTS; i++)
    fresh[i] = now[i] - self->told[i];
  for (guint i = 0; i < G_N_ELEMENTS (of_zeros); i++) {
    guint64 n = MIN (lost, fresh[of_zeros[i]]);

    fresh[of_zeros[i]] -= n;
    lost -= n;
  }
  return lost;
}

static void
kclock_post (GstOctKClock *self, guint64 refused_now)
{
  const guint64 *total = self->total;
  guint64 refused = 0;

  for (guint i = OCT_KCLOCK_GOOD + 1; i < OCT_KCLOCK_N_FAULTS; i++)
    refused += total[i];
  gst_oct_bus_post (GST_ELEMENT (self),
      gst_structure_new ("oct-k-clock", "good", G_TYPE_UINT64,
          total[OCT_KCLOCK_GOOD], "refused", G_TYPE_UINT64, refused,
          "refused-now", G_TYPE_UINT64, refused_now, "weak", G_TYPE_UINT64,
          total[OCT_KCLOCK_WEAK], "gaps", G_TYPE_UINT64, total[OCT_KCLOCK_GAP],
          "hops", G_TYPE_UINT64, total[OCT_KCLOCK_HOP], "late", G_TYPE_UINT64,
          total[OCT_KCLOCK_LATE], "none", G_TYPE_UINT64, total[OCT_KCLOCK_NONE],
          "fast", G_TYPE_UINT64, total[OCT_KCLOCK_FAST], "slow", G_TYPE_UINT64,
          total[OCT_KCLOCK_SLOW], NULL));
}

static void
kclock_tell (GstOctKClock *self, gboolean last)
{
  GstOctOperator *op = gst_oct_filter_get_operator (GST_OCT_FILTER (self));
  guint64 now[OCT_MOST_COUNTS], fresh[OCT_KCLOCK_N_FAULTS], lost, refused = 0;
  gint64 time = g_get_monotonic_time ();

  if (op == NULL
      || (!last && self->told_at > 0 && time < self->told_at + TELL_TIME))
    return;
  gst_oct_operator_get_counts (op, now);
  lost = kclock_find_fresh (self, now, fresh);
  for (guint i = OCT_KCLOCK_GOOD + 1; i < OCT_KCLOCK_N_FAULTS; i++)
    refused += fresh[i];
  if (refused == 0)
    return;
  kclock_warn (self, fresh);
  for (guint i = 0; i < OCT_KCLOCK_N_FAULTS; i++)
    self->total[i] += fresh[i];
  kclock_post (self, refused);
  memcpy (self->told, now, sizeof self->told);
  self->lost = lost;
  self->told_at = time;
}

static void
gst_oct_kclock_found (GstOctFilter *filter, double value)
{
  kclock_tell (GST_OCT_KCLOCK (filter), FALSE);
}

static GstFlowReturn
gst_oct_kclock_submit_input_buffer (
    GstBaseTransform *trans, gboolean is_discont, GstBuffer *buffer)
{
  GST_OCT_KCLOCK (trans)->lost += gst_oct_scan_meta_count_lost (
      buffer, gst_oct_filter_get_input (GST_OCT_FILTER (trans))->rows);
  return GST_BASE_TRANSFORM_CLASS (gst_oct_kclock_parent_class)
      ->submit_input_buffer (trans, is_discont, buffer);
}

/* The A-lines of the last second are told at the end of the stream. */
static gboolean
gst_oct_kclock_sink_event (GstBaseTransform *trans, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS) {
    gst_oct_filter_wait (GST_OCT_FILTER (trans));
    kclock_tell (GST_OCT_KCLOCK (trans), TRUE);
  }
  return GST_BASE_TRANSFORM_CLASS (gst_oct_kclock_parent_class)
      ->sink_event (trans, event);
}

static gboolean
gst_oct_kclock_start (GstBaseTransform *trans)
{
  GstOctKClock *self = GST_OCT_KCLOCK (trans);

  memset (self->told, 0, sizeof self->told);
  memset (self->total, 0, sizeof self->total);
  self->lost = 0;
  self->told_at = 0;
  return GST_BASE_TRANSFORM_CLASS (gst_oct_kclock_parent_class)->start (trans);
}

static const char *
gst_oct_kclock_get_history (gconstpointer settings, const char **instead)
{
  *instead = "leave octkclock out of branches for several GPUs";
  return "the mean sweep of octkclock";
}

static void
gst_oct_kclock_class_init (GstOctKClockClass *klass)
{
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);
  GstOctFilterClass *filter_class = GST_OCT_FILTER_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (gst_oct_kclock_debug, "octkclock", 0, "OCT k-clock");
  trans_class->start = gst_oct_kclock_start;
  trans_class->submit_input_buffer = gst_oct_kclock_submit_input_buffer;
  trans_class->sink_event = gst_oct_kclock_sink_event;
  filter_class->transform_structure = gst_oct_kclock_transform_structure;
  filter_class->configure = gst_oct_kclock_configure;
  filter_class->get_history = gst_oct_kclock_get_history;
  filter_class->found = gst_oct_kclock_found;
  gst_oct_filter_class_describe (filter_class,
      &(GstOctFilterDescription){ .operation = OCT_OPERATION_KCLOCK,
          .properties = &properties,
          .long_name = "OCT k-clock",
          .description = "Makes spectra of a swept source uniform in "
                         "wavenumber by its k-clock",
          .sink_caps = GST_OCT_CAPS_RAW
          "; " GST_OCT_CAPS_SPECTRA ("F32LE", "wavelength"),
          .src_caps = GST_OCT_CAPS_SPECTRA ("F32LE", "wavenumber"),
          .gpu_sink_caps = GST_OCT_CAPS_SPECTRA ("F32LE", "wavelength"),
          .uploads = TRUE });
}

static void
gst_oct_kclock_init (GstOctKClock *self)
{
}
