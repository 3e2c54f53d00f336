// One message by the service's own API, in the forms that a message may have.
import type { Dice, Practice, Reply, Scene } from '../scene.ts';
import { type Sending, wholeFate } from './sending-answers.ts';
import { type Addresses, addressesOf } from './sending-people.ts';

/** How a door asks for its messages; `key` is the idempotency key, or null. */
export interface Door {
  readonly name: string;
  readonly weight: number;
  readonly sending: (
    scene: Scene,
    dice: Dice,
    practice: Practice,
    key: string | null,
  ) => Sending | Promise<Sending>;
}

/** The tag of a message: by it those of one key are counted. */
export const tagOf = (scene: Scene, key: string | null, place = 1): string =>
  `${key === null ? 'step' : 'key'}:${scene.step()}-${place}`;

export const keyHeader = (key: string | null): Readonly<Record<string, string>> =>
  key === null ? {} : { 'Idempotency-Key': key };

export const letter = {
  subject: 'Ihre Unterlagen',
  text: 'Guten Tag, Ihre Unterlagen liegen für Sie bereit.',
};

export interface Draft {
  readonly recipients: readonly string[];
  readonly body: Readonly<Record<string, unknown>>;
}

const plain = (addresses: Addresses): Draft => {
  const to = addresses.any();
  return { recipients: [to], body: { ...letter, to } };
};

const forms: readonly ((addresses: Addresses, dice: Dice, practice: Practice) => Draft)[] = [
  plain,
  (addresses) => {
    const [to = '', cc = '', bcc = '', ...others] = addresses.some(5);
    return {
      recipients: [to, cc, bcc, ...others],
      body: { ...letter, to: [to, ...others], cc: `Frau Muster <${cc}>`, bcc },
    };
  },
  (addresses) => {
    const to = addresses.any();
    const file = {
      filename: 'werte.csv',
      content: Buffer.from('Wert;1\n').toString('base64'),
      content_type: 'text/csv',
    };
    return { recipients: [to], body: { ...letter, to, attachments: [file] } };
  },
  (addresses, dice, { templateSlug }) => {
    const to = addresses.any();
    const data = { name: dice.pick(['Frau Muster', 'Herr Özil', 'Fam. Groß']) };
    return { recipients: [to], body: { to, template: templateSlug, data } };
  },
  (addresses) => {
    const to = addresses.any();
    const calendar = { summary: 'Vorsorge', starts_at: '2027-03-01T09:30:00', location: 'Am Markt 1' };
    return { recipients: [to], body: { ...letter, to, calendar, message_kind: 'termin' } };
  },
  (addresses, _dice, { from }) => {
    const to = addresses.any();
    const html = '<p>Guten Tag! <a href="https://praxis.example/a">Zur Praxis</a></p>';
    const settings = { track_opens: true, track_clicks: true };
    return { recipients: [to], body: { ...letter, to, from, html, settings, metadata: { patient: '4711' } } };
  },
  (addresses) => {
    const to = addresses.any();
    return { recipients: [to], body: { ...letter, to, route: 'broadcast', message_kind: 'newsletter' } };
  },
];

export const anyDraft = (addresses: Addresses, dice: Dice, practice: Practice): Draft =>
  dice.chance(0.5) ? plain(addresses) : dice.pick(forms)(addresses, dice, practice);

const single: Door = {
  name: 'api',
  weight: 12,
  sending: (scene, dice, practice, key) => {
    const { recipients, body } = anyDraft(addressesOf(scene, dice), dice, practice);
    const tag = tagOf(scene, key);
    const path = dice.chance(0.8) ? `/api/practices/${practice.id}/send` : '/api/emails';
    const inBody = key !== null && dice.chance(0.2);
    const asked = {
      token: practice.token,
      body: { ...body, tag, ...(inBody ? { idempotency_key: key } : {}) },
      headers: inBody ? {} : keyHeader(key),
    };
    return {
      practice,
      door: 'api',
      messages: [recipients],
      tags: [tag],
      ask: () => scene.service.ask('POST', path, asked),
      fatesOf: (reply: Reply) => [wholeFate(reply, 'a send', () => ({ id: reply.body.id }))],
    };
  },
};

export const singleDoors: readonly Door[] = [single];
