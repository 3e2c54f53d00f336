// The doors for programs that speak no API: an inbound hook, and submission over SMTP with an API token as password.
import type { Practice, Reply, Scene } from '../scene.ts';
import { mayRefuse, type Sending, unexpected, wholeFate } from './sending-answers.ts';
import { memoryOf } from './sending-memory.ts';
import { addressesOf } from './sending-people.ts';
import { type Door, keyHeader, letter, tagOf } from './sending-single.ts';

const REFUSED = 403;
const UNKNOWN = 503;

/** A hook of the practice, made where there is none yet. Null where it cannot be made. */
const hookOf = async (scene: Scene, practice: Practice) => {
  const { hooks } = memoryOf(scene);
  const known = hooks.get(practice.id);
  if (known !== undefined) return known;
  const asked = { token: practice.token, body: { name: 'Kontaktformular' } };
  const reply = await scene.service.ask('POST', `/api/practices/${practice.id}/inbound-hooks`, asked);
  if (reply.status !== 201) {
    mayRefuse('a new hook', reply);
    return null;
  }
  const hook = { path: new URL(reply.body.url).pathname, secret: reply.body.secret };
  hooks.set(practice.id, hook);
  return hook;
};

const nothing = (practice: Practice): Sending => ({
  practice,
  door: 'hook',
  messages: [],
  tags: [],
  ask: async () => ({ status: REFUSED, headers: {}, text: '', body: {} }),
  fatesOf: () => [],
});

const hook: Door = {
  name: 'hook',
  weight: 3,
  sending: async (scene, dice, practice, key) => {
    const to = addressesOf(scene, dice).any();
    const tag = tagOf(scene, key);
    const found = await hookOf(scene, practice);
    if (found === null) return nothing(practice);
    const path = dice.chance(0.5) ? found.path : `/api/public/hooks/${practice.id}/send`;
    const asked = {
      body: { ...letter, to, tag, message_kind: 'transactional' },
      headers: { 'X-Service-Hook-Secret': found.secret, ...keyHeader(key) },
    };
    return {
      practice,
      door: 'hook',
      messages: [[to]],
      tags: [tag],
      ask: () => scene.service.ask('POST', path, asked),
      fatesOf: (reply) => {
        if (reply.status === 401) memoryOf(scene).hooks.delete(practice.id);
        return [wholeFate(reply, 'a send by a hook', () => ({ id: reply.body.id }))];
      },
    };
  },
};

const asReply = (text: string, status = Number(text.slice(0, 3))): Reply => ({
  status,
  headers: {},
  text,
  body: text,
});

/** The reply that ends the submission: that to its content, or the first refusal before. */
const submitBySmtp = async (
  scene: Scene,
  { token, from }: Practice,
  source: string,
  recipients: readonly string[],
): Promise<Reply> => {
  const talk = await scene.service.smtp('submission');
  try {
    const credential = Buffer.from(`\0praxis\0${token}`).toString('base64');
    for (const [command, code] of [
      ['EHLO client.example', '250'],
      [`AUTH PLAIN ${credential}`, '235'],
      [`MAIL FROM:<${from}>`, '250'],
      ...recipients.map((recipient) => [`RCPT TO:<${recipient}>`, '250'] as const),
    ] as const) {
      const said = await talk.say(command);
      if (!said.startsWith(code)) return asReply(said, REFUSED);
    }
    const said = await talk.data(source);
    // Nothing says whether a transaction that failed at its sync is in the file.
    return asReply(said, said.startsWith('4') ? UNKNOWN : undefined);
  } finally {
    talk.end();
  }
};

/** Refusals of a practice's state, and of its token; what a mail program did wrong has other codes. */
const EXPLAINED = /^(?:421|451|452|454|535|530) |^550 5\.7\.1 /;

const smtp: Door = {
  name: 'smtp',
  weight: 5,
  sending: (scene, dice, practice, key) => {
    const recipients = addressesOf(scene, dice).some(dice.int(1, 3));
    const tag = tagOf(scene, key);
    const [to = '', ...hidden] = recipients;
    const ids = key !== null && dice.chance(0.4);
    const fields = [
      `From: <${practice.from}>`,
      `To: <${to}>`,
      `Subject: ${letter.subject}`,
      `X-Service-Tag: ${tag}`,
      // A client that lost the answer sends the same bytes again: their Message-ID makes them one message.
      ...(key === null
        ? []
        : [ids ? `X-Service-Idempotency-Key: ${key}` : `Message-ID: <${key}@client.example>`]),
    ];
    const source = `${fields.join('\r\n')}\r\n\r\n.Guten Tag\r\n..und bis bald\r\n`;
    return {
      practice,
      door: 'smtp',
      messages: [[to, ...hidden]],
      tags: [tag],
      ask: () => submitBySmtp(scene, practice, source, recipients),
      fatesOf: (reply) => {
        const { status, text } = reply;
        if (status === UNKNOWN) return ['unknown'];
        const id = /queued as ([0-9a-f-]{36})/.exec(text)?.[1];
        if (status === 250 && id !== undefined) return [{ id }];
        if (!EXPLAINED.test(text)) throw unexpected('a submission', reply);
        return ['refused'];
      },
    };
  },
};

export const otherDoors: readonly Door[] = [hook, smtp];
