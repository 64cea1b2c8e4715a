/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * How octdaqsrc tells of A-lines that are lost: a warning for people, and a
 * message for programs each second in which there were some.
 */
#pragma once

#include <gst/gst.h>
#include "gstoctdaqsettings.h"

G_BEGIN_DECLS

/* The element message, with the fields lost, overrun, incomplete, frames (since
 * the start), lost-now and incomplete-now (since the message before), all
 * guint64. */
#define GST_OCT_DAQ_LOST_MESSAGE "octdaqsrc-lost"

/* Zeros at first. */
typedef struct {
  GstOctDaqCounters told;
  gint64 told_at;
  gboolean warned_overrun, warned_lost;
} GstOctDaqLosses;

/* `last`: do not wait for the end of the second. */
void gst_oct_daq_losses_tell (GstOctDaqLosses *losses, GstElement *element,
    const GstOctDaqCounters *now, gboolean last);

G_END_DECLS
