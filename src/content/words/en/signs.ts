import type { Words } from '../de/signs.ts';

export const words: Words = {
  frequent:
    'the and you your for with this is are we our please to of on have has been will from that be at not it can if here hello dear hi thank thanks regards sincerely appointment order invoice',
  letters: '',
};
