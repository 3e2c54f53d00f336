// The wording of a list whose creator gives none: who sends what by which means, and that consent can be withdrawn (Art. 7 GDPR,
// § 7 UWG). Pure.
import { publicWordsIn } from '#src/audience/words.ts';
import type { Language } from '#src/kernel/language.ts';
import type { Channel } from '#src/messages/kinds.ts';

interface Facts {
  readonly practice: string;
  readonly list: string;
  readonly channel: Channel;
  readonly language: Language;
}

/** What someone agrees to by the box of its own: § 25 TDDDG, Art. 6 (1) (a) GDPR. */
export const trackingWording = ({ practice, language }: Pick<Facts, 'practice' | 'language'>): string =>
  publicWordsIn(language).wording.tracking(practice);

export const defaultWording = ({ practice, list, channel, language }: Facts): string => {
  const { sent, list: wording } = publicWordsIn(language).wording;
  return wording(practice, sent[channel], list);
};
