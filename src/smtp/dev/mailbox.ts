// The captured mails: the newest ones, in memory, and in a directory where they are to outlive the process. Old ones go when there
// are too many, or too much of them.
import { randomInt } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writtenMailboxes } from '#src/mail/address-field.ts';
import { decodeWords } from '#src/mail/decode-text.ts';
import { type Field, fieldValue, headFieldsOf } from '#src/mail/field-block.ts';
import { type Captured, readCaptured } from './read-captured.ts';
import type { Searched } from './search.ts';

export interface Envelope {
  /** Empty for the null sender. */
  readonly from: string;
  readonly recipients: readonly string[];
  /** The user who signed in; empty where no one did. */
  readonly username: string;
}

export interface CapturedMail extends Searched {
  readonly id: string;
  readonly source: Buffer;
  readonly snippet: string;
  readonly username: string;
  isRead: boolean;
}

const MAX_BYTES = 256 * 1_024 * 1_024;
const SNIPPET = 250;
/** Text of a mail in which words are searched. */
const MAX_SEARCHED = 262_144;
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ID_LENGTH = 22;
/** Addresses in a field: a longer one is not read whole. */
const OF_A_FIELD = 20;
/** A directory that this command has made. */
const MARKER = 'sendwerk-dev';
const FILE = /^(\d{13})-(\w{22})\.eml$/;

