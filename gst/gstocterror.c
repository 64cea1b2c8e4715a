/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstocterror.h"

void
gst_oct_element_error (GstElement *element, GError **error)
{
  GError *e = *error;
  GQuark domain = GST_STREAM_ERROR;
  gint code = GST_STREAM_ERROR_FAILED;

  if (e->domain == OCT_ERROR) {
    switch ((OctError) e->code) {
      case OCT_ERROR_NOT_FOUND:
        domain = GST_RESOURCE_ERROR;
        code = GST_RESOURCE_ERROR_NOT_FOUND;
        break;
      case OCT_ERROR_READ:
        domain = GST_RESOURCE_ERROR;
        code = GST_RESOURCE_ERROR_READ;
        break;
      case OCT_ERROR_FORMAT:
        code = GST_STREAM_ERROR_FORMAT;
        break;
      case OCT_ERROR_SETTINGS:
        domain = GST_RESOURCE_ERROR;
        code = GST_RESOURCE_ERROR_SETTINGS;
        break;
      case OCT_ERROR_MEMORY:
        domain = GST_RESOURCE_ERROR;
        code = GST_RESOURCE_ERROR_NO_SPACE_LEFT;
        break;
      case OCT_ERROR_DEVICE:
        domain = GST_RESOURCE_ERROR;
        code = GST_RESOURCE_ERROR_FAILED;
        break;
    }
  }
  gst_element_message_full (element, GST_MESSAGE_ERROR, domain, code,
      g_strdup (e->message), NULL, __FILE__, GST_FUNCTION, __LINE__);
  g_clear_error (error);
}
