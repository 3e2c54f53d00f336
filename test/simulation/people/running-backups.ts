// Backups of the whole data directory beside the running service, and what is restored from them: one practice beside it, or everything
// while it is stopped. Both are commands, which may be killed. What was due in a restored file waits for a person.
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { tables } from '#src/app/cli/backup.ts';
import { lockDirectory, RESTORING_LOCK } from '#src/kernel/db/storage.ts';
import { fingerprintOf } from '#src/kernel/seal.ts';
import { makeBackup } from '#src/operations/backup.ts';
import { tenantFile } from '#src/operations/manifest.ts';
import { openSource } from '#src/operations/restore-source.ts';
import { beginStaging, readyTenant, stageTenant } from '#src/operations/staging.ts';
import { verifyBackup } from '#src/operations/verify.ts';
import { type Act, Cut, type Dice, type Practice, type Reply, type Scene } from '../scene.ts';
import { homeOf } from '../truths/homes.ts';
import { rows } from '../truths/sql.ts';
import { asOperator, asWho, isAnswered } from './running-answers.ts';
import { type CommandTools, runCommand } from './running-commands.ts';
import { backupsBeside, masterKeyOf, restoringParts, sourceDirectory } from './running-files.ts';
import { watchHeld } from './running-held.ts';
import { type Held, inTurn, puttingBack, runningOf } from './running-memory.ts';
import { restoreEverything } from './running-restore-all.ts';
import { startAgain } from './running-service.ts';

const KILLED = 0.15;

const isMailWaiting = (scene: Scene): boolean =>
  scene.service.isUp() &&
  scene.practices.some(
    ({ id }) =>
      homeOf(scene, id) === scene.service &&
      scene.service.look(id, (db) => rows(db, 'SELECT 1 FROM queue WHERE claimed < 2 LIMIT 1')).length > 0,
  );

const killing = (dice: Dice): number | null => (dice.chance(KILLED) ? dice.int(1, 150) : null);

const backup: Act = {
  name: 'the operator makes a backup',
  weight: 1,
  run: (scene, dice) =>
    inTurn(scene, 'restoring', async () => {
      const memory = runningOf(scene);
      const { commands, backups } = memory;
      const { dataDir } = scene.service;
      const directory = backupsBeside(scene);
      const verifies = dice.chance(0.3);
      // A restore of one in which nothing waits has nothing to hold.
      for (let wait = dice.pick([0, 0, 60]); wait > 0 && !isMailWaiting(scene); wait -= 1)
        await scene.sleep(dice.int(1, 1_000));
      // One that is being erased or moved may have no file.
      const isStill = memory.unsure.size === 0 && memory.moves === 0;
      const at = scene.now();
      const done = await runCommand(scene, commands, 'a backup', killing(dice), async () => {
        const made = await makeBackup({
          ...{
            dataDirectory: dataDir,
            directory,
            tables,
            former: null,
            keep: null,
            leastFree: 0,
            program: '1',
          },
          fingerprint: fingerprintOf(masterKeyOf(scene.service)),
          // Files of this world change faster than the times of the real file system by which a link is decided.
          whole: true,
          now: scene.now,
          onProgress: () => undefined,
        });
        const source = await openSource(join(directory, made.id));
        if (!verifies || source.backup === null) return made;
        const { faults } = await verifyBackup(source.backup, { tables, onProgress: () => undefined });
        if (faults.length > 0) throw new Error(`the backup ${made.id} is damaged: ${JSON.stringify(faults)}`);
        return made;
      });
      if (done.missing.length > 0 && isStill)
        throw new Error(`a backup lacks ${JSON.stringify(done.missing)}`);
      backups.push({ directory: join(directory, done.id), at });
    }),
};

const DUE = 'SELECT recipient_id AS id FROM queue WHERE claimed > 0 OR due_at <= ?';
const ON_THE_WAY = 'SELECT recipient_id AS id FROM queue WHERE claimed = 1';

const idsIn = (file: string, sql: string, ...values: number[]): Set<number> => {
  const db = new Database(file, { readonly: true, fileMustExist: true });
  try {
    return new Set(rows<{ id: number }>(db, sql, ...values).map(({ id }) => id));
  } finally {
    db.close();
  }
};

const prepare = async (scene: Scene, directory: string, id: string): Promise<void> => {
  const { dataDir } = scene.service;
  const staging = await beginStaging(dataDir);
  const source = await openSource(directory);
  const to = join(staging, 'partial', 'tenant.db');
  const replaced = join(dataDir, tenantFile(id));
  await stageTenant(source, id, { to, replaced }, restoringParts(), scene.now());
  await readyTenant(dataDir, id);
};

