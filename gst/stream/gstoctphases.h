/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Whether A-scans still have their phases: an element that needs them asks
 * upstream for the background that was removed, and warns.
 */
#pragma once

#include <gst/base/gstbasetransform.h>

#include "oct-backend.h"

G_BEGIN_DECLS

/* For the element that removes the background.  FALSE: the query asks for
 * something else. */
gboolean gst_oct_phases_answer (GstQuery *query, OctBackgroundMode mode);

/* In the streaming thread of an element that needs phases: posts a warning,
 * once while `asked`, FALSE at first, is kept, if they are lost. */
void gst_oct_phases_check (GstBaseTransform *trans, gboolean *asked);

G_END_DECLS
