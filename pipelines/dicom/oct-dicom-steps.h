/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Performed procedure steps that a system of the hospital has yet to be told of.
 * They are in the folder of a queue (oct-dicom-queue.h):
 *
 *   steps/UID.begin   that it is in progress, not told as far as is known
 *   steps/UID.end     that it was completed or discontinued, likewise
 *   steps/UID.asked   the end was told, and the answer did not come
 *   told/             those that were told
 *
 * One rename moves a message to told/, so a process that is killed leaves it in one
 * folder or the other.  At worst it is told again, and the answer says that it was
 * known.  An end waits for its beginning.
 */
#pragma once

#include "oct-dicom-options.h"

G_BEGIN_DECLS

/* The commands step ...; the exit status of the program. */
int oct_dicom_steps_run (const OctDicomOptions *options);

G_END_DECLS
