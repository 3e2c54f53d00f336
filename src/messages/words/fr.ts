import type { Words } from './de.ts';

export const words: Words = {
  footer: {
    unsubscribe: 'Ne plus recevoir d’e-mails de ce type',
    preferences: 'Choisir les listes',
    sentWith: 'Envoyé avec',
  },
  person: {
    erased: {
      copies: 'messages à cette personne, un par destinataire',
      mentions_in_messages: 'passages d’autres messages qui citaient l’adresse',
    },
    kept: {
      counts: {
        what: 'nombres, dates et résultats des envois, sous un pseudonyme',
        why: 'Ils ne désignent plus la personne et assurent le fonctionnement du service.',
      },
    },
    titles: {
      messages: 'Messages qui vous ont été envoyés',
    },
  },
};
