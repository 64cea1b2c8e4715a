/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The media types that travel between the elements, see docs/caps.md.
 */
#pragma once

#include <gst/video/video.h>
#include "oct/oct.h"
#include "oct-backend.h"

G_BEGIN_DECLS

/* as in GstCuda, which is not always there */
#define GST_OCT_CUDA_FEATURE "memory:CUDAMemory"

/* Whether the first of `caps` is of GPU memory. */
static inline gboolean
gst_oct_caps_is_on_gpu (const GstCaps *caps)
{
  return gst_caps_features_contains (
      gst_caps_get_features (caps, 0), GST_OCT_CUDA_FEATURE);
}

#define GST_OCT_SIZE_RANGE "(int) [ 1, 65536 ]"
#define GST_OCT_RATE_RANGE "(fraction) [ 0/1, 2147483647/1 ]"

/* Raw spectra as a camera delivers them: width = samples, height = A-lines. */
#define GST_OCT_CAPS_RAW                                                       \
  "video/x-raw, format = (string) { GRAY16_LE, GRAY8 }"                        \
  ", width = " GST_OCT_SIZE_RANGE ", height = " GST_OCT_SIZE_RANGE             \
  ", framerate = " GST_OCT_RATE_RANGE

#define GST_OCT_CAPS_SPECTRA(formats, axes)                                    \
  GST_OCT_SPECTRA_NAME                                                         \
  ", format = (string) " formats ", axis = (string) " axes                     \
  ", samples = " GST_OCT_SIZE_RANGE ", lines = " GST_OCT_SIZE_RANGE            \
  ", framerate = " GST_OCT_RATE_RANGE

#define GST_OCT_CAPS_ASCANS                                                    \
  GST_OCT_ASCANS_NAME                                                          \
  ", format = (string) CF32LE, samples = " GST_OCT_SIZE_RANGE                  \
  ", lines = " GST_OCT_SIZE_RANGE ", framerate = " GST_OCT_RATE_RANGE

#define GST_OCT_CAPS_VALUES                                                    \
  GST_OCT_VALUES_NAME                                                          \
  ", format = (string) F32LE, samples = " GST_OCT_SIZE_RANGE                   \
  ", lines = " GST_OCT_SIZE_RANGE ", framerate = " GST_OCT_RATE_RANGE

/* Images: width = A-lines, height = depth bins. */
#define GST_OCT_CAPS_IMAGE                                                     \
  "video/x-raw, format = (string) { GRAY8, NV12, GRAY16_LE }"                  \
  ", width = " GST_OCT_SIZE_RANGE ", height = " GST_OCT_SIZE_RANGE             \
  ", framerate = " GST_OCT_RATE_RANGE

/* GstCuda knows no grey formats. */
#define GST_OCT_CAPS_GPU_IMAGE                                                 \
  "video/x-raw, format = (string) { NV12, RGBA }"                              \
  ", width = " GST_OCT_SIZE_RANGE ", height = " GST_OCT_SIZE_RANGE             \
  ", framerate = " GST_OCT_RATE_RANGE

typedef enum {
  GST_OCT_AXIS_WAVELENGTH, /* as measured, not uniform in wavenumber */
  GST_OCT_AXIS_WAVENUMBER, /* uniform in wavenumber */
} GstOctAxis;

/* One buffer as fixed caps describe it: one B-scan, or several. */
typedef struct {
  gboolean is_video;      /* raw spectra or image; `video` is valid */
  OctSampleFormat format; /* of one value (images: of the first plane) */
  GstOctAxis axis;        /* spectra; WAVELENGTH for raw spectra */
  guint columns, rows;    /* samples x lines; video: width x height */
  guint bscans;           /* that share the rows, 1 or more */
  guint repeats;          /* B-scans at each place, 1 or more */
  gboolean k_clock; /* of every A-line as many samples of a clock follow */
  gint line_rate_n, line_rate_d; /* A-lines per second; 0/1: not known */
  double wavelength;             /* centre, metres; 0: not known */
  /* metres between A-lines, B-scans, and depths (of air); 0: not known */
  double x_spacing, y_spacing, z_spacing;
  guint depth_start; /* bins from zero delay to the first */
  double bscan_rate; /* B-scans per second; 0: not known */
  GstVideoInfo video;
  gsize size; /* bytes, tightly packed (video: default strides) */
} GstOctInfo;

