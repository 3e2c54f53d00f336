// The service's own mails: notice in, subject and plain text out. A subject is kept and shown, so nothing secret is in it;
// nothing that strangers typed is repeated to other strangers. Pure.
import { alertsIn, mailsIn, publicWordsIn } from '#src/accounts/words.ts';
import { type Language, memberLanguageOf } from '#src/kernel/language.ts';
import type { Mail as Words } from './in-words.ts';
import type { Notice } from './schema.ts';

export interface Mail {
  readonly subject: string;
  readonly text: string;
}

type Mailed = Exclude<Notice, { kind: 'nothing' }>;

/** What mail programs would make a link of: an address with `://`, or a name of a host. */
const LINK_LIKE = /:\/\/|[\p{L}\p{N}][.\u3002\uff0e\uff61]\p{L}{2}/u;

/**
 * The name that someone gave a practice, for a mail that the service writes to others. It must not send strangers a link in our
 * name, so what would be a link is set apart at its dots and slashes.
 */
const harmless = (name: string): string =>
  LINK_LIKE.test(name) ? name.replace(/[./:\u3002\uff0e\uff61]+(?=[^\s./:])/gu, '$& ') : name;

/** All names that are freely chosen. A member's is an address, which is not. */
const withHarmlessNames = <Told extends object>(told: Told): Told => {
  const isMember = 'by' in told && told.by !== 'token';
  const free = new Set(['practice', 'list', 'token', ...(isMember ? [] : ['name'])]);
  const names = Object.entries(told).filter(([field]) => free.has(field));
  return { ...told, ...Object.fromEntries(names.map(([field, name]) => [field, harmless(name)])) };
};

const disarmed = (notice: Mailed): Mailed => {
  const told = withHarmlessNames(notice);
  if (told.kind === 'token_slowed' && told.reason.note !== null)
    return { ...told, reason: { ...told.reason, note: harmless(told.reason.note) } };
  if (told.kind !== 'practice_paused' || told.cause.by === 'guardrail') return told;
  return { ...told, cause: { ...withHarmlessNames(told.cause), reason: harmless(told.cause.reason) } };
};

/** `service` is the name under which the service speaks. Lines end in LF and are as long as their paragraphs. */
export const mailOf = (notice: Mailed, service: string): Mail => {
  const forStrangers = publicWordsIn(notice.language).mails;
  const isForStranger = Object.hasOwn(forStrangers, notice.kind);
  const language: Language = isForStranger ? notice.language : memberLanguageOf(notice.language);
  const member = memberLanguageOf(language);
  const write = { ...mailsIn(member), ...alertsIn(member), ...forStrangers }[notice.kind] as (
    notice: Mailed,
    service: string,
  ) => Words;
  const { subject, paragraphs } = write(disarmed(notice), service);
  const { greeting, closing } = publicWordsIn(language).frame;
  return { subject, text: `${[greeting, ...paragraphs, closing(service)].join('\n\n')}\n` };
};
