// What the service promised to those who send, beside that it keeps what it has accepted: one message a key, nothing before its time,
// nothing of refused content, nothing more of a campaign that is paused or over, and each of its people once. Looked at together, so
// that many messages cost one query.
import type { Practice, Scene } from '../scene.ts';
import { epochOf } from './running-memory.ts';
import { type Campaign, isAsBefore, type Memory, memoryOf } from './sending-memory.ts';

/** Null where the practice has no file here: it is gone, or has moved. */
export const inPractice = <T>(
  { service }: Scene,
  { id }: Practice,
  work: Parameters<typeof service.look<T>>[1],
): T | null => {
  const isHere = service.look(null, (db) =>
    db.prepare("SELECT 1 FROM tenants WHERE id = ? AND state = 'active'").get(id),
  );
  return isHere === undefined ? null : service.look(id, work);
};

/** What was sent again has the tags of the first one. */
const tagsMoreThanOnce = `SELECT tag, count(*) AS count FROM messages
  WHERE tag LIKE 'key:%' AND metadata_json NOT LIKE '%repeats_message_id%' GROUP BY tag HAVING count(*) > 1`;

const onceForEachKey = (scene: Scene, { keyed }: Memory): void => {
  for (const practice of scene.practices) {
    const found = inPractice(scene, practice, (db) =>
      db.prepare<[], { tag: string; count: number }>(tagsMoreThanOnce).all(),
    );
    for (const { tag, count } of found ?? []) {
      const most = keyed.get(tag) ?? 1;
      if (count > most)
        throw new Error(
          `${practice.slug} has ${count} messages of one idempotency key, by the tag ${tag}, which made ${most}`,
        );
    }
  }
};

const countOf = (scene: Scene, { practice, id }: Campaign): number | null =>
  inPractice(scene, practice, (db) =>
    db
      .prepare<[string], number>(
        'SELECT count(*) FROM messages WHERE campaign_seq = (SELECT seq FROM campaigns WHERE id = ?)',
      )
      .pluck()
      .get(id),
  ) ?? null;

/** To be called at the answer by which the campaign hands no one over any more. */
export const standStill = (scene: Scene, campaign: Campaign): void => {
  const count = countOf(scene, campaign);
  campaign.most = count === null ? null : { count, epoch: epochOf(scene, campaign.practice) };
};

export const stoodStill = (scene: Scene, campaign: Campaign): void => {
  const { practice, most } = campaign;
  if (most === null || !isAsBefore(scene, practice, most)) return;
  const count = countOf(scene, campaign) ?? 0;
  if (count > most.count)
    throw new Error(
      `the campaign ${campaign.id} had ${most.count} messages when it was answered that it is ${campaign.status}, and has ${count}`,
    );
};

const twiceInOne = `SELECT c.id, count(*) - count(DISTINCT r.address) AS surplus
  FROM campaigns c JOIN messages m ON m.campaign_seq = c.seq JOIN recipients r ON r.message_seq = m.seq
  GROUP BY c.seq HAVING surplus > 0`;

const onceForEachPerson = (scene: Scene): void => {
  for (const practice of scene.practices) {
    const found = inPractice(scene, practice, (db) => db.prepare<[], { id: string }>(twiceInOne).all());
    if (found?.[0])
      throw new Error(`the campaign ${found[0].id} of ${practice.slug} has two messages for one person`);
  }
};

/** Looks at what was handed over since the last look. */
const atTheRelay = (memory: Memory): ((scene: Scene) => void) => {
  let seen = 0;
  return (scene) => {
    const { handedOver } = scene.peers;
    if (seen === handedOver.length) return;
    const times = new Map(
      memory.scheduled
        .filter(({ sent }) => isAsBefore(scene, sent.practice, sent))
        .flatMap(({ sent, notBefore }) => sent.recipients.map((address) => [address, notBefore])),
    );
    for (; seen < handedOver.length; seen += 1) {
      const { recipient, at } = handedOver[seen] as (typeof handedOver)[number];
      const notBefore = times.get(recipient) ?? 0;
      if (at < notBefore)
        throw new Error(
          `${recipient} got a message ${notBefore - at} ms before the time it was scheduled for`,
        );
      if (memory.blocked.has(recipient))
        throw new Error(`${recipient} got a message whose content was refused`);
    }
  };
};

const promising = new WeakSet<Memory>();

/** The memory, whose promises are in the book from the first call on. */
export const promisingMemory = (scene: Scene): Memory => {
  const memory = memoryOf(scene);
  if (promising.has(memory)) return memory;
  promising.add(memory);
  const { book } = scene;
  book.promised('an idempotency key makes each message once', (now) => onceForEachKey(now, memory));
  book.promised('nothing leaves before its time, or whose content was refused', atTheRelay(memory));
  book.promised('a campaign that is paused or cancelled hands no one over', (now) => {
    for (const campaign of memory.campaigns) if (!campaign.isBusy) stoodStill(now, campaign);
  });
  book.promised('a campaign has one message for each person', onceForEachPerson);
  return memory;
};
