/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The reconstructions that people can choose from: one list for all programs.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct {
  const char *id;       /* on command lines and in messages */
  const char *label;    /* on pages */
  const char *needs;    /* factory without which it is not offered */
  const char *elements; /* launch line from spectra over wavelength to A-scans;
                           `dispersion` is its octdispersion, `transform` the
                           last */
} OctMethod;

/* All reconstructions, whether they can be used here or not, the default first;
 * the last one has no id. */
extern const OctMethod oct_methods[];

/* The reconstruction of that name if it can be used here, else NULL. */
const OctMethod *oct_method_find (const char *id);

/* TRUE when every element that the reconstruction needs is installed. */
gboolean oct_method_available (const OctMethod *method);

/* Names of those that can be used here, as "cubic, linear, ..."; to free. */
char *oct_method_list (void);

/* A bin with the elements of `method`, one sink and one source pad.  a2 in um^2
 * and a3 in um^3 are added to the dispersion of the calibration.  A floating
 * reference, NULL with an error. */
GstElement *oct_chain_new (
    const OctMethod *method, double a2, double a3, GError **error);

/* Sets the dispersion of a bin of oct_chain_new. */
void oct_chain_set_dispersion (GstElement *chain, double a2, double a3);

G_END_DECLS