const newId = (): string =>
  Array.from({ length: ID_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');

const peopleIn = (fields: readonly Field[], name: string) =>
  writtenMailboxes(fields, name).map((person) => ({ Name: person.name ?? '', Address: person.address }));

/** A value of the envelope as it may be in a field. */
const plain = (address: string): string => address.replace(/[\r\n<>]/g, '');

/** What only the envelope says is written above the header, where clients of mailpit look for it. */
const withEnvelope = (content: Buffer, { from, recipients }: Envelope, id: string): Buffer => {
  const fields = headFieldsOf(content);
  const named = new Set(
    ['to', 'cc', 'bcc'].flatMap((name) => peopleIn(fields, name).map(({ Address }) => Address.toLowerCase())),
  );
  const unnamed = recipients.filter((address) => !named.has(address.toLowerCase())).map(plain);
  const added = [
    `Return-Path: <${plain(from)}>`,
    ...Array.from({ length: Math.ceil(unnamed.length / OF_A_FIELD) }, (_, index) => {
      const some = unnamed.slice(index * OF_A_FIELD, (index + 1) * OF_A_FIELD);
      return `Bcc: ${some.join(',\r\n ')}`;
    }),
    ...(fieldValue(fields, 'message-id') === null ? [`Message-ID: <${id}@sendwerk.dev>`] : []),
  ];
  // A mail without a header begins with an empty line.
  const start = fields.length === 0 && content.indexOf('\r\n') !== 0 ? '\r\n' : '';
  return Buffer.concat([Buffer.from(`${added.join('\r\n')}\r\n${start}`), content]);
};

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
const snippetOf = (text: string): string => {
  const line = oneLine(text.slice(0, 4 * SNIPPET));
  return line.length <= SNIPPET ? line : `${line.slice(0, SNIPPET - 3).toWellFormed()}...`;
};

const factsOf = ({ fields, text, files }: Captured, source: Buffer) => {
  const people = {
    From: peopleIn(fields, 'from')[0] ?? { Name: '', Address: '' },
    To: peopleIn(fields, 'to'),
    Cc: peopleIn(fields, 'cc'),
    Bcc: peopleIn(fields, 'bcc'),
    ReplyTo: peopleIn(fields, 'reply-to'),
  };
  const Subject = decodeWords(fieldValue(fields, 'subject') ?? '');
  const everyone = Object.values(people).flat();
  return {
    ...people,
    Subject,
    MessageID: (fieldValue(fields, 'message-id') ?? '').replace(/^<|>$/g, ''),
    Size: source.length,
    Attachments: files.filter(({ isInline }) => !isInline).length,
    inlineFiles: files.filter(({ isInline }) => isInline).length,
    snippet: snippetOf(text),
    words: oneLine(
      [
        ...everyone.flatMap(({ Name, Address }) => [Name, Address]),
        Subject,
        text.slice(0, MAX_SEARCHED),
        ...files.map(({ filename }) => filename),
      ].join(' '),
    ).toLowerCase(),
  };
};

/** The directory is of something else. */
export class ForeignDirectory extends Error {}

/** Rejects with ForeignDirectory: least of all data of a service are touched. */
const openDirectory = async (directory: string): Promise<void> => {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const names = await readdir(directory);
  if (names.length > 0 && !names.includes(MARKER))
    throw new ForeignDirectory(
      `${directory} is not empty and was not made by \`sendwerk dev\`: name a directory that is new`,
    );
  await writeFile(join(directory, MARKER), 'Captured mail of `sendwerk dev`.\n', { mode: 0o600 });
};

/** `directory` keeps the mails; null: they are gone with the process. `max` and `maxBytes` bound what is kept. */
export const openMailbox = async (max: number, directory: string | null, maxBytes = MAX_BYTES) => {
  /** The oldest first. */
  let mails: CapturedMail[] = [];
  const counted = { accepted: 0, acceptedBytes: 0, deleted: 0 };
  const fileOf = ({ id, created }: Pick<CapturedMail, 'id' | 'created'>): string =>
    join(directory ?? '', `${String(created).padStart(13, '0')}-${id}.eml`);
  const removeFile = async (mail: CapturedMail): Promise<void> => {
    if (directory !== null) await rm(fileOf(mail), { force: true });
  };

  const keep = async (isKept: (mail: CapturedMail) => boolean): Promise<void> => {
    const { kept = [], gone = [] } = Object.groupBy(mails, (mail) => (isKept(mail) ? 'kept' : 'gone'));
    mails = kept;
    counted.deleted += gone.length;
    await Promise.all(gone.map(removeFile));
  };
  const removeOldest = async (): Promise<void> => {
    let left = maxBytes;
    const newest = new Set(
      mails
        .slice(-max)
        .reverse()
        .filter(({ Size }, index) => {
          left -= Size;
          return left >= 0 || index === 0;
        }),
    );
    if (newest.size < mails.length) await keep((mail) => newest.has(mail));
  };
  const put = async (source: Buffer, id: string, created: number, username: string): Promise<void> => {
    const facts = factsOf(await readCaptured(source), source);
    mails.push({ ...facts, id, source, username, created, isRead: false });
  };

  if (directory !== null) {
    await openDirectory(directory);
    const names = (await readdir(directory)).filter((name) => FILE.test(name)).sort();
    for (const name of names.slice(-max)) {
      const [, created = '', id = ''] = FILE.exec(name) ?? [];
      await put(await readFile(join(directory, name)), id, Number(created), '');
    }
    for (const name of names.slice(0, -max)) await rm(join(directory, name), { force: true });
    await removeOldest();
  }

  return {
    counted: () => ({ ...counted, bytes: mails.reduce((sum, { Size }) => sum + Size, 0) }),
    /** The newest first. */
    list: (test: (mail: Searched) => boolean = () => true): readonly CapturedMail[] =>
      mails.filter(test).reverse(),
    find: (id: string): CapturedMail | undefined => mails.find((mail) => mail.id === id),
    /** Resolves with its id once it is kept. */
    add: async (content: Buffer, envelope: Envelope, now: number): Promise<string> => {
      const id = newId();
      const source = withEnvelope(content, envelope, id);
      if (directory !== null) {
        const file = fileOf({ id, created: now });
        await writeFile(`${file}.new`, source, { mode: 0o600 });
        await rename(`${file}.new`, file);
      }
      await put(source, id, now, envelope.username);
      counted.accepted += 1;
      counted.acceptedBytes += source.length;
      await removeOldest();
      return id;
    },
    remove: (test: (mail: CapturedMail) => boolean): Promise<void> => keep((mail) => !test(mail)),
  };
};
export type Mailbox = Awaited<ReturnType<typeof openMailbox>>;
