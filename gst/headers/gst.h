/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Headers that nearly every file of gst/ includes, compiled once. */
#include <gst/base/gstbasetransform.h>
#include <gst/gst.h>
#include <gst/video/video.h>
#include <string.h>
