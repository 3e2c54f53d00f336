// What is held of a person (Art. 15, 20 GDPR), written as it is read, as JSON or as a page. Of a message it names no other
// recipient, for these are other people's data. What is left out is named in it. Copies that the service keeps for its own working (answers under idempotency
// keys, deliveries of webhooks, the search index) say nothing else and are left out.
import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { AudienceContext } from '#src/audience/context.ts';
import { presentEvent } from '#src/events/schema.ts';
import { eventStore } from '#src/events/store.ts';
import { sourcePieces } from '#src/inbound/mailbox/download.ts';
import { presentMail } from '#src/inbound/mailbox/present.ts';
import { readMail } from '#src/inbound/reading/read.ts';
import type { Caller } from '#src/kernel/access.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Language } from '#src/kernel/language.ts';
import { escapeHtml, page } from '#src/kernel/page.ts';
import type { RouteResult } from '#src/kernel/route.ts';
import { DAY, toIso } from '#src/kernel/time.ts';
import { presentMessage } from '#src/messages/present.ts';
import { choiceOf, periodsInForce } from '#src/messages/retention/rules.ts';
import type { MessageRow } from '#src/messages/store.ts';
import { hasFreeNames, type Label, labels, leftOut, partTitles } from './export-words.ts';
import { mailOf, messagesTo, notShown, type PartName, shortPartsFor, shownTo } from './held.ts';
import type { Person } from './person.ts';

/** Read at once: each has its content. */
const ROWS_AT_ONCE = 10;
const MAX_EVENTS = 10_000;

interface Wish {
  readonly tenantId: string;
  readonly person: Person;
  readonly caller: Caller;
  readonly language: Language;
}

type Head = Readonly<Record<string, unknown>>;
type Held = { readonly part: PartName; readonly value: unknown };

const headOf = (
  db: TenantDb,
  { config, clock }: AudienceContext,
  { person, caller, language }: Wish,
): Head => {
  const practice = tenantStore(db).practice();
  const periods = periodsInForce(choiceOf(practice), config().retention);
  return {
    format: 'sendwerk person export 1',
    made_at: toIso(clock.now()),
    practice: { id: practice.id, name: practice.name },
    address: person.address,
    retention_days: Object.fromEntries(
      Object.entries(periods).map(([name, ms]) => [name, Math.floor(ms / DAY)]),
    ),
    left_out: leftOut[language],
    not_shown: [...notShown(caller), ...(caller.permissions.has('messages.view_content') ? [] : ['content'])],
  };
};

const ownOf = <T extends { readonly address: string }>(person: Person, list: readonly T[]): T[] =>
  list.filter(({ address }) => person.is(address));

const messageOf = (db: TenantDb, row: MessageRow, { person, caller }: Wish) => {
  const { decisions: _, ...message } = presentMessage(db, row, caller);
  return {
    ...message,
    to: ownOf(person, message.to),
    cc: ownOf(person, message.cc),
    bcc: ownOf(person, message.bcc),
    recipients: ownOf(person, message.recipients),
    events: eventStore(db)
      .ofMessage(row.seq, 0, MAX_EVENTS, caller.permissions.has('inbound.view'))
      .filter(({ recipient }) => recipient === null || person.is(recipient))
      .map(presentEvent),
  };
};

const textOf = async (
  { files }: AudienceContext,
  tenantId: string,
  row: Parameters<typeof sourcePieces>[2],
) => {
  try {
    return (await readMail(sourcePieces(files, tenantId, row))).text;
  } catch (error) {
    // It was removed meanwhile.
    if (error instanceof AppError && error.code === 'not_found') return null;
    throw error;
  }
};

