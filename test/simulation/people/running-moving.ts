// A practice moves to the second host while people go on, and back again. The command only carries, as `sendwerk tenant move` does: it
// may be killed at any moment, as either host may end, and is run again until the practice works on the new host.
import { hash, randomUUID } from 'node:crypto';
import { mkdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import '#src/accounts/moving/arrive.ts';
import { differing, hashesOf, readBlocks } from '#src/accounts/moving/blocks.ts';
import '#src/accounts/moving/leave.ts';
import { leavingFile, lockName, MOVING } from '#src/accounts/moving/leaving-file.ts';
import { copyDatabase } from '#src/kernel/db/copy-database.ts';
import { lockDirectory } from '#src/kernel/db/storage.ts';
import { type Act, Cut, type Dice, type Practice, type Reply, type Scene, type Service } from '../scene.ts';
import { OTHER_PORTS, PORTS } from '../template.ts';
import { homeOf } from '../truths/homes.ts';
import { asOperator } from './running-answers.ts';
import { type CommandTools, runCommand } from './running-commands.ts';
import { inTurn, runningOf } from './running-memory.ts';
import { startAgain } from './running-service.ts';

const TRIES = 40;
const KILLED = 0.15;
const BLOCKS_PER_REQUEST = 64;

/** One of the two hosts does not do what it is asked for: the command ends, and is run again. */
class Refused extends Error {}

interface Way {
  readonly scene: Scene;
  readonly tools: CommandTools;
  readonly practice: Practice;
  readonly from: Service;
  readonly to: Service;
}

const call = async (
  { scene, tools }: Way,
  at: Service,
  method: string,
  path: string,
  body?: object,
): Promise<Reply['body']> => {
  const reply = await tools.ask(() => asOperator(scene, at, method, path, body));
  if (reply.status >= 300) throw new Refused(`${method} ${path}: ${reply.status} ${reply.text}`);
  return reply.body;
};

const arrivalOf = ({ practice }: Way): string => `/api/admin/arrivals/${practice.id}`;
const freezeOf = ({ practice }: Way): string => `/api/practices/${practice.id}/freeze`;

/** Sends what the new host does not have; resolves with the hashes of all. */
const sendFile = async (way: Way, file: string, there: Buffer): Promise<Buffer> => {
  const { size } = await stat(file);
  const hashes = await hashesOf(file);
  const wanted = differing(hashes, there);
  for (let at = 0; at < wanted.length; at += BLOCKS_PER_REQUEST) {
    const blocks = await readBlocks(file, wanted.slice(at, at + BLOCKS_PER_REQUEST));
    await call(way, way.to, 'PUT', arrivalOf(way), { size, blocks });
  }
  if (wanted.length === 0 && there.length !== hashes.length)
    await call(way, way.to, 'PUT', arrivalOf(way), { size, blocks: [] });
  return hashes;
};

/** A copy of the file while the practice works. */
const sendAhead = async (way: Way, there: Buffer): Promise<Buffer> => {
  const { from, practice } = way;
  const copy = `${leavingFile(from.dataDir, practice.id)}.round`;
  await mkdir(dirname(copy), { recursive: true, mode: 0o700 });
  await rm(copy, { force: true });
  await copyDatabase(join(from.dataDir, 'tenants', practice.id, 'tenant.db'), copy);
  const hashes = await sendFile(way, copy, there);
  await rm(copy, { force: true });
  return hashes;
};

const sendFrozen = async (
  way: Way,
  { key, freeze }: { readonly key: string; readonly freeze: string },
  there: Buffer,
): Promise<{ readonly host: string; readonly mail: object }> => {
  const hashes = await sendFile(way, leavingFile(way.from.dataDir, way.practice.id), there);
  const digest = hash('sha256', hashes, 'base64');
  return call(way, way.to, 'POST', arrivalOf(way), { key, digest, slug: way.practice.slug, freeze });
};

const begin = (way: Way): Promise<void> => call(way, way.to, 'POST', `${arrivalOf(way)}/begin`);

/** What waits on the new host is of a freeze that is over. */
const removeArrival = async (way: Way, freeze: string | null): Promise<void> => {
  const named = freeze ?? randomUUID();
  const { proof } = await call(way, way.from, 'DELETE', `${freezeOf(way)}?freeze=${named}`);
  await call(way, way.to, 'DELETE', `${arrivalOf(way)}?freeze=${named}&proof=${proof}`);
};

const goOn = async (way: Way): Promise<void> => {
  const { state, hashes } = await call(way, way.to, 'GET', arrivalOf(way));
  if (state === null || state === 'creating') {
    const { key } = await call(way, way.from, 'POST', `/api/admin/moves/${way.practice.id}/copy`);
    await sendFrozen(way, { key, freeze: randomUUID() }, Buffer.from(hashes, 'base64'));
  }
  await begin(way);
};

const carry = async (way: Way, aheadOf: boolean): Promise<void> => {
  const { from, to, practice, scene } = way;
  const { data } = await call(way, from, 'GET', '/api/admin/moves');
  if (data.some(({ id }: { id: string }) => id === practice.id)) return goOn(way);
  await call(way, from, 'DELETE', freezeOf(way));
  const arrival = await call(way, to, 'GET', arrivalOf(way));
  if (arrival.state === 'arriving' || arrival.freeze !== null) await removeArrival(way, arrival.freeze);
  let there: Buffer = Buffer.from(arrival.freeze === null ? arrival.hashes : '', 'base64');
  if (aheadOf) there = await sendAhead(way, there);
  const frozen = await call(way, from, 'POST', freezeOf(way), {});
  const { host, mail } = await sendFrozen(way, frozen, there);
  const port = to === scene.service ? PORTS.http : OTHER_PORTS.http;
  await call(way, from, 'POST', `/api/practices/${practice.id}/move`, {
    freeze: frozen.freeze,
    new_host: { origin: `http://127.0.0.1:${port}`, host, mail },
  });
  await begin(way);
};

const locked = async (way: Way, work: () => Promise<void>): Promise<void> => {
  const directory = join(way.from.dataDir, MOVING);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const unlock = lockDirectory(directory, lockName(way.practice.id));
  try {
    await work();
  } finally {
    unlock();
  }
};

/** A freeze that is over takes its copy along. */
const isGone = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

const move = (scene: Scene, dice: Dice, practice: Practice, from: Service, to: Service): Promise<void> =>
  inTurn(scene, `file ${practice.id}`, async () => {
    const { commands, backups } = runningOf(scene);
    if (homeOf(scene, practice.id) !== from) return;
    for (let turn = 0; turn < TRIES; turn += 1) {
      const killAfter = dice.chance(KILLED) ? dice.int(1, 100) : null;
      const aheadOf = dice.chance(0.4);
      try {
        await runCommand(scene, commands, 'a move', killAfter, (tools) => {
          const way = { scene, tools, practice, from, to };
          return locked(way, () => carry(way, aheadOf));
        });
        scene.note(`${practice.slug} has moved`);
        // The registry of before would bring it back to where it was.
        backups.length = 0;
        return;
      } catch (error) {
        if (!(error instanceof Cut) && !(error instanceof Refused) && !isGone(error)) throw error;
        scene.note(`the move of ${practice.slug} has not ended: ${(error as Error).message.slice(0, 200)}`);
      }
      await scene.sleep(dice.int(1_000, 5 * 60_000));
    }
  });

const leave: Act = {
  name: 'a practice moves to the other host',
  weight: 0.12,
  run: async (scene, dice) => {
    const memory = runningOf(scene);
    if (memory.moves > 0) return;
    memory.moves += 1;
    const practice = dice.pick(scene.practices);
    await startAgain(scene, scene.other);
    await move(scene, dice, practice, scene.service, scene.other);
  },
};

const comeBack: Act = {
  name: 'a practice comes back from the other host',
  weight: 0.5,
  run: async (scene, dice) => {
    const away = scene.practices.filter(({ id }) => homeOf(scene, id) === scene.other);
    if (away.length === 0) return;
    await move(scene, dice, dice.pick(away), scene.other, scene.service);
  },
};

export const movingActs: readonly Act[] = [leave, comeBack];
