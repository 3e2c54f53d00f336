export const words = {
  title: {
    asked: 'E-Mails an Sie weiterleiten?',
    confirmed: 'E-Mails werden an Sie weitergeleitet',
    ended: 'Es wird nichts weitergeleitet',
  },
  text: {
    asked: (practice: string, address: string) =>
      `<strong>${practice}</strong> möchte E-Mails, die dort eingehen, an <strong>${address}</strong> weiterleiten. Möchten Sie das?`,
    confirmed: (practice: string, address: string) =>
      `E-Mails, die bei <strong>${practice}</strong> eingehen, werden an <strong>${address}</strong> weitergeleitet. Auf dieser Seite können Sie das jederzeit beenden; bewahren Sie die E-Mail mit dem Link auf.`,
    ended: (practice: string, address: string) =>
      `E-Mails, die bei <strong>${practice}</strong> eingehen, werden nicht an <strong>${address}</strong> weitergeleitet.`,
  },
  agree: 'Weiterleitung bestätigen',
  decline: 'Ablehnen',
  end: 'Weiterleitung beenden',
  unknownTitle: 'Dieser Link ist nicht gültig',
  unknown:
    'Vielleicht ist der Link nicht vollständig, er ist abgelaufen, oder die Weiterleitung wurde geändert. Es wurde nichts geändert.',
  /** What a person is told of their data: what was erased, what is kept and why, and the parts that are shown. */
  person: {
    erased: {
      mailbox_settings: 'Einstellungen des Postfachs',
      mails_received: 'empfangene Nachrichten',
      notes: 'Notizen zu empfangenen Nachrichten',
      mentions_in_mails_received: 'Suchtexte empfangener Nachrichten',
      forwarded_copies: 'weitergeleitete Kopien',
      forwarding_addresses: 'Weiterleitungsadressen',
    },
    titles: {
      forwarding: 'Weiterleitung',
      received: 'Empfangene Nachrichten von Ihnen oder auch an Sie',
    },
  },
};

export type Words = typeof words;
