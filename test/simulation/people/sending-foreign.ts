// Sending in the forms of other services' APIs.
import type { Dice, Practice, Reply, Scene } from '../scene.ts';
import { type Fate, mayRefuse, type Sending, wholeFate } from './sending-answers.ts';
import { eachFate } from './sending-many.ts';
import { addressesOf } from './sending-people.ts';
import { anyDraft, type Door, keyHeader, letter, tagOf } from './sending-single.ts';

interface Request {
  readonly scene: Scene;
  readonly practice: Practice;
  readonly door: string;
  readonly path: string;
  readonly key: string | null;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly tags: readonly string[];
}

const requestOf = (
  { scene, practice, door, path, key, body, headers, tags }: Request,
  messages: readonly (readonly string[])[],
  fatesOf: Sending['fatesOf'],
): Sending => ({
  practice,
  door,
  messages,
  tags,
  ask: () =>
    scene.service.ask('POST', `/api/compat/${door}${path}`, {
      body,
      // Vendor B's clients have a field of their own for the token.
      ...(headers === undefined ? { token: practice.token } : {}),
      headers: { ...headers, ...keyHeader(key) },
    }),
  fatesOf,
});

/** Vendor A's tags have a name and a value, which become one tag. */
const namedTag = (tag: string): object => {
  const [name, value] = tag.split(':');
  return { name, value };
};

const vendorA = (scene: Scene, dice: Dice, practice: Practice, key: string | null): Sending => {
  const recipients = addressesOf(scene, dice).some(dice.int(1, 3));
  const bodyFor = (to: readonly string[], tag: string) => ({
    ...letter,
    from: practice.from,
    to,
    tags: [namedTag(tag)],
  });
  const request = { scene, practice, key, door: 'vendor-a' };
  if (dice.chance(0.7)) {
    const tag = tagOf(scene, key);
    const body = bodyFor(recipients, tag);
    return requestOf({ ...request, path: '/emails', body, tags: [tag] }, [recipients], (reply) => [
      wholeFate(reply, 'a send in the form of vendor A', () => ({ id: reply.body.id })),
    ]);
  }
  const tags = recipients.map((_, index) => tagOf(scene, key, index + 1));
  const body = recipients.map((to, index) => bodyFor([to], tags[index] as string));
  const messages = recipients.map((to) => [to]);
  return requestOf({ ...request, path: '/emails/batch', body, tags }, messages, (reply) => {
    const whole = wholeFate(reply, 'a batch in the form of vendor A', () => ({ id: null }));
    if (typeof whole === 'string') return messages.map(() => whole);
    return reply.body.data.map(({ id }: { readonly id: string }) => ({ id }));
  });
};

const sentByB = (item: Readonly<Record<string, unknown>>, reply: Reply): Fate => {
  if (item.ErrorCode === 0) return { id: String(item.MessageID) };
  if (item.ErrorCode === 100) return 'unknown';
  // All recipients are suppressed: it is kept as such.
  if (item.ErrorCode === 406) return 'refused';
  mayRefuse('a send in the form of vendor B', { ...reply, status: 422, body: item });
  return 'refused';
};

const vendorB = (scene: Scene, dice: Dice, practice: Practice, key: string | null): Sending => {
  const recipients = addressesOf(scene, dice).some(dice.int(1, 3));
  const headers = { 'X-Vendor-B-Server-Token': practice.token };
  const request = { scene, practice, key, headers, door: 'vendor-b' };
  const frame = { From: practice.from, MessageStream: 'outbound' };
  if (dice.chance(0.5)) {
    const tags = recipients.map((_, index) => tagOf(scene, key, index + 1));
    const body = recipients.map((To, index) => ({
      ...frame,
      To,
      Tag: tags[index],
      Subject: letter.subject,
      TextBody: letter.text,
    }));
    const messages = recipients.map((to) => [to]);
    return requestOf({ ...request, path: '/email/batch', body, tags }, messages, (reply) => {
      if (reply.status === 200)
        return reply.body.map((item: Record<string, unknown>) => sentByB(item, reply));
      return messages.map(() => sentByB(Object(reply.body), reply));
    });
  }
  const tag = tagOf(scene, key);
  const isStored = dice.chance(0.4);
  const content = isStored
    ? { TemplateAlias: practice.templateSlug, TemplateModel: { name: 'Frau Muster' } }
    : { Subject: letter.subject, TextBody: letter.text };
  const body = { ...frame, To: recipients.join(', '), Tag: tag, ...content };
  const path = isStored ? '/email/withTemplate' : '/email';
  return requestOf({ ...request, path, body, tags: [tag] }, [recipients], (reply) => [
    sentByB(Object(reply.body), reply),
  ]);
};

const vendorC = (scene: Scene, dice: Dice, practice: Practice, key: string | null): Sending => {
  const recipients = addressesOf(scene, dice).some(dice.int(1, 3));
  const tag = tagOf(scene, key);
  const body = {
    personalizations: recipients.map((email) => ({
      to: [{ email }],
      substitutions: { '-name-': 'Frau Muster' },
    })),
    from: { email: practice.from },
    subject: letter.subject,
    content: [{ type: 'text/plain', value: `Guten Tag -name-. ${letter.text}` }],
    categories: [tag],
  };
  const tags = recipients.map(() => tag);
  const messages = recipients.map((to) => [to]);
  const request = { scene, practice, key, body, tags, door: 'vendor-c', path: '/mail/send' };
  return requestOf(request, messages, (reply) => {
    const first = wholeFate(reply, 'a send in the form of vendor C', () => ({
      id: reply.headers['x-message-id'] ?? '',
    }));
    return messages.map((_, index) => (typeof first === 'string' || index === 0 ? first : { id: null }));
  });
};

const eu = (scene: Scene, dice: Dice, practice: Practice, key: string | null): Sending => {
  const addresses = addressesOf(scene, dice);
  const request = { scene, practice, key, door: 'eu' };
  if (dice.chance(0.6)) {
    const { recipients, body } = anyDraft(addresses, dice, practice);
    const tag = tagOf(scene, key);
    return requestOf(
      { ...request, path: '/send', body: { ...body, tag }, tags: [tag] },
      [recipients],
      (reply) => [wholeFate(reply, 'a send in the EU form', () => ({ id: reply.body.id }))],
    );
  }
  const recipients = addresses.some(dice.int(1, 3));
  const tags = recipients.map((_, index) => tagOf(scene, key, index + 1));
  const body = recipients.map((to, index) => ({ ...letter, to, tag: tags[index] }));
  const messages = recipients.map((to) => [to]);
  return requestOf({ ...request, path: '/send/batch', body, tags }, messages, (reply) =>
    eachFate(reply, 'a batch in the EU form', messages.length, (items) => items),
  );
};

export const foreignDoors: readonly Door[] = [
  { name: 'vendor-a', weight: 3, sending: vendorA },
  { name: 'vendor-b', weight: 3, sending: vendorB },
  { name: 'vendor-c', weight: 3, sending: vendorC },
  { name: 'eu', weight: 2, sending: eu },
];
