// Someone follows the stream of a practice's events, leaves, and comes back where they had left: no event is missing, none comes twice,
// none that was shown is taken back.
import type { Act, Practice, Scene } from '../scene.ts';
import { epochOf } from './running-memory.ts';
import { mayRefuse } from './sending-answers.ts';
import { isAsBefore, memoryOf } from './sending-memory.ts';
import { inPractice } from './sending-promises.ts';

interface Shown {
  readonly place: number;
  readonly id: string;
}

const placeIn = (cursor: string): number => Number(Buffer.from(cursor, 'base64url').toString().slice(1));
const cursorOf = (place: number): string => Buffer.from(`p${place}`).toString('base64url');

/** What came as a whole; chunks of the transfer may begin between events. */
const eventsIn = (text: string): readonly Shown[] =>
  [...text.matchAll(/^id: (\S+)\r?\nevent: \S+\ndata: (.+)\n\n/gm)].map(([, cursor = '', data = '']) => ({
    place: placeIn(cursor),
    id: JSON.parse(data).id,
  }));

/** Places without an event, where clients go on. */
const placesIn = (text: string): readonly number[] =>
  [...text.matchAll(/^id: (\S+)\n\n/gm)].map(([, cursor = '']) => placeIn(cursor));

const requireSame = (scene: Scene, practice: Practice, start: number, shown: readonly Shown[]): void => {
  const end = shown.at(-1)?.place ?? start;
  const inLog = inPractice(scene, practice, (db) =>
    db
      .prepare<[number, number], Shown>(
        'SELECT seq AS place, id FROM events WHERE seq > ? AND seq <= ? ORDER BY seq',
      )
      .all(start, end),
  );
  if (inLog === null) return;
  const said = (list: readonly Shown[]): string => list.map(({ place, id }) => `${place} ${id}`).join(', ');
  if (said(inLog) !== said(shown))
    throw new Error(
      `the stream of ${practice.slug} showed ${said(shown)} after ${start}, and its log has ${said(inLog)}`,
    );
};

const follow: Act = {
  name: 'follow the stream of events',
  weight: 2,
  run: async (scene, dice) => {
    const { places } = memoryOf(scene);
    const practice = dice.pick(scene.practices);
    const known = places.get(practice.id);
    const isKnown = known !== undefined && isAsBefore(scene, practice, known);
    const start = isKnown ? known.place : null;
    const epoch = epochOf(scene, practice);
    const reply = await scene.service.ask('GET', `/api/practices/${practice.id}/events`, {
      token: practice.token,
      headers: {
        Accept: 'text/event-stream',
        ...(start === null ? {} : { 'Last-Event-ID': cursorOf(start) }),
      },
      leaveAfter: dice.int(5, 3_000),
    });
    if (reply.status !== 200) return mayRefuse('a stream', reply);
    if (!isAsBefore(scene, practice, { epoch })) return;
    const isRestored = reply.text.includes('{"reason":"restored"}');
    if (isRestored)
      throw new Error(`the stream of ${practice.slug} says that its log is not the one of before`);
    const shown = eventsIn(reply.text);
    const [opening = null] = placesIn(reply.text);
    const isRemoved = reply.text.includes('{"reason":"removed"}');
    const begin = start === null || isRemoved ? opening : start;
    if (begin !== null) requireSame(scene, practice, begin, shown);
    const place = shown.at(-1)?.place ?? begin;
    // Someone else may have followed further meanwhile, who comes back later.
    if (place !== null) places.set(practice.id, { place, epoch });
  },
};

export const streamActs: readonly Act[] = [follow];