async function* heldOf(context: AudienceContext, wish: Wish): AsyncGenerator<Held> {
  const { files } = context;
  const { tenantId, person, caller } = wish;
  const short = await files.read(tenantId, (db) => shortPartsFor(db, person, caller));
  for (const [part, values] of Object.entries(short))
    for (const value of values ?? []) yield { part: part as PartName, value };
  const hidden = new Set(notShown(caller));
  for (let before: number | null = null, isEnd = hidden.has('messages'); !isEnd; ) {
    const from: number | null = before;
    const found = await files.read(tenantId, (db) => {
      const { rows, before } = messagesTo(db, person, from, ROWS_AT_ONCE);
      return { values: rows.map((row) => messageOf(db, row, wish)), before };
    });
    for (const value of found.values) yield { part: 'messages', value };
    before = found.before;
    isEnd = before === null;
  }
  for (let before: number | null = null, isEnd = hidden.has('received'); !isEnd; ) {
    const from: number | null = before;
    const found = await files.read(tenantId, (db) => {
      const { rows, before } = mailOf(db, person, from, ROWS_AT_ONCE);
      const shownOf = (row: (typeof rows)[number]) => {
        const mail = presentMail(db, row);
        return { ...mail, to: ownOf(person, mail.to), cc: ownOf(person, mail.cc) };
      };
      return { mails: rows.map((row) => ({ row, shown: shownOf(row) })), before };
    });
    for (const { row, shown } of found.mails)
      yield { part: 'received', value: { ...shown, text: await textOf(context, tenantId, row) } };
    before = found.before;
    isEnd = before === null;
  }
}

/** An object with an array for each part that is shown; empty ones are at its end. */
async function* asJson(
  head: Head,
  held: AsyncIterable<Held>,
  parts: readonly PartName[],
): AsyncGenerator<string> {
  yield JSON.stringify(head).slice(0, -1);
  const empty = new Set(parts);
  let current: PartName | null = null;
  for await (const { part, value } of held) {
    if (part === current) yield `,\n${JSON.stringify(value)}`;
    else yield `${current === null ? '' : ']'},\n"${part}":[${JSON.stringify(value)}`;
    current = part;
    empty.delete(part);
  }
  if (current !== null) yield ']';
  for (const part of empty) yield `,\n"${part}":[]`;
  yield '}\n';
}

const BODY = '\0';

const isEmpty = (value: unknown): boolean =>
  value === null || value === '' || (typeof value === 'object' && Object.keys(value ?? {}).length === 0);

/** Fields without a label are of the service's own working; `isFree`: their names are the practice's. */
const htmlOf = (value: unknown, language: Language, isFree = false): string => {
  if (Array.isArray(value))
    return `<ul>${value.map((one) => `<li>${htmlOf(one, language, isFree)}</li>`).join('')}</ul>`;
  if (typeof value !== 'object' || value === null) return escapeHtml(String(value)).replaceAll('\n', '<br>');
  const rows = Object.entries(value)
    .filter(([name, inner]) => !isEmpty(inner) && (isFree || Object.hasOwn(labels, name)))
    .map(([name, inner]) => {
      const label = isFree ? name : labels[name as Label][language];
      return `<dt>${escapeHtml(label)}</dt><dd>${htmlOf(inner, language, isFree || hasFreeNames.has(name))}</dd>`;
    });
  return `<dl>${rows.join('')}</dl>`;
};

async function* asPage(
  head: Head,
  held: AsyncIterable<Held>,
  [before = '', after = '']: readonly string[],
  language: Language,
): AsyncGenerator<string> {
  yield before + htmlOf(head, language);
  let current: PartName | null = null;
  for await (const { part, value } of held) {
    if (part !== current) yield `<h2>${escapeHtml(partTitles[part][language])}</h2>\n`;
    current = part;
    yield `${htmlOf(value, language)}<hr>\n`;
  }
  yield after;
}

export const exportPerson = async (
  context: AudienceContext,
  wish: Wish,
  format: 'json' | 'html',
): Promise<RouteResult> => {
  const { language } = wish;
  const { head, name } = await context.files.read(wish.tenantId, (db) => ({
    head: headOf(db, context, wish),
    name: tenantStore(db).practice().name,
  }));
  const held = heldOf(context, wish);
  if (format === 'json')
    return {
      status: 200,
      contentType: 'application/json',
      headers: { 'Content-Disposition': 'attachment; filename="person.json"' },
      body: asJson(head, held, shownTo(wish.caller)),
    };
  const frame = page({ language, title: labels.title[language], serviceName: name, body: BODY });
  return {
    ...frame,
    body: asPage(head, held, String(frame.body).split(BODY), language),
  };
};
