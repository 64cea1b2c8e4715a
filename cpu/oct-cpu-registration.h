/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Which way a frame has moved against a mean, see oct-registration.h.
 */
#pragma once

#include "oct-cpu-private.h"
#include "oct-registration.h"

G_BEGIN_DECLS

typedef struct {
  gint rows, columns; /* pixels */
} OctCpuShift;

typedef struct _OctCpuRegistration OctCpuRegistration;

/* For one B-scan at a time of frames with these parameters; NULL with
 * OCT_ERROR_MEMORY. */
OctCpuRegistration *oct_cpu_registration_new (
    const OctAverageParams *params, GError **error);
void oct_cpu_registration_free (OctCpuRegistration *registration);

/* Stores the mean that the next frame is compared with. */
void oct_cpu_registration_keep (
    OctCpuRegistration *registration, const OctPlane *mean);
/* The shift of a frame: x in the mean is x + shift in the frame. */
OctCpuShift oct_cpu_registration_find (
    OctCpuRegistration *registration, const OctPlane *frame);

G_END_DECLS
