/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctcs.h"
#include "gstoctcuda.h"
#include "gstoctdcsub.h"
#include "gstoctdispersion.h"
#include "gstoctfft.h"
#include "gstoctgather.h"
#include "gstoctkresample.h"
#include "gstoctlogscale.h"
#include "gstoctmeter.h"
#include "gstoctnufft.h"
#include "gstoctrawsink.h"
#include "gstoctreconstruct.h"
#include "gstoctsrc.h"

static gboolean
plugin_init (GstPlugin *plugin)
{
  gboolean ok = TRUE;

  gst_oct_cuda_set_plugin_file (gst_plugin_get_filename (plugin));
  ok &= GST_ELEMENT_REGISTER (octsrc, plugin);
  ok &= GST_ELEMENT_REGISTER (octgather, plugin);
  ok &= GST_ELEMENT_REGISTER (octdcsub, plugin);
  ok &= GST_ELEMENT_REGISTER (octkresample, plugin);
  ok &= GST_ELEMENT_REGISTER (octdispersion, plugin);
  ok &= GST_ELEMENT_REGISTER (octfft, plugin);
  ok &= GST_ELEMENT_REGISTER (octnufft, plugin);
  ok &= GST_ELEMENT_REGISTER (octcs, plugin);
  ok &= GST_ELEMENT_REGISTER (octlogscale, plugin);
  ok &= GST_ELEMENT_REGISTER (octreconstruct, plugin);
  ok &= GST_ELEMENT_REGISTER (octrawsink, plugin);
  ok &= GST_ELEMENT_REGISTER (octmeter, plugin);
  return ok;
}

/* clang-format off */
GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, oct,
    "Optical coherence tomography", plugin_init, VERSION, "LGPL", "gst-oct",
    "gst-oct")
