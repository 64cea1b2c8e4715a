/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Transfer functions: what their files may be, and the table that they make.
 */
#include "oct-transfer.h"

#include <math.h>
#include <string.h>

static OctTransferStops *
parse (const char *text, GError **error)
{
  return oct_transfer_parse (text, strlen (text), "File 'x'", error);
}

static void
test_good (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree OctTransferStops *stops =
      parse ("grey,r,g,b,extinction\r\n\r\n# dark\n10, 0, 0.5, 1, 0\n"
             "  110 1 0.5 0 100 \n210;1;1;1;300",
          &error);
  g_autofree OctTransfer *t = g_new (OctTransfer, 1);

  g_assert_no_error (error);
  g_assert_cmpuint (stops->n, ==, 3);
  oct_transfer_fill (stops, 0, 1, t);
  for (guint i = 0; i < OCT_TRANSFER_SIZE; i++) {
    double grey = 255.0 * i / (OCT_TRANSFER_SIZE - 1);
    double part = CLAMP ((grey - 10) / 100, 0, 1);
    double next = CLAMP ((grey - 110) / 100, 0, 1);
    const OctTransferEntry *e = &t->entries[i];

    g_assert_cmpfloat_with_epsilon (e->red, part, 1e-6);
    g_assert_cmpfloat_with_epsilon (e->green, 0.5 + 0.5 * next, 1e-6);
    g_assert_cmpfloat_with_epsilon (
        e->extinction, 100 * part + 200 * next, 1e-3);
  }
}

static void
test_threshold (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree OctTransferStops *stops =
      parse ("0 1 1 1 50\n255 1 1 1 50", &error);
  g_autofree OctTransfer *t = g_new (OctTransfer, 1);

  g_assert_no_error (error);
  oct_transfer_fill (stops, 100, 2, t);
  for (guint i = 0; i < OCT_TRANSFER_SIZE; i++) {
    double grey = 255.0 * i / (OCT_TRANSFER_SIZE - 1);

    g_assert_cmpfloat_with_epsilon (t->entries[i].extinction,
        100 * CLAMP ((grey - 100) / OCT_TRANSFER_EDGE, 0, 1), 1e-3);
  }
}

/* Names may be in front, and nothing that counts is taken for names. */
static void
test_header (void)
{
  static const char *const good[] = {
    "0 .1 .2 .3 .4\n255 1 1 1 1",
    "\xef\xbb\xbf"
    "0 .1 .2 .3 .4\n255 1 1 1 1",
    "\xef\xbb\xbfgrey,red,green,blue,extinction\n0 .1 .2 .3 .4\n255 1 1 1 1",
    "# of whom\n\n\"grey level\"; index; info; nano\r\n0;.1;.2;.3;.4\r\n"
    "255;1;1;1;1\r\n",
  };

  for (guint i = 0; i < G_N_ELEMENTS (good); i++) {
    g_autoptr (GError) error = NULL;
    g_autofree OctTransferStops *stops = parse (good[i], &error);

    g_assert_no_error (error);
    g_assert_cmpuint (stops->n, ==, 2);
    g_assert_cmpfloat (stops->stops[0].grey, ==, 0);
    g_assert_cmpfloat (stops->stops[0].entry.extinction, ==, .4f);
  }
}

static void
test_wrong (void)
{
  static const struct {
    const char *text, *words;
  } wrong[] = {
    { "", "0 grey levels" },
    { "0 0 0 0 0", "1 grey levels" },
    { "0 0 0 0 0\n1 2", "line 2 2 numbers" },
    { "0 0 0 0 0\n1 1 1 1 1 1", "more than 5 numbers" },
    { "0 0 0 0 0\nx 1 1 1 1", "a value that is not a number" },
    { "0 0 0 0 0\n1 1 1 1 nan", "a value that is not a number" },
    { "0 0 0 0 0\n256 1 1 1 1", "grey level 256" },
    { "0 0 0 0 0\n1 1 1.5 1 1", "green 1.5" },
    { "0 0 0 0 0\n1 1 1 1 -1", "extinction -1" },
    { "9 0 0 0 0\n9 1 1 1 1", "grey level 9 after 9" },
    { "0 0 0 0 0\n\xff 1", "is not a text file" },
    /* a wrong first line is not a header */
    { "0,O,0,0,0\n1,1,1,1,1\n2,1,1,1,1", "line 1 a value that is not" },
    { "O,0,0,0,0\n1,1,1,1,1\n2,1,1,1,1", "line 1 a value that is not" },
    { "# a\n0,0,0,0,nan\n1,1,1,1,1\n2,1,1,1,1", "line 2 a value that is not" },
    { "nan,a,b,c,d\n1,1,1,1,1\n2,1,1,1,1", "line 1 a value that is not" },
    { "0grey,r,g,b,e\n1,1,1,1,1\n2,1,1,1,1", "line 1 a value that is not" },
    { "a,-.5x,g,b,e\n1,1,1,1,1\n2,1,1,1,1", "line 1 a value that is not" },
    { "grey,r,g,b,e\ngrey,r,g,b,e\n1,1,1,1,1\n2,1,1,1,1",
        "line 2 a value that is not" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_autoptr (GError) error = NULL;

    g_assert_null (parse (wrong[i].text, &error));
    g_assert_error (error, OCT_ERROR, OCT_ERROR_FORMAT);
    if (strstr (error->message, wrong[i].words) == NULL)
      g_error ("'%s' does not say '%s'", error->message, wrong[i].words);
  }
}

static void
test_too_many (void)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i <= OCT_TRANSFER_MAX_STOPS; i++)
    g_string_append_printf (text, "%g 0 0 0 0\n", i * 0.9);
  g_assert_null (parse (text->str, &error));
  g_assert_error (error, OCT_ERROR, OCT_ERROR_FORMAT);
}

static void
test_missing (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (oct_transfer_read ("/nowhere/at/all.csv", &error));
  g_assert_error (error, OCT_ERROR, OCT_ERROR_NOT_FOUND);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/transfer/good", test_good);
  g_test_add_func ("/transfer/threshold", test_threshold);
  g_test_add_func ("/transfer/header", test_header);
  g_test_add_func ("/transfer/wrong", test_wrong);
  g_test_add_func ("/transfer/too-many", test_too_many);
  g_test_add_func ("/transfer/missing", test_missing);
  return g_test_run ();
}
