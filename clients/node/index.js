// The client of Sendwerk's API: a method for each operation of /openapi.yaml.
import { liveEvents } from './events.js';
import { operations, VERSION } from './operations.js';
import { request } from './request.js';

export { SendwerkError } from './errors.js';
export { verifyWebhook, WebhookError } from './webhook.js';

export { VERSION };

/** Doing one of these twice is as doing it once (RFC 9110 §9.2.2). */
const REPEATABLE = ['GET', 'PUT', 'DELETE'];
const OPTIONS = ['body', 'headers', 'idempotencyKey', 'signal', 'timeout'];

const isLoopback = (host) =>
  host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);

/** What is written on the line must be clear: a token over plain HTTP can be read by every network on its way. */
const originOf = (given) => {
  const url = URL.canParse(given) ? new URL(given) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.username !== '' || url.search !== '')
    throw new TypeError('url: expected the address of the service, as https://mail.example.com');
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw new TypeError('url: http:// is for this computer alone (localhost); use https://');
  return url.href.replace(/\/+$/, '');
};

const secretOf = (name, value) => {
  if (value === undefined || value === null || value === '') return null;
  if (typeof value !== 'string' || !/^[\x21-\x7e]+$/.test(value))
    throw new TypeError(`${name}: it has characters that no token has, such as a space or a line break`);
  return value;
};

const inQuery = (value) => (value instanceof Date ? value.toISOString() : String(value));

const readBody = async (response) => {
  if (response.status === 204 || response.status === 304) return undefined;
  const type = response.headers.get('content-type') ?? '';
  if (/^application\/(\w+\+)?json\b/.test(type)) return response.json();
  if (/^(text\/|application\/yaml\b)/.test(type)) return response.text();
  return new Uint8Array(await response.arrayBuffer());
};

const isFile = (body) =>
  typeof body === 'string' ||
  body instanceof Uint8Array ||
  body instanceof ArrayBuffer ||
  body instanceof Blob ||
  typeof body?.getReader === 'function';

/** The body as fetch takes it, with its type; a form has its type by itself. */
const written = (body, { textType }) => {
  if (body === undefined) return {};
  if (body instanceof FormData || body instanceof URLSearchParams) return { body };
  if (textType !== undefined && isFile(body)) return { body, type: body.type || textType };
  return { body: JSON.stringify(body), type: 'application/json' };
};

export class Sendwerk {
  #token;
  #adminToken;
  #settings;

  constructor({
    url,
    token,
    adminToken,
    practice,
    retries = 3,
    retryTime = 60_000,
    timeout = 30_000,
    userAgent,
    fetch = globalThis.fetch,
  } = {}) {
    this.#token = secretOf('token', token);
    this.#adminToken = secretOf('adminToken', adminToken);
    const agent = `sendwerk-node/${VERSION}${userAgent === undefined ? '' : ` ${userAgent}`}`;
    this.#settings = { origin: originOf(url), practice, retries, retryTime, timeout, agent, fetch };
  }

  /** As the method of that name, but answers `{ status, headers, body }`: the ETag is in the headers. */
  async call(name, input = {}) {
    return this.#do(name, input, readBody);
  }

  /** As `call`, but the body is a ReadableStream of bytes, for what is too large for memory. */
  async stream(name, input = {}) {
    return this.#do(name, input, (response) => response.body);
  }

  /** The rows of all pages, one page after the other. */
  async *each(name, input = {}) {
    if (!operations[name]?.isPaged) throw new TypeError(`${name} has no pages`);
    let cursor = input.cursor;
    do {
      const { data, next_cursor } = await this[name]({ ...input, cursor });
      yield* data;
      cursor = next_cursor ?? undefined;
    } while (cursor !== undefined);
  }

  /** What happens from now on, or after `last_event_id`, as it happens: `{ id, event, data }`. */
  async *events({ last_event_id, ...input } = {}) {
    const headers = { ...input.headers, Accept: 'text/event-stream' };
    const open = (last) =>
      this.stream('listEvents', {
        ...input,
        headers: last === undefined ? headers : { ...headers, 'Last-Event-ID': last },
      });
    yield* liveEvents(open, last_event_id, input.signal);
  }

  #credential({ credential }) {
    if (credential === 'none') return {};
    if (credential === 'admin' && this.#adminToken !== null) return { 'X-Admin-Token': this.#adminToken };
    return this.#token === null ? {} : { Authorization: `Bearer ${this.#token}` };
  }

  #address(name, { path, query = [] }, input) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, part]) => part);
    const unknown = Object.keys(input).find((key) => ![...inPath, ...query, ...OPTIONS].includes(key));
    if (unknown !== undefined) throw new TypeError(`${name}: ${unknown} is no parameter of it`);
    const isOfPractice = path.startsWith('/api/practices/{id}');
    const filled = path.replace(/\{(\w+)\}/g, (_, part) => {
      const value = input[part] ?? (part === 'id' && isOfPractice ? this.#settings.practice : undefined);
      const text = String(value ?? '');
      if (text === '' || text === '.' || text === '..') throw new TypeError(`${name}: ${part} is needed`);
      return encodeURIComponent(text);
    });
    const search = new URLSearchParams();
    for (const key of query)
      for (const value of [input[key]].flat())
        if (value !== undefined && value !== null) search.append(key, inQuery(value));
    const { origin } = this.#settings;
    return `${origin}${filled}${search.size > 0 ? `?${search}` : ''}`;
  }

  async #do(name, input, read) {
    const operation = Object.hasOwn(operations, name) ? operations[name] : null;
    if (operation === null) throw new TypeError(`the API has no operation ${name}`);
    const { agent, practice, retries, retryTime, timeout, fetch } = this.#settings;
    const { body, type } = written(input.body, operation);
    const { takesKey, takesPractice, method } = operation;
    const ownKey =
      input.idempotencyKey ?? (input.body?.idempotency_key === undefined ? crypto.randomUUID() : undefined);
    const headers = new Headers({
      Accept: 'application/json, */*;q=0.5',
      'User-Agent': agent,
      ...this.#credential(operation),
      ...(type === undefined ? {} : { 'Content-Type': type }),
      ...(takesKey && ownKey !== undefined ? { 'Idempotency-Key': ownKey } : {}),
      ...(takesPractice && practice !== undefined ? { 'X-Service-Practice': practice } : {}),
    });
    for (const [key, value] of Object.entries(input.headers ?? {})) headers.set(key, value);
    // With If-Match the second of two equal requests is refused.
    const isRepeatable = takesKey === true || (REPEATABLE.includes(method) && !headers.has('If-Match'));
    return request(fetch, {
      url: this.#address(name, operation, input),
      init: { method, headers, body },
      timeout: input.timeout ?? timeout,
      signal: input.signal,
      retries,
      retryTime,
      isRepeatable,
      read,
    });
  }
}

for (const name of Object.keys(operations))
  Object.defineProperty(Sendwerk.prototype, name, {
    configurable: true,
    writable: true,
    value: async function (input) {
      return (await this.call(name, input)).body;
    },
  });
