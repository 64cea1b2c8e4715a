/* SPDX-License-Identifier: LGPL-2.1-or-later */
/** Reading a file that may be a trap. */
#pragma once

#include "oct-dicom-types.h"

G_BEGIN_DECLS

/* oct_dicom_inspect() in a process of its own with limited memory and time, as
 * sequences in each other or data that inflates end the process that reads them.
 * FALSE: it cannot be sent. */
gboolean oct_dicom_inspect_apart (const char *path, OctDicomObject *object);

G_END_DECLS
