// Whether a delivery is what the specification says, its signatures checked twice by what knows nothing of this project: the
// published library and Python's own HMAC.
import { execFileSync } from 'node:child_process';
import { Webhook } from 'standardwebhooks';
import { expect, vi } from 'vitest';
import { SECOND } from '#src/kernel/time.ts';
import { ISO, UUID } from '#test/support/asking.ts';
import type { Hook } from '#test/support/hooks.ts';
import type { ReceivedRequest } from '#test/support/https-receiver.ts';

const flat = ({ headers }: ReceivedRequest): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

/** `now`: the daemon's, as signatures age. */
export const isValidForLibrary = (secret: string, request: ReceivedRequest, now: number): boolean => {
  vi.useFakeTimers({ toFake: ['Date'], now });
  try {
    new Webhook(secret).verify(request.body, flat(request));
    return true;
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('No matching signature')) return false;
    throw error;
  } finally {
    vi.useRealTimers();
  }
};

const HMAC = `
import base64, hashlib, hmac, json, sys
asked = json.load(sys.stdin)
body = base64.b64decode(asked['body'])
def signed(key, text):
    return hmac.new(key, text.encode() + body, hashlib.sha256)
native = signed(asked['secret'].encode(), asked['timestamp'] + '.').hexdigest()
key = base64.b64decode(asked['secret'][len('whsec_'):])
standard = signed(key, asked['id'] + '.' + asked['timestamp'] + '.').digest()
print(json.dumps({'native': native, 'standard': 'v1,' + base64.b64encode(standard).decode()}))
`;

/** What the signatures of the request have to be, of both forms. */
export const signaturesByPython = (secret: string, { headers, body }: ReceivedRequest) => {
  const asked = {
    secret,
    id: headers['webhook-id'],
    timestamp: headers['x-service-timestamp'],
    body: body.toString('base64'),
  };
  const output = execFileSync('/usr/bin/python3', ['-c', HMAC], { input: JSON.stringify(asked) });
  return JSON.parse(output.toString()) as { readonly native: string; readonly standard: string };
};

/** One byte of the body is another one. */
export const tampered = (request: ReceivedRequest): ReceivedRequest => {
  const body = Buffer.from(request.body);
  const place = body.indexOf('"event"') + 1;
  body[place] = (body[place] ?? 0) ^ 1;
  return { ...request, body };
};

export interface Envelope {
  readonly id: string;
  readonly event: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The request is exactly what the specification says, and signed with the secret. Returns the body. */
export const expectSigned = (
  hook: Pick<Hook, 'path' | 'secret'>,
  request: ReceivedRequest,
  event: string,
  now: number,
): Envelope => {
  const { method, path, headers, body } = request;
  const envelope: Envelope = JSON.parse(body.toString('utf8'));
  expect({ method, path }).toEqual({ method: 'POST', path: hook.path });
  expect(Object.keys(envelope)).toEqual(['id', 'event', 'timestamp', 'data']);
  expect(envelope).toEqual({ id: UUID, event, timestamp: ISO, data: expect.any(Object) });
  const timestamp = String(Math.floor(now / SECOND));
  const signatures = signaturesByPython(hook.secret, request);
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'content-length': String(body.length),
    'user-agent': 'service-webhooks/1.0',
    'x-service-event': event,
    'x-service-timestamp': timestamp,
    'x-service-signature': signatures.native,
    'webhook-id': envelope.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.standard,
  });
  expect(isValidForLibrary(hook.secret, request, now)).toBe(true);

  const forged = tampered(request);
  expect(isValidForLibrary(hook.secret, forged, now)).toBe(false);
  const otherwise = signaturesByPython(hook.secret, forged);
  expect(otherwise.native).not.toBe(headers['x-service-signature']);
  expect(otherwise.standard).not.toBe(headers['webhook-signature']);
  return envelope;
};
