/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-links.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <ifaddrs.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* A page that leads to the link, which is then in no list of processes. */
#define PAGE                                                                   \
  "<!doctype html><meta charset=\"utf-8\">"                                    \
  "<meta http-equiv=\"refresh\" content=\"0;url=%s\"><title>OCT "              \
  "live</title>\n"
#define PAGE_LINK "content=\"0;url="
#define MOST_PAGE 4096

struct _OctLiveLinks {
  char *path;
  int fd; /* of the page, locked */
};

/* An address that others can reach, for the links. */
static char *
find_address (const OctLiveOptions *options)
{
  struct ifaddrs *all = NULL;
  char text[INET_ADDRSTRLEN], *found = NULL;

  if (g_str_equal (options->address, "0.0.0.0")
      || g_str_equal (options->address, "::")) {
    if (getifaddrs (&all) == 0)
      for (struct ifaddrs *i = all; i != NULL && found == NULL;
           i = i->ifa_next) {
        struct sockaddr_in *in = (struct sockaddr_in *)i->ifa_addr;

        if (in != NULL && in->sin_family == AF_INET
            && (ntohl (in->sin_addr.s_addr) >> 24) != 127)
          found =
              g_strdup (inet_ntop (AF_INET, &in->sin_addr, text, sizeof text));
      }
    freeifaddrs (all);
    return found != NULL ? found : g_strdup ("127.0.0.1");
  }
  return strchr (options->address, ':') != NULL
             ? g_strdup_printf ("[%s]", options->address)
             : g_strdup (options->address);
}

/* A link with this token, if one is needed; to be freed. */
static char *
links_make (const OctLiveOptions *options, OctLiveAccess *access,
    const char *token, guint port)
{
  g_autofree char *address = find_address (options);
  g_autofree char *query = oct_live_access_is_open (access)
                               ? g_strdup ("")
                               : g_strconcat ("?token=", token, NULL);

  return g_strdup_printf ("%s://%s:%u/%s",
      options->cert != NULL ? "https" : "http", address, port, query);
}

void
oct_live_links_print (const OctLiveOptions *options, OctLiveAccess *access,
    const OctLiveTokens *tokens, guint port)
{
  g_autofree char *control =
      links_make (options, access, tokens->control, port);
  g_autofree char *view = links_make (options, access, tokens->view, port);
  g_autofree char *hidden = links_make (options, access, "TOKEN", port);

  if (oct_live_access_is_open (access))
    g_print ("Open in a browser on this computer: %s\n", control);
  /* the tokens are not for a log */
  else if (options->token_file != NULL && !isatty (STDOUT_FILENO))
    g_print ("Open in a browser: %s\nThe tokens, for "
             "control and for watching only, are in '%s'.\n",
        hidden, options->token_file);
  else
    g_print ("To watch and control: %s\n"
             "To watch only:        %s\n",
        control, view);
  if (!options->loopback && options->cert == NULL)
    g_print ("Note: without --cert and --key, who can listen to the network "
             "can read the token; the video itself is always encrypted.\n");
  if (options->record != NULL)
    g_print ("Recordings go to '%s'.\n", options->record);
  g_print ("Ctrl-C ends it.\n");
}

/* --------------------------------------------------------------- the browser */

static void
links_launch (const char *address)
{
  g_autoptr (GError) error = NULL;

  if (!g_app_info_launch_default_for_uri (address, NULL, &error))
    g_printerr (
        "Note: No browser could be opened (%s); open the link by hand.\n",
        error->message);
}

/* A link without a token may be seen by everybody on this computer. */
static void
links_lead (const char *path, const char *link)
{
  g_autofree char *page = g_filename_to_uri (path, NULL, NULL);

  links_launch (strstr (link, "?token=") != NULL && page != NULL ? page : link);
}

/* Another oct-live has it, whose page it is. */
static void
links_lead_to_other (int fd, const char *path)
{
  g_autofree char *text = g_malloc0 (MOST_PAGE);
  const char *link;
  char *end;

  (void)!read (fd, text, MOST_PAGE - 1);
  link = strstr (text, PAGE_LINK);
  link = link != NULL ? link + strlen (PAGE_LINK) : "";
  end = strchr (link, '"');
  if (end == NULL) {
    g_printerr ("Note: oct-live is just being started by another process.\n");
    return;
  }
  *end = '\0';
  g_print ("oct-live runs already; its page is opened.\n");
  links_lead (path, link);
}

gboolean
oct_live_links_claim (gboolean alone, OctLiveLinks **links)
{
  const char *folder = g_get_user_runtime_dir ();
  g_autofree char *name = alone
                              ? g_strdup ("oct-live-setup.html")
                              : g_strdup_printf ("oct-live-%d.html", getpid ());
  g_autofree char *path = g_build_filename (folder, name, NULL);
  int fd;

  (void)g_mkdir_with_parents (folder, 0700);
  fd = g_open (path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) {
    g_printerr ("Note: The page cannot be opened in a browser: '%s' cannot be "
                "written (%s); open the link by hand.\n",
        path, g_strerror (errno));
    return TRUE;
  }
  if (flock (fd, LOCK_EX | LOCK_NB) != 0) {
    links_lead_to_other (fd, path);
    close (fd);
    return FALSE;
  }
  *links = g_new0 (OctLiveLinks, 1);
  (*links)->path = g_steal_pointer (&path);
  (*links)->fd = fd;
  return TRUE;
}

void
oct_live_links_open (OctLiveLinks *links, const OctLiveOptions *options,
    OctLiveAccess *access, const OctLiveTokens *tokens, guint port)
{
  g_autofree char *link = links_make (options, access, tokens->control, port);
  g_autofree char *page = g_strdup_printf (PAGE, link);
  gssize length = (gssize)strlen (page);

  if (ftruncate (links->fd, 0) != 0 || fchmod (links->fd, 0600) != 0
      || pwrite (links->fd, page, (gsize)length, 0) != length)
    g_printerr (
        "Note: '%s' cannot be written; open the link by hand.\n", links->path);
  else
    links_lead (links->path, link);
}

void
oct_live_links_free (OctLiveLinks *links)
{
  /* nobody else has this name while it is locked */
  g_unlink (links->path);
  close (links->fd);
  g_free (links->path);
  g_free (links);
}
