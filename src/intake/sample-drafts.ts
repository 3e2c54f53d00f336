// The samples that a practice sends to itself, and the mails to the simulator. Pure.
import type { MemberLanguage } from '#src/kernel/language.ts';
import { escapeHtml } from '#src/kernel/page.ts';
import type { Mailbox } from '#src/mail/mailbox.ts';
import { type Draft, draftWith } from './draft.ts';
import { wordsIn } from './words.ts';

/** All but `quality` are mails to the simulator, which answers so. */
export const sampleKinds = ['quality', 'success', 'bounce', 'complaint', 'ooto'] as const;

export const asHtml = (text: string, language: MemberLanguage): string => {
  const paragraphs = text.split('\n\n').map((one) => `<p>${escapeHtml(one).replaceAll('\n', '<br>')}</p>`);
  return `<!doctype html><html lang="${language}"><body>${paragraphs.join('\n')}</body></html>`;
};

/** `name`: of the practice. */
export const sampleDraft = (
  kind: (typeof sampleKinds)[number],
  to: Mailbox,
  language: MemberLanguage,
  name: string,
): Draft => {
  const isSample = kind === 'quality';
  const { subject, text } = isSample ? wordsIn(language).sample(name) : wordsIn(language).trial(kind, name);
  return draftWith({
    to: [to],
    subject,
    text,
    html: isSample ? asHtml(text, language) : null,
    route: 'outgoing',
    kind: isSample ? 'quality' : 'test',
    tags: ['send-test'],
  });
};
