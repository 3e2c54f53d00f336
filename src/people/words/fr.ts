import type { Words } from './de.ts';

export const words: Words = {
  invitation: {
    invited: 'Invitation',
    invitedText: (practice, email) => `« ${practice} » vous invite à devenir membre avec l’adresse ${email}.`,
    accept: 'Accepter l’invitation',
    ignore: 'Si vous ne le souhaitez pas, vous n’avez rien à faire : l’invitation expire d’elle-même.',
    accepted: 'Invitation acceptée',
    acceptedText: (practice, email) =>
      `Vous êtes maintenant membre de « ${practice} ». Connectez-vous avec l’adresse ${email}.`,
    signIn: (serviceName) => `Continuer vers ${serviceName}`,
    gone: 'Cette invitation n’est plus valable',
    goneText:
      'Elle a expiré, a déjà été acceptée, ou une plus récente l’a remplacée. Demandez à être invité de nouveau, ou connectez-vous si vous êtes déjà membre.',
  },
};
