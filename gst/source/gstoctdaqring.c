/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctdaqring.h"
#include "gstocterror.h"

#include <errno.h>
#include <string.h>

struct _GstOctDaqRing {
  OctDaqReader *reader;
  const OctDaqHeader *header;
  guint channel; /* from 0 on */
  gint clock;    /* the channel of a k-clock; -1: it is not asked for */
  OctCalibration *calibration;
  OctScanPlaces *places;
};

/* ---------------------------------------------------------------------- opening
 */

static gboolean
daq_ring_choose_channel (GstOctDaqRing *ring, guint wanted, GError **error)
{
  const OctDaqHeader *h = ring->header;

  if (wanted > h->channels) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "`channel` of octdaqsrc is %u, but the ring of the digitizer has %u "
        "channels; set one of them, counted from 1.",
        wanted, h->channels);
    return FALSE;
  }
  for (guint i = 0; wanted == 0 && i < h->channels; i++)
    if (h->channel_kind[i] == OCT_DAQ_OCT)
      wanted = i + 1;
  if (wanted == 0) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "None of the %u channels in the ring of the digitizer is said to be of "
        "OCT; set `channel` of octdaqsrc to the one that is, counted from 1.",
        h->channels);
    return FALSE;
  }
  ring->channel = wanted - 1;
  return TRUE;
}

static gboolean
daq_ring_choose_clock (GstOctDaqRing *ring, gboolean wanted, GError **error)
{
  const OctDaqHeader *h = ring->header;

  ring->clock = -1;
  for (guint i = 0; wanted && ring->clock < 0 && i < h->channels; i++)
    if (h->channel_kind[i] == OCT_DAQ_K_CLOCK && i != ring->channel)
      ring->clock = (gint)i;
  if (!wanted || ring->clock >= 0)
    return TRUE;
  if (h->channel_kind[ring->channel] == OCT_DAQ_K_CLOCK) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "Channel %u of the ring of the digitizer was asked for with its "
        "k-clock, but it is the k-clock itself; set `channel` of octdaqsrc to "
        "one of spectra, or k-clock=false.",
        ring->channel + 1);
    return FALSE;
  }
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "None of the %u channels in the ring of the digitizer is said to be a "
      "k-clock; name one in the program of the digitizer, or set k-clock=false "
      "on octdaqsrc.",
      h->channels);
  return FALSE;
}

/* Values of a row: of the channel, and of the clock if it is asked for. */
static guint
daq_ring_columns (const GstOctDaqRing *ring)
{
  return ring->header->samples * (ring->clock >= 0 ? 2 : 1);
}

static gboolean
daq_ring_check_size (const GstOctDaqRing *ring, GError **error)
{
  const OctDaqHeader *h = ring->header;

  if (daq_ring_columns (ring) > OCT_MAX_SAMPLES) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "The ring of the digitizer has A-lines of %u samples, and as many of "
        "the k-clock, but both can have %u samples together; set fewer in its "
        "program.",
        h->samples, OCT_MAX_SAMPLES);
    return FALSE;
  }
  if ((guint64)h->bscan_lines * daq_ring_columns (ring) <= OCT_MAX_BSCAN_VALUES)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
      "The ring of the digitizer has B-scans of %u A-lines of %u samples, but "
      "a B-scan can have %u samples; set smaller ones in its program.",
      h->bscan_lines, daq_ring_columns (ring), OCT_MAX_BSCAN_VALUES);
  return FALSE;
}

/* Wavelengths between those of the first and the last sample, nm; NULL: these
 * are not known. */
static double *
daq_ring_make_wavelengths (const OctDaqHeader *h)
{
  double first = h->wavelength_first, last = h->wavelength_last;
  double *nm;

  if (first <= 0.0 || last <= 0.0 || h->samples < 2)
    return NULL;
  nm = g_new (double, h->samples);
  for (guint i = 0; i < h->samples; i++) {
    double x = (double)i / (h->samples - 1);

    nm[i] = h->axis == OCT_DAQ_WAVENUMBER
                ? 1.0 / (1.0 / first + (1.0 / last - 1.0 / first) * x)
                : first + (last - first) * x;
  }
  return nm;
}

static gboolean
daq_ring_take_calibration (GstOctDaqRing *ring, GError **error)
{
  const OctDaqReader *r = ring->reader;
  const double *nm = oct_daq_reader_calibration (r, OCT_DAQ_WAVELENGTH_NM);
  g_autofree double *made = NULL;

  if (nm == NULL)
    nm = made = daq_ring_make_wavelengths (ring->header);
  if (nm == NULL && ring->header->calibration_columns == 0)
    return TRUE;
  ring->calibration = oct_calibration_new_from_arrays (ring->header->samples,
      nm, oct_daq_reader_calibration (r, OCT_DAQ_K_INDEX),
      oct_daq_reader_calibration (r, OCT_DAQ_DISPERSION_RAD),
      oct_daq_reader_calibration (r, OCT_DAQ_BACKGROUND), error);
  if (ring->calibration == NULL)
    g_prefix_error (error,
        "The ring of the digitizer has a calibration that is "
        "not valid: ");
  return ring->calibration != NULL;
}

