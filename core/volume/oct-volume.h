/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Volumes on the screen: B-scan images are stored as a volume, and pictures of
 * it are made by casting rays.
 *
 * Axes: x along the A-lines of a B-scan, y along the B-scans, z depth.  World
 * coordinates are in mm from the middle of the volume, z downwards.
 *
 * A renderer is not an operation: it lives as long as the volume has a size,
 * keeps the stored images, and makes a picture on demand.  A backend
 * has one table of functions for it (OctVolumeTable); what they compute is
 * written once, for CPU and GPU, in oct-volume-ray.h.
 */
#pragma once

#include "oct-backend.h"
#include "oct-section.h"
#include "oct-transfer.h"
#include "oct-volume-types.h"

G_BEGIN_DECLS

/* ------------------------------------------------------------------ volume */

/* The stored images: [depth][lines] of 8 bit, `bscans` of them. */
typedef struct {
  guint lines, depth, bscans;
  /* depths that are one voxel, their mean: 1, 2, 4 or 8.  Voxels much flatter
   * than wide draw rings on slopes and cost time. */
  guint decimation;
  /* bytes from one value of an image to the next: 4 for RGBA, else 1 */
  guint pixel_size;
  guint depth_start; /* rows from zero delay to the first one */
} OctVolumeParams;

/* Voxels of a volume along one axis, at most. */
#define OCT_VOLUME_MAX_SIZE 8192u

/* TRUE, or FALSE with OCT_ERROR_SETTINGS. */
gboolean oct_volume_params_check (
    const OctVolumeParams *params, GError **error);

/* Depths of the stored volume. */
guint oct_volume_get_depth (const OctVolumeParams *params);

/* The decimation with which a voxel is at most half as deep as wide: the
 * largest of 1, 2, 4 and 8, for spacings in mm (or any unit). */
guint oct_volume_choose_decimation (
    double x_spacing, double y_spacing, double z_spacing, guint depth);

/* Bytes that a backend needs, about: voxels three times, and what is found of
 * them. */
guint64 oct_volume_get_size (const OctVolumeParams *params);
/* The same for sections alone: voxels twice. */
guint64 oct_section_get_size (const OctVolumeParams *params);

/* ------------------------------------------------------------------ camera */

/* Where it looks from. */
typedef struct {
  OctPoint middle;       /* that it turns around, mm from the volume's middle */
  double yaw, pitch;     /* degrees; 0, 0: along the B-scans, level; pitch > 0:
                            from above the tissue */
  double zoom;           /* 1: all of the volume is in the picture */
  double pan_x, pan_y;   /* of the volume to the right and up, heights of the
                            picture */
  double field_of_view;  /* degrees of the height of the picture; 0: parallel */
  double eye_separation; /* stereo: degrees between the lines of sight */
} OctVolumeCamera;

/* `size`: of the part that fits into the picture, in mm, around the middle;
 * `eye`: -1 left, 0, 1 right; width x height: of the picture of one eye.  Both
 * eyes see the plane through the middle at the same place. */
void oct_volume_camera_get_eye (const OctVolumeCamera *camera, OctPoint size,
    gint eye, guint width, guint height, OctVolumeEye *result);

/* Where a point of the world is in the picture, in pixels from its upper left
 * corner; FALSE: behind the camera. */
gboolean oct_volume_eye_project (const OctVolumeEye *eye, OctPoint point,
    guint width, guint height, double *x, double *y);

/* -------------------------------------------------------------------- look */

/* The range of MIP and MEAN, grey levels.  MIP: black and white of the largest
 * value.  MEAN: the sum over the depth of the parts above `low`; it is white at
 * 255 depths / gain. */
typedef struct {
  double mip_low, mip_high;
  double low, gain;
} OctVolumeWindow;
/* The window of a volume that is not measured yet. */
#define OCT_VOLUME_WINDOW                                                      \
  {                                                                            \
    36, 215, 36, 4                                                             \
  }

#define OCT_VOLUME_FACE_WHITE 235.0
/* `face_black` of a threshold. */
#define OCT_VOLUME_FACE_BLACK(threshold)                                       \
  CLAMP (0.9 * (threshold), 9.5, OCT_VOLUME_FACE_WHITE - 16)

