/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctcamerasettings.h"
#include "gstoctscanmeta.h"
#include "oct-types.h"

static const GstOctProperty camera_settings[] = {
  { "camera", "Camera",
      "Name or address of the camera, as gst-device-monitor-1.0 lists them; "
      "Fake_1 is a simulated one (none = the first that is found)",
      0, NULL, GST_OCT_STRING (GstOctCameraSettings, camera) },
  { "features", "Features",
      "Features of the camera that are set first, by the names of its manual, "
      "as \"PixelFormat=Mono12 ExposureTime=20\"; a name alone is a command",
      0, NULL, GST_OCT_STRING (GstOctCameraSettings, features) },
  { "trigger", "Trigger",
      "What begins a frame: free, or an input of the camera such as Line1, "
      "with its rising edge (none = as the camera is set)",
      0, NULL, GST_OCT_STRING (GstOctCameraSettings, trigger) },
  { "lines", "Lines",
      "A-lines per B-scan, the lines of a frame (0 = as the caps filter says, "
      "else as the camera is set)",
      0, NULL,
      GST_OCT_UINT (GstOctCameraSettings, lines, 0, OCT_MAX_LINES, 0) },
  { "bscans", "B-scans",
      "B-scans per volume, for the place of each (0 = not known)", 0, NULL,
      GST_OCT_UINT (
          GstOctCameraSettings, bscans, 0, GST_OCT_SCAN_MOST_BSCANS, 0) },
  { "buffers", "Buffers",
      "Frames that the camera and the elements downstream can hold; when all "
      "are held, frames are lost (0 = those of a second, 16 to 1024, at most "
      "1 GiB)",
      0, NULL, GST_OCT_UINT (GstOctCameraSettings, buffers, 0, 65536, 0) },
  { "timeout", "Timeout",
      "Time without a frame in ms after which the camera is asked whether it "
      "is "
      "still there, and a warning names likely reasons (0 = never)",
      0, NULL,
      GST_OCT_UINT (GstOctCameraSettings, timeout, 0, G_MAXINT, 5000) },
  { "keep-incomplete", "Keep incomplete frames",
      "Deliver frames of which a part was lost, with old values in their gaps, "
      "marked as corrupted (no = leave them out)",
      0, NULL, GST_OCT_BOOLEAN (GstOctCameraSettings, keep_incomplete, FALSE) },
  { "reconnect", "Reconnect",
      "If the camera vanishes, wait until it is there again (no = an error)", 0,
      NULL, GST_OCT_BOOLEAN (GstOctCameraSettings, reconnect, TRUE) },
};
const GstOctProperties gst_oct_camera_setting_properties =
    GST_OCT_PROPERTIES (GstOctCameraSettings, camera_settings);

static const GstOctProperty camera_counters[] = {
  { "frames", "Frames", "B-scans delivered so far", GST_OCT_PROPERTY_READ_ONLY,
      NULL, GST_OCT_UINT64 (GstOctLiveCounters, frames, 0, G_MAXUINT64, 0) },
  { "lost", "Lost frames",
      "Frames that never came so far, by the numbers of the camera",
      GST_OCT_PROPERTY_READ_ONLY, NULL,
      GST_OCT_UINT64 (GstOctLiveCounters, lost, 0, G_MAXUINT64, 0) },
  { "all-held", "Lost while all buffers were held",
      "Those of `lost` that there was no free buffer for",
      GST_OCT_PROPERTY_READ_ONLY, NULL,
      GST_OCT_UINT64 (GstOctLiveCounters, too_slow, 0, G_MAXUINT64, 0) },
  { "incomplete", "Incomplete frames",
      "Frames that came without a part of them so far",
      GST_OCT_PROPERTY_READ_ONLY, NULL,
      GST_OCT_UINT64 (GstOctLiveCounters, incomplete, 0, G_MAXUINT64, 0) },
  { "reconnects", "Reconnects",
      "How often the camera has come back after it had vanished",
      GST_OCT_PROPERTY_READ_ONLY, NULL,
      GST_OCT_UINT64 (GstOctLiveCounters, reconnects, 0, G_MAXUINT64, 0) },
};
const GstOctProperties gst_oct_camera_counter_properties =
    GST_OCT_PROPERTIES (GstOctLiveCounters, camera_counters);
