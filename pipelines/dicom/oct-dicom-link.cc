/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Associations: requested, accepted, closed; TLS. */
#include "oct-dicom-inside.h"

#include <dcmtk/dcmnet/cond.h>
#include <dcmtk/dcmnet/dcmtrans.h>
#include <dcmtk/dcmtls/tlslayer.h>
#include <dcmtk/oflog/oflog.h>

#include <unistd.h>

extern "C" {
#include "oct-dicom-link.h"
}

/* Bytes of a PDU that we take; of 12288 at least (PS3.8). */
#define PDU ASC_DEFAULTMAXPDU

G_DEFINE_QUARK (oct - dicom - error, oct_dicom_error)

gboolean
oct_dicom_begin (GError **error)
{
  OFLog::configure (OFLogger::OFF_LOG_LEVEL);
  /* a name server that hangs would hold up every association */
  dcmDisableGethostbyaddr.set (OFTrue);
  if (dcmDataDict.isDictionaryLoaded ())
    return TRUE;
  g_set_error_literal (error, OCT_DICOM_ERROR, OCT_DICOM_ERROR_SETTINGS,
      "The dictionary of DCMTK is missing; install it (Debian: libdcmtk17 or "
      "later), or set DCMDICTPATH to it");
  return FALSE;
}

gboolean
oct_dicom_is_uid (const char *uid)
{
  gsize length = strlen (uid);

  return length > 0 && length < OCT_DICOM_UID
         && strspn (uid, "0123456789.") == length && *uid != '.';
}

gboolean
oct_dicom_is_title (const char *title)
{
  gsize length = strlen (title);
  gboolean letter = FALSE;

  for (gsize i = 0; i < length; i++) {
    if (title[i] < ' ' || title[i] > '~' || title[i] == '\\')
      return FALSE;
    letter = letter || title[i] != ' ';
  }
  return letter && length <= 16;
}

/* -------------------------------------------------------------------- errors */

gboolean
oct_dicom_link_set_error (
    GError **error, OctDicomError code, const char *format, ...)
{
  va_list list;
  g_autofree char *sentence = NULL;

  va_start (list, format);
  sentence = g_strdup_vprintf (format, list);
  va_end (list);
  /* some texts of DCMTK have several lines */
  g_strdelimit (sentence, "\r\n", ' ');
  g_set_error_literal (error, OCT_DICOM_ERROR, code, sentence);
  return FALSE;
}

gboolean
oct_dicom_link_refuse (
    const OctDicomLink *link, const char *what, guint status, GError **error)
{
  return oct_dicom_link_set_error (error, OCT_DICOM_ERROR_REFUSED,
      "%s refused %s with the status %04Xh; its log says why", link->name, what,
      status);
}

gboolean
oct_dicom_link_fail (const OctDicomLink *link, const OFCondition &why,
    const char *what, GError **error)
{
  const char *text = why.text ();

  if (why == DIMSE_NODATAAVAILABLE)
    text = "it does not answer";
  else if (why == DUL_PEERABORTEDASSOCIATION)
    text = "it has aborted the association";
  return oct_dicom_link_set_error (error, OCT_DICOM_ERROR_NETWORK,
      "%s with %s broke (%s); it is tried again, or see its log", what,
      link->name, text);
}

/* ----------------------------------------------------------------------- TLS */

/* The profile of BCP 195 without older versions (PS3.15, B.9 and B.12): TLS 1.2 or
 * 1.3. */
#if PACKAGE_VERSION_NUMBER >= 368
#  define PROFILE TSP_Profile_BCP_195_RFC_8996
#  define OCT_PROFILE_ARGUMENT , PROFILE
#else
#  define PROFILE TSP_Profile_BCP195_ND
#  define OCT_PROFILE_ARGUMENT
#endif

