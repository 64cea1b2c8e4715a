/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The beginning of each program that checks one backend.
 */
#pragma once

#include "volume-device.h"

/* The backend that is checked: volume_device_begin() opens it. */
static VolumeDevice tried;

#define report(ok, ...) volume_report (&tried, ok, __VA_ARGS__)
