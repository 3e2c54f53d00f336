// The case `search`: a practice of a million messages. What each kind of question costs over HTTP with the index, and by the scan that
// an index replaces, in the same run on the same file; how large the index is, and how long it takes to make.
import { stat } from 'node:fs/promises';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { openSqlite, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { newId } from '#src/kernel/id.ts';
import { type Kind, kinds } from '#src/messages/kinds.ts';
import type { Status } from '#src/messages/rules.ts';
import { searchIndexStore } from '#src/messages/search-index-store.ts';
import { everyMessage, type MessageFilter } from '#src/messages/search-store.ts';
import { messageStore } from '#src/messages/store.ts';
import { type CaseOptions, median, table } from '#test/bench/harness.ts';
import { makeInstallation, tenantFile } from '#test/bench/installation.ts';
import { type Daemon, expectCreated, startDaemon } from '#test/support/daemon.ts';
import { messageRow, textBody } from '#test/support/message-row.ts';

const PER_TRANSACTION = 10_000;
const MINUTE = 60_000;
const START = Date.UTC(2024, 0, 1);

/** The same numbers each time (a linear congruential generator). */
const chance = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
};

interface Places {
  readonly projectIds: readonly string[];
  readonly routeIds: readonly string[];
}

export const makePlaces = (db: TenantDb): Places => {
  const store = tenantStore(db);
  const projectIds = [newId(), newId()];
  const routeIds = [newId(), newId(), newId()];
  const facts = { archived_at: null, created_at: 0 };
  for (const [index, id] of projectIds.entries())
    store.insertProject({
      id,
      name: `P${index}`,
      slug: `p${index}`,
      is_default: 0,
      ...facts,
    });
  for (const [index, id] of routeIds.entries())
    store.insertRoute({
      id,
      slug: `r${index}`,
      name: `R${index}`,
      type: index === 1 ? 'marketing' : 'transactional',
      project_id: null,
      is_default: 0,
      track_opens: 0,
      track_clicks: 0,
      plain_text_fallback: 1,
      created_at: 0,
    });
  return { projectIds, routeIds };
};

const SURNAMES = 'müller schmidt schneider fischer weber meyer wagner becker schulz hoffmann'.split(' ');
const HOSTS = 'gmail.com gmx.de web.de t-online.de praxis-am-markt.de'.split(' ');
const SUBJECTS = [
  'Ihr Termin am Montag',
  'Ihre Rechnung Nr. 2024',
  'Newsletter für den Frühling',
  'Erinnerung: Vorsorge',
  'Ihre Befunde liegen bereit',
];
/** What the gates' verdicts take in a row. */
const DECISIONS = JSON.stringify(Array.from({ length: 20 }, (_, n) => [`gate_${n}`, { used: n, cap: 100 }]));

const statusAt = (random: number): Status => {
  if (random < 0.000_02) return 'spam_complaint';
  if (random < 0.002) return 'hard_bounced';
  if (random < 0.02) return 'soft_bounced';
  if (random < 0.1) return 'opened';
  return random < 0.2 ? 'processed' : 'delivered';
};

export const fill = (db: TenantDb, { projectIds, routeIds }: Places, messages: number): void => {
  const random = chance(1);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const store = messageStore(db);
  const one = (number: number): void => {
    const isNewsletter = number % 5 === 2;
    const kind: Kind = isNewsletter ? 'newsletter' : number % 5 === 0 ? 'termin' : 'transactional';
    const surname = pick(SURNAMES);
    const address = `${surname.replace('ü', 'ue')}.${Math.floor(random() * 500_000)}@${pick(HOSTS)}`;
    const status = statusAt(random());
    const tags =
      number % 4 === 0 ? ['Rechnung', `Quartal ${number % 8}`] : number % 5_000 === 1 ? ['März'] : [];
    const at = START + number * MINUTE;
    const seq = store.insert(
      messageRow({
        from: 'praxis@praxis.example',
        to: [{ address, name: `Frau ${surname}` }],
        at,
        project_id: projectIds[number % 97 === 0 ? 1 : 0] as string,
        route_id: routeIds[isNewsletter ? 1 : number < 2_000 ? 2 : 0] as string,
        message_kind: kind,
        channel: kinds[kind].channel,
        subject: `${SUBJECTS[number % 5]} ${number}`,
        tag: tags[0] ?? null,
        tags_json: JSON.stringify(tags),
        decisions_json: DECISIONS,
        status,
      }),
      textBody('Guten Tag'),
    );
    store.insertRecipient(seq, address, 'to', status, at);
  };
  for (let number = 0; number < messages; number += PER_TRANSACTION)
    db.transaction(() => {
      for (let next = number; next < Math.min(number + PER_TRANSACTION, messages); next++) one(next);
    })();
};

