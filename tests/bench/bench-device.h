/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Speed of the link to the GPU without any computing: `count` copies of `bytes`
 * from page-locked host memory, one after the other, in bytes per second; 0 if
 * there is no GPU or no CUDA module (looked for in OCT_CUDA_MODULE_PATH). */
double bench_device_upload_rate (gsize bytes, guint count);

/* The same of several GPUs at the same time, all together; 0 also where one of
 * `ids`, of gint, is not there. */
double bench_device_upload_rate_of (GArray *ids, gsize bytes, guint count);

/* Bytes of GPU memory that nobody uses; 0 as above. */
gsize bench_device_free_memory (void);
