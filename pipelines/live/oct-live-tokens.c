/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-tokens.h"
#include "oct-file-write.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RANDOM_BYTES 32
#define SHORTEST_TOKEN 22 /* 128 bit in base64 */
#define LONGEST_TOKEN 256

static char *
make_secret (void)
{
  guint8 bytes[RANDOM_BYTES];
  char *text;

  if (getentropy (bytes, sizeof bytes) != 0)
    g_error ("The system gives no random numbers: %s.", g_strerror (errno));
  text = g_base64_encode (bytes, sizeof bytes);
  /* as it can stand in an address */
  g_strdelimit (text, "+", '-');
  g_strdelimit (text, "/", '_');
  *strchr (text, '=') = '\0';
  return text;
}

void
oct_live_tokens_make (OctLiveTokens *tokens)
{
  tokens->control = make_secret ();
  tokens->view = make_secret ();
}

void
oct_live_tokens_clear (OctLiveTokens *tokens)
{
  g_clear_pointer (&tokens->control, g_free);
  g_clear_pointer (&tokens->view, g_free);
}

static gboolean
write_tokens (OctLiveTokens *tokens, const char *path, GError **error)
{
  g_autofree char *text = NULL;
  int code;

  oct_live_tokens_make (tokens);
  text =
      g_strdup_printf ("control %s\nview %s\n", tokens->control, tokens->view);
  code = oct_file_replace (path, text, strlen (text), 0600);
  if (code != 0)
    oct_file_set_write_error (error, path, code);
  return code == 0;
}

static gboolean
access_read_line (OctLiveTokens *tokens, const char *line)
{
  char **token = g_str_has_prefix (line, "control ") ? &tokens->control
                 : g_str_has_prefix (line, "view ")  ? &tokens->view
                                                     : NULL;
  gsize length;

  if (token == NULL || *token != NULL)
    return FALSE;
  *token = g_strstrip (g_strdup (strchr (line, ' ')));
  length = strlen (*token);
  if (length < SHORTEST_TOKEN || length > LONGEST_TOKEN)
    return FALSE;
  for (const char *c = *token; *c; c++)
    if (!g_ascii_isalnum (*c) && strchr ("-_.~", *c) == NULL)
      return FALSE;
  return TRUE;
}

static gboolean
read_tokens (OctLiveTokens *tokens, const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", 8);

  for (guint i = 0; lines[i] != NULL; i++)
    if (*g_strstrip (lines[i]) != '\0' && !access_read_line (tokens, lines[i]))
      return FALSE;
  return tokens->control != NULL && tokens->view != NULL
         && !g_str_equal (tokens->control, tokens->view);
}

gboolean
oct_live_tokens_load (OctLiveTokens *tokens, const char *path, GError **error)
{
  g_autofree char *text = NULL;
  struct stat status;

  if (stat (path, &status) != 0 && errno == ENOENT)
    return write_tokens (tokens, path, error);
  if (!g_file_get_contents (path, &text, NULL, error))
    return FALSE;
  if (status.st_mode & 077) {
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_PERM,
        "Others than its owner may read '%s'; make it private with chmod 600, "
        "and use new tokens.",
        path);
    return FALSE;
  }
  if (read_tokens (tokens, text))
    return TRUE;
  oct_live_tokens_clear (tokens);
  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
      "'%s' has to hold two lines, \"control TOKEN\" and \"view TOKEN\", with "
      "different tokens of at least %d letters and digits; without the file "
      "oct-live makes one.",
      path, SHORTEST_TOKEN);
  return FALSE;
}
