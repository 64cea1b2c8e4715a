/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Headers of others that nearly every element reads, parsed once per build. */
#include <gst/base/gstbasetransform.h>
#include <gst/gst.h>
#include <gst/video/video.h>

#include <math.h>
#include <string.h>
