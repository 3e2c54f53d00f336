// What the stores of a tenant remember, against what its file says: random changes, of which some are refused, some fail with
// the disk, and some come from another process.
// @module-tag slow
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { counterStore } from '#src/accounts/counters/store.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { reputationStore } from '#src/feedback/reputation/store.ts';
import { suppressionStore } from '#src/feedback/suppressions/store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { newId } from '#src/kernel/id.ts';
import { createTestDisk } from '#test/kernel/db/test-disk.ts';
import { randomFrom, seed } from '#test/support/soak.ts';
import { createSampleTenant, openTestStorage, temporaryDirectory } from '#test/support/storage.ts';

const ROUNDS = 400;
const MONTH = '2026-11';
const DAY = 20_000;

/** As the stores answer, from memory where they can. */
const answersOf = (db: TenantDb) => {
  const tenants = tenantStore(db);
  const counters = counterStore(db);
  const outgoing = tenants.route('outgoing');
  return {
    practice: { ...tenants.practice() },
    project: { ...tenants.defaultProject() },
    default: { ...tenants.defaultRoute() },
    route: { ...outgoing },
    usage: counters.usage(MONTH),
    volumes: [...counters.volumesFrom('transactional', DAY)].toSorted(([a], [b]) => a - b),
    suppressed: !suppressionStore(db).isEmpty(),
    due: reputationStore(db).isDue(outgoing?.id ?? '', DAY),
  };
};

type Answers = ReturnType<typeof answersOf>;

/** By statements of its own, on a connection of its own. */
const readFile = (path: string): Answers => {
  const db = new Database(path, { readonly: true });
  try {
    const one = (sql: string) => db.prepare<[], Record<string, never>>(sql).get();
    return {
      practice: one('SELECT * FROM practice') as unknown as Answers['practice'],
      project: one('SELECT * FROM projects WHERE is_default = 1') as unknown as Answers['project'],
      default: one('SELECT * FROM routes WHERE is_default = 1') as unknown as Answers['default'],
      route: one("SELECT * FROM routes WHERE slug = 'outgoing'") as unknown as Answers['route'],
      usage: (one(
        `SELECT accepted, own_domain AS ownDomain, told AS notified FROM monthly_usage WHERE month = '${MONTH}'`,
      ) ?? {
        accepted: 0,
        ownDomain: 0,
        notified: 0,
      }) as Answers['usage'],
      volumes: db
        .prepare<[], [number, number]>(
          `SELECT day, mails FROM daily_volume WHERE stream = 'transactional' AND day >= ${DAY} ORDER BY day`,
        )
        .raw()
        .all(),
      suppressed: one('SELECT 1 AS found FROM suppressions') !== undefined,
      due:
        one(`SELECT 1 AS found FROM guardrail_watch JOIN routes ON routes.id = route_id
                WHERE slug = 'outgoing' AND look_on <= ${DAY}`) !== undefined,
    };
  } finally {
    db.close();
  }
};

const suppression = () => ({
  id: newId(),
  address_hash: Buffer.from(newId()),
  address: null,
  scope: 'team' as const,
  project_id: null,
  route_id: null,
  reason: 'manual' as const,
  source_message_id: null,
  note: null,
  created_at: 0,
});

test('is what the file says, whatever is refused, fails or comes from outside', async () => {
  const random = randomFrom(seed);
  const pick = (count: number): number => Math.floor(random() * count);
  const directory = await temporaryDirectory();
  const disk = createTestDisk();
  const storage = await openTestStorage(directory, { disk });
  const tenantId = await createSampleTenant(storage);
  const { tenants } = storage;
  const path = join(directory, 'tenants', tenantId, 'tenant.db');
  const suppressions: string[] = [];
  const changes: readonly ((db: TenantDb) => void)[] = [
    (db) => tenantStore(db).updatePause({ ...tenantStore(db).practice(), paused_at: pick(100) }),
    (db) => tenantStore(db).updatePractice({ ...tenantStore(db).practice(), name: `Praxis ${pick(100)}` }),
    (db) => tenantStore(db).updateProject({ ...tenantStore(db).defaultProject(), name: `Haus ${pick(100)}` }),
    (db) => tenantStore(db).updateRoute({ ...tenantStore(db).defaultRoute(), name: `Weg ${pick(100)}` }),
    (db) => tenantStore(db).makeDefaultRoute(tenantStore(db).routes()[pick(2)]?.id ?? ''),
    (db) => counterStore(db).addUsage(MONTH, 1 + pick(5), false),
    (db) => counterStore(db).setNotified(MONTH, pick(100)),
    (db) => counterStore(db).addVolume(DAY + pick(3), 'transactional', 1 + pick(5)),
    (db) =>
      counterStore(db).addAccepted(
        DAY,
        { route_id: tenantStore(db).defaultRoute().id, project_id: tenantStore(db).defaultProject().id },
        1,
      ),
    (db) => {
      const row = suppression();
      if (suppressionStore(db).insert(row)) suppressions.push(row.id);
    },
    (db) => {
      for (const id of suppressions) suppressionStore(db).remove(id);
    },
    (db) =>
      reputationStore(db).watch(tenantStore(db).defaultRoute().id, pick(2) === 0 ? null : DAY + pick(2)),
  ];
  const fates = { stored: 0, refused: 0, lost: 0, foreign: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    const fate = (['stored', 'stored', 'refused', 'lost', 'foreign'] as const)[pick(5)] ?? 'stored';
    fates[fate] += 1;
    if (fate === 'foreign') {
      const other = new Database(path);
      other.exec(`UPDATE practice SET name = 'Fremd ${round}'; DELETE FROM suppressions`);
      other.close();
    }
    if (fate === 'lost') disk.failNextSync(new Error('EIO'));
    const writes = Array.from({ length: 1 + pick(3) }, (_, index) =>
      tenants.write(tenantId, (db) => {
        for (let change = 0; change < 1 + pick(3); change++) changes[pick(changes.length)]?.(db);
        answersOf(db);
        if (fate === 'refused' && index === 0) throw new Error('refused');
      }),
    );
    const results = await Promise.allSettled(writes);
    expect(results.some(({ status }) => status === 'rejected')).toBe(fate === 'refused' || fate === 'lost');
    // In a transaction, because it notices others at once; after a failed sync the file has been opened again.
    const answers = await tenants.write(tenantId, answersOf);
    expect(answers, `seed ${seed}, round ${round}, ${fate}`).toEqual(readFile(path));
  }
  expect(Math.min(...Object.values(fates))).toBeGreaterThan(ROUNDS / 10);
});