/* Reads the places, which have to be of the volumes in the ring. */
static gboolean
daq_ring_take_places (GstOctDaqRing *ring, const char *path, GError **error)
{
  const OctDaqHeader *h = ring->header;
  g_autoptr (GError) local = NULL;

  if (path == NULL || *path == '\0')
    return TRUE;
  ring->places = oct_scan_places_read (path, h->bscan_lines, &local);
  if (ring->places == NULL) {
    gst_oct_error_name_property (&local, "`scan-file` of octdaqsrc");
    /* not the digitizer is missing, for which octdaqsrc waits */
    g_set_error_literal (error, OCT_ERROR, OCT_ERROR_SETTINGS, local->message);
    return FALSE;
  }
  if (ring->places->lines == h->bscan_lines
      && (h->bscans == 0 || ring->places->bscans == h->bscans))
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "`scan-file` of octdaqsrc has %u B-scans of %u A-lines, but the volumes "
      "of the digitizer have %u B-scans of %u; set the file of this scan, or "
      "these numbers in the program of the digitizer.",
      ring->places->bscans, ring->places->lines, h->bscans, h->bscan_lines);
  return FALSE;
}

static void
daq_ring_explain (int why, const char *sentence, GError **error)
{
  gboolean absent =
      why == ENOENT || why == ECONNREFUSED || why == EBUSY || why == ETIMEDOUT;

  g_set_error_literal (error, OCT_ERROR,
      absent ? OCT_ERROR_NOT_FOUND : OCT_ERROR_DEVICE, sentence);
}

GstOctDaqRing *
gst_oct_daq_ring_open (const char *path, guint channel, gboolean k_clock,
    const char *scan_file, guint timeout, GError **error)
{
  GstOctDaqRing *ring = g_new0 (GstOctDaqRing, 1);
  char sentence[OCT_DAQ_ERROR] = "";

  ring->reader = oct_daq_reader_open (path, (int)timeout, sentence);
  if (ring->reader == NULL) {
    daq_ring_explain (errno, sentence, error);
    gst_oct_daq_ring_close (ring);
    return NULL;
  }
  ring->header = oct_daq_reader_header (ring->reader);
  if (daq_ring_choose_channel (ring, channel, error)
      && daq_ring_choose_clock (ring, k_clock, error)
      && daq_ring_check_size (ring, error)
      && daq_ring_take_calibration (ring, error)
      && daq_ring_take_places (ring, scan_file, error))
    return ring;
  gst_oct_daq_ring_close (ring);
  return NULL;
}

void
gst_oct_daq_ring_close (GstOctDaqRing *ring)
{
  if (ring == NULL)
    return;
  oct_daq_reader_close (ring->reader);
  g_clear_pointer (&ring->calibration, oct_calibration_unref);
  g_clear_pointer (&ring->places, oct_scan_places_unref);
  g_free (ring);
}

OctDaqReader *
gst_oct_daq_ring_get_reader (GstOctDaqRing *ring)
{
  return ring->reader;
}

const OctDaqHeader *
gst_oct_daq_ring_get_header (const GstOctDaqRing *ring)
{
  return ring->header;
}

OctCalibration *
gst_oct_daq_ring_get_calibration (const GstOctDaqRing *ring)
{
  return ring->calibration;
}

guint
gst_oct_daq_ring_get_bscans (const GstOctDaqRing *ring)
{
  return ring->header->bscans == 0 && ring->places != NULL
             ? ring->places->bscans
             : ring->header->bscans;
}

OctScanPlaces *
gst_oct_daq_ring_get_places (const GstOctDaqRing *ring)
{
  return ring->places;
}

/* ------------------------------------------------------------------------- caps
 */

static const gsize daq_ring_sizes[OCT_DAQ_FORMATS] = { 1, 2, 2, 4 };

/* Counts of a camera are raw spectra as they are, all else becomes floats. */
static gboolean
daq_ring_is_raw (const OctDaqHeader *h)
{
  return h->axis == OCT_DAQ_WAVELENGTH
         && (h->sample_format == OCT_DAQ_U8 || h->sample_format == OCT_DAQ_U16);
}

double
gst_oct_daq_ring_get_bscan_rate (const GstOctDaqRing *ring)
{
  const OctDaqHeader *h = ring->header;

  return h->bscan_rate > 0.0 ? h->bscan_rate : h->line_rate / h->bscan_lines;
}