/* FALSE with OCT_ERROR_FORMAT when the caps are not fixed, not of this plugin,
 * or describe a buffer of more values than OCT_MAX_BSCAN_VALUES or rows that
 * are not whole B-scans, or have a field of the scan that is not valid. */
gboolean gst_oct_info_from_caps (
    GstOctInfo *info, const GstCaps *caps, GError **error);

/* FALSE with OCT_ERROR_FORMAT if there is a k-clock, which the operation does not
 * know. */
gboolean gst_oct_info_check_clock (
    const GstOctInfo *info, OctOperation operation, GError **error);

/* Whether a centre wavelength in metres can be that of a system. */
gboolean gst_oct_wavelength_is_possible (double wavelength);
/* The B-scans that `buffer` has: those of `most`, as its caps say, or fewer of
 * them.  A buffer of any other size is taken for one of `most`, and refused
 * when it is mapped. */
void gst_oct_info_of_buffer (
    GstOctInfo *there, const GstOctInfo *most, GstBuffer *buffer);

/* Whether both have the same format and sizes. */
gboolean gst_oct_info_same_layout (const GstOctInfo *a, const GstOctInfo *b);

/* ... or differ in nothing but how many B-scans there are. */
gboolean gst_oct_info_same_bscans (const GstOctInfo *a, const GstOctInfo *b);

/* Bytes from one row to the next, tightly packed. */
gsize gst_oct_info_row_size (const GstOctInfo *info);

/* Bytes of the means of all B-scans. */
gsize gst_oct_info_mean_size (const GstOctInfo *info);

/* For fixate_caps(): the caps in `possible` (taken), those of a source pad,
 * that the peer can read.  A peer that accepts anything, and so does not ask
 * for GPU memory, gets host memory, which every element can read. */
GstCaps *gst_oct_caps_keep_readable (GstPad *src, GstCaps *possible);

/* The same for grey pictures.  GRAY8 is what programs want, but videoconvert
 * makes I420 of it without minding the range of the grey levels, which cuts off
 * black and white in every recording.  If YUV is understood, NV12 defines the
 * meaning of its values. */
GstCaps *gst_oct_caps_choose_grey (GstPad *src, GstCaps *possible);

/* Whether an element with these caps understands YUV.  Caps that leave the
 * format open, as those of a filter for raw video, do not say it. */
gboolean gst_oct_caps_ask_for_yuv (const GstCaps *caps);

/* Grey levels use all values from 0 to 255; video without a stated range is
 * taken for 16 to 235 and shown with black and white cut off. */
#define GST_OCT_FULL_RANGE "1:4:0:0"

/* Pictures that are not B-scans say so in their caps: from above, with
 * `x-spacing` from a column to the next and `y-spacing` from a row to the
 * next. */
#define GST_OCT_VIEW_FIELD "view"
#define GST_OCT_VIEW_ENFACE "en-face"

const char *gst_oct_axis_to_string (GstOctAxis axis);

/* Copies the value of a field, if it exists, to a field of any name. */
void gst_oct_structure_copy_field (const GstStructure *from,
    const char *from_field, GstStructure *to, const char *to_field);

/* Copies the fields of the scan and not of the values: the frame rate and the
 * line rate, how far lines and B-scans are apart, the wavelength, how often
 * each B-scan is repeated, and how many there are if only a part of them is
 * taken. */
void gst_oct_structure_copy_scan (const GstStructure *from, GstStructure *to);

/* B-scans at each place, 1 or more. */
guint gst_oct_structure_get_repeats (const GstStructure *s);

/* Distance from a B-scan to the next in metres, an average if places have
 * several of them; 0: not known. */
double gst_oct_structure_get_bscan_spacing (const GstStructure *s);

/* video/x-raw for `format` (a string or a list "{ A, B }") with width, height
 * and the fields of the scan from `from`. */
GstStructure *gst_oct_video_structure (const char *formats,
    const GstStructure *from, const char *width_field,
    const char *height_field);

G_END_DECLS
