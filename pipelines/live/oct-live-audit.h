/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The audit of oct-live: commands and their visitors, recordings, files that were
 * kept and saved, links that were refused.  oct-audit-log.h describes the file, and
 * docs/live-security.md the events.  Main thread.
 *
 * Each function takes NULL for no audit.
 */
#pragma once

#include "oct-audit-log.h"
#include "oct-live-message.h"
#include "oct-places.h"

G_BEGIN_DECLS

typedef struct _OctLiveAudit OctLiveAudit;

/* NULL with an error of one sentence. */
OctLiveAudit *oct_live_audit_new (const char *path, GError **error);
/* With `reason`, a sentence on the end of the program, or NULL.  Waits for the
 * disk.  FALSE: events are lost. */
gboolean oct_live_audit_free (OctLiveAudit *audit, const char *reason);

void oct_live_audit_add (OctLiveAudit *audit, const char *event,
    const OctAuditField *fields, guint n_fields);

/* A page was opened, or anything else that a visitor may do very often: some a
 * second are told, and the number of the others later. */
void oct_live_audit_visit (
    OctLiveAudit *audit, const char *event, const OctVisitor *visitor);

/* A command and what came of it; `visitor`: NULL for a pedal.  Commands that set
 * values come in many steps: those of one visitor in a second are one event. */
void oct_live_audit_command (OctLiveAudit *audit, const OctLiveMessage *message,
    const OctVisitor *visitor, const GError *error);

/* Every second: a sentence on trouble with the file, to be freed, or NULL. */
char *oct_live_audit_tick (OctLiveAudit *audit);

G_END_DECLS