static DcmTLSTransportLayer *
make_tls (const OctDicomPeer *peer, T_ASC_NetworkRole role, GError **error)
{
  DcmTLSTransportLayer *tls;
  const char *bad = NULL;

  DcmTLSTransportLayer::initializeOpenSSL ();
  tls = new DcmTLSTransportLayer (role, NULL, OFFalse);
  /* OpenSSL would ask at the terminal for that of a key that has one */
  tls->setPrivateKeyPasswd ("");
  if (tls->setTLSProfile (PROFILE).bad ())
    bad = "the profile BCP 195";
  else if (tls->addTrustedCertificateFile (peer->authority, DCF_Filetype_PEM)
               .bad ())
    bad = peer->authority;
  else if (peer->certificate != NULL
           && tls->setPrivateKeyFile (peer->key, DCF_Filetype_PEM).bad ())
    bad = peer->key;
  else if (peer->certificate != NULL
           && tls->setCertificateFile (
                     peer->certificate, DCF_Filetype_PEM OCT_PROFILE_ARGUMENT)
                  .bad ())
    bad = peer->certificate;
  else if (peer->certificate != NULL
           && !tls->checkPrivateKeyMatchesCertificate ())
    bad = peer->key;
  else if (tls->activateCipherSuites ().bad ())
    bad = "the ciphers of the profile BCP 195";
  if (bad == NULL) {
    tls->setCertificateVerification (DCV_requireCertificate);
    return tls;
  }
  delete tls;
  oct_dicom_link_set_error (error, OCT_DICOM_ERROR_SETTINGS,
      "TLS cannot use '%s'; give --ca, --cert and --key PEM files without a "
      "password, of which key and certificate belong together",
      bad);
  return NULL;
}

/* ------------------------------------------------------------------ the link */

static OctDicomLink *
link_new (const OctDicomPeer *peer, T_ASC_NetworkRole role, GError **error)
{
  OctDicomLink *link = g_new0 (OctDicomLink, 1);

  link->timeout = peer->timeout;
  link->name =
      g_strdup_printf ("%s@%s:%u", peer->peer_aet, peer->host, peer->port);
  dcmConnectionTimeout.set (peer->timeout);
  dcmSocketSendTimeout.set (peer->timeout);
  dcmSocketReceiveTimeout.set (peer->timeout);
  if (ASC_initializeNetwork (role, 0, peer->timeout, &link->network).bad ()) {
    oct_dicom_link_set_error (error, OCT_DICOM_ERROR_NETWORK,
        "This computer has no network to reach %s by", link->name);
    oct_dicom_link_close (link, FALSE);
    return NULL;
  }
  if (peer->authority == NULL)
    return link;
  link->tls = make_tls (peer, role, error);
  if (link->tls != NULL
      && ASC_setTransportLayer (link->network, link->tls, 0).good ())
    return link;
  oct_dicom_link_close (link, FALSE);
  return NULL;
}

void
oct_dicom_link_close (OctDicomLink *link, gboolean orderly)
{
  if (link->association != NULL) {
    if (!link->ended && orderly)
      (void)ASC_releaseAssociation (link->association);
    else if (!link->ended)
      (void)ASC_abortAssociation (link->association);
    (void)ASC_destroyAssociation (&link->association);
  }
  if (link->network != NULL)
    (void)ASC_dropNetwork (&link->network);
  delete link->tls;
  g_free (link->name);
  g_free (link);
}

gboolean
oct_dicom_link_has (const OctDicomLink *link, OctDicomServices service)
{
  const char *uid =
      service == OCT_DICOM_WORKLIST ? UID_FINDModalityWorklistInformationModel
      : service == OCT_DICOM_COMMITMENT ? UID_StorageCommitmentPushModelSOPClass
                                        : UID_VerificationSOPClass;

  return ASC_findAcceptedPresentationContextID (link->association, uid) != 0;
}

/* ----------------------------------------------------------------- requested */

/* The next presentation context; FALSE: there are too many. */
static OFBool
propose (T_ASC_Parameters *parameters, guint *count, const char *uid,
    const char **syntaxes, int number)
{
  if (*count > OCT_DICOM_MAX_CONTEXTS)
    return OFFalse;
  return ASC_addPresentationContext (parameters,
      (T_ASC_PresentationContextID)(2 * (*count)++ + 1), uid, syntaxes, number)
      .good ();
}

