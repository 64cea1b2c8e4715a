/* SPDX-License-Identifier: LGPL-2.1-or-later */
/** One association with the archive: stores waiting objects, and asks for the
 * commitment of stored ones. */
#pragma once

#include "oct-dicom-reports.h"

G_BEGIN_DECLS

/* In a process of its own, which ends if the archive keeps it waiting; its exit
 * status. */
int oct_dicom_deliver (OctDicomReports *reports);

/* The objects that are stored and of which no open transaction asks: they have to
 * be asked for.  UIDs; NULL with OCT_DICOM_ERROR_QUEUE. */
GPtrArray *oct_dicom_deliver_list_unasked (
    const OctDicomReports *reports, GError **error);

G_END_DECLS
