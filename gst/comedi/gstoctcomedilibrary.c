/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctcomedilibrary.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#define FUNCTION(name, member)                                                 \
  {                                                                            \
    "comedi_" name, offsetof (GstOctComediLibrary, member)                     \
  }
static const struct {
  const char *name;
  gsize offset;
} functions[] = {
  FUNCTION ("open", open),
  FUNCTION ("close", close),
  FUNCTION ("fileno", fileno),
  FUNCTION ("errno", get_errno),
  FUNCTION ("strerror", strerror),
  FUNCTION ("get_board_name", get_board_name),
  FUNCTION ("get_n_subdevices", get_n_subdevices),
  FUNCTION ("get_subdevice_type", get_subdevice_type),
  FUNCTION ("get_subdevice_flags", get_subdevice_flags),
  FUNCTION ("get_n_channels", get_n_channels),
  FUNCTION ("get_maxdata", get_maxdata),
  FUNCTION ("get_n_ranges", get_n_ranges),
  FUNCTION ("get_range", get_range),
  FUNCTION ("lock", lock),
  FUNCTION ("set_write_subdevice", set_write_subdevice),
  FUNCTION ("get_write_subdevice", get_write_subdevice),
  FUNCTION ("set_buffer_size", set_buffer_size),
  FUNCTION ("get_max_buffer_size", get_max_buffer_size),
  FUNCTION ("get_buffer_size", get_buffer_size),
  FUNCTION ("get_buffer_contents", get_buffer_contents),
  FUNCTION ("get_hardware_buffer_size", get_hardware_buffer_size),
  FUNCTION ("command_test", command_test),
  FUNCTION ("command", command),
  FUNCTION ("internal_trigger", internal_trigger),
  FUNCTION ("cancel", cancel),
  FUNCTION ("data_write", data_write),
  FUNCTION ("get_default_calibration_path", get_default_calibration_path),
  FUNCTION ("parse_calibration_file", parse_calibration_file),
  FUNCTION ("cleanup_calibration", cleanup_calibration),
  FUNCTION ("get_softcal_converter", get_softcal_converter),
  FUNCTION ("get_hardcal_converter", get_hardcal_converter),
};

gboolean
gst_oct_comedi_load (
    const char *name, GstOctComediLibrary *library, GError **error)
{
  void *handle;

  if (name == NULL || *name == '\0')
    name = GST_OCT_COMEDI_LIBRARY;
  handle = dlopen (name, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_NOT_FOUND,
        "The library of Comedi cannot be loaded (%s); install it (Debian: "
        "libcomedi0), or set `library` of octcomedisink to its path",
        dlerror ());
    return FALSE;
  }
  for (guint i = 0; i < G_N_ELEMENTS (functions); i++) {
    void *address = dlsym (handle, functions[i].name);

    if (address == NULL) {
      g_set_error (error, OCT_ERROR, OCT_ERROR_NOT_FOUND,
          "The library '%s' has no function %s(); install Comedilib 0.11 or "
          "later, or set `library` of octcomedisink to its path",
          name, functions[i].name);
      return FALSE;
    }
    memcpy ((char *)library + functions[i].offset, &address, sizeof address);
  }
  return TRUE;
}
