/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "oct-device.h"

G_BEGIN_DECLS

/* The one symbol of the module, an OctDeviceGet. */
const OctDevice *oct_cuda_get_device (GError **error);

G_END_DECLS
