/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "oct-device.h"

G_BEGIN_DECLS

/* The symbols of the module, see oct-device.h. */
extern const char oct_cuda_version[];
const OctDevice *oct_cuda_get_device (GError **error);

G_END_DECLS
