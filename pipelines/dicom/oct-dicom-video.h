/* SPDX-License-Identifier: LGPL-2.1-or-later */
/** Films as DICOM files: an MP4 file is looked at, and put into one as it is. */
#pragma once

#include "oct-dicom-options.h"

G_BEGIN_DECLS

/* The command video; the exit status of the program. */
int oct_dicom_video_run (const OctDicomOptions *options);

G_END_DECLS
