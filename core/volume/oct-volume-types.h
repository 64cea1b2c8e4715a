/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Types that the renderers of volumes on CPU and GPU share: plain C without
 * GLib, since CUDA reads it too.
 */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  float x, y, z;
} OctPoint;

/* A picture as rays: the point (u, w) of it, both -1 .. 1, is seen from origin
 * in the direction forward + u right + w up, or, parallel, from origin + u
 * right + w up in the direction forward. */
typedef struct {
  OctPoint origin, right, up, forward;
  int parallel;
} OctVolumeEye;

typedef enum {
  OCT_VOLUME_FULL,  /* shaded, with shadows and occlusion */
  OCT_VOLUME_ONCE,  /* the same light once for each pixel, where it is hit */
  OCT_VOLUME_ALPHA, /* no light */
  OCT_VOLUME_MIP,   /* the brightest voxel along the ray */
  OCT_VOLUME_MEAN,  /* what stands above the noise, added up along the ray */
  OCT_N_VOLUME_MODES
} OctVolumeMode;

/* The look of a grey level: colours 0 .. 1; extinction per mm: light is dimmed
 * by exp (-extinction length). */
typedef struct {
  float red, green, blue, extinction;
} OctTransferEntry;

/* Entries for grey levels 255 i / (OCT_TRANSFER_SIZE - 1). */
#define OCT_TRANSFER_SIZE 512

#define OCT_VOLUME_PLANES 4

/* Empty space is left out in blocks of 8 x 8 x 8 voxels and one voxel more,
 * which is all that is read between their corners. */
#define OCT_VOLUME_CELL_SHIFT 3
#define OCT_VOLUME_CELL (1 << OCT_VOLUME_CELL_SHIFT)
#define OCT_VOLUME_CELLS(voxels)                                               \
  (((voxels) + OCT_VOLUME_CELL - 1) / OCT_VOLUME_CELL)

/* The largest stored distance of an empty block: how many blocks around it are
 * empty, itself one of them, by the largest coordinate (Chebyshev). */
#define OCT_VOLUME_FAR 15

/* Shadow and occlusion are found for points of a coarse grid, whatever the
 * view. */
#define OCT_VOLUME_LIGHT_X 64
#define OCT_VOLUME_LIGHT_Y 64
#define OCT_VOLUME_LIGHT_Z 48
#define OCT_VOLUME_DIRECTIONS 5 /* of occlusion */
#define OCT_VOLUME_OCCLUSION_STEPS 4
#define OCT_VOLUME_SHADOW_STEPS 20
#define OCT_VOLUME_SHADOW_STEP 0.07f /* mm */

/* How many voxels have which grey level, as they are shown: of some A-lines
 * (oct-volume-noise.h), all depths that count.  Depth z is in band z
 * OCT_VOLUME_BANDS / depths, rounded down; `maxima` are the largest values of
 * A-lines. */
#define OCT_VOLUME_BANDS 32
#define OCT_VOLUME_COUNTED 4096 /* A-lines, at most */
typedef struct {
  unsigned int bands[OCT_VOLUME_BANDS][256];
  unsigned int maxima[256];
} OctVolumeLevels;

/* Lengths in mm unless said otherwise; voxel i is at i + 0.5 of voxel space. */
typedef struct {
  int nx, ny, nz;             /* voxels: A-lines, B-scans, depths */
  int gx, gy, gz;             /* blocks */
  OctPoint half;              /* half the size */
  OctPoint per_mm, mm;        /* voxels per mm, mm per voxel */
  OctPoint low, high;         /* what is shown, world */
  OctPoint cut_low, cut_high; /* box that is taken out */
  int has_cut;
  float planes[OCT_VOLUME_PLANES][4]; /* kept: n.p <= d, |n| = 1 */
  int n_planes;
  float step;                /* of a ray, voxels */
  OctPoint reach, per_reach; /* of differences: voxels; 1 / (2 mm) */
  float inside;              /* behind a surface, where its colour is taken */
  OctPoint light;
  float ambient, diffuse, specular, shininess, shadow, occlusion;
  float gradient_low, gradient_high; /* per mm: shading begins, is full */
  float light_bias;
  float relight; /* weight from which a sample is lit anew */
  float depth_hue, hue_low, hue_high;
  float mip_low, mip_high, mean_low, mean_gain; /* of MIP and MEAN */
  float face_low, face_high;                    /* of the other modes */
  OctPoint back_top, back_bottom;
  int everywhere;
} OctVolumeScene;

#ifdef __cplusplus
}
#endif
