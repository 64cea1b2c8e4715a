/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Sends a pipeline the mask of the A-lines that the scan takes, if its source,
 * as a camera, does not: octvolumecs and octrawsink need to know it.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Before the first buffer of the source pad `pad`, which has raw spectra: the
 * mask in the text file `path` (oct-scan-mask.h), in place of the one that the
 * source may have told.  Buffers that do not say their place in the volume get
 * it: the first B-scan is the first of a volume, and those that never came
 * count by the times of the others.  FALSE with a sentence. */
gboolean oct_masked_tell (GstPad *pad, const char *path, GError **error);

G_END_DECLS
