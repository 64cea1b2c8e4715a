/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The reconstructions that a viewer can choose from, and the change from one
 * to another while the pipeline is playing.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct {
  const char *id;       /* in messages */
  const char *label;    /* on the page */
  const char *needs;    /* factory without which it is not offered */
  const char *elements; /* from spectra over wavelength to A-scans; the
                           octdispersion among them is named `dispersion` */
} OctLiveMethod;

/* All reconstructions, whether they can be used here or not; the last one has
 * no id. */
extern const OctLiveMethod oct_live_methods[];

/* The reconstruction of that name if it can be used here, else NULL. */
const OctLiveMethod *oct_live_method_find (const char *id);

/* TRUE when every element that the reconstruction needs is installed. */
gboolean oct_live_method_available (const OctLiveMethod *method);

/* A bin with the elements of `method`, one sink and one source pad.  a2 in um^2
 * and a3 in um^3 are added to the dispersion of the calibration.  A floating
 * reference, NULL with an error. */
GstElement *oct_live_chain_new (
    const OctLiveMethod *method, double a2, double a3, GError **error);

/* Sets the dispersion of a bin of oct_live_chain_new. */
void oct_live_chain_set_dispersion (GstElement *chain, double a2, double a3);

/* Puts `chain` (a floating reference, taken) between `before` and `after` in
 * place of `old`, as soon as `before` has no buffer under way; all of them are
 * in `pipeline`.  Returns at once: FALSE with an error of one sentence, and
 * nothing changed, when the chain does not take what comes out of `before`. */
gboolean oct_live_chain_replace (GstElement *pipeline, GstElement *before,
    GstElement *old, GstElement *chain, GstElement *after, GError **error);

G_END_DECLS
