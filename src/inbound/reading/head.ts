// The header of a received mail as lists show it and a search finds it. It is read for each mail at its reception: once, in
// bounded time, and whatever is in it; a field that cannot be read is as one that is absent. Pure.

import { foldFields } from '#src/kernel/typed-words.ts';
import { writtenMailboxes } from '#src/mail/address-field.ts';
import { cleanText, decodeWords } from '#src/mail/decode-text.ts';
import { type Field, fieldValue, headFieldsOf } from '#src/mail/field-block.ts';
import { withoutInvisibles } from '#src/mail/visible-text.ts';
import { firstAuthor } from '../checks/authors.ts';
import type { MailHead } from '../mail.ts';

/** UTF-16 code units, as of messages sent. */
const MAX_SUBJECT = 998;
const MAX_REFERENCES = 50;
/** RFC 5322 §2.1.1: a line has at most 998 characters. */
const MESSAGE_ID = /<([^<>]{1,996})>/g;
const MAX_SEARCH_TEXT = 16_384;

const subjectOf = (fields: readonly Field[]): string =>
  cleanText(withoutInvisibles(decodeWords(fieldValue(fields, 'subject') ?? '')))
    .slice(0, MAX_SUBJECT)
    .toWellFormed();

/** White space in an identifier is of a program that folded it. */
const idsIn = (value: string): string[] =>
  [...value.matchAll(MESSAGE_ID)].map(([, id = '']) => `<${id.replace(/\s/g, '')}>`);

/** Some programs leave out the angle brackets. */
const idOf = (value: string | null): string | null => {
  if (value === null) return null;
  return idsIn(value)[0] ?? (/^[^\s<>]{3,996}$/.test(value) ? `<${value}>` : null);
};

/** RFC 5322 §4.3 names those of America, which the engine knows; these are written in our countries. */
const OFFSETS: Readonly<Record<string, string>> = {
  CET: '+0100',
  MEZ: '+0100',
  CEST: '+0200',
  MESZ: '+0200',
  BST: '+0100',
};
const KNOWN_ZONE = /(?:[+-]\d{2}:?\d{2}|(?<![a-z])(?:GMT|UTC?|Z|[ECMP][SD]T))$/i;
/** The engine finds a year in any text. */
const HAS_MONTH = /\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|\b\d{4}-\d\d-\d\d/i;
const LAST_YEAR = Date.UTC(10_000, 0);

/** RFC 5322 §3.3, §4.3: what names no known zone is taken as UTC. */
const timeOf = (value: string | null): number | null => {
  const date = (value ?? '')
    .slice(0, 100)
    .replace(/\([^()]*\)/g, '')
    .replace(/\b(?:CES?T|MES?Z|BST)\s*$/i, (zone) => OFFSETS[zone.trim().toUpperCase()] ?? '')
    .trim();
  const zoned = KNOWN_ZONE.test(date) ? date : `${date.replace(/\b[a-z]{1,5}$/i, '')} +0000`;
  const time = HAS_MONTH.test(date) ? Date.parse(zoned) : Number.NaN;
  return time >= 0 && time < LAST_YEAR ? time : null;
};

/** `source` may be a whole mail, or only its header. */
export const readHead = (source: Buffer, fields: readonly Field[] = headFieldsOf(source)): MailHead => {
  const value = (name: string): string | null => fieldValue(fields, name);
  return {
    from: firstAuthor(fields),
    to: writtenMailboxes(fields, 'to'),
    cc: writtenMailboxes(fields, 'cc'),
    subject: subjectOf(fields),
    sentAt: timeOf(value('date')),
    internetMessageId: idOf(value('message-id')),
    inReplyTo: idOf(value('in-reply-to')),
    references: idsIn(value('references') ?? '').slice(-MAX_REFERENCES),
  };
};

/** What a search looks in. `envelope`: its sender and recipients. */
export const searchTextOf = ({ from, to, cc, subject }: MailHead, envelope: readonly string[]): string => {
  const people = [...(from === null ? [] : [from]), ...to, ...cc];
  const values = [...people.flatMap(({ address, name }) => [address, name ?? '']), ...envelope];
  return foldFields([subject, ...new Set(values)]).slice(0, MAX_SEARCH_TEXT);
};
