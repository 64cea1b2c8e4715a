/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctcollect.h"
#include "gstoctalign.h"
#include "gstoctangio.h"
#include "gstoctaverage.h"
#ifdef HAVE_ARAVIS
#  include "gstoctcameraprovider.h"
#  include "gstoctcamerasrc.h"
#endif
#include "gstoctcolormap.h"
#include "gstoctcomedisink.h"
#include "gstoctcs.h"
#include "gstoctcuda.h"
#include "gstoctdaqsrc.h"
#include "gstoctdcsub.h"
#include "gstoctdispersion.h"
#include "gstoctdoppler.h"
#include "gstoctdynamic.h"
#include "gstoctenface.h"
#include "gstoctfft.h"
#include "gstoctflip.h"
#include "gstoctgather.h"
#include "gstoctimagesrc.h"
#include "gstoctigtlsink.h"
#include "gstoctigtlsrc.h"
#include "gstoctkeep.h"
#include "gstoctkclock.h"
#include "gstoctkresample.h"
#include "gstoctlogscale.h"
#include "gstoctmeter.h"
#include "gstoctnufft.h"
#include "gstoctrawsink.h"
#include "gstoctrefocus.h"
#include "gstoctreconstruct.h"
#include "gstoctremap.h"
#include "gstoctscatter.h"
#include "gstoctscangen.h"
#include "gstoctscanmeta.h"
#include "gstoctslice.h"
#include "gstoctsharpen.h"
#include "gstoctspeckle.h"
#include "gstoctsrc.h"
#include "gstocttypefind.h"
#include "gstoctvolume.h"
#include "gstoctvolumecs.h"
#include "gstoctvolumesink.h"

static gboolean
plugin_init (GstPlugin *plugin)
{
  gboolean ok = TRUE;

  gst_oct_scan_meta_register ();
  gst_oct_cuda_set_plugin_file (gst_plugin_get_filename (plugin));
  ok &= GST_ELEMENT_REGISTER (octsrc, plugin);
#ifdef HAVE_ARAVIS
  ok &= GST_ELEMENT_REGISTER (octcamerasrc, plugin);
  ok &= GST_DEVICE_PROVIDER_REGISTER (octcameraprovider, plugin);
#endif
  ok &= GST_ELEMENT_REGISTER (octscangen, plugin);
  ok &= GST_ELEMENT_REGISTER (octcomedisink, plugin);
  ok &= GST_ELEMENT_REGISTER (octdaqsrc, plugin);
  ok &= GST_ELEMENT_REGISTER (octgather, plugin);
  ok &= GST_ELEMENT_REGISTER (octscatter, plugin);
  ok &= GST_ELEMENT_REGISTER (octcollect, plugin);
  ok &= GST_ELEMENT_REGISTER (octdcsub, plugin);
  ok &= GST_ELEMENT_REGISTER (octkclock, plugin);
  ok &= GST_ELEMENT_REGISTER (octkresample, plugin);
  ok &= GST_ELEMENT_REGISTER (octdispersion, plugin);
  ok &= GST_ELEMENT_REGISTER (octfft, plugin);
  ok &= GST_ELEMENT_REGISTER (octnufft, plugin);
  ok &= GST_ELEMENT_REGISTER (octcs, plugin);
  ok &= GST_ELEMENT_REGISTER (octvolumecs, plugin);
  ok &= GST_ELEMENT_REGISTER (octremap, plugin);
  ok &= GST_ELEMENT_REGISTER (octlogscale, plugin);
  ok &= GST_ELEMENT_REGISTER (octreconstruct, plugin);
  ok &= GST_ELEMENT_REGISTER (octimagesrc, plugin);
  ok &= GST_ELEMENT_REGISTER (octrawsink, plugin);
  ok &= GST_ELEMENT_REGISTER (octigtlsink, plugin);
  ok &= GST_ELEMENT_REGISTER (octigtlsrc, plugin);
  ok &= GST_ELEMENT_REGISTER (octkeep, plugin);
  ok &= GST_ELEMENT_REGISTER (octmeter, plugin);
  ok &= GST_ELEMENT_REGISTER (octvolume, plugin);
  ok &= GST_ELEMENT_REGISTER (octvolumesink, plugin);
  ok &= GST_ELEMENT_REGISTER (octenface, plugin);
  ok &= GST_ELEMENT_REGISTER (octslice, plugin);
  ok &= GST_ELEMENT_REGISTER (octcolormap, plugin);
  ok &= GST_ELEMENT_REGISTER (octalign, plugin);
  ok &= GST_ELEMENT_REGISTER (octangio, plugin);
  ok &= GST_ELEMENT_REGISTER (octaverage, plugin);
  ok &= GST_ELEMENT_REGISTER (octflip, plugin);
  ok &= GST_ELEMENT_REGISTER (octspeckle, plugin);
  ok &= GST_ELEMENT_REGISTER (octsharpen, plugin);
  ok &= GST_ELEMENT_REGISTER (octdoppler, plugin);
  ok &= GST_ELEMENT_REGISTER (octdynamic, plugin);
  ok &= GST_ELEMENT_REGISTER (octrefocus, plugin);
  ok &= gst_oct_type_find_register (plugin);
  return ok;
}

/* clang-format off */
GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, oct,
    "Optical coherence tomography", plugin_init, VERSION, "LGPL",
    OCT_PACKAGE_NAME, OCT_PACKAGE_ORIGIN)
