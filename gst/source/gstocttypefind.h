/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Recognises files of spectra by their first bytes: the formats that octsrc
 * reads and that have a signature, and recordings. */
gboolean gst_oct_type_find_register (GstPlugin *plugin);

G_END_DECLS
