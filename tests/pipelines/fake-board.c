/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fake-board.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static guint64 fake_triggers;
static guint fake_blocks;
static guint fake_calls; /* of the one that fails */
static gboolean fake_paused, fake_was_full;

static void
fake_log (const char *line)
{
  const char *path = g_getenv ("OCT_FAKE_LOG");
  g_autofree char *text = g_strdup_printf ("%s\n", line);
  int file;

  if (path == NULL)
    return;
  file = open (path, O_WRONLY | O_APPEND | O_CREAT, 0600);
  if (file < 0 || write (file, text, strlen (text)) < 0)
    abort ();
  close (file);
}

void
fake_wrong (const char *format, ...)
{
  g_autofree char *said = NULL, *line = NULL;
  va_list values;

  va_start (values, format);
  said = g_strdup_vprintf (format, values);
  va_end (values);
  line = g_strdup_printf ("wrong: %s", said);
  fake_log (line);
}

guint32
fake_call (const char *name)
{
  const char *fail = g_getenv ("OCT_FAKE_FAIL");
  const char *code = fail != NULL ? strchr (fail, '=') : NULL;
  const char *which = code != NULL ? strchr (code, '@') : NULL;

  fake_log (name);
  if (code == NULL || strlen (name) != (gsize)(code - fail)
      || strncmp (name, fail, (gsize)(code - fail)) != 0
      || ++fake_calls != (which != NULL ? strtoul (which + 1, NULL, 0) : 1))
    return 0;
  return (guint32)strtoul (code + 1, NULL, 0);
}

static guint
fake_number (const char *name, guint usual)
{
  const char *text = g_getenv (name);

  return text != NULL ? (guint)strtoul (text, NULL, 0) : usual;
}

guint
fake_bits (guint usual)
{
  return fake_number ("OCT_FAKE_BITS", usual);
}

void
fake_lose (void)
{
  fake_triggers += FAKE_LOST;
}

FakeEvent
fake_next (void)
{
  const char *overflow = g_getenv ("OCT_FAKE_OVERFLOW");
  guint pause = fake_number ("OCT_FAKE_PAUSE", 0);

  if (usleep (fake_number ("OCT_FAKE_US", 100)) != 0)
    return FAKE_INTERRUPTED;
  if (pause > 0 && fake_blocks % pause == 0 && !fake_paused) {
    fake_paused = TRUE;
    return FAKE_TIMEOUT;
  }
  fake_paused = FALSE;
  if (overflow != NULL
      && (strcmp (overflow, "all") == 0
          || (!fake_was_full && strtoul (overflow, NULL, 0) == fake_blocks))) {
    fake_was_full = TRUE;
    fake_lose ();
    return FAKE_OVERFLOW;
  }
  fake_blocks++;
  return FAKE_BLOCK;
}

guint64
fake_trigger (void)
{
  return fake_triggers++;
}

guint16
fake_value (guint64 trigger, guint input, guint sample)
{
  return (guint16)(trigger * 40503u + input * 9973u + sample * 257u);
}
