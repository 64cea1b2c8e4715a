/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The properties of octdaqsrc.
 */
#pragma once

#include "gstoctproperties.h"

G_BEGIN_DECLS

typedef struct {
  char *socket, *scan_file;
  guint timeout, channel;
  gboolean keep_incomplete, k_clock, reconnect;
} GstOctDaqSettings;

/* Since the start. */
typedef struct {
  guint64 frames;     /* B-scans delivered */
  guint64 lost;       /* A-lines that never came */
  guint64 overrun;    /* of these, overwritten before they were read */
  guint64 incomplete; /* B-scans that lacked A-lines */
  guint64 reconnects;
} GstOctDaqCounters;

extern const GstOctProperties gst_oct_daq_setting_properties;
extern const GstOctProperties gst_oct_daq_counter_properties;

G_END_DECLS
