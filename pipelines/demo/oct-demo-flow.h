/* SPDX-License-Identifier: LGPL-2.1-or-later */
/** oct-demo --flow: vessels, from B-scans that are repeated at each place. */
#pragma once

#include "oct-demo-volume.h"

G_BEGIN_DECLS

/* Writes vessels.png, a volume's vessels from above, and flow.mp4, each place
 * of it with its vessels beside it, into `folder`, which exists, and prints a
 * description of them.  `repeats`: B-scans at each place, 0: as the file says;
 * `places`: in the film, 0: of one volume.  Ctrl-C ends the film early; it can
 * be played.  FALSE with a sentence. */
gboolean oct_demo_make_flow (const OctSourceOptions *source,
    const OctDemoVolumeOptions *options, gint repeats, const char *folder,
    gint places, GError **error);

G_END_DECLS
