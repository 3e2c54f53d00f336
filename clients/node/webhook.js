// Webhooks are signed as Standard Webhooks says: HMAC-SHA256 over `<id>.<timestamp>.<raw body>`. For a day after a change of
// the secret a delivery has a signature of either.

const TOLERANCE_S = 5 * 60;
const PREFIX = 'whsec_';

export class WebhookError extends Error {
  constructor(message) {
    super(message);
    this.name = 'WebhookError';
  }
}

const bytesOf = (base64) => {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
};

const headerOf = (headers, name) => {
  if (typeof headers?.get === 'function') return headers.get(name) ?? '';
  const found = Object.entries(headers ?? {}).find(([key]) => key.toLowerCase() === name)?.[1];
  return String(Array.isArray(found) ? found[0] : (found ?? ''));
};

/** `verify` of Web Crypto compares in constant time. */
const isSigned = async (secret, signature, signed) => {
  const raw = bytesOf(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret);
  if (raw.length === 0)
    throw new WebhookError('The secret of the webhook is not usable: expected whsec_ and base64.');
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', raw, algorithm, false, ['verify']);
  return crypto.subtle.verify('HMAC', key, bytesOf(signature), signed);
};

/**
 * The event, parsed. Throws WebhookError where it is not proven that the service sent it, or it is older than the tolerance.
 * `secret`: one or several. `body`: the bytes that came, or their text, before anything parsed them.
 */
export const verifyWebhook = async ({ secret, headers, body, tolerance = TOLERANCE_S }) => {
  const secrets = [secret].flat().filter((one) => typeof one === 'string' && one !== '');
  if (secrets.length === 0) throw new WebhookError('A secret of the webhook is needed.');
  const [id, timestamp] = [headerOf(headers, 'webhook-id'), headerOf(headers, 'webhook-timestamp')];
  if (!/^\d{1,12}$/.test(timestamp) || id === '')
    throw new WebhookError('The headers of a webhook are missing.');
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > tolerance)
    throw new WebhookError('The delivery is too old, or the clock of this host is wrong.');
  const content = typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body);
  const head = new TextEncoder().encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(head.length + content.length);
  signed.set(head);
  signed.set(content, head.length);
  const given = headerOf(headers, 'webhook-signature')
    .split(' ')
    .filter((one) => one.startsWith('v1,'))
    .slice(0, 8);
  const checks = secrets.flatMap((one) =>
    given.map((signature) => isSigned(one, signature.slice(3), signed)),
  );
  if (!(await Promise.all(checks)).includes(true)) throw new WebhookError('The signature is not right.');
  try {
    return JSON.parse(new TextDecoder().decode(content));
  } catch {
    throw new WebhookError('The body is no JSON.');
  }
};
