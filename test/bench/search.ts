// Search over a practice of a million messages: what each kind of question costs with the index and by the scan that an
// index replaces, in the same run on the same file; how large the index is, how long it takes to make, and what its
// b-tree costs at acceptance.
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { loadMigrations, migrate } from '#src/kernel/db/migrate.ts';
import { openSqlite, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { newId } from '#src/kernel/id.ts';
import { type Kind, kinds } from '#src/messages/kinds.ts';
import { presentSummary } from '#src/messages/present.ts';
import type { Status } from '#src/messages/rules.ts';
import { searchIndexStore } from '#src/messages/search-index-store.ts';
import { type MessageFilter, messageSearchStore } from '#src/messages/search-store.ts';
import { type MessageRow, messageStore } from '#src/messages/store.ts';
import { table } from '#test/bench/harness.ts';

const MESSAGES = 1_000_000;
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

const makePlaces = (db: TenantDb): Places => {
  const store = tenantStore(db);
  const projectIds = [newId(), newId()];
  const routeIds = [newId(), newId(), newId()];
  const facts = { archived_at: null, created_at: 0 };
  for (const [index, id] of projectIds.entries())
    store.insertProject({
      id,
      name: `P${index}`,
      slug: `p${index}`,
      is_default: index === 0 ? 1 : 0,
      ...facts,
    });
  for (const [index, id] of routeIds.entries())
    store.insertRoute({
      id,
      slug: `r${index}`,
      name: `R${index}`,
      type: index === 1 ? 'marketing' : 'transactional',
      project_id: null,
      is_default: index === 0 ? 1 : 0,
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

const fill = (db: TenantDb, { projectIds, routeIds }: Places): void => {
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
    const id = newId();
    const seq = store.insert(
      {
        id,
        internet_message_id: `<${id}@praxis.example>`,
        project_id: projectIds[number % 97 === 0 ? 1 : 0] as string,
        route_id: routeIds[isNewsletter ? 1 : number < 2_000 ? 2 : 0] as string,
        message_kind: kind,
        channel: kinds[kind].channel,
        source: 'api',
        from_json: '{"address":"praxis@praxis.example","name":"Praxis am Markt"}',
        to_json: JSON.stringify([{ address, name: `Frau ${surname}` }]),
        cc_json: '[]',
        bcc_json: '[]',
        reply_to_json: '[]',
        subject: `${SUBJECTS[number % 5]} ${number}`,
        tag: tags[0] ?? null,
        tags_json: JSON.stringify(tags),
        metadata_json: '{}',
        settings_json: '{"plain_text_fallback":true}',
        decisions_json: DECISIONS,
        status,
        score: 90,
        size_bytes: 2_000,
        scheduled_at: null,
        created_at: at,
        updated_at: at,
      },
      { text: 'Guten Tag', html: null, sealed: null, headers_json: '[]', calendar_json: null, shared: null },
    );
    store.insertRecipient(seq, address, 'to', status, at);
  };
  for (let number = 0; number < MESSAGES; number += PER_TRANSACTION)
    db.transaction(() => {
      for (let next = number; next < number + PER_TRANSACTION; next++) one(next);
    })();
};

const ANY: MessageFilter = {
  text: null,
  tag: null,
  status: null,
  routeId: null,
  projects: null,
  kind: null,
  createdFrom: null,
  createdBefore: null,
};
const LIMIT = 50;

/** `number` runs through the repetitions of a question. */
type Question = (number: number, places: Places) => Partial<MessageFilter>;
const long = START + 100_000 * MINUTE;

const questions: Readonly<Record<string, Question>> = {
  'all, newest first': () => ({}),
  'one address': (n) => ({ text: `.${(n * 7_919) % 500_000}@g` }),
  'part of many addresses': () => ({ text: '@gmail' }),
  'a common word': () => ({ text: 'Rechnung' }),
  'a name with an umlaut': () => ({ text: 'MÜLLER' }),
  'a word in no message': (n) => ({ text: `xylophon${n}` }),
  'common letters, no such word': () => ({ text: 'hnung am termin' }),
  'an old number in a subject': (n) => ({ text: `frühling ${n * 20 + 2}` }),
  'two letters': () => ({ text: 'mü' }),
  'two letters in no message': () => ({ text: 'q§' }),
  'a tag': () => ({ tag: 'rechnung' }),
  'a rare tag': () => ({ tag: 'märz' }),
  'a tag that there is not': () => ({ tag: 'keiner' }),
  'a common status': () => ({ status: 'delivered' }),
  'a rare status': () => ({ status: 'spam_complaint' }),
  'a status of no message': () => ({ status: 'queued' }),
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
  'a common word and a rare status': () => ({ text: 'termin', status: 'spam_complaint' }),
  'a common word, a status of 0.2 %': () => ({ text: 'termin', status: 'hard_bounced' }),
  'a common word, a status of 10 %': () => ({ text: 'termin', status: 'processed' }),
  'a word and a kind that never meet': () => ({ text: 'termin', kind: 'newsletter' }),
  'a word and a route that never meet': (_, { routeIds }) => ({
    text: 'rechnung',
    routeId: routeIds[1] as string,
  }),
  'a rare tag and a common status': () => ({ tag: 'märz', status: 'delivered' }),
  'all at once': (_, { routeIds, projectIds }) => ({
    text: 'gmx.de',
    tag: 'rechnung',
    status: 'opened',
    routeId: routeIds[0] as string,
    kind: 'termin',
    projects: projectIds,
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
  return ({ projects, text, ...rest }: MessageFilter, before: number, from: number): void => {
    const projectIds = projects && JSON.stringify(projects);
    const pattern = text === null ? null : `%${text}%`;
    statement.all({ ...rest, projectIds, pattern, before, from, limit: LIMIT + 1 });
  };
};

const timed = (work: () => void): number => {
  const started = performance.now();
  work();
  return performance.now() - started;
};
const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

/** Times of each call, and how many calls it took until a page was full or nothing was left. */
const ask = (db: TenantDb, filter: MessageFilter) => {
  const store = messageSearchStore(db);
  const times: number[] = [];
  let findMs = 0;
  let found = 0;
  let before: number | null = null;
  do {
    const started = performance.now();
    const page = store.find(filter, before, LIMIT);
    findMs += performance.now() - started;
    for (const row of page.rows) presentSummary(db, row);
    times.push(performance.now() - started);
    found += page.rows.length;
    before = page.before;
  } while (before !== null && found < LIMIT);
  return { times, findMs, found, calls: times.length };
};

const measure = (db: TenantDb, places: Places): void => {
  const scanned = scan(db);
  const every: number[] = [];
  const rows = Object.entries(questions).map(([name, question]) => {
    const filters = Array.from({ length: REPEATS }, (_, n) => ({ ...ANY, ...question(n, places) }));
    const answers = filters.map((filter) => ask(db, filter));
    const times = answers.flatMap((answer) => answer.times).toSorted((a, b) => a - b);
    every.push(...times);
    const filter = filters[0] ?? ANY;
    const wholeScan = timed(() => scanned(filter, MESSAGES + 1, 0));
    // Of all calls to the first page.
    const whole = at(
      answers.map(({ findMs }) => findMs).toSorted((a, b) => a - b),
      0.5,
    );
    return [
      name,
      at(times, 0.5).toFixed(2),
      at(times, 0.95).toFixed(2),
      at(times, 0.99).toFixed(2),
      String(answers[0]?.calls),
      String(answers[0]?.found),
      wholeScan.toFixed(1),
      (wholeScan / whole).toFixed(1),
    ];
  });
  console.log(table(['a call, ms', 'p50', 'p95', 'p99', 'calls to a page', 'found', 'scan', 'x'], rows));
  every.sort((a, b) => a - b);
  console.log(
    `\nAll ${every.length} calls: p50 ${at(every, 0.5).toFixed(2)}, p95 ${at(every, 0.95).toFixed(2)},` +
      ` p99 ${at(every, 0.99).toFixed(2)}, worst ${every.at(-1)?.toFixed(2)} ms.` +
      '\nscan: the first page by looking at all messages without the index; x: how many times as long as all calls to it.',
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

const makeIndex = (db: TenantDb): void => {
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
  console.log(
    `index: ${((total * 1_000) / MESSAGES).toFixed(1)} us a message in transactions of 250:` +
      ` p50 ${at(turns, 0.5).toFixed(1)}, p99 ${at(turns, 0.99).toFixed(1)}, worst ${turns.at(-1)?.toFixed(1)} ms`,
  );
};

const ROUNDS = 40;
const PER_ROUND = 200;

/** What the one index on the way of a message costs: the row with it and without, in turns. */
const compareStatusIndex = (db: TenantDb): void => {
  const { seq: _, ...row } = messageStore(db).bySeq(1) ?? {};
  const store = messageStore(db);
  const body = { text: 'x', html: null, sealed: null, headers_json: '[]', calendar_json: null, shared: null };
  const setStatus = db.prepare<[Status, number]>('UPDATE messages SET status = ? WHERE seq = ?');
  const round = (): number =>
    (timed(() => {
      const seqs: number[] = [];
      db.transaction(() => {
        for (let number = 0; number < PER_ROUND; number++)
          seqs.push(store.insert({ ...row, id: newId(), status: 'queued' } as Omit<MessageRow, 'seq'>, body));
      })();
      for (const status of ['processed', 'delivered'] as const)
        db.transaction(() => {
          for (const seq of seqs) setStatus.run(status, seq);
        })();
    }) *
      1_000) /
    PER_ROUND;
  const median = (): string =>
    at(
      Array.from({ length: ROUNDS }, round).toSorted((a, b) => a - b),
      0.5,
    ).toFixed(1);
  for (let turn = 0; turn < 3; turn++) {
    const withIndex = median();
    db.exec('DROP INDEX messages_status');
    const without = median();
    db.exec('CREATE INDEX messages_status ON messages (status)');
    checkpoint(db);
    console.log(
      `insert and two changes of the status: ${withIndex} us with its index, ${without} us without`,
    );
  }
};

/** A million messages, whatever the command line says. */
export async function benchSearch(): Promise<void> {
  const directory = await mkdtemp(path.join(tmpdir(), 'sendwerk-search-'));
  try {
    const file = path.join(directory, 'tenant.db');
    const db = openSqlite(file, { create: true, busyTimeoutMs: 0 }) as TenantDb;
    migrate(db, loadMigrations().tenant);
    const places = makePlaces(db);
    console.log(`filled in ${(timed(() => fill(db, places)) / 1_000).toFixed(0)} s`);
    checkpoint(db);
    makeIndex(db);
    checkpoint(db);
    const { size } = await stat(file);
    const perMessage = (...names: string[]) => (bytesOf(db, names) / MESSAGES).toFixed(0);
    console.log(
      `file: ${(size / 1e6).toFixed(0)} MB; texts ${perMessage('search_texts')},` +
        ` trigrams ${perMessage('search_trigrams_data', 'search_trigrams_idx')},` +
        ` status ${perMessage('messages_status')} B a message\n`,
    );
    measure(db, places);
    compareStatusIndex(db);
    db.close();
  } finally {
    await rm(directory, { recursive: true });
  }
}
