/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A CUDA module without CUDA, for test-module.c: OCT_DEVICE_VERSION is what the
 * build of it says, FAKE_IS_STALE that nothing of it may be called.
 */
#include "oct-device.h"

#define EXPORTED __attribute__ ((visibility ("default")))

#ifdef OCT_DEVICE_VERSION
extern const char oct_cuda_version[];
EXPORTED const char oct_cuda_version[] = OCT_DEVICE_VERSION;
#endif

#ifndef FAKE_IS_DAMAGED
const OctDevice *oct_cuda_get_device (GError **error);

EXPORTED const OctDevice *
oct_cuda_get_device (GError **error)
{
  static const OctDevice device;

#  ifdef FAKE_IS_STALE
  g_error ("a module of another version was called");
#  endif
  return &device;
}
#endif
