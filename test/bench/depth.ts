// The case `depth`: how fast a daemon relays from a queue of a thousand and from one of a million, all of one practice. The queues are
// written by the stores that accepting uses, because accepting a million would take half an hour.
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventStore } from '#src/events/store.ts';
import { openSqlite, type PlatformDb, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { dueStore } from '#src/messages/queue/due-store.ts';
import { queueStore } from '#src/messages/queue/store.ts';
import { messageStore } from '#src/messages/store.ts';
import { upstreamAt } from '#test/bench/daemon-side.ts';
import {
  type CaseOptions,
  type Column,
  type Figures,
  figuresTable,
  measure,
  medianOf,
  ratioLine,
  type Side,
} from '#test/bench/harness.ts';
import { type Installation, makeInstallation, tenantFile } from '#test/bench/installation.ts';
import { type Practice, startDaemon } from '#test/support/daemon.ts';
import { messageRow, textBody } from '#test/support/message-row.ts';
import { cpuSeconds, peakMemory, residentMemory } from '#test/support/process.ts';
import { startSmtpSink } from '#test/support/smtp-sink.ts';

const SHALLOW = 1_000;
/** Relayed in each run, after the daemon and its connections have warmed up. */
const MEASURED = 5_000;
const WARM_UP = 2_000;
const TEXT = 'Your appointment on Monday at 10:30 is confirmed, please come in time.\n'.repeat(14).trimEnd();
const PER_TRANSACTION = 10_000;
const PATIENCE_MS = 300_000;

/** Queued messages of 1 KB, due now, as accepting leaves them. */
const fillQueue = (
  dataDir: string,
  { id: practiceId, default_from: from }: Practice,
  count: number,
): void => {
  const db = openSqlite(tenantFile({ dataDir }, practiceId), { create: false, busyTimeoutMs: 0 }) as TenantDb;
  const one = (sql: string) => db.prepare<[], string>(sql).pluck().get() ?? '';
  const places = {
    project_id: one('SELECT id FROM projects WHERE is_default = 1'),
    route_id: one('SELECT id FROM routes WHERE is_default = 1'),
  };
  const [store, queue, events] = [messageStore(db), queueStore(db), eventStore(db)];
  const now = Date.now();
  const write = (number: number): void => {
    const address = `${number}@example.net`;
    const row = {
      ...places,
      from,
      to: [{ address }],
      subject: `Appointment ${number}`,
      size_bytes: TEXT.length,
    };
    const messageSeq = store.insert(messageRow({ ...row, at: now }), textBody(TEXT));
    events.append({ type: 'message.created', messageSeq, recipientId: null, at: now });
    const recipientId = store.insertRecipient(messageSeq, address, 'to', 'queued', now).id;
    queue.enqueue({ recipientId, messageSeq, lane: 0, dueAt: now, size: TEXT.length, now });
  };
  for (let first = 0; first < count; first += PER_TRANSACTION) {
    db.transaction(() => {
      for (let number = first; number < Math.min(first + PER_TRANSACTION, count); number++) write(number);
    })();
    db.pragma('wal_checkpoint(TRUNCATE)');
  }
  db.close();
  const registry = openSqlite(path.join(dataDir, 'platform.db'), {
    create: false,
    busyTimeoutMs: 0,
  }) as PlatformDb;
  dueStore(registry).set(practiceId, now);
  registry.close();
};

const queued = (dataDir: string, { id }: Practice): number => {
  const db = openSqlite(tenantFile({ dataDir }, id), { create: false, busyTimeoutMs: 0 });
  const left = db.prepare<[], number>('SELECT count(*) FROM queue').pluck().get() ?? 0;
  db.close();
  return left;
};

/** Each run goes on with the queue that the one before has left, filled up to `depth` by what was relayed. */
const sideOf = async (
  installation: Installation,
  name: string,
  depth: number,
): Promise<Side & { remove(): Promise<void> }> => {
  const home = await mkdtemp(path.join(tmpdir(), 'depth-'));
  await cp(path.dirname(installation.dataDir), home, { recursive: true });
  const dataDir = path.join(home, 'data');
  const practice = installation.practices[0] as Practice;
  const run = async (): Promise<Figures> => {
    fillQueue(dataDir, practice, depth - queued(dataDir, practice));
    const sink = await startSmtpSink();
    try {
      const daemon = await startDaemon({
        dataDir,
        config: { dkim: { ed25519: false }, ...upstreamAt(sink.port) },
      });
      await sink.received(WARM_UP, PATIENCE_MS);
      const [begin, first, cpu] = [performance.now(), await sink.count(), cpuSeconds(daemon.pid)];
      await sink.received(WARM_UP + MEASURED, PATIENCE_MS);
      const [end, last] = [performance.now(), await sink.count()];
      const figures = {
        relayedPerSecond: ((last - first) / (end - begin)) * 1_000,
        serviceMicros: ((cpuSeconds(daemon.pid) - cpu) / (last - first)) * 1e6,
        residentBytes: residentMemory(daemon.pid),
        peakBytes: peakMemory(daemon.pid),
      };
      const exitCode = await daemon.stop();
      if (exitCode !== 0) throw new Error(`the daemon ended with ${exitCode}: ${daemon.output()}`);
      const gone = depth - queued(dataDir, practice);
      if (gone !== (await sink.count()))
        throw new Error(`${gone} left the queue, ${await sink.count()} came`);
      return figures;
    } finally {
      await sink.stop();
    }
  };
  return {
    name,
    start: async () => ({ run, stop: async () => undefined }),
    remove: () => rm(home, { recursive: true }),
  };
};

/** `messages`: in the deep queue. */
export async function benchDepth(options: CaseOptions): Promise<void> {
  const { messages, rsaMs, print } = options;
  await using started = new AsyncDisposableStack();
  const installation = await makeInstallation(1);
  started.defer(installation.remove);
  const shallow = await sideOf(installation, `${SHALLOW} left at the end`, SHALLOW + WARM_UP + MEASURED);
  started.defer(shallow.remove);
  const deep = await sideOf(installation, `${messages} at the start`, messages);
  started.defer(deep.remove);
  const results = await measure([shallow, deep], options, 0);
  const rate = (at: number) => medianOf(results[at], 'relayedPerSecond');
  const resident = medianOf(results[1], 'peakBytes') / 1e6;
  const lines = [
    ...ratioLine('relayed, deep : shallow', rate(1) / rate(0), '≥ 0.9'),
    `- peak resident memory with the deep queue: ${resident.toFixed(0)} MB (wanted: < 400)`,
  ];
  print(`${figuresTable(columns(rsaMs), results)}\n\n${lines.join('\n')}\n\n${LEGEND}`);
}

const columns = (rsaMs: number): readonly Column[] => [
  { head: 'relayed/s', figure: 'relayedPerSecond', range: true },
  { head: 'service CPU µs', figure: 'serviceMicros' },
  { head: 'in RSA', figure: 'serviceMicros', unit: rsaMs * 1_000, digits: 2 },
  { head: 'resident MB', figure: 'residentBytes', unit: 1e6 },
  { head: 'peak MB', figure: 'peakBytes', unit: 1e6, range: true },
];

const LEGEND = `Medians (least–greatest). One practice, messages of 1 KB, RSA signature. Each run starts a daemon on the full queue and times
${MEASURED} messages after the first ${WARM_UP}; what left the queue is what the sink has got.`;