const LIMIT = 50;

/** `number` runs through the repetitions of a question. */
type Question = (number: number, places: Places) => Partial<MessageFilter>;
const long = START + 100_000 * MINUTE;

const questions: Readonly<Record<string, Question>> = {
  'all, newest first': () => ({}),
  'one address': (n) => ({ text: `${(n * 7_919) % 500_000}@g` }),
  'part of many addresses': () => ({ text: '@gmail' }),
  'a common word': () => ({ text: 'Rechnung' }),
  'a name with an umlaut': () => ({ text: 'MÜLLER' }),
  'a name and a host': (n) => ({ text: `${SURNAMES[n % SURNAMES.length]} gmx` }),
  'a word in no message': (n) => ({ text: `xylophon${n}` }),
  'common letters, no such word': () => ({ text: 'rech tun' }),
  'an old number in a subject': (n) => ({ text: `frühling ${n * 20 + 2}` }),
  'two letters': () => ({ text: 'mü' }),
  'two letters in no message': () => ({ text: 'q§' }),
  'a tag': () => ({ tag: 'rechnung' }),
  'a rare tag': () => ({ tag: 'märz' }),
  'a tag that there is not': () => ({ tag: 'keiner' }),
  'a common status': () => ({ statuses: ['delivered'] }),
  'a rare status': () => ({ statuses: ['spam_complaint'] }),
  'several statuses': () => ({ statuses: ['spam_complaint', 'hard_bounced', 'delivered'] }),
  'a status of no message': () => ({ statuses: ['queued'] }),
  'a route used long ago': (_, { routeIds }) => ({ routeId: routeIds[2] as string }),
  'a kind': () => ({ kind: 'termin' }),
  'a kind of no message': () => ({ kind: 'doi' }),
  'one project': (_, { projectIds }) => ({ projects: projectIds.slice(1) }),
  'a day long ago': (n) => ({
    createdFrom: long + n * 1_440 * MINUTE,
    createdBefore: long + (n + 1) * 1_440 * MINUTE,
  }),
  'a word in a month long ago': (n) => ({
    text: 'befunde',
    createdFrom: long,
    createdBefore: long + (n + 1) * 43_200 * MINUTE,
  }),
  'a common word and a rare status': () => ({ text: 'termin', statuses: ['spam_complaint'] }),
  'a common word, a status of 0.2 %': () => ({ text: 'termin', statuses: ['hard_bounced'] }),
  'a common word, a status of 10 %': () => ({ text: 'termin', statuses: ['processed'] }),
  'a word and a kind that never meet': () => ({ text: 'termin', kind: 'newsletter' }),
  'a word and a route that never meet': (_, { routeIds }) => ({
    text: 'rechnung',
    routeId: routeIds[1] as string,
  }),
  'a rare tag and a common status': () => ({ tag: 'märz', statuses: ['delivered'] }),
  'all at once': (_, { routeIds }) => ({
    text: 'gmx.de',
    tag: 'rechnung',
    statuses: ['opened'],
    routeId: routeIds[0] as string,
    kind: 'termin',
    createdFrom: long,
  }),
};
const REPEATS = 20;

