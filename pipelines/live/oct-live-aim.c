/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-aim.h"

#include "oct-file-mode.h"

#include <math.h>
#include <string.h>

#define N OCT_LIVE_AIM_CORNERS
/* The least area of the triangle of three corners, in parts of the picture: less is a click too
 * near to another one, or on its line. */
#define LEAST_AREA 1e-4
#define MOST_FILE 4096
#define TITLE "# oct-live: the scan in the microscope's picture"
#define ADVICE " Calibrate again."

static const char *const eyes[OCT_LIVE_EYES] = { "left", "right" };

static gboolean aim_refuse (GError **error, const char *format, ...)
    G_GNUC_PRINTF (2, 3);

static gboolean
aim_refuse (GError **error, const char *format, ...)
{
  va_list values;

  va_start (values, format);
  if (error != NULL)
    *error =
        g_error_new_valist (G_FILE_ERROR, G_FILE_ERROR_INVAL, format, values);
  va_end (values);
  return FALSE;
}

/* ----------------------------------------------------------------------- map
 */

/* Twice the area of a triangle, with the sign of its turn. */
static double
aim_turn (const OctLiveSpot *a, const OctLiveSpot *b, const OctLiveSpot *c)
{
  return (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x);
}

static gboolean
aim_check_inside (const OctLiveSpot picture[N], GError **error)
{
  for (guint i = 0; i < N; i++)
    if (!(picture[i].x >= 0.0 && picture[i].x <= 1.0 && picture[i].y >= 0.0
            && picture[i].y <= 1.0))
      return aim_refuse (error,
          "Corner %u is outside of the microscope's picture; all four have to "
          "be in it." ADVICE,
          i + 1);
  return TRUE;
}

/* Corners of a convex area turn the same way each time. */
static gboolean
aim_check_picture (const OctLiveSpot picture[N], GError **error)
{
  guint left = 0;

  if (!aim_check_inside (picture, error))
    return FALSE;
  for (guint i = 0; i < N; i++)
    for (guint j = i + 1; j < N; j++)
      if (hypot (picture[i].x - picture[j].x, picture[i].y - picture[j].y)
          < sqrt (LEAST_AREA))
        return aim_refuse (error,
            "Corners %u and %u are at the same place; the four corners of the "
            "scan are apart." ADVICE,
            i + 1, j + 1);
  for (guint i = 0; i < N; i++) {
    double turn =
        aim_turn (&picture[i], &picture[(i + 1) % N], &picture[(i + 2) % N]);

    if (fabs (turn) < 2.0 * LEAST_AREA)
      return aim_refuse (error,
          "Corners %u, %u and %u are on one line; the four corners of the scan "
          "span an area." ADVICE,
          i + 1, (i + 1) % N + 1, (i + 2) % N + 1);
    left += turn > 0.0;
  }
  return left == 0 || left == N
         || aim_refuse (error,
             "The lines from corner to corner cross, or one corner is inside "
             "of the others; take them in turn around the scan." ADVICE);
}

/* The map from the unit square to (0,0) (1,0) (1,1) (0,1) = q[0 .. 3]. */
static void
aim_from_square (const OctLiveSpot q[N], double m[9])
{
  double sx = q[0].x - q[1].x + q[2].x - q[3].x;
  double sy = q[0].y - q[1].y + q[2].y - q[3].y;
  double ax = q[1].x - q[2].x, ay = q[1].y - q[2].y;
  double bx = q[3].x - q[2].x, by = q[3].y - q[2].y;
  double det = ax * by - bx * ay;
  double g = (sx * by - bx * sy) / det, h = (ax * sy - sx * ay) / det;
  const double all[9] = { q[1].x - q[0].x + g * q[1].x,
    q[3].x - q[0].x + h * q[3].x, q[0].x, q[1].y - q[0].y + g * q[1].y,
    q[3].y - q[0].y + h * q[3].y, q[0].y, g, h, 1.0 };

  memcpy (m, all, sizeof all);
}

/* The inverse but for a factor, which a map in homogeneous places is free of. */
static void
aim_invert (const double m[9], double inverse[9])
{
  for (guint row = 0; row < 3; row++)
    for (guint column = 0; column < 3; column++) {
      guint r1 = (column + 1) % 3, r2 = (column + 2) % 3;
      guint c1 = (row + 1) % 3, c2 = (row + 2) % 3;

      inverse[3 * row + column] =
          m[3 * r1 + c1] * m[3 * r2 + c2] - m[3 * r1 + c2] * m[3 * r2 + c1];
    }
}

/* So that places of the scan itself are in front of the horizon. */
static void
aim_turn_forward (OctLiveAim *aim)
{
  double *m = aim->map;
  double w = m[6] * aim->scan[0].x + m[7] * aim->scan[0].y + m[8];

  for (guint i = 0; i < 9; i++)
    m[i] /= w;
}

gboolean
oct_live_aim_find (OctLiveAim *aim, const OctLiveSpot scan[N],
    const OctLiveSpot picture[N], gboolean sized, GError **error)
{
  double of_scan[9], of_picture[9], back[9], size = 0.0;
  OctLiveAim found = { .known = TRUE, .sized = sized };
  gboolean flat = FALSE;

  if (!aim_check_picture (picture, error))
    return FALSE;
  for (guint i = 1; i < N; i++)
    size = MAX (size, hypot (scan[i].x - scan[0].x, scan[i].y - scan[0].y));
  for (guint i = 0; i < N; i++)
    flat |= !(fabs (aim_turn (&scan[i], &scan[(i + 1) % N], &scan[(i + 2) % N]))
              > 1e-6 * size * size);
  if (flat || !(size > 0.0 && size < 1e6))
    return aim_refuse (error,
        "The scan has no area that could be found in the microscope's picture; "
        "calibrate with a scan that has a width and a length.");
  aim_from_square (scan, of_scan);
  aim_from_square (picture, of_picture);
  aim_invert (of_scan, back);
  for (guint row = 0; row < 3; row++)
    for (guint column = 0; column < 3; column++)
      for (guint k = 0; k < 3; k++)
        found.map[3 * row + column] +=
            of_picture[3 * row + k] * back[3 * k + column];
  memcpy (found.scan, scan, sizeof found.scan);
  memcpy (found.picture, picture, sizeof found.picture);
  aim_turn_forward (&found);
  *aim = found;
  return TRUE;
}

