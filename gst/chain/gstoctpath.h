/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The elements that octreconstruct puts between spectra and images: which there
 * are, which a method needs and how they are linked.
 *
 * Thread-safety: one thread at a time, and not while B-scans pass the elements.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* In the order of the data. */
typedef enum {
  GST_OCT_PART_DCSUB,
  GST_OCT_PART_KRESAMPLE,
  GST_OCT_PART_DISPERSION,
  GST_OCT_PART_FFT,
  GST_OCT_PART_NUFFT,
  GST_OCT_PART_CS,
  GST_OCT_PART_LOGSCALE,
  GST_OCT_N_PARTS
} GstOctPart;

typedef enum {
  GST_OCT_METHOD_RESAMPLE,
  GST_OCT_METHOD_NUFFT,
  GST_OCT_METHOD_NUDFT,
  GST_OCT_METHOD_CS,
} GstOctMethod;

#define GST_TYPE_OCT_METHOD (gst_oct_method_get_type ())
GType gst_oct_method_get_type (void);

const char *gst_oct_method_name (GstOctMethod method);

typedef enum { GST_OCT_OUTPUT_IMAGES, GST_OCT_OUTPUT_ASCANS } GstOctOutput;

#define GST_TYPE_OCT_OUTPUT (gst_oct_output_get_type ())
GType gst_oct_output_get_type (void);

typedef enum { GST_OCT_GATHER_AUTO, GST_OCT_GATHER_NEVER } GstOctGathering;

#define GST_TYPE_OCT_GATHERING (gst_oct_gathering_get_type ())
GType gst_oct_gathering_get_type (void);

typedef struct {
  GstBin *bin;    /* holds those that are in use */
  GstPad *end;    /* its source pad, a ghost pad; NULL: not made yet */
  GstPad *behind; /* that the last element is linked to; NULL: that of `end` */
  /* all of them, references: their settings stay */
  GstElement *parts[GST_OCT_N_PARTS];
  GstOctMethod method; /* of the linked elements */
  GstOctOutput output; /* to be set before it is */
  guint linked;        /* bits of the elements, 0: nothing is */
} GstOctPath;

/* `path`: zeros.  Makes the elements. */
void gst_oct_path_init (GstOctPath *path, GstBin *bin);
void gst_oct_path_clear (GstOctPath *path);

/* Whether the samples are uniform in wavenumber already. */
gboolean gst_oct_path_is_uniform (GstOctPath *path);

/* The class of an element, for its properties and pads. */
GType gst_oct_part_get_type (GstOctPart part);
/* The element of that name within the bin; GST_OCT_N_PARTS: none. */
GstOctPart gst_oct_part_find (const char *name);

/* Whether the method and the settings go together, as far as that is known
 * without spectra. */
gboolean gst_oct_path_check (
    GstOctPath *path, GstOctMethod method, GError **error);

/* Adds the elements of the method that are not in the bin yet and links all of
 * them; those of the method before stay in the bin as they are.  FALSE, and
 * nothing is linked, when they do not go together. */
gboolean gst_oct_path_link (GstOctPath *path, GstOctMethod method);
void gst_oct_path_unlink (GstOctPath *path);

/* Removes elements that are not linked from the bin. */
void gst_oct_path_remove_unused (GstOctPath *path);

/* Restarts a linked element that has ended. */
void gst_oct_path_restart (GstOctPath *path, GstOctPart part);

G_END_DECLS
