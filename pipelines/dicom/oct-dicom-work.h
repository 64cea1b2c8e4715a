/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Works off a queue: one process that decides and listens, and one for each
 * association, so that a peer that hangs, floods or crashes DCMTK ends no more
 * than its own.
 */
#pragma once

#include "oct-dicom-options.h"

G_BEGIN_DECLS

/* The commands send and commit; the exit status of the program. */
int oct_dicom_work_run (const OctDicomOptions *options);

G_END_DECLS