/** Null where the service was down, or was started again meanwhile, which takes away what it finds. */
const restoreCommand = async (
  scene: Scene,
  { ask }: CommandTools,
  directory: string,
  id: string,
): Promise<Reply | null> => {
  const generation = scene.service.generation();
  const unlock = lockDirectory(scene.service.dataDir, RESTORING_LOCK);
  try {
    await prepare(scene, directory, id);
    return await ask(() => asOperator(scene, scene.service, 'POST', `/api/admin/restore/${id}`));
  } catch (error) {
    if (error instanceof Cut || generation === scene.service.generation()) throw error;
    return null;
  } finally {
    unlock();
  }
};

const isHere = (scene: Scene, { id }: Practice): boolean =>
  scene.service
    .look(null, (db) => rows<{ state: string }>(db, 'SELECT state FROM tenants WHERE id = ?', id))
    .every(({ state }) => state === 'active');

const restoreOne: Act = {
  name: 'the operator restores a practice',
  weight: 1,
  run: (scene, dice) =>
    inTurn(scene, 'restoring', async () => {
      const { backups, commands, held } = runningOf(scene);
      const { service } = scene;
      const practice = dice.pick(scene.practices);
      if (backups.length === 0 || !service.isUp() || !isHere(scene, practice)) return;
      const { directory, at } = dice.pick(backups.slice(-3));
      const file = join(directory, tenantFile(practice.id));
      if (!sourceDirectory(directory).includes(practice.id)) return;
      await inTurn(scene, `file ${practice.id}`, () =>
        puttingBack(scene, [practice], at, async () => {
          held.delete(practice.id);
          const due = idsIn(file, DUE, scene.now());
          const reply = await runCommand(scene, commands, 'a restore', killing(dice), (tools) =>
            restoreCommand(scene, tools, directory, practice.id),
          );
          if (reply === null || !isAnswered('a restored practice', reply, [200])) return;
          scene.note(`${practice.slug} is restored from ${directory}: ${reply.body.held} held`);
          const { replaced } = reply.body;
          const onTheWay =
            replaced === null ? [] : idsIn(join(service.dataDir, replaced, 'tenant.db'), ON_THE_WAY);
          watchHeld(scene, practice, { recipients: due, onTheWay: new Set(onTheWay) });
        }),
      );
    }),
};

const restoreAll: Act = {
  name: 'the operator restores everything',
  weight: 0.2,
  run: (scene, dice) =>
    inTurn(scene, 'restoring', async () => {
      const memory = runningOf(scene);
      const { service } = scene;
      if (memory.backups.length === 0 || !service.isUp()) return;
      const { directory, at } = dice.pick(memory.backups.slice(-2));
      await puttingBack(scene, [...scene.practices, ...memory.made], at, async () => {
        let ended: () => void = () => undefined;
        memory.keptDown = new Promise<void>((resolve) => {
          ended = resolve;
        });
        try {
          await service.stop();
          await scene.sleep(dice.int(1, 10_000));
          memory.held.clear();
          const found = sourceDirectory(directory);
          // Before it begins: what becomes due while it runs may be in a file that is in place already.
          const due = scene.practices
            .filter(({ id }) => found.includes(id))
            .map((practice) => ({
              practice,
              recipients: idsIn(join(directory, tenantFile(practice.id)), DUE, scene.now()),
            }));
          const killAfter = killing(dice);
          if (!(await restoreAtRest(scene, directory, killAfter)))
            await restoreAtRest(scene, directory, null);
          for (const { practice, recipients } of due)
            watchHeld(scene, practice, { recipients, onTheWay: new Set() });
          memory.made.splice(0, memory.made.length, ...memory.made.filter(({ id }) => found.includes(id)));
        } finally {
          memory.keptDown = null;
          ended();
          await startAgain(scene, service);
        }
      });
    }),
};

/** False where it was killed. */
const restoreAtRest = async (scene: Scene, directory: string, killAfter: number | null): Promise<boolean> => {
  const { commands } = runningOf(scene);
  try {
    await runCommand(scene, commands, 'a restore of everything', killAfter, () =>
      restoreEverything(scene, directory),
    );
    return true;
  } catch (error) {
    if (!(error instanceof Cut) || killAfter === null) throw error;
    return false;
  }
};

const end =
  (verb: 'release' | 'discard'): Act['run'] =>
  async (scene, dice) => {
    const holding = [...runningOf(scene).held];
    if (holding.length === 0) return;
    const [id, held] = dice.pick<[string, Held]>(holding);
    const practice = scene.practices.find((one) => one.id === id);
    if (practice === undefined) return;
    if (verb === 'release') held.isReleased = true;
    const reply = await asWho(scene, 'operator', practice, 'POST', `/held-mail/${verb}`);
    isAnswered(`the ${verb} of held mail`, reply, [200]);
  };

export const backupActs: readonly Act[] = [
  backup,
  restoreOne,
  restoreAll,
  { name: 'a team releases held mail', weight: 1, run: end('release') },
  { name: 'a team discards held mail', weight: 0.3, run: end('discard') },
];
