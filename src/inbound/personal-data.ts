// Personal data in mail received and in the settings of the mailbox: see kernel/personal-data.ts. Mail from a person who is
// erased, or addressed to them too, is removed.
import { z } from 'zod';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import {
  COUNTS,
  type Erasing,
  HASHES,
  type PagedPart,
  type Person,
  type PersonalData,
  type Reading,
  SETTINGS,
} from '#src/kernel/personal-data.ts';
import type { Mailbox } from '#src/mail/mailbox.ts';
import { presentThread } from './desk/threads.ts';
import { forwardStore } from './forwarding/store.ts';
import { forwardTargets, setForwardTargets } from './forwarding/targets.ts';
import { sourcePieces } from './mailbox/download.ts';
import { mailFindStore } from './mailbox/find-store.ts';
import { presentMail } from './mailbox/present.ts';
import { removePieces } from './mailbox/remove-old.ts';
import { inboundSummarySchema } from './mailbox/schema.ts';
import { type InboundOptions, keptFor } from './options.ts';
import { readMail } from './reading/read.ts';
import { inboundSettingsStore } from './settings-store.ts';
import { type InboundRow, inboundStore } from './store.ts';
import { wordsIn } from './words.ts';

const PARTIES = ['mail_from', 'from_json', 'to_json', 'cc_json'];

const eraseFromMailbox = (db: TenantDb, { person, now }: Erasing): void => {
  const { enabledAt, options } = inboundSettingsStore(db).current();
  const others = (address: string): boolean => !person.is(address);
  const forwarding = <T extends { readonly forward_to: string | null }>(mailbox: T): T => ({
    ...mailbox,
    forward_to: mailbox.forward_to !== null && others(mailbox.forward_to) ? mailbox.forward_to : null,
  });
  const { addresses, catch_all, senders } = options;
  const rest: InboundOptions = {
    ...options,
    addresses: addresses.map(forwarding),
    catch_all: forwarding(catch_all),
    senders: { allow: senders.allow.filter(others), block: senders.block.filter(others) },
  };
  inboundSettingsStore(db).put({
    enabledAt,
    options: JSON.parse(person.removedFrom(JSON.stringify(rest))),
  });
  setForwardTargets(db, now);
};

const anyMail = {
  from: null,
  to: null,
  state: null,
  read: null,
  threadId: null,
  assignee: null,
  done: null,
  replyToSeq: null,
  receivedFrom: null,
  receivedBefore: null,
};

const isOf = (person: Person, { mail_from, from_json, to_json, cc_json }: InboundRow): boolean => {
  const from: Mailbox | null = JSON.parse(from_json);
  const parties: Mailbox[] = [...(from ? [from] : []), ...JSON.parse(to_json), ...JSON.parse(cc_json)];
  return person.is(mail_from) || parties.some(({ address }) => person.is(address));
};

const textOf = async ({ files, tenantId }: Reading, row: InboundRow): Promise<string | null> => {
  try {
    return (await readMail(sourcePieces(files, tenantId, row))).text;
  } catch (error) {
    // The mail was removed meanwhile.
    if (error instanceof AppError && error.code === 'not_found') return null;
    throw error;
  }
};

/** Mail received from the person, or addressed to them too. */
const received: PagedPart<InboundRow> = {
  permission: 'inbound.view',
  entry: inboundSummarySchema,
  says: 'mail from the address, or addressed to it too, newest first',
  cursor: 'received_cursor',
  find: (db, person, before, limit) => {
    const found = mailFindStore(db).find({ ...anyMail, text: person.address }, before, limit);
    return { rows: found.rows.filter((row) => isOf(person, row)), before: found.before };
  },
  present: presentMail,
  whole: async function* (reading, rows) {
    const { files, tenantId, person } = reading;
    const own = (list: ReturnType<typeof presentMail>['to']) =>
      list.filter(({ address }) => person.is(address));
    for (const row of rows) {
      const { mail, notes } = await files.read(tenantId, (db) => ({
        mail: presentMail(db, row),
        notes: presentThread(db, row.thread_id).notes.map(({ text, created_at }) => ({ text, created_at })),
      }));
      yield { ...mail, to: own(mail.to), cc: own(mail.cc), text: await textOf(reading, row), notes };
    }
  },
};

export const personalData: PersonalData = {
  words: (language) => wordsIn(language).person,
  places: [
    {
      table: 'inbound_settings',
      keys: ['only'],
      searched: ['options_json'],
      erase: (db, _, erasing) => eraseFromMailbox(db, erasing),
      kind: 'mailbox_settings',
    },
    {
      table: 'inbound_messages',
      keys: ['seq'],
      searched: [
        ...PARTIES,
        ...['recipients_json', 'subject', 'internet_message_id', 'in_reply_to', 'references_json'],
        ...['auth_json', 'spam_json'],
      ],
      others: ['id', 'state', 'state_reason', 'thread_id'],
      erase: (db, row) => {
        if (row.isQuoted(PARTIES)) inboundStore(db).remove([Number(row.key[0])]);
      },
      kind: 'mails_received',
    },
    {
      table: 'inbound_texts',
      keys: ['message_seq'],
      searched: ['text'],
      kind: 'mentions_in_mails_received',
    },
    {
      table: 'inbound_notes',
      keys: ['seq'],
      searched: ['text', 'author'],
      others: ['id', 'thread_id', 'author_id'],
      kind: 'notes',
    },
    {
      table: 'inbound_forwards',
      keys: ['seq'],
      searched: ['recipient', 'target', 'diagnostic'],
      others: ['kind', 'status'],
      erase: (db, row, { person }) => {
        if (person.is(String(row.values()?.target))) forwardStore(db).end(Number(row.key[0]));
      },
      kind: 'forwarded_copies',
    },
    {
      table: 'forward_targets',
      keys: ['seq'],
      searched: ['address_key', 'address', 'failure'],
      others: ['status'],
      erase: (_, row) => row.remove(),
      kind: 'forwarding_addresses',
    },
  ],
  otherTables: {
    inbound_hooks: SETTINGS,
    website_forms: SETTINGS,
    website_form_posts: COUNTS,
    saved_replies: SETTINGS,
    inbound_threads: 'ids of conversations and members',
    inbound_removed: COUNTS,
    inbound_pieces: 'goes with its mail',
    automatic_replies: HASHES,
  },
  platformTables: { inbound_tenants: 'practices', inbound_hooks: 'hashes' },
  shown: {
    forwarding: {
      permission: 'inbound.view',
      entry: z.strictObject({
        address: z.string(),
        status: z.enum(['unconfirmed', 'confirmed', 'failed']),
        reason: z.string().nullable(),
        asked_at: z.iso.datetime().nullable(),
        since: z.iso.datetime(),
      }),
      says: 'where mail received is forwarded to the address',
      all: (db, person) => forwardTargets(db).filter(({ address }) => person.is(address)),
    },
    received,
  },
  periods: (db, retention) => ({
    received: keptFor(inboundSettingsStore(db).current().options, retention.inbound),
  }),
  finish: (files, tenantId) => removePieces(tenantId, { files, pace: (work) => work() }, null),
};
