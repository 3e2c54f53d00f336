import { formOf } from '#src/kernel/language.ts';
import type { Words } from './de.ts';

const waiting = (seconds: number): string =>
  formOf(seconds, { one: 'une seconde', other: `${seconds} secondes` }, 'fr');

export const words: Words = {
  landing: {
    intro: (service) =>
      `${service} envoie des e-mails pour des cabinets, des associations et des entreprises.`,
    signIn: 'Se connecter',
    reference: 'Description de l’interface (en anglais)',
    abuse: 'Signaler un e-mail indésirable',
  },
  refusal: {
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
