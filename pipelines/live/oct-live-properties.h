/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The settings of viewers as properties of octreconstruct.
 */
#pragma once

#include "oct-live-settings.h"

#include <gst/gst.h>

G_BEGIN_DECLS

/* Whether each of them is possible; FALSE with an error of one sentence.
 * Otherwise their choices are static texts from then on. */
gboolean oct_live_settings_check (OctLiveSettings *settings, GError **error);

/* A stored spectrum can only be removed if there is one: FALSE with a sentence
 * if `settings` begin with that.  `calibration`: the text of that in force, or
 * NULL: not known. */
gboolean oct_live_settings_check_background (const OctLiveSettings *settings,
    const OctLiveSettings *former, const char *calibration, GError **error);

/* Sets those that are properties of this element too, as octmeter. */
void oct_live_settings_put_properties (
    const OctLiveSettings *settings, GstElement *element);

/* Sets those that are properties, and the results of searches. */
void oct_live_settings_put (
    const OctLiveSettings *settings, GstElement *reconstruct);

/* Gets those that are properties. */
void oct_live_settings_get (OctLiveSettings *settings, GstElement *reconstruct);

G_END_DECLS
