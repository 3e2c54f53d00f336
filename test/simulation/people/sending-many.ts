// Many messages by one request: a batch of different ones, and a bulk of one content.
import type { Reply } from '../scene.ts';
import { type Fate, itemFate, mayRefuse } from './sending-answers.ts';
import { addressesOf } from './sending-people.ts';
import { anyDraft, type Door, keyHeader, tagOf } from './sending-single.ts';

type Item = Readonly<Record<string, unknown>>;

/** `itemsIn`: the answers to the single messages. */
export const eachFate = (
  reply: Reply,
  what: string,
  count: number,
  itemsIn: (body: never) => readonly Item[],
): readonly Fate[] => {
  const whole = (fate: Fate): Fate[] => Array.from({ length: count }, () => fate);
  if (reply.status === 503) return whole('unknown');
  const { body } = reply;
  const hasItems = Array.isArray(body) || Array.isArray(body?.results);
  if (reply.status === 202 || (reply.status === 422 && hasItems))
    return itemsIn(body as never).map((item) => itemFate(item, what));
  mayRefuse(what, reply);
  return whole('refused');
};

const batch: Door = {
  name: 'batch',
  weight: 4,
  sending: (scene, dice, practice, key) => {
    const addresses = addressesOf(scene, dice);
    const drafts = Array.from({ length: dice.int(1, 4) }, () => anyDraft(addresses, dice, practice));
    const tags = drafts.map((_, index) => tagOf(scene, key, index + 1));
    const ofItems = key !== null && dice.chance(0.3);
    const items = drafts.map(({ body }, index) => ({
      ...body,
      tag: tags[index],
      ...(ofItems ? { idempotency_key: `${key}-${index}` } : {}),
    }));
    const asked = { token: practice.token, body: items, headers: ofItems ? {} : keyHeader(key) };
    return {
      practice,
      door: 'batch',
      messages: drafts.map(({ recipients }) => recipients),
      tags,
      ask: () => scene.service.ask('POST', `/api/practices/${practice.id}/send/batch`, asked),
      fatesOf: (reply) => eachFate(reply, 'a batch', items.length, (body) => body),
    };
  },
};

const bulk: Door = {
  name: 'bulk',
  weight: 3,
  sending: (scene, dice, practice, key) => {
    const recipients = addressesOf(scene, dice).some(dice.int(1, 5));
    const tag = tagOf(scene, key);
    const isStored = dice.chance(0.3);
    const body = {
      template: isStored
        ? practice.templateSlug
        : { subject: 'Für {{name}}', text: 'Guten Tag {{name}}, wir sind umgezogen.' },
      recipients: recipients.map((email, index) => ({ email, data: { name: `Frau ${index}` } })),
      tag,
    };
    const asked = { token: practice.token, body, headers: keyHeader(key) };
    return {
      practice,
      door: 'bulk',
      messages: recipients.map((recipient) => [recipient]),
      tags: recipients.map(() => tag),
      ask: () => scene.service.ask('POST', `/api/practices/${practice.id}/send/bulk`, asked),
      fatesOf: (reply) =>
        eachFate(
          reply,
          'a bulk',
          recipients.length,
          ({ results }: { readonly results: readonly Item[] }) => results,
        ),
    };
  },
};

export const manyDoors: readonly Door[] = [batch, bulk];
