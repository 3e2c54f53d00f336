// The data directory of each released schema is opened by this version: nothing of it may be lost. test/support/keep-data.ts made them.
import { createReadStream, createWriteStream, globSync, readdirSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadSchema } from '#src/app/schema.ts';
import { verifyLedger } from '#src/audience/consent/verify-ledger.ts';
import { HOUR } from '#src/kernel/time.ts';
import { startApp } from '#test/support/app.ts';
import { inPractice } from '#test/support/subscribers.ts';
import { directoryForTests } from '#test/support/temporary.ts';

const FIXTURES = path.join(import.meta.dirname, '../fixtures');
const kept = readdirSync(FIXTURES).filter((name) => /^data-\d+$/.test(name));

interface Facts {
  readonly made_at: number;
  readonly practice: string;
  readonly token: string;
  readonly message: string;
  readonly scheduled: string;
}

const unpack = async (name: string): Promise<{ home: string; facts: Facts }> => {
  const from = path.join(FIXTURES, name);
  const home = await mkdtemp(path.join(directoryForTests(), 'kept-'));
  for (const file of globSync('**/*.br', { cwd: from })) {
    const to = path.join(home, 'data', file.replace(/\.br$/, ''));
    await mkdir(path.dirname(to), { recursive: true });
    await pipeline(createReadStream(path.join(from, file)), createBrotliDecompress(), createWriteStream(to));
  }
  await copyFile(path.join(from, 'master.key'), path.join(home, 'master.key'));
  return { home, facts: JSON.parse(readFileSync(path.join(from, 'facts.json'), 'utf8')) };
};

test('there is one of each schema that was released', () => {
  const newest = loadSchema().tenant.length;
  expect(kept).toContain('data-1');
  expect(kept.length).toBeGreaterThanOrEqual(newest - 1);
});

describe.each(kept)('%s', (name) => {
  test('is read, sends what was scheduled, signed by its keys, and its consent ledger is right', async () => {
    const { home, facts } = await unpack(name);
    // The message was scheduled for the evening.
    const clock = { now: () => facts.made_at + 24 * HOUR };
    const app = await startApp({ home, clock });
    onTestFinished(() => app.remove());
    const base = `/api/practices/${facts.practice}`;
    const sender = { practice: { id: facts.practice }, token: facts.token, base } as Parameters<
      typeof app.message
    >[0];
    expect((await app.message(sender, facts.message)).recipients.length).toBeGreaterThan(0);
    await app.untilStatus(sender, facts.scheduled, 'processed');
    const captures = await app.request<{ data: readonly { id: string }[] }>(
      'GET',
      `${base}/captures?message_id=${facts.scheduled}`,
      undefined,
      facts.token,
    );
    const source = await app.request(
      'GET',
      `${base}/captures/${captures.body.data[0]?.id}`,
      undefined,
      facts.token,
    );
    // The key of the signature is sealed under the master key.
    expect(source.text).toMatch(/^DKIM-Signature: v=1; a=rsa-sha256;/m);
    const health = await app.request('GET', '/api/admin/health', undefined, app.adminToken);
    expect(health.body).toMatchObject({ registry: 'ok', databases: { broken: 0 } });
    await app.stop();
    const ledger = inPractice(home, facts.practice, (db, keyOf) =>
      verifyLedger(db, keyOf('consent ledger')(facts.practice)),
    );
    expect(ledger).toMatchObject({ fault: null });
    expect(ledger.entries).toBeGreaterThan(2);
  });
});
