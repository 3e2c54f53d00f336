// The header fields of a delivery against vectors computed elsewhere, against the published library of Standard Webhooks and
// against a second way to compute an HMAC.
import { randomBytes, webcrypto } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { deliveryHeaders, type SigningSecrets, signedHeaders } from '#src/followers/webhooks/sign.ts';
import { newId } from '#src/kernel/id.ts';

const KNOWN = {
  secret: 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=',
  id: '4b1c0f5e-2f0e-4a77-9d0c-1f0d3a2b4c5d',
  at: 1_764_000_000_000,
  body: '{"id":"4b1c0f5e-2f0e-4a77-9d0c-1f0d3a2b4c5d","event":"webhook.test","timestamp":"2025-11-24T16:00:00Z","data":{}}',
  own: 'b690ec5f22cf5832bcc7824b2bc3d4236ff746bd4dc745b572e948e6338e4076',
  standard: 'v1,tFQd/Vskrx1Rd1EH0+tNgSxxiaWZ4Yt5lDFZqz74D2E=',
};

const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

const hmac = async (key: Buffer, text: string): Promise<Buffer> => {
  const imported = await webcrypto.subtle.importKey(
    'raw',
    Buffer.from(key),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign'],
  );
  return Buffer.from(await webcrypto.subtle.sign('HMAC', imported, Buffer.from(text)));
};

const signed = (
  body: string,
  secrets: SigningSecrets,
  now = Date.now(),
): { readonly id: string; readonly headers: Record<string, string> } => {
  const id = newId();
  return { id, headers: signedHeaders({ id, event: 'message.sent', body: Buffer.from(body), now }, secrets) };
};

test('are exactly those of the specification and of Standard Webhooks', () => {
  const { secret: current, id, at, body, own, standard } = KNOWN;
  const delivery = { id, event: 'webhook.test', body: Buffer.from(body), now: at + 999 };
  expect(signedHeaders(delivery, { current, former: null })).toEqual({
    'Content-Type': 'application/json',
    'X-Service-Event': 'webhook.test',
    'X-Service-Timestamp': '1764000000',
    'X-Service-Signature': own,
    'User-Agent': 'service-webhooks/1.0',
    'webhook-id': id,
    'webhook-timestamp': '1764000000',
    'webhook-signature': standard,
  });
});

test('after a rotation both secrets sign, the new one first', () => {
  const { secret: former, id, at, body, own, standard } = KNOWN;
  const current = newSecret();
  const delivery = { id, event: 'webhook.test', body: Buffer.from(body), now: at };
  const headers = signedHeaders(delivery, { current, former });
  const alone = signedHeaders(delivery, { current, former: null });
  expect(headers).toEqual({
    ...alone,
    'X-Service-Signature-Previous': own,
    'webhook-signature': `${alone['webhook-signature']} ${standard}`,
  });
  expect(Object.keys(headers)).toEqual(Object.keys(deliveryHeaders));
});

const bodies = {
  ASCII: '{"a":1}',
  'letters of many scripts': '{"a":"Grüße, 明日 🦷 \\u2028"}',
  nothing: '',
  'a MiB': `{"a":"${'ä'.repeat(512 * 1024)}"}`,
};

describe.each(Object.entries(bodies))('of a body of %s', (_, body) => {
  test('the library of Standard Webhooks takes it with either secret, and with no other', () => {
    const [current, former] = [newSecret(), newSecret()];
    const { headers } = signed(body, { current, former });
    const takes = (secret: string, text = body): void =>
      void new Webhook(secret).verify(text, headers, { jsonParse: false });
    takes(current);
    takes(former);
    expect(() => takes(newSecret())).toThrow('No matching signature found');
    expect(() => takes(current, `${body} `)).toThrow('No matching signature found');
  });

  test('the service’s own signature is that of another implementation', async () => {
    const [current, former] = [newSecret(), newSecret()];
    const { headers } = signed(body, { current, former });
    const text = `${headers['X-Service-Timestamp']}.${body}`;
    const expected = async (secret: string) => (await hmac(Buffer.from(secret), text)).toString('hex');
    expect(headers['X-Service-Signature']).toBe(await expected(current));
    expect(headers['X-Service-Signature-Previous']).toBe(await expected(former));
  });
});

test('bear the time of the attempt, not of the event', () => {
  const secrets = { current: newSecret(), former: null };
  const delivery = { id: newId(), event: 'message.sent', body: Buffer.from('{}') };
  const first = signedHeaders({ ...delivery, now: KNOWN.at }, secrets);
  const second = signedHeaders({ ...delivery, now: KNOWN.at + 5_000 }, secrets);
  expect(second['webhook-id']).toBe(first['webhook-id']);
  expect(second['webhook-timestamp']).toBe('1764000005');
  expect(second['X-Service-Signature']).not.toBe(first['X-Service-Signature']);
});
