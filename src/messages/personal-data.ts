// Personal data in messages: see kernel/personal-data.ts.
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { presentEvent } from '#src/events/schema.ts';
import { eventStore } from '#src/events/store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import {
  COUNTS,
  type PagedPart,
  type Person,
  type PersonalData,
  SETTINGS,
} from '#src/kernel/personal-data.ts';
import { eraseContent, eraseCopies, eraseMailboxes, eraseShared } from './erase-person.ts';
import { presentMessage, presentSummary } from './present.ts';
import { choiceOf, periodsInForce } from './retention/rules.ts';
import { messageSummarySchema } from './schema.ts';
import { everyMessage, messageSearchStore } from './search-store.ts';
import { type MessageRow, messageStore } from './store.ts';
import { wordsIn } from './words.ts';

const MAX_EVENTS = 10_000;

const isTo = (db: TenantDb, person: Person, { seq }: MessageRow): boolean =>
  messageStore(db)
    .recipients(seq)
    .some(({ address }) => person.is(address));

/**
 * Found by the search index, by the address or, after retention, by its pseudonym, and then compared exactly. Of a message the export
 * names no other recipient.
 */
const messages: PagedPart<MessageRow> = {
  permission: 'messages.view',
  entry: messageSummarySchema,
  says: 'sent to the address, newest first',
  cursor: 'cursor',
  find: (db, person, before, limit) => {
    const filter = { ...everyMessage, parts: [person.address, person.pseudonym] };
    const found = messageSearchStore(db).find(filter, before, limit);
    return { rows: found.rows.filter((row) => isTo(db, person, row)), before: found.before };
  },
  present: presentSummary,
  whole: async function* ({ files, tenantId, person, caller }, rows) {
    const own = <T extends { readonly address: string }>(list: readonly T[]): T[] =>
      list.filter(({ address }) => person.is(address));
    const wholeOf = (db: TenantDb, row: MessageRow) => {
      const { decisions: _, ...message } = presentMessage(db, row, caller);
      return {
        ...message,
        to: own(message.to),
        cc: own(message.cc),
        bcc: own(message.bcc),
        recipients: own(message.recipients),
        events: eventStore(db)
          .ofMessage(row.seq, 0, MAX_EVENTS, caller.permissions.has('inbound.view'))
          .filter(({ recipient }) => recipient === null || person.is(recipient))
          .map(presentEvent),
      };
    };
    yield* await files.read(tenantId, (db) => rows.map((row) => wholeOf(db, row)));
  },
};

export const personalData: PersonalData = {
  words: (language) => wordsIn(language).person,
  places: [
    {
      table: 'recipients',
      keys: ['id'],
      searched: ['address', 'diagnostic'],
      others: ['field', 'status', 'enhanced_code', 'upstream'],
      erase: eraseCopies,
      kind: 'copies',
    },
    {
      table: 'messages',
      keys: ['seq'],
      searched: [
        ...['internet_message_id', 'from_json', 'to_json', 'cc_json', 'bcc_json', 'reply_to_json', 'subject'],
        ...['tag', 'tags_json', 'metadata_json', 'settings_json', 'decisions_json'],
      ],
      others: [
        ...['id', 'project_id', 'route_id', 'template_id', 'token_id', 'message_kind', 'channel', 'source'],
        'status',
      ],
      erase: eraseMailboxes,
      kind: 'mentions_in_messages',
    },
    {
      table: 'message_bodies',
      keys: ['message_seq'],
      searched: ['text', 'html', 'headers_json', 'data_json', 'calendar_json', 'parts_json'],
      others: ['sealed'],
      erase: eraseContent,
      kind: 'mentions_in_messages',
    },
    {
      table: 'shared_contents',
      keys: ['id'],
      searched: ['text', 'html', 'data_json'],
      erase: eraseShared,
      kind: 'mentions_in_messages',
    },
    {
      table: 'attachments',
      keys: ['message_seq', 'position'],
      searched: ['filename', 'content_id'],
      // Files of mail to others: see the certificate.
      others: ['content_type', 'content'],
      erase: eraseContent,
      kind: 'mentions_in_messages',
    },
  ],
  otherTables: {
    queue: 'goes with its recipient',
    removed_attachments: COUNTS,
    images: SETTINGS,
    image_uses: SETTINGS,
    pseudonymous_to: COUNTS,
    search_texts: 'written again with its message',
  },
  platformTables: { queue_due: COUNTS },
  kept: {
    counts: null,
  },
  shown: { messages },
  periods: (db, retention) => periodsInForce(choiceOf(tenantStore(db).practice()), retention),
};