typedef struct {
  OctVolumeMode mode;
  /* between A-lines, B-scans and depths of the images, mm */
  double x_spacing, y_spacing, z_spacing;
  const OctTransfer *transfer; /* not kept */
  double depth_hue;            /* colours by depth, 0 .. 1 */
  OctVolumeWindow window;
  /* grey level that is black on faces of cuts, below the white one: the
   * darkest that is seen there, or a little less */
  double face_black;
  /* the one that would be white there, above `face_black`; 0:
   * OCT_VOLUME_FACE_WHITE */
  double face_white;
  /* parts of the volume, 0 .. 1 along x, y, z: what is shown, and a box that is
   * taken out of it where low < high in all three */
  double crop_low[3], crop_high[3], cut_low[3], cut_high[3];
  /* kept is what has a x + b y + c z <= d, world coordinates; all zeros: no
   * plane */
  double planes[OCT_VOLUME_PLANES][4];
  /* one ray for a square of so many pixels across, 1 .. 8, and smoothed */
  guint coarseness;
  /* samples are taken in empty space too: for comparisons in tests */
  gboolean everywhere;
} OctVolumeLook;

/* `face_white`, or its value for 0. */
double oct_volume_get_face_white (const OctVolumeLook *look);

/* TRUE, or FALSE with OCT_ERROR_SETTINGS. */
gboolean oct_volume_look_check (const OctVolumeLook *look, GError **error);

/* The size of the whole volume, mm. */
OctPoint oct_volume_get_size_mm (
    const OctVolumeParams *params, const OctVolumeLook *look);

/* ---------------------------------------------------------------- pictures */

typedef struct {
  OctImageFormat format; /* NV12 (BT.709, 16 .. 235) or RGBA */
  guint width, height;   /* of all of it, 16 .. 8192 */
  guint n_eyes; /* 1, or 2 side by side: width is a multiple of 4 then */
  OctVolumeEye eyes[2];
  OctFrame frame;
} OctVolumePicture;

#define OCT_VOLUME_MIN_PICTURE 16u
#define OCT_VOLUME_MAX_PICTURE 8192u

/* TRUE, or FALSE with OCT_ERROR_SETTINGS: format, size and eyes. */
gboolean oct_volume_picture_check (
    const OctVolumePicture *picture, GError **error);

typedef struct _OctVolume OctVolume;

/* Two kinds of tables: those that make pictures by casting rays (render), and
 * those that make sections (slice, enface), which keep the voxels alone, as
 * they were stored.  Functions that a kind does not have are NULL.
 *
 * One volume is used by one thread at a time.  Errors are those of operations:
 * OCT_ERROR_SETTINGS, _MEMORY (with the bytes needed and free), _DEVICE.
 */
struct _OctVolumeTable {
  OctVolume *(*create) (const OctVolumeParams *params, GError **error);
  /* Images of B-scans `first` .. `first` + n - 1, one below the other.  They
   * are not seen before show().  `stream`: the backend's stream in which the
   * image becomes available; the image may be overwritten after the work that
   * is in that stream when this returns. */
  gboolean (*store) (OctVolume *volume, const OctFrame *images, guint first,
      guint n, gpointer stream, GError **error);
  /* From now on pictures are of all that was stored until now; a B-scan that
   * never came is what it was before, at first black. */
  gboolean (*show) (OctVolume *volume, gpointer stream, GError **error);
  /* Makes a picture in the stream of get_stream(). */
  gboolean (*render) (OctVolume *volume, const OctVolumeLook *look,
      const OctVolumePicture *picture, GError **error);
  /* Make a section in `stream`. */
  gboolean (*slice) (OctVolume *volume, const OctSlice *slice,
      const OctSectionPicture *picture, gpointer stream, GError **error);
  gboolean (*enface) (OctVolume *volume, const OctEnface *enface,
      const OctSectionPicture *picture, gpointer stream, GError **error);
  /* Forgets all B-scans: they are black. */
  gboolean (*clear) (OctVolume *volume, gpointer stream, GError **error);
  /* Counts the voxels that are shown; render only.  *changed: there are counts
   * since the last call, and `levels` are those, else it is left as it is.  A
   * GPU does not wait for counts that are on their way, so that all but the
   * first ones may belong to an earlier show(). */
  gboolean (*get_levels) (OctVolume *volume, OctVolumeLevels *levels,
      gboolean *changed, GError **error);
  /* NULL on the CPU, and for sections.  It has a lower priority than other work
   * of the GPU. */
  gpointer (*get_stream) (OctVolume *volume);
  /* How long the last picture that is done took to make, seconds; 0: not known
   * yet. */
  double (*get_time) (OctVolume *volume);
  /* The part of it that is the same however coarse the picture is, as light of
   * a volume that is new.  NULL: next to none. */
  double (*get_fixed_time) (OctVolume *volume);
  void (*destroy) (OctVolume *volume);
};

G_END_DECLS
