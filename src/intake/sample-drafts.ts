// The samples that a practice sends to itself, and the mails to the simulator. Pure.
import type { Language } from '#src/kernel/language.ts';
import { escapeHtml } from '#src/kernel/page.ts';
import type { Mailbox } from '#src/mail/mailbox.ts';
import { type Draft, draftWith } from './draft.ts';

/** All but `quality` are mails to the simulator, which answers so. */
export const sampleKinds = ['quality', 'success', 'bounce', 'complaint', 'ooto'] as const;

interface Words {
  readonly subject: string;
  readonly text: string;
}

const sample: Readonly<Record<Language, (name: string) => Words>> = {
  de: (name) => ({
    subject: `Beispielnachricht von ${name}`,
    text: [
      'Guten Tag,',
      `so kommen E-Mails von ${name} bei Ihnen an. Bitte sehen Sie nach, ob diese Nachricht im Posteingang liegt und ob die Umlaute stimmen: Ä, Ö, Ü, ä, ö, ü, ß.`,
      `Freundliche Grüße\n${name}`,
    ].join('\n\n'),
  }),
  en: (name) => ({
    subject: `Sample message from ${name}`,
    text: [
      'Hello,',
      `this is how mail from ${name} arrives. Please check that this message is in your inbox and that these letters are shown as they should be: Ä, Ö, Ü, ä, ö, ü, ß.`,
      `Kind regards\n${name}`,
    ].join('\n\n'),
  }),
};

const trial: Readonly<Record<Language, (kind: string, name: string) => Words>> = {
  de: (kind, name) => ({
    subject: `Test mit dem Postfach-Simulator: ${kind}`,
    text: `Diese Nachricht von ${name} geht an den Postfach-Simulator.`,
  }),
  en: (kind, name) => ({
    subject: `Test with the mailbox simulator: ${kind}`,
    text: `This message from ${name} goes to the mailbox simulator.`,
  }),
};

export const asHtml = (text: string, language: Language): string => {
  const paragraphs = text.split('\n\n').map((one) => `<p>${escapeHtml(one).replaceAll('\n', '<br>')}</p>`);
  return `<!doctype html><html lang="${language}"><body>${paragraphs.join('\n')}</body></html>`;
};

/** `name`: of the practice. */
export const sampleDraft = (
  kind: (typeof sampleKinds)[number],
  to: Mailbox,
  language: Language,
  name: string,
): Draft => {
  const isSample = kind === 'quality';
  const { subject, text } = isSample ? sample[language](name) : trial[language](kind, name);
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
