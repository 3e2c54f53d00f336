import { wordsFor } from '#src/accounts/mails/in-words.ts';
import { formOf } from '#src/kernel/language.ts';
import type { Words } from '../de/public.ts';

const { moment } = wordsFor('fr');

export const words: Words = {
  frame: {
    greeting: 'Bonjour,',
    closing: (service) =>
      `${service}\n\nCet e-mail a été envoyé automatiquement. Les réponses ne sont pas lues.`,
  },
  mails: {
    forward_confirmation: ({ practice, link, expiresAt }, service) => ({
      subject: `Voulez-vous recevoir les e-mails adressés à « ${practice} » ?`,
      paragraphs: [
        `« ${practice} » reçoit des e-mails via ${service} et souhaite les transférer à cette adresse. Cela ne se fera que si vous l’acceptez :`,
        link,
        `Vous pouvez accepter jusqu’au ${moment(expiresAt)}. Sur la même page, vous pouvez refuser, et plus tard mettre fin au transfert.`,
        'Vous ne vous y attendiez pas ? Alors vous n’avez rien à faire. Sans votre accord, rien n’est transféré.',
      ],
    }),
    abuse_ticket: ({ ticketId, stage }) => {
      const stages = {
        open: {
          subject: 'Votre signalement nous est parvenu',
          paragraphs: [
            'Merci de votre signalement. Il nous est parvenu et porte ce numéro :',
            ticketId,
            'Nous l’examinerons et vous écrirons au début et à la fin de l’examen.',
          ],
        },
        investigating: {
          subject: 'Votre signalement est en cours d’examen',
          paragraphs: [
            'Nous examinons maintenant votre signalement qui porte ce numéro :',
            ticketId,
            'Nous vous écrirons lorsque l’examen sera terminé.',
          ],
        },
        closed: {
          subject: 'L’examen de votre signalement est terminé',
          paragraphs: [
            'Nous avons terminé l’examen de votre signalement qui porte ce numéro :',
            ticketId,
            'Merci d’avoir pris le temps de nous écrire. Si vous constatez de nouveau quelque chose, veuillez nous le signaler.',
          ],
        },
      };
      const { subject, paragraphs } = stages[stage];
      return {
        subject: `${subject} (${ticketId})`,
        paragraphs: [
          ...paragraphs,
          'Vous ne nous avez rien signalé ? Alors une autre personne a indiqué votre adresse. Vous n’avez rien à faire.',
        ],
      };
    },
  },
  abuse: {
    title: 'Signaler un abus',
    intro:
      'Avez-vous reçu par ce service un e-mail que vous n’avez pas demandé, ou qui cherche à vous tromper ? Signalez-le ici. Nous examinons chaque signalement.',
    email: 'Votre adresse e-mail',
    emailNote: 'C’est à cette adresse que nous vous informerons de la suite donnée à votre signalement.',
    name: 'Votre nom',
    subject: 'Objet',
    description: 'Que s’est-il passé ?',
    source: 'L’e-mail signalé, sous forme de fichier (.eml)',
    sourceNote: '10 Mo au plus. L’e-mail avec tous ses en-têtes nous aide le mieux.',
    optional: 'facultatif',
    send: 'Envoyer le signalement',
    receivedTitle: 'Votre signalement nous est parvenu',
    received: 'Merci. Nous vous en confirmons la réception par e-mail et examinons votre signalement.',
    number: 'Numéro de votre signalement',
  },
  waitlist: {
    title: 'Vous êtes sur la liste d’attente',
    text: 'Merci. Nous vous écrirons dès qu’une place se libère.',
    home: 'Vers la page d’accueil',
    form: {
      heading: 'Obtenir une place',
      intro:
        'Laissez votre adresse. Nous vous écrirons dès qu’une place se libère ; cela ne vous engage à rien.',
      email: 'Votre adresse e-mail',
      plan: 'Combien souhaitez-vous envoyer ?',
      upTo: (mails) => `jusqu’à ${mails} e-mails par mois`,
      name: 'Votre nom ou celui de votre cabinet',
      note: 'Souhaitez-vous nous dire quelque chose ?',
      optional: 'facultatif',
      trap: 'Veuillez laisser vide',
      send: 'S’inscrire',
      kept: (days) =>
        `Seul l’exploitant voit vos données. Elles sont supprimées après ${formOf(days, { one: 'un jour', other: `${days} jours` }, 'fr')}, ou plus tôt si vous le demandez.`,
    },
  },
  legal: {
    privacy_url: 'Protection des données',
    email: 'E-mail',
    phone: 'Téléphone',
    represented_by: 'Représenté par',
    register: 'Registre',
    vat_id: 'N° de TVA',
    authority: 'Autorité de surveillance',
    imprint_url: 'Mentions légales',
  },
  person: {
    kept: {
      member: {
        what: 'le compte de cette adresse en tant que membre du cabinet',
        why: 'Les personnes qui travaillent pour le cabinet se retirent dans la liste de ses membres.',
      },
    },
  },
};
