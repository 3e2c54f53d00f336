import type { Words } from '../de/signs.ts';

export const words: Words = {
  frequent:
    'le la les une et est vous votre vos nous notre nos pour avec dans sur pas ne que qui du au aux ce cette sont été être sera ont merci bonjour madame monsieur cordialement salutations veuillez rendez facture commande chère cher avez avons pouvez',
  letters: 'çêèœ',
};
