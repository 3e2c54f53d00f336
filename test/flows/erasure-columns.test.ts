// The effect of an erasure in every column: a person is written into every place that a room names, and erased; then no column of
// any table of any file has the address, and none of the person's own records their name, values or notes, sealed ones included.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { z } from 'zod';
import { verifyLedger } from '#src/audience/consent/verify-ledger.ts';
import type { erasureSchema } from '#src/audience/people/schema.ts';
import { initialOptions } from '#src/inbound/options.ts';
import type { SealingPurpose } from '#src/kernel/keys.ts';
import { unseal } from '#src/kernel/seal.ts';
import { DAY } from '#src/kernel/time.ts';
import { letter, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { importFile } from '#test/support/imports.ts';
import { keysIn } from '#test/support/keys.ts';
import { until } from '#test/support/process.ts';
import { putMail } from '#test/support/received-mail.ts';
import { inPractice } from '#test/support/subscribers.ts';

const WANDA = 'wanda.wunder@example.org';
const OTHER = 'erika@example.org';
/** Of the person's own records; each but the name stands in one of them. */
const OWN = [
  ...['Wanda Wunderlich', 'betreff-4711', 'text-4711', 'angabe-4711', 'wert-4711', 'beleg-4711'],
  ...['notiz-4711', 'frage-4711'],
];
const [NAME = '', SUBJECT = '', TEXT = '', METADATA = '', VALUE = '', EVIDENCE = '', NOTE = '', MAIL = ''] =
  OWN;

let app: TestApp;
let sender: Sender;

const call = <Body = { id: string }>(method: string, target: string, body?: unknown, headers = {}) =>
  app.request<Body>(method, sender.base + target, body, app.adminToken, headers);
const made = async (...request: Parameters<typeof call>) => {
  const answer = await call(...request);
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.body;
};
const sql = <Row = unknown>(statement: string, ...values: unknown[]): Row[] =>
  app.sql<Row>(sender.practice.id, statement, ...values);

/** Sealed values by their columns: the purpose of the key, and the column with what they are bound to. */
const SEALED: Readonly<Record<string, readonly [purpose: SealingPurpose, context: string]>> = {
  'captures.source': ['captured mail', 'id'],
  'message_bodies.sealed': ['service mail', ''],
  'erasures.sealed_address': ['erasures', 'id'],
  'notices.sealed': ['notices', 'id'],
};

interface Cell {
  readonly table: string;
  readonly column: string;
  readonly text: string;
}

/** Every text and every byte of all tables, in lower case; sealed values open. */
const cellsOf = (practiceId: string | null): Cell[] => {
  const keyFor = keysIn(app.home);
  const tables = app.sql<{ name: string }>(
    practiceId,
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
  );
  return tables.flatMap(({ name: table }) =>
    app.sql<Record<string, unknown>>(practiceId, `SELECT * FROM ${table}`).flatMap((row) =>
      Object.entries(row).flatMap(([column, value]): Cell[] => {
        if (typeof value !== 'string' && !Buffer.isBuffer(value)) return [];
        const [purpose, context = ''] = SEALED[`${table}.${column}`] ?? [];
        const open =
          purpose && Buffer.isBuffer(value) && row[context]
            ? unseal(keyFor(purpose), value, String(row[context]))
            : value;
        return [{ table, column, text: open.toString().toLowerCase() }];
      }),
    ),
  );
};

const columnsWith = (word: string): string[] => {
  const spelled = [word, encodeURIComponent(word)].map((one) => one.toLowerCase());
  const cells = [...cellsOf(sender.practice.id), ...cellsOf(null)];
  const found = cells.filter(({ text }) => spelled.some((one) => text.includes(one)));
  return [...new Set(found.map(({ table, column }) => `${table}.${column}`))].sort();
};

/** What the daemon itself writes only after faults of others, and long waits. */
const writeRest = (): void => {
  const about = `für <${WANDA}>`;
  const json = JSON.stringify([about]);
  const mailboxes = JSON.stringify([{ address: WANDA }]);
  const set = (table: string, columns: Readonly<Record<string, string>>, where = '1'): void => {
    const names = Object.keys(columns);
    const change = names.map((name) => `${name} = ?`).join(', ');
    sql(
      `UPDATE ${table} SET ${change} WHERE rowid = (SELECT max(rowid) FROM ${table} WHERE ${where})`,
      ...Object.values(columns),
    );
  };
  const ofOther = `message_seq = (SELECT seq FROM messages WHERE subject LIKE 'Wegen%')`;
  set('recipients', { diagnostic: about }, ofOther);
  set(
    'messages',
    {
      internet_message_id: `<${WANDA}>`,
      from_json: JSON.stringify({ address: 'praxis@praxis.example', name: about }),
      ...{ cc_json: mailboxes, bcc_json: mailboxes },
      ...{ settings_json: JSON.stringify({ about }), decisions_json: json },
    },
    "subject LIKE 'Wegen%'",
  );
  set('message_bodies', { data_json: json, parts_json: json }, ofOther);
  set('attachments', { content_id: WANDA }, ofOther);
  set('shared_contents', { data_json: json });
  set('captures', { return_path: WANDA });
  const senders = { allow: [], block: [WANDA] };
  sql(
    'INSERT INTO inbound_settings (only, options_json) VALUES (1, ?)',
    JSON.stringify({ ...initialOptions, senders }),
  );
  sql(
    `INSERT INTO inbound_notes (id, thread_id, author, text, created_at)
     SELECT 'note', thread_id, ?, ?, 0 FROM inbound_messages ORDER BY seq DESC LIMIT 1`,
    ...[WANDA, about],
  );
  sql(
    `INSERT INTO inbound_forwards (message_seq, kind, recipient, target, status, diagnostic, created_at, changed_at)
     SELECT max(seq), 'forward', ?, ?, 'failed', ?, 0, 0 FROM inbound_messages`,
    ...[WANDA, WANDA, about],
  );
  sql(
    `INSERT INTO forward_targets (address_key, address, status, failure, asks, changed_at)
     VALUES (?, ?, 'failed', ?, 1, ?)`,
    ...[WANDA, WANDA, about, Date.now()],
  );
  set('imports', { failure: about });
  sql(
    `INSERT INTO webhooks (number, id, name, sealed_url, events_json, sealed_secret, status, last_error, after_seq, created_at)
     VALUES (1, 'w', 'Hook', x'00', '[]', x'00', 'disabled', ?, 0, 0)`,
    about,
  );
  sql(
    `INSERT INTO webhook_deliveries (id, webhook, event, order_key, status, response_excerpt, error, created_at, updated_at)
     VALUES ('d', 1, 'message.sent', 0, 'failed', ?, ?, ?, 0)`,
    ...[about, about, Date.now()],
  );
  sql(
    `INSERT INTO alerts (number, id, name, kind, sealed_url, events_json, language, status, after_seq, last_error, created_at)
     VALUES (1, 'a', 'Chat', 'slack', x'00', '[]', 'de', 'disabled', 0, ?, 0)`,
    about,
  );
  sql("INSERT INTO alert_counts VALUES (1, 0, 'message.bounced', 1, 0, 0, ?)", json);
  sql(
    `INSERT INTO domain_reports (id, kind, domain, counted, unreadable, fault, fault_detail, received_at)
     VALUES ('r', 'dmarc', 'praxis.example', 0, 0, 'x', ?, ?)`,
    ...[about, Date.now()],
  );
  sql(
    'INSERT INTO campaign_links SELECT seq, ?, 1, 1 FROM campaigns',
    `https://praxis.example/?an=${encodeURIComponent(WANDA)}`,
  );
  // A mail that still waits for the plan's cap to end.
  sql(
    `INSERT INTO confirmation_mails (message_seq, subscriber_seq, request_seq, held_until)
     SELECT 1, seq, consent_seq, ? FROM subscribers WHERE address = ?`,
    ...[Date.now() + DAY, WANDA],
  );
  sql('UPDATE idempotency_keys SET response_json = ?', JSON.stringify({ error: about }));
};

beforeAll(async () => {
  app = await startApp({ config: { service: { public_origin: 'https://mail.example.com' } } });
  sender = await app.createSender({ plan: 'praxis' });
  await app.completeLegal(sender.practice.id);
  const content = Buffer.from('%PDF-1.4\n').toString('base64');
  const file = { content, content_type: 'application/pdf' };
  // To the person, who alone gets it; to others, about the person; and a bulk that names them.
  await app.send(sender, {
    ...letter,
    ...{ to: `${NAME} <${WANDA}>`, subject: SUBJECT, text: TEXT, metadata: { id: METADATA } },
    attachments: [{ ...file, filename: 'befund.pdf' }],
  });
  await made(
    'POST',
    '/send',
    {
      ...letter,
      ...{ to: [OTHER, WANDA], cc: WANDA, reply_to: WANDA, subject: `Wegen ${WANDA}` },
      text: `Schreiben Sie ${WANDA}.`,
      html: `<p>Schreiben Sie <a href="mailto:${WANDA}">ihr</a>.</p>`,
      ...{ tag: WANDA, tags: [WANDA], metadata: { an: WANDA }, headers: { 'X-About': WANDA } },
      calendar: { summary: `Termin mit ${WANDA}`, starts_at: '2030-01-01T10:00:00' },
      attachments: [{ ...file, filename: `${WANDA}.pdf` }],
    },
    { 'Idempotency-Key': `wegen-${WANDA}` },
  );
  await made('POST', '/send/bulk', {
    template: { subject: 'Nachrichten', text: `Fragen an ${WANDA}`, html: `<p>Fragen an ${WANDA}</p>` },
    ...{ recipients: [{ email: OTHER }], message_kind: 'termin' },
  });
  await until('all copies are captured', () => sql('SELECT 1 FROM queue').length === 0);

  const from = { address: WANDA, name: NAME };
  putMail(
    app,
    sender.practice.id,
    {
      ...{
        mail_from: WANDA,
        from_json: JSON.stringify(from),
        subject: MAIL,
        search_text: `${MAIL} ${WANDA}`,
      },
      ...{ to_json: JSON.stringify([from]), cc_json: JSON.stringify([from]) },
    },
    {},
    Buffer.from(`From: ${NAME} <${WANDA}>\r\nSubject: ${MAIL}\r\n\r\n${MAIL}\r\n`),
  );
  putMail(app, sender.practice.id, {
    ...{ subject: `Wegen ${WANDA}`, search_text: `wegen ${WANDA}`, recipients_json: `["${WANDA}"]` },
    ...{ internet_message_id: `<${WANDA}>`, in_reply_to: `<${WANDA}>` },
    ...{ references_json: `["<${WANDA}>"]`, auth_json: `{"spf":{"domain":"${WANDA}"}}` },
    spam_json: `{"reasons":["${WANDA}"]}`,
  });

  const list = await made('POST', '/lists', { name: 'Nachrichten', wording: 'Ich will sie.' });
  // What the practice wrote itself stays, but for the audit of how it was before.
  const role = await made('POST', '/roles', { name: `Für ${WANDA}`, permissions: ['messages.view'] });
  await made('PATCH', `/roles/${role.id}`, { name: 'Empfang' });
  const people = [
    { address: WANDA, name: NAME, data: { wert: VALUE }, consent: { evidence: EVIDENCE } },
    {
      address: OTHER,
      name: `Freundin von ${WANDA}`,
      data: { partner: WANDA },
      consent: { evidence: `Anruf von ${WANDA}` },
    },
  ];
  for (const person of people)
    await made('POST', `/lists/${list.id}/subscribers`, { ...person, status: 'active' });
  await made('POST', '/campaigns', {
    name: 'Rundbrief',
    list_ids: [list.id],
    subject: 'Neues',
    text: 'Neues',
  });
  const project = { scope: 'project', project_id: 'default' };
  await made('POST', '/suppression', { address: WANDA, note: NOTE, ...project });
  await made('POST', '/suppression', { address: OTHER, note: `Anruf von ${WANDA}`, ...project });
  const imported = await importFile(
    app,
    sender,
    `/lists/${list.id}/subscribers/import?status=active&evidence=${encodeURIComponent(`Liste von ${WANDA}`)}`,
    `email,status\n${WANDA},abgemeldet\nkein@@${WANDA},\n`,
  );
  expect(imported.report).toHaveLength(2);
  const former = await made('POST', '/people/erase', {
    address: 'helga@example.org',
    reason: `Wunsch von ${WANDA}`,
  });
  await untilErased(former.id);
  writeRest();
});
afterAll(() => app?.remove());

const untilErased = (id: string) =>
  until('it is done', async () => {
    const { body } = await call<z.infer<typeof erasureSchema>>('GET', `/people/erasures/${id}`);
    return body.status === 'done';
  });

test('before, every searched column of every room quotes the address, and the own records all values', () => {
  const searched = Object.values(app.personalData).flatMap(({ personalData: { places = [] } }) =>
    places.flatMap(({ table, searched: columns }) => columns.map((column) => `${table}.${column}`)),
  );
  expect(searched.length).toBeGreaterThan(50);
  const quoting = new Set(columnsWith(WANDA));
  expect(searched.filter((column) => !quoting.has(column))).toEqual([]);
  for (const word of OWN) expect(columnsWith(word), word).not.toEqual([]);
  expect(sql('SELECT 1 FROM confirmation_mails')).toHaveLength(1);
});

test('the export has what each room shows of the person, and names what it leaves out', async () => {
  const answer = await call<Record<string, unknown>>('GET', `/people/export?address=${WANDA}`);
  expect(answer.text).not.toContain(OTHER);
  const parts = Object.values(app.personalData).flatMap(({ personalData: { shown = {} } }) =>
    Object.keys(shown),
  );
  const entries = parts.map((part) => [part, JSON.stringify(answer.body[part])] as const);
  const held = Object.fromEntries(entries);
  const expected: Readonly<Record<string, readonly string[]>> = {
    messages: [NAME, SUBJECT, TEXT, METADATA, 'befund.pdf'],
    suppressions: [WANDA, NOTE],
    forwarding: [],
    received: [NAME, MAIL],
    subscriptions: [NAME, VALUE, 'Nachrichten'],
    consent: [EVIDENCE],
  };
  expect(Object.keys(held).sort()).toEqual(Object.keys(expected).sort());
  for (const [part, words] of Object.entries(expected))
    for (const word of words) expect(held[part], part).toContain(word);
  expect(answer.body.retention_days).toMatchObject({ bodies: 30, messages: 400, received: 90 });
});

test('afterwards no column has the address, and none what was the person’s own', async () => {
  const { id } = await made('POST', '/people/erase', { address: WANDA, reason: `Brief von ${WANDA}` });
  await untilErased(id);
  for (const word of [WANDA, ...OWN]) expect(columnsWith(word), word).toEqual([]);
  const ledger = inPractice(app.home, sender.practice.id, (db, keyOf) =>
    verifyLedger(db, keyOf('consent ledger')(sender.practice.id)),
  );
  expect(sql('SELECT 1 FROM confirmation_mails')).toEqual([]);
  expect(ledger).toMatchObject({ fault: null });
  expect(ledger.entries).toBeGreaterThan(2);
});
