/* SPDX-License-Identifier: LGPL-2.1-or-later */
/** Words that the parts of oct-dicom share. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Bytes of a UID with its 0, of which the standard allows 64 characters. */
#define OCT_DICOM_UID 65
/* Presentation contexts of one association have odd numbers up to 255. */
#define OCT_DICOM_MAX_CONTEXTS 126

typedef enum {
  OCT_DICOM_ERROR_FILE,    /* this is not a file that can be sent */
  OCT_DICOM_ERROR_NETWORK, /* no association, or it broke */
  OCT_DICOM_ERROR_REFUSED, /* the peer said no */
  OCT_DICOM_ERROR_SETTINGS,
  OCT_DICOM_ERROR_QUEUE, /* the queue cannot be read or written */
  OCT_DICOM_ERROR_BUSY,  /* another process works on it */
} OctDicomError;

#define OCT_DICOM_ERROR (oct_dicom_error_quark ())
GQuark oct_dicom_error_quark (void);

/* Our side and the peer. */
typedef struct {
  char *aet;      /* our AE title */
  char *peer_aet; /* title, host and port of the peer */
  char *host;
  guint port;
  gint timeout; /* seconds for one answer */
  /* TLS, all files PEM; NULL: none, and the association is not encrypted */
  char *authority;   /* certificates that are trusted */
  char *certificate; /* ours */
  char *key;         /* its key */
} OctDicomPeer;

typedef struct _OctDicomLink OctDicomLink;

/* The identity of a DICOM file. */
typedef struct {
  char sop_class[OCT_DICOM_UID];
  char instance[OCT_DICOM_UID];
  char transfer[OCT_DICOM_UID]; /* transfer syntax */
  char study[OCT_DICOM_UID];    /* this and the next "" if it has none */
  char series[OCT_DICOM_UID];
} OctDicomObject;

/* Services that an association can have besides storage. */
typedef enum {
  OCT_DICOM_VERIFICATION = 1 << 0,
  OCT_DICOM_WORKLIST = 1 << 1,
  OCT_DICOM_COMMITMENT = 1 << 2,
  OCT_DICOM_STEPS = 1 << 3, /* modality performed procedure step */
} OctDicomServices;

/* Texts of an answer of a worklist. */
typedef enum {
  OCT_DICOM_NAME,
  OCT_DICOM_ID,
  OCT_DICOM_BIRTH,
  OCT_DICOM_SEX,
  OCT_DICOM_ACCESSION,
  OCT_DICOM_STUDY,
  OCT_DICOM_REQUESTED,
  OCT_DICOM_REQUESTED_ID,
  OCT_DICOM_REFERRER,
  OCT_DICOM_STATION, /* from here on of the scheduled procedure step */
  OCT_DICOM_DATE,
  OCT_DICOM_TIME,
  OCT_DICOM_MODALITY,
  OCT_DICOM_STEP,
  OCT_DICOM_STEP_ID,
  OCT_DICOM_FIELDS,
} OctDicomField;

G_END_DECLS
