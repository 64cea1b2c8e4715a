/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-terminal.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char *
make_visible (const char *text)
{
  GString *shown = g_string_new (NULL);

  while (*text != '\0') {
    gunichar c = g_utf8_get_char_validated (text, -1);

    if (c == (gunichar)-1 || c == (gunichar)-2) {
      g_string_append_printf (shown, "\\x%02x", (guint8)*text++);
      continue;
    }
    if (c == '\n' || c == '\t' || !g_unichar_iscntrl (c))
      g_string_append_unichar (shown, c);
    else
      g_string_append_printf (shown, "\\x%02x", c);
    text = g_utf8_next_char (text);
  }
  return g_string_free (shown, FALSE);
}

/* In the encoding of the terminal, as GLib prints it. */
static void
put_text (FILE *file, const char *text)
{
  g_autofree char *shown = make_visible (text);
  g_autofree char *converted = NULL;
  const char *charset;

  if (!g_get_console_charset (&charset))
    converted = g_convert_with_fallback (
        shown, -1, charset, "UTF-8", "?", NULL, NULL, NULL);
  fputs (converted != NULL ? converted : shown, file);
  fflush (file);
}

static void
terminal_print (const char *text)
{
  put_text (stdout, text);
}

static void
terminal_print_error (const char *text)
{
  put_text (stderr, text);
}

void
oct_terminal_begin (void)
{
  setvbuf (stdout, NULL, _IOLBF, 0);
  g_set_print_handler (terminal_print);
  g_set_printerr_handler (terminal_print_error);
}

gboolean
oct_terminal_write (const char *text)
{
  if (fputs (text, stdout) >= 0 && fflush (stdout) == 0 && !ferror (stdout))
    return TRUE;
  g_printerr ("Error: The output cannot be written; see whether its disk is "
              "full, or whether the program that reads it has ended.\n");
  return FALSE;
}

void
oct_terminal_rewrite (void)
{
  if (isatty (STDOUT_FILENO))
    fputs ("\r\033[K", stdout);
}
