import type { Words } from './de.ts';

export const words: Words = {
  title: {
    asked: 'Forward emails to you?',
    confirmed: 'Emails are forwarded to you',
    ended: 'Nothing is forwarded',
  },
  text: {
    asked: (practice, address) =>
      `<strong>${practice}</strong> would like to forward emails that arrive there to <strong>${address}</strong>. Do you agree?`,
    confirmed: (practice, address) =>
      `Emails that arrive at <strong>${practice}</strong> are forwarded to <strong>${address}</strong>. You can end that on this page at any time; keep the email with the link.`,
    ended: (practice, address) =>
      `Emails that arrive at <strong>${practice}</strong> are not forwarded to <strong>${address}</strong>.`,
  },
  agree: 'Agree to the forwarding',
  decline: 'Decline',
  end: 'End the forwarding',
  unknownTitle: 'This link is not valid',
  unknown:
    'The link may be incomplete or too old, or the forwarding has been changed. Nothing has been changed.',
  person: {
    erased: {
      mailbox_settings: 'settings of the mailbox',
      mails_received: 'mails received',
      notes: 'notes about messages received',
      mentions_in_mails_received: 'search texts of mails received',
      forwarded_copies: 'forwarded copies',
      forwarding_addresses: 'addresses of a forwarding',
    },
    titles: {
      forwarding: 'Forwarding',
      received: 'Mail received from you, or addressed to you too',
    },
  },
};
