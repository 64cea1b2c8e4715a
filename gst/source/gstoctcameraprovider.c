/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctcameraprovider.h"
#include "gstoctcaps.h"

#include <arv.h>

#define DEVICE_CLASS "Video/Source"

/* ------------------------------------------------------------------- device */

#define GST_TYPE_OCT_CAMERA_ITEM (gst_oct_camera_item_get_type ())
G_DECLARE_FINAL_TYPE (
    GstOctCameraItem, gst_oct_camera_item, GST, OCT_CAMERA_ITEM, GstDevice)

struct _GstOctCameraItem {
  GstDevice parent;

  char *id;
};

G_DEFINE_TYPE (GstOctCameraItem, gst_oct_camera_item, GST_TYPE_DEVICE)

static GstElement *
camera_item_create_element (GstDevice *device, const char *name)
{
  GstElement *element = gst_element_factory_make ("octcamerasrc", name);

  if (element != NULL)
    g_object_set (element, "camera", GST_OCT_CAMERA_ITEM (device)->id, NULL);
  return element;
}

static gboolean
camera_item_reconfigure_element (GstDevice *device, GstElement *element)
{
  if (g_strcmp0 (G_OBJECT_TYPE_NAME (element), "GstOctCameraSrc") != 0)
    return FALSE;
  g_object_set (element, "camera", GST_OCT_CAMERA_ITEM (device)->id, NULL);
  return TRUE;
}

static void
camera_item_finalize (GObject *object)
{
  g_free (GST_OCT_CAMERA_ITEM (object)->id);
  G_OBJECT_CLASS (gst_oct_camera_item_parent_class)->finalize (object);
}

static void
gst_oct_camera_item_class_init (GstOctCameraItemClass *klass)
{
  GST_DEVICE_CLASS (klass)->create_element = camera_item_create_element;
  GST_DEVICE_CLASS (klass)->reconfigure_element =
      camera_item_reconfigure_element;
  G_OBJECT_CLASS (klass)->finalize = camera_item_finalize;
}

static void
gst_oct_camera_item_init (GstOctCameraItem *self)
{
}

/* ----------------------------------------------------------------- provider */

struct _GstOctCameraProvider {
  GstDeviceProvider parent;
};

G_DEFINE_TYPE (
    GstOctCameraProvider, gst_oct_camera_provider, GST_TYPE_DEVICE_PROVIDER)
GST_DEVICE_PROVIDER_REGISTER_DEFINE (octcameraprovider, "octcameraprovider",
    GST_RANK_PRIMARY, GST_TYPE_OCT_CAMERA_PROVIDER);

/* Number `i` of Aravis' list. */
static GstDevice *
provider_describe (guint i)
{
  const char *vendor = arv_get_device_vendor (i);
  const char *model = arv_get_device_model (i);
  const char *serial = arv_get_device_serial_nbr (i);
  g_autofree char *name = g_strjoin (" ", vendor != NULL ? vendor : "Camera",
      model != NULL ? model : "", serial, NULL);
  GstStructure *about = gst_structure_new ("octcamera-properties", "device.api",
      G_TYPE_STRING, "aravis", "device.protocol", G_TYPE_STRING,
      arv_get_device_protocol (i), "device.address", G_TYPE_STRING,
      arv_get_device_address (i), "device.vendor.name", G_TYPE_STRING, vendor,
      "device.product.name", G_TYPE_STRING, model, "device.serial",
      G_TYPE_STRING, serial, "camera", G_TYPE_STRING, arv_get_device_id (i),
      NULL);
  /* only a camera that is opened says more, and it belongs to one program */
  GstCaps *caps = gst_caps_from_string (GST_OCT_CAPS_RAW);
  GstOctCameraItem *item =
      g_object_new (GST_TYPE_OCT_CAMERA_ITEM, "display-name", name, "caps",
          caps, "device-class", DEVICE_CLASS, "properties", about, NULL);

  item->id = g_strdup (arv_get_device_id (i));
  gst_structure_free (about);
  gst_caps_unref (caps);
  return GST_DEVICE (item);
}

static GList *
camera_provider_probe (GstDeviceProvider *provider)
{
  GList *devices = NULL;

  arv_update_device_list ();
  for (guint i = arv_get_n_devices (); i-- > 0;)
    devices =
        g_list_prepend (devices, gst_object_ref_sink (provider_describe (i)));
  return devices;
}

static void
gst_oct_camera_provider_class_init (GstOctCameraProviderClass *klass)
{
  GST_DEVICE_PROVIDER_CLASS (klass)->probe = camera_provider_probe;
  gst_device_provider_class_set_static_metadata (
      GST_DEVICE_PROVIDER_CLASS (klass), "GenICam cameras", "Source/Video",
      "Lists the cameras of octcamerasrc", "The gst-oct developers");
}

static void
gst_oct_camera_provider_init (GstOctCameraProvider *self)
{
}
