/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Launch lines of whole chains for tests on a GPU, as strings of the compiler.
 */
#pragma once

#include "oct-test-pipelines.h"

/* The virtual OCT system, roughly. */
#define CALIBRATION "wavelength-min=800 wavelength-max=880"
#define CUDA " backend=cuda"
#define CPU " backend=cpu"
/* FILTERS or NUFFT, and END, give one image after the other to "sink" */
#define FILTERS(backend, between)                                              \
  " ! octdcsub " CALIBRATION backend between                                   \
  " ! octkresample name=k" backend between                                     \
  " ! octdispersion name=d a2=40" backend between                              \
  " ! octfft name=f" backend between                                           \
  " ! octlogscale name=l range=contrast" backend between
#define NUFFT(backend, between)                                                \
  " ! octdcsub " CALIBRATION backend between                                   \
  " ! octdispersion name=d a2=40" backend between                              \
  " ! octnufft name=f" backend between                                         \
  " ! octlogscale name=l range=contrast" backend between
#define END " ! appsink name=sink sync=false max-buffers=4"
#define GRAY " ! capsfilter caps=video/x-raw,format=GRAY8" END
#define VOLUME " ! octvolume max-render-time=0 turn-rate=40"