/** The search that was there before the index: each message of a call's share looked at. */
const scan = (db: TenantDb) => {
  const statement = db.prepare<Record<string, unknown>>(
    `SELECT seq FROM messages
     WHERE seq < :before AND seq >= :from
       AND (:tag IS NULL OR EXISTS (SELECT 1 FROM json_each(tags_json) WHERE value = :tag COLLATE NOCASE))
       AND (:status IS NULL OR status = :status)
       AND (:routeId IS NULL OR route_id = :routeId)
       AND (:projectIds IS NULL OR project_id IN (SELECT value FROM json_each(:projectIds)))
       AND (:kind IS NULL OR message_kind = :kind)
       AND (:createdFrom IS NULL OR created_at >= :createdFrom)
       AND (:createdBefore IS NULL OR created_at < :createdBefore)
       AND (:pattern IS NULL OR subject LIKE :pattern
         OR EXISTS (SELECT 1 FROM json_each(tags_json) WHERE value LIKE :pattern)
         OR EXISTS (SELECT 1 FROM recipients WHERE message_seq = seq AND address LIKE :pattern))
     ORDER BY seq DESC LIMIT :limit`,
  );
  return ({ projects, text, statuses, ...rest }: MessageFilter, before: number, from: number): void => {
    const projectIds = projects && JSON.stringify(projects);
    const pattern = text === null ? null : `%${text}%`;
    const status = statuses?.[0] ?? null;
    statement.all({ ...rest, status, projectIds, pattern, before, from, limit: LIMIT + 1 });
  };
};

const timed = (work: () => void): number => {
  const started = performance.now();
  work();
  return performance.now() - started;
};
const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

interface Searched {
  readonly daemon: Daemon;
  readonly practiceId: string;
  /** Of the whole practice, and of the project that one question asks about. */
  readonly tokens: readonly [team: string, project: string];
}

const queryOf = (filter: MessageFilter, cursor: string | null): Record<string, string> => {
  const time = (at: number | null) => at && new Date(at).toISOString();
  const { text: q, tag, routeId: route, kind } = filter;
  const status = filter.statuses?.[0] ?? null;
  const times = { from: time(filter.createdFrom), to: time(filter.createdBefore) };
  const given = { q, tag, status, route, kind, ...times, cursor, limit: LIMIT };
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (value === null ? [] : [[name, String(value)]])),
  );
};

/** Time of counting what is found of each status. */
const countIn = async ({ daemon, practiceId, tokens }: Searched, filter: MessageFilter): Promise<number> => {
  const { cursor: _, limit: __, status: ___, ...query } = queryOf(filter, null);
  const path = `/api/practices/${practiceId}/messages/search/counts?${new URLSearchParams(query)}`;
  const started = performance.now();
  const { status } = await daemon.request('GET', path, undefined, tokens[filter.projects === null ? 0 : 1]);
  if (status !== 200) throw new Error(`${path}: ${status}`);
  return performance.now() - started;
};

/** Times of each request, and how many it took until a page was full or nothing was left. */
const ask = async ({ daemon, practiceId, tokens }: Searched, filter: MessageFilter) => {
  const times: number[] = [];
  let found = 0;
  let cursor: string | null = null;
  do {
    const query = new URLSearchParams(queryOf(filter, cursor));
    const path = `/api/practices/${practiceId}/messages/search?${query}`;
    const started = performance.now();
    const { status, body } = await daemon.request<{ data: unknown[]; next_cursor: string | null }>(
      'GET',
      path,
      undefined,
      tokens[filter.projects === null ? 0 : 1],
    );
    times.push(performance.now() - started);
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
    found += body.data.length;
    cursor = body.next_cursor;
  } while (cursor !== null && found < LIMIT);
  return { times, found };
};

