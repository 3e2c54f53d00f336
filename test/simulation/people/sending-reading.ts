// People look at what they sent. What they are shown must not contradict what they were told: a message that was accepted is there, and
// its status does not fall.
import { statuses } from '#src/messages/rules.ts';
import type { Act, Reply, Scene } from '../scene.ts';
import { mayRefuse, unexpected } from './sending-answers.ts';
import { isAsBefore, memoryOf, type Sent } from './sending-memory.ts';
import { inPractice } from './sending-promises.ts';

/** A report of a delay may come after the mail was taken over, and is no fall. */
const DELAYED = 'delivery_delayed';

/** Of a message to one person, whose status is its own. */
const note = (scene: Scene, one: Sent, status: string): void => {
  if (status === DELAYED || one.recipients.length > 1 || !isAsBefore(scene, one.practice, one)) return;
  const rank = (statuses as readonly string[]).indexOf(status);
  if (rank < one.rank) throw new Error(`the message ${one.id} was ${statuses[one.rank]}, and is ${status}`);
  one.rank = rank;
};

const base = ({ practice }: Sent): string => `/api/practices/${practice.id}`;

const isKept = (scene: Scene, { practice, id }: Sent): boolean =>
  Boolean(inPractice(scene, practice, (db) => db.prepare('SELECT 1 FROM messages WHERE id = ?').get(id)));

/** Throws where it is not found though it is in the file. */
const requireFound = (scene: Scene, one: Sent, what: string, reply: Reply): void => {
  if (reply.status === 404 && isKept(scene, one))
    throw new Error(`the message ${one.id} was accepted, and ${what} does not find it`);
  mayRefuse(what, reply);
};

type Look = (scene: Scene, one: Sent) => Promise<void>;

const whole: Look = async (scene, one) => {
  const reply = await scene.service.ask('GET', `${base(one)}/messages/${one.id}`, {
    token: one.practice.token,
  });
  if (reply.status !== 200) return requireFound(scene, one, 'a message', reply);
  const { status, recipients } = reply.body;
  note(scene, one, status);
  if (recipients.length !== one.recipients.length)
    throw new Error(
      `the message ${one.id} had ${one.recipients.length} recipients, and has ${recipients.length}`,
    );
};

const partOf =
  (rest: string): Look =>
  async (scene, one) => {
    const reply = await scene.service.ask('GET', `${base(one)}/messages/${one.id}${rest}`, {
      token: one.practice.token,
    });
    if (reply.status !== 200) return requireFound(scene, one, rest, reply);
    if (reply.body.data.length === 0) throw new Error(`the message ${one.id} has nothing at ${rest}`);
  };

const byTag: Look = async (scene, one) => {
  if (one.tag === null) return;
  const path = `${base(one)}/messages/search?tag=${encodeURIComponent(one.tag)}&limit=50`;
  const reply = await scene.service.ask('GET', path, { token: one.practice.token });
  if (reply.status !== 200) return mayRefuse('a search', reply);
  const { data, next_cursor } = reply.body;
  const found = data.find(({ id }: { readonly id: string }) => id === one.id);
  if (found) return note(scene, one, found.status);
  // Who was erased took the tag along.
  const isKept = inPractice(scene, one.practice, (db) =>
    db.prepare('SELECT 1 FROM messages WHERE id = ? AND tag = ?').get(one.id, one.tag),
  );
  if (next_cursor === null && isKept) throw new Error(`a search by ${one.tag} does not find ${one.id}`);
};

const byWord: Look = async (scene, { practice, recipients: [recipient = ''] }) => {
  const q = encodeURIComponent(recipient);
  const path = `/api/practices/${practice.id}/messages/search?q=${q}&limit=20`;
  const reply = await scene.service.ask('GET', path, { token: practice.token });
  if (reply.status !== 200) return mayRefuse('a search', reply);
  const times: readonly string[] = reply.body.data.map(
    ({ created_at }: { readonly created_at: string }) => created_at,
  );
  if (times.some((time, index) => index > 0 && time > (times[index - 1] ?? '')))
    throw unexpected('a search, not from new to old,', reply);
};

const asFile: Look = async (scene, one) => {
  const query = one.tag === null ? '' : `?tag=${encodeURIComponent(one.tag)}`;
  const path = `${base(one)}/messages/search/export${query}`;
  const reply = await scene.service.ask('GET', path, { token: one.practice.token });
  if (reply.status !== 200) return mayRefuse('a file of messages', reply);
  if (!reply.text.includes('message_id')) throw unexpected('a file of messages', reply);
};

const foreign =
  (path: string): Look =>
  async (scene, one) => {
    const reply = await scene.service.ask('GET', `/api/compat/${path}/${one.id}`, {
      token: one.practice.token,
    });
    if (reply.status !== 200) requireFound(scene, one, path, reply);
  };

const others =
  (path: string): Look =>
  async (scene, { practice }) => {
    const reply = await scene.service.ask('GET', `/api/practices/${practice.id}/${path}`, {
      token: practice.token,
    });
    if (reply.status !== 200) mayRefuse(path, reply);
  };

const looks: readonly Look[] = [
  whole,
  whole,
  whole,
  partOf('/events'),
  partOf('/timeline'),
  byTag,
  byTag,
  byWord,
  asFile,
  foreign('vendor-a/emails'),
  foreign('eu/messages'),
  others('messages/search/counts'),
  others('events?limit=20'),
  others('queue'),
  others('exports/bi?kind=stats&days=7'),
];

const read: Act = {
  name: 'look at what was sent',
  weight: 9,
  run: async (scene, dice) => {
    const { sent } = memoryOf(scene);
    if (sent.length === 0) return;
    await dice.pick(looks)(scene, dice.pick(sent));
  },
};

export const readingActs: readonly Act[] = [read];
