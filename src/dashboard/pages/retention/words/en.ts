import { plural } from '#dashboard/words.ts';
import type { words as german } from './de.ts';

export const words: typeof german = {
  intro: 'How long things are kept. After that the service removes them by itself, for good.',
  how: 'In days. An empty field means: as long as the service keeps it.',
  period: 'How long',
  days: (count) => (count === 0 ? 'not stored' : plural(count, { one: '# day', other: '# days' })),
  asLong: 'as long as the service',
  inForce: (days, most) =>
    `At present ${plural(days, { one: '# day', other: '# days' })}, at most ${plural(most, { one: '# day', other: '# days' })}.`,
  kinds: {
    bodies: 'Content of messages',
    attachments: 'Attachments',
    events: 'History of sending',
    messages: 'Subjects and addresses',
    consent_ip: 'Network addresses of consents',
    consent_user_agent: 'Browser names of consents',
  },
  explanations: {
    bodies:
      'Text, HTML and header fields, from the planned sending on. After that a message cannot be looked at or sent again.',
    attachments: 'Files of messages, from the planned sending on.',
    events: 'What happened to a message: accepted, refused, opened.',
    messages:
      'After that subjects, addresses, tags and metadata cannot be recognized; outcomes and counts remain. Nothing else of a message is kept longer.',
    consent_ip: 'From which address someone agreed: part of the evidence. 0: not stored at all.',
    consent_user_agent: 'With which browser someone agreed: part of the evidence. 0: not stored at all.',
  },
  withConsent: (most) =>
    `Empty: as long as the consent lasts, and ${plural(most, { one: '# day', other: '# days' })} after its end. A number is counted from the entry, also while the consent lasts.`,
  withConsentShort: (days) =>
    `with the consent and ${plural(days, { one: '# day', other: '# days' })} after it`,
  saved: 'Saved. It holds from the next clean-up on.',
};
