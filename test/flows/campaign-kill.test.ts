// A campaign to a long list through `kill -9`, pauses and restarts: each person is handed over once, and what arrives twice was
// under way when the process died. Which moments are hit follows from the seed, which is printed.
// @module-tag debian/postfix
// @module-tag soak
import path from 'node:path';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { at, inFlightAtMost, openPractice, relayAt, untilTestEnds } from '#test/flows/fixture.ts';
import { startDaemon } from '#test/support/daemon.ts';
import { peakMemory, until } from '#test/support/process.ts';
import { startSmtpSink } from '#test/support/smtp-sink.ts';
import { randomFrom, seed, soak } from '#test/support/soak.ts';
import { seedList } from '#test/support/subscribers.ts';

const PEOPLE = soak(1_000, 100_000);
const KILLS = soak(1, 5);
/** Behind the first and the third kill. */
const PAUSES = [0, 2];
const POOL = 8;
const PATIENCE_MS = soak(300_000, 3_600_000);
/** Where the machine has room, Node leaves garbage in it: these bounds show what is needed, and end a daemon that needs more. */
const HEAP = '--max-old-space-size=160 --max-semi-space-size=8';
const MAX_PEAK_BYTES = 300 * 1_024 * 1_024;
const LEGAL = {
  street: 'Am Markt 1',
  city: '20095 Hamburg',
  privacy_url: 'https://praxis.example/datenschutz',
};
const PARAGRAPH = 'Unsere Praxis ist in den Herbstferien geschlossen; dringende Fälle nimmt die Vertretung. ';
const CONTENT = {
  subject: 'Neues aus der Praxis, {{name}}',
  text: `Guten Tag {{name}},\n\n${PARAGRAPH.repeat(20)}`,
  html: `<p>Guten Tag {{name}},</p>${`<p>${PARAGRAPH}</p>`.repeat(38)}`,
};

interface Campaign {
  readonly id: string;
  readonly status: string;
  readonly counts: { readonly handed_over: number };
}

function* listed(count: number) {
  for (let index = 0; index < count; index++)
    yield { address: `${index}@example.net`, name: `Person ${index}` };
}

test('through kill -9 and pauses a campaign is handed over to each person once', {
  timeout: PATIENCE_MS,
}, async () => {
  process.stdout.write(`campaign-kill.test.ts: seed ${seed}\n`);
  const random = randomFrom(seed);
  const started = untilTestEnds();
  const sink = await startSmtpSink();
  started.defer(sink.stop);
  const config = {
    upstreams: [relayAt(sink.port, { pool: POOL })],
    queue: { retry: ['1s'], then_every: '1s', jitter: 0 },
  };
  const env = { NODE_OPTIONS: HEAP };
  let daemon = await startDaemon({ config, env });
  started.defer(() => daemon.remove());
  let target = await openPractice(daemon);
  const base = `/api/practices/${target.practiceId}`;
  await daemon.request('PATCH', `${base}/compliance`, LEGAL, daemon.adminToken);
  await daemon.stop();
  const list = seedList(path.dirname(daemon.dataDir), target.practiceId, listed(PEOPLE));
  const restart = async (): Promise<void> => {
    daemon = await startDaemon({ config, env, dataDir: daemon.dataDir });
    target = at(daemon, target);
  };
  await restart();
  const call = async (method: string, rest: string, body?: unknown): Promise<Campaign> => {
    const answer = await daemon.request<Campaign>(method, `${base}/campaigns${rest}`, body, target.token);
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    return answer.body;
  };
  const { id } = await call('POST', '', { name: 'Herbst', list_id: list.id, ...CONTENT });
  await call('POST', `/${id}/send`);
  const handedOver = async () => (await call('GET', `/${id}`)).counts.handed_over;

  const begin = performance.now();
  const peaks: number[] = [];
  for (let kill = 0; kill < KILLS; kill++) {
    // Somewhere in the part of this kill.
    const wanted = Math.floor((PEOPLE * (kill + random())) / (KILLS + 1));
    await until(`${wanted} are handed over`, async () => (await handedOver()) >= wanted, PATIENCE_MS);
    peaks.push(peakMemory(daemon.pid));
    await daemon.kill();
    await restart();
    if (!PAUSES.includes(kill)) continue;
    await call('POST', `/${id}/pause`);
    await until(
      'a request under way has ended',
      async () => (await call('GET', `/${id}`)).status === 'paused',
    );
    const held = await handedOver();
    await pause(soak(200, 5_000));
    expect(await handedOver()).toBe(held);
    await call('POST', `/${id}/resume`);
  }
  await until('it is sent', async () => (await call('GET', `/${id}`)).status === 'sent', PATIENCE_MS);
  const seconds = (performance.now() - begin) / 1_000;
  peaks.push(peakMemory(daemon.pid));
  const file = path.join(daemon.dataDir, 'tenants', target.practiceId, 'tenant.db');
  expect(await daemon.stop()).toBe(0);

  const db = new Database(file, { readonly: true });
  started.defer(async () => void db.close());
  const [made] = db
    .prepare<[], { people: number; messages: number }>(
      `SELECT count(DISTINCT address) AS people, count(*) AS messages FROM recipients
       WHERE message_seq IN (SELECT seq FROM messages WHERE campaign_seq IS NOT NULL)`,
    )
    .all();
  // The attempts that a kill cut off: the relay cannot know whether the sink had taken them.
  const repeated = db
    .prepare<[], string>(
      `SELECT address FROM events JOIN recipients ON recipients.id = recipient_id
       WHERE type = 'message.sent' AND data_json ->> '$.attempt' > 1`,
    )
    .pluck()
    .all();
  const arrived = await sink.count();
  process.stdout.write(
    `${PEOPLE} people, ${KILLS} kills, ${PAUSES.length} pauses: ${Math.round(PEOPLE / seconds)}/s, ${arrived} at the sink; tried twice: ${repeated.join(' ')}; ` +
      `peaks ${peaks.map((bytes) => Math.round(bytes / 1_024 / 1_024)).join(', ')} MiB\n`,
  );
  expect(made).toEqual({ people: PEOPLE, messages: PEOPLE });
  expect(repeated.length).toBeLessThanOrEqual(KILLS * inFlightAtMost(POOL));
  expect(arrived).toBeGreaterThanOrEqual(PEOPLE);
  expect(arrived).toBeLessThanOrEqual(PEOPLE + repeated.length);
  expect(Math.max(...peaks)).toBeLessThan(MAX_PEAK_BYTES);
});
