/* SPDX-License-Identifier: LGPL-2.1-or-later */
/** A case of an audit as one file of HTML, without scripts and links. */
#pragma once

#include "oct-audit-case.h"
#include "oct-audit-check.h"

G_BEGIN_DECLS

typedef struct {
  const OctAuditCase *one;
  const OctAuditChain *chain; /* of all files, to the end */
  char *const *audits;        /* their paths, and NULL */
  const char *folder; /* of the recordings; NULL: files are not looked at */
} OctAuditReport;

/* Makes `path`, readable by its owner alone.  FALSE with a sentence: it is there
 * already, cannot be written, or the folder cannot be read. */
gboolean oct_audit_report_write (
    const OctAuditReport *report, const char *path, GError **error);

G_END_DECLS