const measure = async (
  db: TenantDb,
  places: Places,
  searched: Searched,
  { messages, print }: CaseOptions,
): Promise<void> => {
  const scanned = scan(db);
  const every: number[] = [];
  const rows: string[][] = [];
  for (const [name, question] of Object.entries(questions)) {
    const filters = Array.from({ length: REPEATS }, (_, n) => ({ ...everyMessage, ...question(n, places) }));
    const answers: Awaited<ReturnType<typeof ask>>[] = [];
    for (const filter of filters) answers.push(await ask(searched, filter));
    const times = answers.flatMap((answer) => answer.times).toSorted((a, b) => a - b);
    every.push(...times);
    const wholeScan = timed(() => scanned(filters[0] ?? everyMessage, messages + 1, 0));
    const whole = answers.map((answer) => answer.times.reduce((sum, ms) => sum + ms, 0));
    rows.push([
      name,
      at(times, 0.5).toFixed(1),
      at(times, 0.95).toFixed(1),
      at(times, 0.99).toFixed(1),
      String(answers[0]?.times.length),
      String(answers[0]?.found),
      (await countIn(searched, filters[0] ?? everyMessage)).toFixed(0),
      wholeScan.toFixed(1),
      (wholeScan / median(whole)).toFixed(1),
    ]);
  }
  print(
    table(['a request, ms', 'p50', 'p95', 'p99', 'requests to a page', 'found', 'counts', 'scan', 'x'], rows),
  );
  every.sort((a, b) => a - b);
  print(
    `- all ${every.length} requests over HTTP: p50 ${at(every, 0.5).toFixed(1)}, p95 ${at(every, 0.95).toFixed(1)} (wanted: < 50),` +
      ` p99 ${at(every, 0.99).toFixed(1)}, worst ${every.at(-1)?.toFixed(1)} ms`,
  );
  print(
    'Scan: the first page by looking at all messages without the index; x: how many times as long as all requests to it.',
  );
};

const bytesOf = (db: TenantDb, names: readonly string[]): number =>
  db
    .prepare<string, number>('SELECT sum(pgsize) FROM dbstat WHERE name IN (SELECT value FROM json_each(?))')
    .pluck()
    .get(JSON.stringify(names)) ?? 0;

const checkpoint = (db: TenantDb): void => {
  db.pragma('wal_checkpoint(TRUNCATE)');
};

export const makeIndex = (db: TenantDb, messages: number): string => {
  const store = searchIndexStore(db);
  const turns: number[] = [];
  for (let left = 1; left > 0; ) {
    turns.push(
      timed(() => {
        left = db.transaction(() => store.indexNext(250))();
      }),
    );
    for (let isMerging = true; isMerging; )
      turns.push(
        timed(() => {
          isMerging = db.transaction(() => store.tidy())();
        }),
      );
    // As the maintenance thread does.
    if (turns.length % 100 < 2) checkpoint(db);
  }
  const total = turns.reduce((sum, ms) => sum + ms, 0);
  turns.sort((a, b) => a - b);
  return (
    `- index: ${((total * 1_000) / messages).toFixed(1)} µs a message in transactions of 250:` +
    ` p50 ${at(turns, 0.5).toFixed(1)}, p99 ${at(turns, 0.99).toFixed(1)}, worst ${turns.at(-1)?.toFixed(1)} ms`
  );
};

/** One run: questions are asked many times, and the index is made once. */
export async function benchSearch(options: CaseOptions): Promise<void> {
  const { messages, print } = options;
  await using started = new AsyncDisposableStack();
  const installation = await makeInstallation(1);
  started.defer(installation.remove);
  const practiceId = installation.practices[0]?.id ?? '';
  const file = tenantFile(installation, practiceId);
  const db = openSqlite(file, { create: false, busyTimeoutMs: 0 }) as TenantDb;
  started.defer(async () => void db.close());
  const places = makePlaces(db);
  console.error(`filled in ${(timed(() => fill(db, places, messages)) / 1_000).toFixed(0)} s`);
  checkpoint(db);
  const making = makeIndex(db, messages);
  checkpoint(db);
  const perMessage = (...names: string[]) => (bytesOf(db, names) / messages).toFixed(0);
  print(
    `${making}\n- file: ${((await stat(file)).size / 1e6).toFixed(0)} MB; texts ${perMessage('search_texts')},` +
      ` trigrams ${perMessage('search_trigrams_data', 'search_trigrams_idx')},` +
      ` status ${perMessage('messages_status')} bytes a message`,
  );
  // In place: a copy of the file would take longer than the questions.
  const daemon = await startDaemon({ dataDir: installation.dataDir });
  started.defer(async () => void (await daemon.stop()));
  const fields = { name: 'one', scope: 'project', project_id: places.projectIds[1] };
  const target = `/api/practices/${practiceId}/api-tokens`;
  const one = expectCreated(
    await daemon.request<{ token: string }>('POST', target, fields, daemon.adminToken),
  );
  const tokens = [await daemon.createToken(practiceId), one.token] as const;
  await measure(db, places, { daemon, practiceId, tokens }, options);
}
