/* SPDX-License-Identifier: LGPL-2.1-or-later */
/** An association of DCMTK.  C++, for oct-dicom-net.cc and oct-dicom-link.cc
 * alone. */
#pragma once

#include <dcmtk/config/osconfig.h>

#include <dcmtk/dcmdata/dctk.h>
#include <dcmtk/dcmnet/assoc.h>
#include <dcmtk/dcmnet/dimse.h>

extern "C" {
#include "oct-dicom-types.h"
}

class DcmTLSTransportLayer;

struct _OctDicomLink {
  T_ASC_Network *network;
  T_ASC_Association *association;
  DcmTLSTransportLayer *tls; /* or NULL */
  char *name;                /* of the peer, for sentences */
  int timeout;
  gboolean ended;    /* released or aborted */
  DIC_US asked;      /* message of the question for commitment */
  gboolean answered; /* it has an answer */
  DIC_US status;     /* of that answer */
};

/* These set an error and return FALSE: `what` broke, `what` was refused, or a
 * sentence. */
gboolean oct_dicom_link_fail (const OctDicomLink *link, const OFCondition &why,
    const char *what, GError **error);
gboolean oct_dicom_link_refuse (
    const OctDicomLink *link, const char *what, guint status, GError **error);
gboolean oct_dicom_link_set_error (GError **error, OctDicomError code,
    const char *format, ...) G_GNUC_PRINTF (3, 4);
