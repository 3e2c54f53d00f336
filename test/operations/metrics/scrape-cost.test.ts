// A scrape costs as much with many practices as with one: it opens no file of theirs and asks no database. Counted, because a time says
// more of the machine than of the code.
// @module-tag slow
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { startApp } from '#test/support/app.ts';
import { scrape } from '#test/support/metrics.ts';

const PRACTICES = 8;
const OPEN = 3;
const SCRAPES = 25;
const RUNNING = ['run', 'get', 'all', 'iterate'] as const;

/** How often each statement of this process runs while `work` lasts. */
const countStatements = async (work: () => Promise<void>): Promise<ReadonlyMap<string, number>> => {
  const counts = new Map<string, number>();
  const probe = new Database(':memory:');
  const prototype = Object.getPrototypeOf(probe.prepare('SELECT 1'));
  probe.close();
  const usual = RUNNING.map((method) => [method, prototype[method]] as const);
  for (const [method, run] of usual)
    prototype[method] = function (this: Database.Statement, ...values: unknown[]) {
      counts.set(this.source, (counts.get(this.source) ?? 0) + 1);
      return run.apply(this, values);
    };
  try {
    await work();
  } finally {
    for (const [method, run] of usual) prototype[method] = run;
  }
  return counts;
};

test('no statement, and no file of a practice that is opened', async () => {
  const app = await startApp({
    config: { metrics: { listen: '127.0.0.1:0' }, storage: { max_open_tenants: OPEN } },
  });
  onTestFinished(app.remove);
  for (let made = 0; made < PRACTICES; made += 1) await app.createPractice({ name: `Praxis ${made}` });
  const asked = await countStatements(async () => {
    expect((await app.request('GET', '/api/admin/practices', undefined, app.adminToken)).status).toBe(200);
  });
  expect(asked.size).toBeGreaterThan(0);

  const counts = await countStatements(async () => {
    for (let done = 0; done < SCRAPES; done += 1)
      expect((await scrape(app.metricsPort)).series.size).toBeGreaterThan(100);
  });
  // Jobs go on meanwhile; what a scrape asked would have run at each.
  expect([...counts].filter(([, count]) => count >= SCRAPES)).toEqual([]);
});
