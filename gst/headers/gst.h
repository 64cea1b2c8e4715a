/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What nearly every file of gst/ includes, compiled once for all. */
#include <gst/base/gstbasetransform.h>
#include <gst/gst.h>
#include <gst/video/video.h>
#include <string.h>
