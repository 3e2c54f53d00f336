// Programs that were set up for other services and only change the host: they sign in by those services' user names, and set
// the header fields by which those services take orders.
// @module-tag slow
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createTransport } from 'nodemailer';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openScene, type Scene } from './scene.ts';

const TO = 'erika@example.org';

let scene: Scene;
beforeAll(async () => {
  scene = await openScene({
    config: {
      service: { public_origin: 'https://mail.example.com' },
      smtp: { submission: { listen: '127.0.0.1:0' } },
    },
  });
});
afterAll(() => scene?.close());

const portOf = (): number => scene.app.submissionPorts.port ?? 0;
const idIn = (said: string): string => /queued as ([0-9a-f-]{36})/.exec(said)?.[1] ?? `no id in ${said}`;

/** Sends from loopback, where that needs no TLS. */
const send = async (headers: Readonly<Record<string, string>>, auth = {}, authMethod = 'PLAIN') => {
  const { response } = await createTransport({
    host: '127.0.0.1',
    port: portOf(),
    ignoreTLS: true,
    authMethod,
    auth: { user: 'praxis', pass: scene.sender.token, ...auth },
  }).sendMail({
    from: scene.sender.practice.default_from,
    to: TO,
    subject: 'Ihr Termin',
    text: 'Am Montag um 9:30 Uhr.',
    html: '<p>Am <a href="https://praxis.example/">Montag</a> um 9:30 Uhr.</p>',
    headers,
  });
  return idIn(response);
};

const credentials: readonly (readonly [string, (token: string) => { user: string; pass: string }])[] = [
  ['the user name resend', (token) => ({ user: 'resend', pass: token })],
  ['the token as user name and as password', (token) => ({ user: token, pass: token })],
  ['the user name lettermint', (token) => ({ user: 'lettermint', pass: token })],
  ['any user name', (token) => ({ user: 'mail@praxis.example', pass: token })],
];

describe('signing in with the token as password', () => {
  const ways = credentials.flatMap(([name, of]) => ['PLAIN', 'LOGIN'].map((way) => [name, way, of] as const));

  test.each(ways)('%s, by nodemailer with AUTH %s', async (_, way, of) => {
    expect(await scene.arrived(await send({}, of(scene.sender.token), way), TO)).toMatchObject({
      subject: 'Ihr Termin',
    });
  });

  test.each(ways)('%s, by swaks with AUTH %s', { tags: 'debian/swaks' }, async (_, way, of) => {
    const { user, pass } = of(scene.sender.token);
    const { stdout } = await promisify(execFile)('swaks', [
      ...['-s', `127.0.0.1:${portOf()}`, '--auth', way, '--auth-user', user, '--auth-password', pass],
      ...['--from', 'me@anywhere.example', '--to', TO, '--h-From', scene.sender.practice.default_from],
    ]);
    await scene.arrived(idIn(stdout), TO);
  });
});

describe('header fields of other services', () => {
  test.each([
    [
      'X-PM-*',
      {
        'X-PM-Message-Stream': 'outbound',
        'X-PM-Tag': 'erinnerung',
        'X-PM-Metadata-Patient': '4711',
        'X-PM-TrackOpens': 'true',
        'X-PM-TrackLinks': 'HtmlAndText',
        'X-PM-KeepID': 'true',
      },
      true,
    ],
    [
      'X-LM-* and X-Lettermint-*',
      { 'X-Lettermint-Route': 'outgoing', 'X-LM-Tag': 'erinnerung', 'X-LM-Metadata-Patient': '4711' },
      false,
    ],
    [
      'X-Service-*',
      {
        'X-Service-Route': 'outgoing',
        'X-Service-Tag': 'erinnerung',
        'X-Service-Metadata-Patient': '4711',
        'X-Service-Track-Opens': 'true',
        'X-Service-Track-Clicks': 'true',
      },
      true,
    ],
  ])('%s are read, and do not leave', async (_, fields, isTracked) => {
    const id = await send({ ...fields, 'X-Entity-Ref-ID': 'bleibt' });
    const mail = await scene.arrived(id, TO);
    expect(await scene.app.message(scene.sender, id)).toMatchObject({
      source: 'smtp',
      route: { slug: 'outgoing' },
      tags: ['erinnerung'],
      metadata: { Patient: '4711' },
    });
    expect(mail.headers.get('x-entity-ref-id')).toBe('bleibt');
    expect(mail.headerLines.filter(({ key }) => /^x-(?:pm|lm|lettermint|service)-/.test(key))).toEqual([]);
    const html = String(mail.html);
    expect({
      opens: html.includes('<img'),
      clicks: !html.includes('href="https://praxis.example/"'),
    }).toEqual({ opens: isTracked, clicks: isTracked });
  });

  test('a stream that is none of ours is no route', async () => {
    await expect(send({ 'X-PM-Message-Stream': 'nirgends' })).rejects.toThrow(/554 5\.6\.0 not_found: /);
    await expect(send({ 'X-PM-Message-Stream': 'broadcast' })).rejects.toThrow(/impressum_incomplete/);
  });

  test('a message with the same Resend-Idempotency-Key is sent once, another one with it is refused', async () => {
    const key = { 'Resend-Idempotency-Key': 'termin/4711' };
    const id = await send(key);
    const before = scene.app.rowCounts(scene.sender.practice.id).messages;
    expect(await send(key)).toBe(id);
    expect(scene.app.rowCounts(scene.sender.practice.id).messages).toBe(before);
    const mail = await scene.arrived(id, TO);
    expect(mail.headers.has('resend-idempotency-key')).toBe(false);
    await expect(send({ ...key, 'X-PM-Tag': 'anders' })).rejects.toThrow(/idempotency_conflict/);
    const other = createTransport({
      host: '127.0.0.1',
      port: portOf(),
      ignoreTLS: true,
      auth: { user: 'resend', pass: scene.sender.token },
    }).sendMail({
      from: scene.sender.practice.default_from,
      to: TO,
      subject: 'Anders',
      text: 'x',
      headers: key,
    });
    await expect(other).rejects.toThrow(/idempotency_conflict/);
  });

  test.each(['X-PM-Tag', 'X-LM-Tag', 'X-Lettermint-Route', 'Resend-Idempotency-Key'])(
    '%s is refused by HTTP',
    async (name) => {
      const { sender, app } = scene;
      const body = { to: TO, subject: 'Ihr Termin', text: 'Text', headers: { [name]: 'outgoing' } };
      expect(await app.request('POST', `${sender.base}/send`, body, sender.token)).toMatchObject({
        status: 422,
        body: { code: 'header_not_allowed' },
      });
    },
  );
});
