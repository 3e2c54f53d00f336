// A letter as it is written, and the message that it becomes. Text and HTML are made by the service, of the document or the template.
import type { AcceptedMessage, NewMessage, Practice, Template } from '#api';
import { call } from '#dashboard/api/call.ts';
import type { Attachment } from '#dashboard/parts/attachments.tsx';
import type { WrittenDocument } from '#dashboard/parts/document-field.tsx';
import { filled, placeholdersIn, practiceValues } from '#dashboard/parts/placeholders.ts';
import { localTime } from '#dashboard/words.ts';
import { type Recipient, writtenRecipient } from './addresses.ts';
import { BLANK, documentNames, isBlank, toDocument } from './document.ts';
import type { Said } from './sentence.ts';
import type { words } from './words/de.ts';

export interface Appointment {
  readonly summary: string;
  /** The time as the clock of this person shows it. */
  readonly starts: string;
  readonly minutes: string;
  readonly place: string;
}

export interface Letter {
  readonly to: readonly Recipient[];
  readonly cc: readonly Recipient[];
  readonly bcc: readonly Recipient[];
  /** Null: as proposed. */
  readonly replyTo: string | null;
  /** Id; empty: none. */
  readonly template: string;
  readonly subject: string;
  readonly document: WrittenDocument;
  /** What was typed for placeholders. */
  readonly values: Readonly<Record<string, string>>;
  readonly appointment: Appointment | null;
  /** When it is to go, as the clock of this person shows it; null: at once. */
  readonly at: string | null;
}

export const newLetter = (to: readonly Recipient[]): Letter => ({
  to,
  cc: [],
  bcc: [],
  replyTo: null,
  template: '',
  subject: '',
  document: BLANK,
  values: {},
  appointment: null,
  at: null,
});

/** HTML that was written as source cannot be changed here: it is sent as it is. */
export const isFixed = (template: Template | undefined): boolean =>
  template !== undefined && template.document === null && template.html !== null;

const documentIn = (template: Template | undefined): WrittenDocument => {
  if (!template) return BLANK;
  // The API's own description of it is a union of all its blocks.
  if (template.document !== null) return template.document as WrittenDocument;
  return template.text === null ? BLANK : toDocument(template.text);
};

export const withTemplate = (letter: Letter, template: Template | undefined): Letter => ({
  ...letter,
  template: template?.id ?? '',
  subject: template?.subject ?? '',
  document: documentIn(template),
});

/** What is known without being asked: the practice by itself, and whom the letter goes to. */
const knownValues = ({ to }: Letter, own: Practice): Readonly<Record<string, string>> => {
  const [only, ...others] = to;
  const person: Readonly<Record<string, string>> =
    only === undefined || others.length > 0
      ? {}
      : { name: only.name, email: only.address, address: only.address };
  return { ...person, ...practiceValues(own) };
};

/** The placeholders that the person fills in, with what is known of each. */
export const askedValues = ({
  letter,
  template,
  own,
  further,
}: Omit<Written, 'attachments'>): readonly { readonly name: string; readonly value: string }[] => {
  const known = knownValues(letter, own);
  const names =
    template && isFixed(template)
      ? template.variables
      : [...placeholdersIn(letter.subject), ...documentNames(letter.document)];
  return [...new Set([...names, ...further])]
    .filter((name) => !(name.startsWith('practice.') && known[name]))
    .map((name) => ({ name, value: letter.values[name] ?? known[name] ?? '' }));
};

/** Empty: as the service decides, for example into the inbox here. */
export const proposedReply = (template: Template | undefined, own: Practice): string =>
  template?.reply_to ?? own.reply_address ?? '';

/** What a letter cannot go without. */
export type Missing = keyof (typeof words)['missing'];

export const missingIn = (written: Omit<Written, 'attachments'>): readonly Missing[] => {
  const { letter, template } = written;
  const { to, subject, document, appointment, at } = letter;
  const checks: readonly (readonly [Missing, boolean])[] = [
    ['to', to.length === 0],
    ['subject', !isFixed(template) && subject.trim() === ''],
    ['text', !isFixed(template) && isBlank(document)],
    ['values', askedValues(written).some(({ value }) => value.trim() === '')],
    ['appointment', appointment !== null && (appointment.summary.trim() === '' || appointment.starts === '')],
    ['time', at === ''],
  ];
  return checks.flatMap(([name, isMissing]) => (isMissing ? [name] : []));
};

