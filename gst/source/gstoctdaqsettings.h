/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The properties of octdaqsrc.
 */
#pragma once

#include "gstoctlivesrc.h"
#include "gstoctproperties.h"

G_BEGIN_DECLS

typedef struct {
  char *socket, *scan_file;
  guint timeout, channel;
  gboolean keep_incomplete, k_clock, reconnect;
} GstOctDaqSettings;

extern const GstOctProperties gst_oct_daq_setting_properties;
/* of a GstOctLiveCounters */
extern const GstOctProperties gst_oct_daq_counter_properties;

G_END_DECLS