static void
daq_ring_set_rate (GstStructure *s, const char *field, double rate)
{
  gint n = 0, d = 1;

  if (rate > 0.0)
    gst_util_double_to_fraction (rate, &n, &d);
  gst_structure_set (s, field, GST_TYPE_FRACTION, n, d, NULL);
}

GstCaps *
gst_oct_daq_ring_make_caps (const GstOctDaqRing *ring)
{
  const OctDaqHeader *h = ring->header;
  gboolean raw = daq_ring_is_raw (h);
  double wavelength = ring->calibration != NULL
                          ? oct_calibration_get_wavelength (ring->calibration)
                          : 0.0;
  GstStructure *s =
      raw ? gst_structure_new ("video/x-raw", "format", G_TYPE_STRING,
          h->sample_format == OCT_DAQ_U8 ? "GRAY8" : "GRAY16_LE", "width",
          G_TYPE_INT, (gint)daq_ring_columns (ring), "height", G_TYPE_INT,
          (gint)h->bscan_lines, NULL)
          : gst_structure_new (GST_OCT_SPECTRA_NAME, "format", G_TYPE_STRING,
              "F32LE", "axis", G_TYPE_STRING,
              gst_oct_axis_to_string (h->axis == OCT_DAQ_WAVENUMBER
                                          ? GST_OCT_AXIS_WAVENUMBER
                                          : GST_OCT_AXIS_WAVELENGTH),
              "samples", G_TYPE_INT, (gint)daq_ring_columns (ring), "lines",
              G_TYPE_INT, (gint)h->bscan_lines, NULL);

  if (ring->clock >= 0)
    gst_structure_set (s, GST_OCT_K_CLOCK_FIELD, G_TYPE_BOOLEAN, TRUE, NULL);
  daq_ring_set_rate (s, "framerate", gst_oct_daq_ring_get_bscan_rate (ring));
  if (h->line_rate > 0.0)
    daq_ring_set_rate (s, GST_OCT_LINE_RATE_FIELD, h->line_rate);
  if (h->x_spacing > 0.0)
    gst_structure_set (s, "x-spacing", G_TYPE_DOUBLE, h->x_spacing, NULL);
  if (h->y_spacing > 0.0)
    gst_structure_set (s, "y-spacing", G_TYPE_DOUBLE, h->y_spacing, NULL);
  if (h->repeats > 1)
    gst_structure_set (
        s, GST_OCT_REPEATS_FIELD, G_TYPE_INT, (gint)h->repeats, NULL);
  if (gst_oct_wavelength_is_possible (wavelength))
    gst_structure_set (
        s, GST_OCT_WAVELENGTH_FIELD, G_TYPE_DOUBLE, wavelength, NULL);
  return gst_caps_new_full (s, NULL);
}

/* ---------------------------------------------------------------------- A-lines
 */

static void
daq_ring_convert (const OctDaqHeader *h, const guint8 *from, float *to)
{
  switch (h->sample_format) {
  case OCT_DAQ_U8:
    for (guint i = 0; i < h->samples; i++)
      to[i] = from[i];
    break;
  case OCT_DAQ_U16:
    for (guint i = 0; i < h->samples; i++)
      to[i] = ((const guint16 *)from)[i];
    break;
  case OCT_DAQ_I16:
    for (guint i = 0; i < h->samples; i++)
      to[i] = ((const gint16 *)from)[i];
    break;
  default:
    memcpy (to, from, h->samples * sizeof *to);
  }
}

/* Rows of one channel. */
static void
daq_ring_copy_channel (const GstOctDaqRing *ring, guint channel, guint first,
    guint count, guint8 *to, gsize stride)
{
  const OctDaqHeader *h = ring->header;
  gsize row = h->samples * daq_ring_sizes[h->sample_format];
  const guint8 *from =
      (const guint8 *)oct_daq_reader_data (ring->reader, channel) + first * row;

  if (!daq_ring_is_raw (h))
    for (guint i = 0; i < count; i++)
      daq_ring_convert (h, from + i * row, (float *)(to + i * stride));
  else if (stride == row)
    memcpy (to, from, count * row);
  else
    for (guint i = 0; i < count; i++)
      memcpy (to + i * stride, from + i * row, row);
}

gboolean
gst_oct_daq_ring_copy (const GstOctDaqRing *ring, guint first, guint count,
    guint8 *to, gsize stride)
{
  const OctDaqHeader *h = ring->header;
  gsize size =
      daq_ring_is_raw (h) ? daq_ring_sizes[h->sample_format] : sizeof (float);

  daq_ring_copy_channel (ring, ring->channel, first, count, to, stride);
  if (ring->clock >= 0)
    daq_ring_copy_channel (
        ring, (guint)ring->clock, first, count, to + h->samples * size, stride);
  return oct_daq_reader_holds (ring->reader);
}