const MINUTE_MS = 60_000;
const invitationOf = ({
  summary,
  starts,
  minutes,
  place,
}: Appointment): NonNullable<NewMessage['calendar']> => ({
  summary,
  starts_at: `${starts}:00`,
  ends_at: `${localTime(new Date(starts).getTime() + Number(minutes) * MINUTE_MS)}:00`,
  ...(place.trim() === '' ? {} : { location: place }),
  time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
});

export interface Made {
  readonly body: NewMessage;
  readonly html: string;
  readonly text: string;
  readonly subject: string;
  /** Why the document would not do. */
  readonly problems: readonly string[];
  /** Names of placeholders that are without a value. */
  readonly missing: readonly string[];
}

export interface Written {
  readonly letter: Letter;
  readonly attachments: readonly Attachment[];
  /** The one that the letter began with. */
  readonly template: Template | undefined;
  readonly own: Practice;
  /** Names of placeholders in the letterhead's signature that nothing is known of. */
  readonly further: readonly string[];
}

/** Kinds that go out over the route for advertising, with its rules. */
const MARKETING: ReadonlySet<string> = new Set(['newsletter', 'custom']);
const MARKETING_ROUTE = 'broadcast';

const frameOf = ({ letter, attachments, template, own }: Written) => {
  const { to, cc, bcc, replyTo, appointment, at } = letter;
  const replies = replyTo?.trim() ?? '';
  const isReplyGiven = replies !== '' && replies !== proposedReply(template, own);
  return {
    to: to.map(writtenRecipient),
    ...(cc.length === 0 ? {} : { cc: cc.map(writtenRecipient) }),
    ...(bcc.length === 0 ? {} : { bcc: bcc.map(writtenRecipient) }),
    ...(isReplyGiven ? { reply_to: replies } : template?.reply_to ? { reply_to: template.reply_to } : {}),
    ...(attachments.length === 0 ? {} : { attachments: [...attachments] }),
    ...(appointment === null ? {} : { calendar: invitationOf(appointment) }),
    ...(at === null ? {} : { scheduled_at: new Date(at).toISOString() }),
  };
};

/** The subject as it arrives. */
export const filledSubject = (written: Omit<Written, 'attachments'>): string =>
  filled(written.letter.subject, {
    ...practiceValues(written.own),
    ...Object.fromEntries(askedValues(written).map(({ name, value }) => [name, value])),
  });

/** Rejects with the refusal where it cannot be made. */
export const makeLetter = async (id: string, written: Written, abort?: AbortSignal): Promise<Made> => {
  const { letter, template } = written;
  const frame = frameOf(written);
  const data = Object.fromEntries(askedValues(written).map(({ name, value }) => [name, value.trim()]));
  if (template && isFixed(template)) {
    const at = { id, templateID: template.id };
    const made = await call(
      'POST /api/practices/{id}/templates/{templateID}/preview',
      { ...at, body: { data } },
      { abort },
    );
    const problems = made.problems.map(({ message }) => message);
    const { subject, text, html, missing } = made;
    return {
      body: { ...frame, template: template.id, data },
      subject,
      html: html ?? '',
      text: text ?? '',
      problems,
      missing,
    };
  }
  const subject = filledSubject(written);
  const { html, text, problems, missing } = await call(
    'POST /api/practices/{id}/documents/render',
    // The service judges what was written; its description is a union of all blocks.
    { id, body: { document: letter.document as never, subject, data, footer: false } },
    { abort },
  );
  const kind = template?.message_kind;
  const tracking = {
    ...(template?.track_opens == null ? {} : { track_opens: template.track_opens }),
    ...(template?.track_clicks == null ? {} : { track_clicks: template.track_clicks }),
  };
  const body: NewMessage = {
    ...frame,
    subject,
    html,
    text,
    ...(kind === undefined ? {} : { message_kind: kind, settings: tracking }),
    ...(kind !== undefined && MARKETING.has(kind) ? { route: MARKETING_ROUTE } : {}),
  };
  return { body, subject, html, text, missing, problems: problems.map(({ message }) => message) };
};

export interface SentLetter {
  readonly accepted: AcceptedMessage;
  readonly said: Said;
}
