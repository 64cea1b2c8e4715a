/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The commands of pages and pedals to oct-live: settings, recording, keeping,
 * searches, labels, notes.  Main thread.
 */
#pragma once

#include "oct-live-message.h"
#include "oct-live-server.h"

G_BEGIN_DECLS

/* Does what `message` says; pages are told by oct_live_clients_control().
 * FALSE with an error of one sentence if nothing was done.  Messages that
 * belong to one page, such as OCT_LIVE_WATCH, are not for it. */
gboolean oct_live_control (
    OctLive *live, const OctLiveMessage *message, GError **error);

/* Ends the present recording; if it ends in a gap the recording says so. */
void oct_live_control_end_recording (OctLive *live);

G_END_DECLS