gboolean
oct_live_aim_map (
    const OctLiveAim *aim, const OctLiveSpot *scan, OctLiveSpot *picture)
{
  const double *m = aim->map;
  double w = m[6] * scan->x + m[7] * scan->y + m[8];

  if (!aim->known || !(w > 1e-6))
    return FALSE;
  picture->x = (m[0] * scan->x + m[1] * scan->y + m[2]) / w;
  picture->y = (m[3] * scan->x + m[4] * scan->y + m[5]) / w;
  return TRUE;
}

/* ---------------------------------------------------------------------- text
 */

gboolean
oct_live_aim_parse_corners (const char *text, OctLiveSpot corners[N])
{
  for (guint i = 0; i < 2 * N; i++) {
    double *value = i % 2 == 0 ? &corners[i / 2].x : &corners[i / 2].y;
    char after = i + 1 == 2 * N ? '\0' : i % 2 == 0 ? ',' : ' ';
    char *end;

    /* spaces and words such as "inf", which g_ascii_strtod() takes */
    if (!g_ascii_isdigit (*text) && *text != '-')
      return FALSE;
    *value = g_ascii_strtod (text, &end);
    if (end == text || *end != after || !isfinite (*value))
      return FALSE;
    text = end + 1;
  }
  return TRUE;
}

static void
aim_add_corners (GString *text, const OctLiveSpot corners[N])
{
  for (guint i = 0; i < N; i++) {
    char x[G_ASCII_DTOSTR_BUF_SIZE], y[G_ASCII_DTOSTR_BUF_SIZE];

    g_string_append_printf (text, " %s,%s",
        g_ascii_dtostr (x, sizeof x, corners[i].x),
        g_ascii_dtostr (y, sizeof y, corners[i].y));
  }
}

/* "EYE UNIT x,y x,y x,y x,y x,y x,y x,y x,y": the scan's, then the picture's. */
static gboolean
aim_read_line (const char *line, OctLiveAim aims[OCT_LIVE_EYES], GError **error)
{
  g_auto (GStrv) words = g_strsplit (line, " ", -1);
  OctLiveSpot scan[N], picture[N];
  guint eye;

  if (g_strv_length (words) != 2 + 2 * N)
    return aim_refuse (error, "it has a line that is not one of a calibration");
  for (eye = 0; eye < OCT_LIVE_EYES; eye++)
    if (g_str_equal (words[0], eyes[eye]))
      break;
  for (guint i = 0; i < 2; i++) {
    g_autofree char *corners = g_strjoin (" ", words[2 + N * i],
        words[3 + N * i], words[4 + N * i], words[5 + N * i], NULL);

    if (eye == OCT_LIVE_EYES
        || !oct_live_aim_parse_corners (corners, i == 0 ? scan : picture))
      return aim_refuse (
          error, "it has a line that is not one of a calibration");
  }
  return oct_live_aim_find (
      &aims[eye], scan, picture, g_str_equal (words[1], "metres"), error);
}

gboolean
oct_live_aim_load (
    const char *path, OctLiveAim aims[OCT_LIVE_EYES], GError **error)
{
  g_autoptr (GError) reason = NULL;
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  OctLiveAim found[OCT_LIVE_EYES] = { { 0 } };
  gsize length;

  memcpy (aims, found, sizeof found);
  if (!g_file_get_contents (path, &text, &length, &reason)) {
    if (g_error_matches (reason, G_FILE_ERROR, G_FILE_ERROR_NOENT))
      return TRUE;
    return aim_refuse (error,
        "The microscope's calibration '%s' cannot be read (%s).", path,
        reason->message);
  }
  if (length > MOST_FILE || strlen (text) != length
      || !g_str_has_prefix (text, TITLE "\n"))
    return aim_refuse (error,
        "'%s' is not a calibration of oct-live's microscope; name another file "
        "with --microscope-calibration, which is made.",
        path);
  lines = g_strsplit (text, "\n", -1);
  for (char **line = lines + 1; *line != NULL; line++)
    if (**line != '\0' && !aim_read_line (*line, found, &reason))
      return aim_refuse (error,
          "The microscope's calibration '%s' cannot be used: %s; remove it, "
          "and calibrate on the page.",
          path, reason->message);
  memcpy (aims, found, sizeof found);
  return TRUE;
}

gboolean
oct_live_aim_save (const char *path, const OctLiveAim aims[OCT_LIVE_EYES],
    guint mode, GError **error)
{
  g_autoptr (GString) text = g_string_new (TITLE "\n");
  g_autoptr (GError) reason = NULL;

  for (guint eye = 0; eye < OCT_LIVE_EYES; eye++) {
    if (!aims[eye].known)
      continue;
    g_string_append_printf (
        text, "%s %s", eyes[eye], aims[eye].sized ? "metres" : "parts");
    aim_add_corners (text, aims[eye].scan);
    aim_add_corners (text, aims[eye].picture);
    g_string_append_c (text, '\n');
  }
  if (oct_file_mode_write (path, text->str, -1, mode, &reason))
    return TRUE;
  return aim_refuse (error,
      "The microscope's calibration is in use, but was not kept: %s",
      reason->message);
}
