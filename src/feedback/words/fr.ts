import type { Words } from './de.ts';

export const words: Words = {
  title: 'Désinscription',
  doneTitle: 'Votre désinscription est enregistrée',
  unknownTitle: 'Ce lien n’est pas valable',
  mail: {
    marketing: 'lettres d’information et offres',
    transactional: 'messages tels que confirmations et rappels de rendez-vous',
  },
  yourAddress: 'votre adresse',
  ask: (practice, address, mail) =>
    `Souhaitez-vous que <strong>${practice}</strong> n’envoie plus d’e-mails de ce type à <strong>${address}</strong> ? Il s’agit de : ${mail}.`,
  warnAll: (practice) =>
    `Ou souhaitez-vous ne plus recevoir aucun e-mail de ${practice} ? Cela vaut aussi pour les confirmations et les rappels de rendez-vous.`,
  stop: 'Ne plus recevoir ces e-mails',
  stopAll: 'Ne plus recevoir aucun e-mail de cet expéditeur',
  stopped: {
    route: (practice, address, mail) =>
      `<strong>${practice}</strong> n’envoie plus d’e-mails de ce type à <strong>${address}</strong>. Il s’agit de : ${mail}.`,
    team: (practice, address) =>
      `<strong>${practice}</strong> n’envoie plus aucun e-mail à <strong>${address}</strong>.`,
  },
  alreadySent: 'Des e-mails déjà en route peuvent encore vous parvenir.',
  question: {
    title: 'Refuser l’inscription',
    ask: (practice, address) =>
      `Souhaitez-vous refuser l’inscription de <strong>${address}</strong> auprès de <strong>${practice}</strong> ? Rien ne change pour les autres e-mails.`,
    stop: 'Refuser l’inscription',
    doneTitle: 'Vous avez refusé l’inscription',
    stopped: (practice, address) =>
      `L’inscription de <strong>${address}</strong> auprès de <strong>${practice}</strong> est refusée. Rien ne change pour les autres e-mails.`,
  },
  lists: 'Me désinscrire de certaines listes seulement',
  sender: 'Expéditeur',
  unknown:
    'Le lien est peut-être incomplet, ou l’e-mail est si ancien que nous ne pouvons plus le retrouver. Rien n’a été modifié.',
  unknownAdvice:
    'Veuillez ouvrir de nouveau le lien directement depuis l’e-mail, ou répondre à l’expéditeur que vous ne souhaitez plus recevoir d’e-mails.',
  person: {
    erased: {
      suppressions: 'blocages dans lesquels l’adresse était lisible',
    },
    kept: {
      suppressions: {
        what: 'blocages avec une empreinte chiffrée de l’adresse',
        why: 'Pour que l’adresse ne reçoive plus de courrier, même si elle est importée de nouveau (art. 17, par. 3, point b), et art. 21 du RGPD). L’adresse ne peut pas en être déduite.',
      },
    },
    titles: {
      suppressions: 'Blocages',
    },
  },
};
