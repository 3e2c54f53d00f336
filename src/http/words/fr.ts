import { formOf } from '#src/kernel/language.ts';
import type { Words } from './de.ts';

const waiting = (seconds: number): string =>
  formOf(seconds, { one: 'une seconde', other: `${seconds} secondes` }, 'fr');

export const words: Words = {
  landing: {
    title: 'Des e-mails faits pour arriver',
    intro: (service) =>
      `${service} envoie et reçoit des e-mails pour des cabinets, des associations et des entreprises : rappels de rendez-vous, factures, lettres d’information, et tout ce qu’un programme écrit pour eux.`,
    signIn: 'Se connecter',
    open: 'Vers vos e-mails',
    reference: 'Pour les développeurs (en anglais)',
    audiences: [
      {
        heading: 'Pour le cabinet',
        text: 'Vous écrivez une lettre dans le navigateur et voyez pour chaque e-mail s’il a été accepté, a attendu ou est revenu.',
      },
      {
        heading: 'Pour les développeurs',
        text: 'Un appel par HTTP ou un message par SMTP. Ce qui a été confirmé n’est pas perdu, même en cas de panne.',
      },
      {
        heading: 'Pour les destinataires',
        text: 'Seules les personnes qui ont donné leur accord reçoivent des lettres d’information. On se désabonne en un clic, et chaque signalement est lu.',
      },
    ],
    abuse: 'Signaler un e-mail indésirable',
    operator: (name) => `Exploité par ${name}`,
    legalNotice: 'Mentions légales',
    status: 'État du service',
  },
  refusal: {
    home: 'Vers la page d’accueil',
    refused: {
      title: 'Cela n’a pas fonctionné',
      text: 'Veuillez revenir en arrière, modifier votre saisie et l’envoyer de nouveau.',
    },
    notFound: {
      title: 'Cette page n’existe pas',
      text: 'Veuillez vérifier l’adresse.',
    },
    tooMany: (seconds) => ({
      title: 'Trop de demandes',
      text: `Veuillez patienter ${waiting(seconds)}, puis réessayer.`,
    }),
    unavailable: (seconds) => ({
      title: 'Ce n’est pas possible pour le moment',
      text: `L’erreur vient de nous : votre demande n’a pas pu être traitée. Veuillez réessayer dans ${waiting(seconds)}.`,
    }),
    failed: {
      title: 'Cela n’a malheureusement pas fonctionné',
      text: 'L’erreur vient de nous. Veuillez réessayer plus tard.',
    },
  },
  notBuilt: {
    title: 'L’interface n’est pas construite',
    text: 'Les e-mails sont toujours acceptés et envoyés. Exécutez cette commande dans le dossier du service, puis rechargez la page :',
  },
};
