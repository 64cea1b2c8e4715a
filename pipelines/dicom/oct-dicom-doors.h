/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The port at which an archive reports commitment: each connection gets a process
 * of its own, which ends after a minute at the latest.
 */
#pragma once

#include "oct-dicom-reports.h"

#include <sys/types.h>

G_BEGIN_DECLS

typedef struct _OctDicomDoors OctDicomDoors;

/* Listens; NULL with OCT_DICOM_ERROR_SETTINGS. */
OctDicomDoors *oct_dicom_doors_new (
    const char *address, guint port, GError **error);
/* Ends all connections. */
void oct_dicom_doors_free (OctDicomDoors *doors);

/* To wait for a connection at: -1 if doors is NULL, or none is taken now. */
int oct_dicom_doors_get_fd (OctDicomDoors *doors);

/* Takes the connection that waits.  If there are too many, the address that has
 * most of them loses its oldest one. */
void oct_dicom_doors_accept (OctDicomDoors *doors, OctDicomReports *reports);

/* Whether there are connections now; `doors` may be NULL. */
gboolean oct_dicom_doors_are_used (const OctDicomDoors *doors);

/* A process of a connection has ended. */
void oct_dicom_doors_forget (OctDicomDoors *doors, pid_t child);

/* In a new process: closes the port.  `doors` may be NULL. */
void oct_dicom_doors_leave (OctDicomDoors *doors);

G_END_DECLS
