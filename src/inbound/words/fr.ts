import type { Words } from './de.ts';

export const words: Words = {
  title: {
    asked: 'Vous transférer des e-mails ?',
    confirmed: 'Les e-mails vous sont transférés',
    ended: 'Rien n’est transféré',
  },
  text: {
    asked: (practice, address) =>
      `<strong>${practice}</strong> souhaite transférer à <strong>${address}</strong> les e-mails qui lui parviennent. L’acceptez-vous ?`,
    confirmed: (practice, address) =>
      `Les e-mails qui parviennent à <strong>${practice}</strong> sont transférés à <strong>${address}</strong>. Vous pouvez y mettre fin à tout moment sur cette page ; conservez l’e-mail qui contient le lien.`,
    ended: (practice, address) =>
      `Les e-mails qui parviennent à <strong>${practice}</strong> ne sont pas transférés à <strong>${address}</strong>.`,
  },
  agree: 'Accepter le transfert',
  decline: 'Refuser',
  end: 'Mettre fin au transfert',
  unknownTitle: 'Ce lien n’est pas valable',
  unknown: 'Le lien est peut-être incomplet ou expiré, ou le transfert a été modifié. Rien n’a été modifié.',
  person: {
    erased: {
      mailbox_settings: 'réglages de la boîte aux lettres',
      mails_received: 'messages reçus',
      notes: 'notes sur des messages reçus',
      mentions_in_mails_received: 'textes de recherche de messages reçus',
      forwarded_copies: 'copies transférées',
      forwarding_addresses: 'adresses de transfert',
    },
    titles: {
      forwarding: 'Transfert',
      received: 'Messages reçus de vous, ou qui vous étaient aussi adressés',
    },
  },
};
