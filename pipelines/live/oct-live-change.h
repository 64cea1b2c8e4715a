/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * From one reconstruction to another while the pipeline is playing: the new one
 * is tried beside the pipeline first, with spectra of its own, since what fails
 * within the pipeline would end the picture and a recording.
 */
#pragma once

#include "oct-chain.h"

G_BEGIN_DECLS

/* Called in the main context, once: NULL, or one sentence on what speaks
 * against the reconstruction. */
typedef void (*OctLiveTriedFunc) (const char *problem, gpointer data);

typedef struct _OctLiveTrial OctLiveTrial;

/* Tries `method` in a thread of its own, with a part of the next B-scan that
 * leaves by `spectra`.  `pipeline` is the one of that pad, and `ascans` the
 * sink pad that the reconstruction would end in: it has to get as many depths
 * as now. */
OctLiveTrial *oct_live_trial_new (const OctMethod *method, double a2, double a3,
    GstElement *pipeline, GstPad *spectra, GstPad *ascans,
    OctLiveTriedFunc func, gpointer data);

/* Gives the trial up; `func` is not called any more.  Main thread. */
void oct_live_trial_free (OctLiveTrial *trial);

/* Whether a trial that was given up still computes: its thread cannot be
 * interrupted. */
gboolean oct_live_trial_is_any_running (void);

/* Puts `chain` between `before` and `after` in
 * place of `old`, as soon as `before` has no buffer under way; all of them are
 * in `pipeline`.  Returns at once.  `done` is called in the main context when
 * it has happened, and not where the pipeline ends before; what goes wrong is
 * posted as an error of `chain`. */
void oct_live_chain_replace (GstElement *pipeline, GstElement *before,
    GstElement *old, GstElement *chain, GstElement *after, GSourceFunc done,
    gpointer data, GDestroyNotify free_data);

G_END_DECLS
