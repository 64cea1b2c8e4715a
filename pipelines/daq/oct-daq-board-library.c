/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-daq-board-library.h"
#include "oct-types.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

gboolean
oct_daq_board_load (const OctDaqBoardTable *table, const char *library,
    const OctDaqBoardFunction *names, guint n, gpointer functions,
    GError **error)
{
  void *handle = dlopen (library, RTLD_NOW | RTLD_LOCAL);

  if (handle == NULL) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_NOT_FOUND,
        "The library of %s cannot be loaded (%s); install their driver, or set "
        "--library to its path.",
        table->maker, dlerror ());
    return FALSE;
  }
  for (guint i = 0; i < n; i++) {
    void *address = dlsym (handle, names[i].name);

    if (address == NULL) {
      g_set_error (error, OCT_ERROR, OCT_ERROR_NOT_FOUND,
          "The library '%s' has no function %s(); install a newer driver of "
          "%s, or set --library to its path.",
          library, names[i].name, table->maker);
      return FALSE;
    }
    memcpy ((char *)functions + names[i].offset, &address, sizeof address);
  }
  return TRUE;
}

gpointer
oct_daq_board_allocate (gsize size, GError **error)
{
  void *memory = NULL;

  /* more than half of the computer's would end in a process that is killed */
  if (size / OCT_DAQ_BOARD_PAGE > (gsize)sysconf (_SC_PHYS_PAGES) / 2
      || posix_memalign (&memory, OCT_DAQ_BOARD_PAGE, size) != 0) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_MEMORY,
        "The board needs %" G_GSIZE_FORMAT
        " MB of memory, more than this computer can give; set --buffers or "
        "--block-lines to less.",
        size / 1000000);
    return NULL;
  }
  /* a driver that locks pages finds them */
  memset (memory, 0, size);
  return memory;
}

void
oct_daq_board_refused (GError **error, const char *device, const char *call,
    guint code, const char *text, const char *hint)
{
  g_autofree char *said = g_strstrip (g_strdup (text != NULL ? text : ""));

  /* some texts have several lines */
  g_strdelimit (said, "\r\n", ' ');
  g_set_error (error, OCT_ERROR, OCT_ERROR_DEVICE,
      "Board %s refused %s with error %u (%s); %s.", device, call, code,
      *said != '\0' ? said : "no text", hint);
}
