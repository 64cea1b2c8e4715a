/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctdaqsettings.h"
#include "oct-daq.h"

static const GstOctProperty daq_settings[] = {
  { "socket", "Socket",
      "Path of the socket that the program of the digitizer makes", 0, NULL,
      GST_OCT_STRING (GstOctDaqSettings, socket) },
  { "timeout", "Timeout",
      "Time in ms that the program of the digitizer is waited for at the "
      "start; "
      "later a time without A-lines after which a warning says so (0 = for "
      "ever, and no warning)",
      0, NULL, GST_OCT_UINT (GstOctDaqSettings, timeout, 0, G_MAXINT, 5000) },
  { "reconnect", "Reconnect",
      "If the program of the digitizer ends, wait until it is there again (no "
      "= "
      "the end of the stream, and an error if it has crashed)",
      0, NULL, GST_OCT_BOOLEAN (GstOctDaqSettings, reconnect, TRUE) },
  { "channel", "Channel",
      "Channel of the digitizer, 1 is the first (0 = the first one that is "
      "said "
      "to be of OCT)",
      0, NULL,
      GST_OCT_UINT (GstOctDaqSettings, channel, 0, OCT_DAQ_CHANNELS, 0) },
  { "k-clock", "k-clock",
      "Deliver the channel that is said to be a k-clock too, after the samples "
      "of every A-line, for octkclock",
      0, NULL, GST_OCT_BOOLEAN (GstOctDaqSettings, k_clock, FALSE) },
  { "scan-file", "Scan file",
      "File with the places of the A-lines of a volume, if it is not a raster: "
      "the one that `scan-output` of octscangen names, or a row of x and y in "
      "mm "
      "for each A-line",
      0, NULL, GST_OCT_STRING (GstOctDaqSettings, scan_file) },
  { "keep-incomplete", "Keep incomplete B-scans",
      "Deliver B-scans that lack A-lines, with zeros in their places, marked "
      "as "
      "corrupted, and octremap leaves these A-lines out (no = leave them out)",
      0, NULL, GST_OCT_BOOLEAN (GstOctDaqSettings, keep_incomplete, FALSE) },
};
const GstOctProperties gst_oct_daq_setting_properties =
    GST_OCT_PROPERTIES (GstOctDaqSettings, daq_settings);

static const GstOctProperty daq_counters[] = {
  { "frames", "Frames", "B-scans delivered so far", GST_OCT_PROPERTY_READ_ONLY,
      NULL, GST_OCT_UINT64 (GstOctLiveCounters, frames, 0, G_MAXUINT64, 0) },
  { "lost", "Lost A-lines", "A-lines that never came so far",
      GST_OCT_PROPERTY_READ_ONLY, NULL,
      GST_OCT_UINT64 (GstOctLiveCounters, lost, 0, G_MAXUINT64, 0) },
  { "overrun", "Lost as the pipeline was slow",
      "Those of `lost` that were overwritten before they were read",
      GST_OCT_PROPERTY_READ_ONLY, NULL,
      GST_OCT_UINT64 (GstOctLiveCounters, too_slow, 0, G_MAXUINT64, 0) },
  { "incomplete", "Incomplete B-scans",
      "B-scans that lacked a part of their A-lines so far",
      GST_OCT_PROPERTY_READ_ONLY, NULL,
      GST_OCT_UINT64 (GstOctLiveCounters, incomplete, 0, G_MAXUINT64, 0) },
  { "reconnects", "Reconnects",
      "How often the program of the digitizer has come back after it had ended",
      GST_OCT_PROPERTY_READ_ONLY, NULL,
      GST_OCT_UINT64 (GstOctLiveCounters, reconnects, 0, G_MAXUINT64, 0) },
};
const GstOctProperties gst_oct_daq_counter_properties =
    GST_OCT_PROPERTIES (GstOctLiveCounters, daq_counters);