static OFBool
propose_all (T_ASC_Parameters *parameters, OctDicomServices services,
    const OctDicomObject *objects, guint count)
{
  static const struct {
    OctDicomServices service;
    const char *uid;
  } uids[] = { { OCT_DICOM_VERIFICATION, UID_VerificationSOPClass },
    { OCT_DICOM_WORKLIST, UID_FINDModalityWorklistInformationModel },
    { OCT_DICOM_COMMITMENT, UID_StorageCommitmentPushModelSOPClass },
    { OCT_DICOM_STEPS, UID_ModalityPerformedProcedureStepSOPClass } };
  const char *plain[] = { UID_LittleEndianExplicitTransferSyntax,
    UID_LittleEndianImplicitTransferSyntax };
  g_autoptr (GHashTable) known =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  guint contexts = 0;
  OFBool ok = OFTrue;

  for (guint i = 0; ok && i < G_N_ELEMENTS (uids); i++)
    if ((services & uids[i].service) != 0)
      ok = propose (parameters, &contexts, uids[i].uid, plain, 2);
  for (guint i = 0; ok && i < count; i++) {
    const char *stored = objects[i].transfer;
    char *pair =
        g_strdup_printf ("%s %s", objects[i].sop_class, objects[i].transfer);

    if (contexts <= OCT_DICOM_MAX_CONTEXTS && g_hash_table_add (known, pair))
      ok = propose (parameters, &contexts, objects[i].sop_class, &stored, 1);
    else if (contexts > OCT_DICOM_MAX_CONTEXTS)
      g_free (pair);
  }
  return ok;
}

static OctDicomLink *
link_reject (OctDicomLink *link, T_ASC_Parameters *parameters,
    const OFCondition &why, GError **error)
{
  T_ASC_RejectParameters rejection;
  OFString text;

  if (why == DUL_ASSOCIATIONREJECTED) {
    ASC_getRejectParameters (parameters, &rejection);
    oct_dicom_link_set_error (error, OCT_DICOM_ERROR_REFUSED,
        "%s rejected the association (reason %u of source %u); set --aet and "
        "--peer to the AE titles that it knows",
        link->name, (guint)rejection.reason & 0xff, (guint)rejection.source);
  } else if (link->tls != NULL && strstr (why.text (), "TLS error") != NULL) {
    oct_dicom_link_set_error (error, OCT_DICOM_ERROR_NETWORK,
        "There is no association with %s (%s); give --ca the certificate that "
        "it shows, and see whether it has TLS 1.2 or later",
        link->name, why.text ());
  } else {
    oct_dicom_link_set_error (error, OCT_DICOM_ERROR_NETWORK,
        "There is no association with %s (%s); see whether it runs there, and "
        "with or without TLS",
        link->name, why.text ());
  }
  oct_dicom_link_close (link, FALSE);
  return NULL;
}

OctDicomLink *
oct_dicom_link_open (const OctDicomPeer *peer, OctDicomServices services,
    const OctDicomObject *objects, guint count, GError **error)
{
  OctDicomLink *link = link_new (peer, NET_REQUESTOR, error);
  T_ASC_Parameters *parameters = NULL;
  g_autofree char *address = g_strdup_printf ("%s:%u", peer->host, peer->port);
  OFCondition done;

  if (link == NULL)
    return NULL;
#if PACKAGE_VERSION_NUMBER >= 368
  done = ASC_createAssociationParameters (&parameters, PDU, peer->timeout);
#else
  done = ASC_createAssociationParameters (&parameters, PDU);
#endif
  if (done.good ())
    done = ASC_setAPTitles (parameters, peer->aet, peer->peer_aet, NULL);
  if (done.good ())
    done =
        ASC_setPresentationAddresses (parameters, g_get_host_name (), address);
  if (done.good () && link->tls != NULL)
    done = ASC_setTransportLayerType (parameters, OFTrue);
  if (done.good () && !propose_all (parameters, services, objects, count))
    done = EC_IllegalParameter;
  if (done.good ())
    done = ASC_requestAssociation (link->network, parameters,
        &link->association, NULL, NULL, DUL_NOBLOCK, peer->timeout);
  if (done.bad ())
    return link_reject (link, parameters, done, error);
  if (ASC_countAcceptedPresentationContexts (parameters) > 0)
    return link;
  oct_dicom_link_set_error (error, OCT_DICOM_ERROR_REFUSED,
      "%s accepted the association and nothing that was asked of it; set it up "
      "for this service",
      link->name);
  oct_dicom_link_close (link, TRUE);
  return NULL;
}

/* ------------------------------------------------------------------ accepted */

