/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Reports of commitment, which settle objects of a queue, whatever association
 * they come by.
 */
#pragma once

#include "oct-dicom-net.h"
#include "oct-dicom-options.h"
#include "oct-dicom-queue.h"

G_BEGIN_DECLS

typedef struct {
  const OctDicomOptions *options;
  OctDicomQueue *queue;
} OctDicomReports;

/* Waits `seconds` for one message on the association, and settles the objects of
 * a report of a transaction of the queue: committed ones leave it, others are sent
 * again. */
OctDicomGot oct_dicom_reports_receive (
    OctDicomReports *reports, OctDicomLink *link, guint seconds);

/* Serves one connection to --listen in this process, of which nothing else is
 * left; its exit status. */
int oct_dicom_reports_serve (OctDicomReports *reports, int fd);

G_END_DECLS