/* Verification, and reports of which the peer is the provider. */
static void
accept_contexts (T_ASC_Parameters *parameters)
{
  int count = ASC_countPresentationContexts (parameters);

  for (int i = 0; i < count; i++) {
    T_ASC_PresentationContext context;
    const char *syntax = NULL;

    if (ASC_getPresentationContext (parameters, i, &context).bad ())
      continue;
    for (int j = 0;
         j < context.transferSyntaxCount && j < DICOM_MAXTRANSFERSYNTAXES; j++)
      if (g_str_equal (context.proposedTransferSyntaxes[j],
              UID_LittleEndianImplicitTransferSyntax)
          || g_str_equal (context.proposedTransferSyntaxes[j],
              UID_LittleEndianExplicitTransferSyntax))
        syntax = context.proposedTransferSyntaxes[j];
    if (syntax != NULL
        && g_str_equal (
            context.abstractSyntax, UID_StorageCommitmentPushModelSOPClass))
      (void)ASC_acceptPresentationContext (parameters,
          context.presentationContextID, syntax,
          context.proposedRole == ASC_SC_ROLE_DEFAULT ? ASC_SC_ROLE_DEFAULT
                                                      : ASC_SC_ROLE_SCP);
    else if (syntax != NULL
             && g_str_equal (context.abstractSyntax, UID_VerificationSOPClass))
      (void)ASC_acceptPresentationContext (
          parameters, context.presentationContextID, syntax);
  }
}

static void
reject (T_ASC_Association *association, T_ASC_RejectParametersReason reason)
{
  T_ASC_RejectParameters rejection = { ASC_RESULT_REJECTEDPERMANENT,
    ASC_SOURCE_SERVICEUSER, reason };

  (void)ASC_rejectAssociation (association, &rejection);
}

/* The titles without the spaces at their ends. */
static gboolean
check_titles (OctDicomLink *link, const OctDicomPeer *peer, GError **error)
{
  char calling[64] = "", called[64] = "", responding[64] = "";

  (void)ASC_getAPTitles (link->association->params, calling, sizeof calling,
      called, sizeof called, responding, sizeof responding);
  g_strstrip (calling);
  g_strstrip (called);
  if (!g_str_equal (called, peer->aet)) {
    reject (link->association, ASC_REASON_SU_CALLEDAETITLENOTRECOGNIZED);
    return oct_dicom_link_set_error (error, OCT_DICOM_ERROR_REFUSED,
        "A connection called '%s' and was rejected, as --aet is '%s'", called,
        peer->aet);
  }
  if (!g_str_equal (calling, peer->peer_aet)) {
    reject (link->association, ASC_REASON_SU_CALLINGAETITLENOTRECOGNIZED);
    return oct_dicom_link_set_error (error, OCT_DICOM_ERROR_REFUSED,
        "A connection came from '%s' and was rejected, as --peer is '%s'",
        calling, peer->peer_aet);
  }
  return TRUE;
}

OctDicomLink *
oct_dicom_link_accept (const OctDicomPeer *peer, int fd, GError **error)
{
  OctDicomLink *link;
  OFCondition done;

  /* instead of a port of DCMTK's own, which would take one connection at a time */
  dcmExternalSocketHandle.set (fd);
  link = link_new (peer, NET_ACCEPTOR, error);
  if (link == NULL) {
    close (fd);
    return NULL;
  }
  done = ASC_receiveAssociation (link->network, &link->association, PDU, NULL,
      NULL, link->tls != NULL, DUL_NOBLOCK, peer->timeout);
  if (done.good () && check_titles (link, peer, error)) {
    accept_contexts (link->association->params);
    if (ASC_countAcceptedPresentationContexts (link->association->params) > 0
        && ASC_acknowledgeAssociation (link->association).good ())
      return link;
    reject (link->association, ASC_REASON_SU_NOREASON);
    oct_dicom_link_set_error (error, OCT_DICOM_ERROR_REFUSED,
        "A connection of '%s' asked for nothing that is offered here: "
        "verification and reports of commitment",
        peer->peer_aet);
  } else if (done.bad ()) {
    oct_dicom_link_set_error (error, OCT_DICOM_ERROR_NETWORK,
        "A connection to --listen is not an association (%s)", done.text ());
  }
  link->ended = TRUE; /* nothing to abort */
  oct_dicom_link_close (link, FALSE);
  return NULL;
}
