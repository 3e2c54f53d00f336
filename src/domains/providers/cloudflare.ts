// Cloudflare's API v4 (developers.cloudflare.com/api): zones by name, and the list and the creation of DNS records. Each request has
// a time limit, little of an answer is read, and no redirect is followed, because it would take the token elsewhere.
import { z } from 'zod';
import { AppError } from '#src/kernel/errors.ts';
import type { Log } from '#src/kernel/log.ts';
import { retryAfterOf } from '#src/kernel/outbound/exchange.ts';
import { readShort } from '#src/kernel/outbound/read-short.ts';
import { say, type Text } from '#src/kernel/say.ts';
import type { Secret } from '#src/kernel/secret.ts';
import { SECOND, systemClock } from '#src/kernel/time.ts';
import { quote } from '../check/judgement.ts';
import { textData, toComparable } from '../zones/resource-record.ts';
import type { DnsProvider, ProviderRecord } from './provider.ts';

export interface CloudflareOptions {
  readonly api: string;
  readonly token: Secret;
  readonly stopping: AbortSignal;
  readonly log: Log;
}

const TIMEOUT_MS = 10 * SECOND;
const MAX_ANSWER_BYTES = 1_024 * 1_024;
const PER_PAGE = 50;
/** One name never has that many records; it ends a list that has no end. */
const MAX_PAGES = 20;
/** The service chooses it. */
const TTL_AUTOMATIC = 1;
const RETRY_AFTER_S = 30;
const TOKEN_NEEDS = say`the permissions Zone Read and DNS Edit for it`;
/** "Record already exists", "An identical record already exists". */
const EXISTS: ReadonlySet<number> = new Set([81_057, 81_058]);
/** "Invalid request headers", with status 400: what no token looks like. */
const INVALID_HEADERS = 6_003;

const envelope = z.object({
  success: z.boolean(),
  errors: z.array(z.object({ code: z.number(), message: z.string() })).nullish(),
  result: z.unknown(),
  result_info: z.object({ total_pages: z.number().optional() }).nullish(),
});
type Envelope = z.infer<typeof envelope>;

const zones = z.array(z.object({ id: z.string(), name: z.string(), status: z.string() }));
const records = z.array(z.object({ type: z.string(), name: z.string(), content: z.string().default('') }));

/** Quoted strings, which are one text (RFC 7208 §3.3), or that text itself: the API keeps what it was given. */
const plainText = (content: string): string => {
  const strings = [...content.matchAll(/"((?:[^"\\]|\\.)*)"/gs)].map(([, inner = '']) => inner);
  return /^\s*"/.test(content) ? strings.join('').replace(/\\(.)/gs, '$1') : content;
};

const toRecord = ({ type, name, content }: z.infer<typeof records>[number]): ProviderRecord => ({
  type,
  name: toComparable(name),
  content: type === 'TXT' ? plainText(content) : toComparable(content),
});

const parsed = (text: string | null): Envelope | null => {
  try {
    return envelope.parse(JSON.parse(text ?? ''));
  } catch {
    return null;
  }
};

const later = (message: Text, seconds: number, cause?: unknown): AppError =>
  new AppError('unavailable', message, {
    hint: say`Send the same request again after \`retry_after\` seconds: what was published so far is found then.`,
    extra: { retry_after: seconds },
    cause,
  });

export const createCloudflare = ({ api, token, stopping, log }: CloudflareOptions): DnsProvider => {
  const base = api.replace(/\/+$/, '');

  const request = async (method: 'GET' | 'POST', path: string, body?: object) => {
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(TIMEOUT_MS)]);
    try {
      const response = await fetch(base + path, {
        method,
        headers: {
          Authorization: `Bearer ${token.reveal()}`,
          Accept: 'application/json',
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        redirect: 'error',
        signal,
      });
      return { response, answer: parsed(await readShort(response, MAX_ANSWER_BYTES)) };
    } catch (error) {
      throw later(say`Cloudflare could not be reached, or gave no answer in time.`, RETRY_AFTER_S, error);
    }
  };

  /** Why the answer is no success. */
  const refusalOf = ({ status, headers }: Response, answer: Envelope | null): AppError => {
    const faults = answer?.errors ?? [];
    const codes = faults.map(({ code }) => code);
    log.warn({ status, codes }, 'the DNS provider refuses a request');
    if (status === 429) {
      const wait = retryAfterOf(headers.get('retry-after') ?? undefined, systemClock.now());
      const seconds = Math.max(1, Math.ceil((wait ?? RETRY_AFTER_S * SECOND) / SECOND));
      return later(say`Cloudflare takes no more requests for now.`, seconds);
    }
    if (status === 401 || status === 403 || codes.includes(INVALID_HEADERS))
      return new AppError('conflict', say`Cloudflare refuses the service's token.`, {
        hint: say`That is for the operator: the token in dns.provider must be valid, and needs ${TOKEN_NEEDS}.`,
      });
    if (status >= 500 || answer === null || faults.length === 0)
      return later(say`Cloudflare failed (status ${status}).`, RETRY_AFTER_S);
    const [{ code, message } = { code: 0, message: '' }] = faults;
    return new AppError('conflict', say`Cloudflare refuses: ${quote(message)} (${code}).`, {
      hint: say`Put right at Cloudflare what it says, or publish the records there by hand.`,
    });
  };

  const call = async (path: string): Promise<Envelope> => {
    const { response, answer } = await request('GET', path);
    if (response.ok && answer?.success) return answer;
    throw refusalOf(response, answer);
  };

  const listed = async <T>(path: string, name: string, schema: z.ZodType<T[]>): Promise<T[]> => {
    const all: T[] = [];
    for (let page = 1; page <= MAX_PAGES; page += 1) {
      const query = new URLSearchParams({ name, per_page: String(PER_PAGE), page: String(page) });
      const { result, result_info } = await call(`${path}?${query}`);
      const items = schema.safeParse(result);
      if (!items.success)
        throw later(say`Cloudflare answers in a form that is not known.`, RETRY_AFTER_S, items.error);
      all.push(...items.data);
      if (page >= (result_info?.total_pages ?? 1)) break;
    }
    return all;
  };

  return {
    name: 'Cloudflare',
    tokenNeeds: TOKEN_NEEDS,
    findZone: async (name) => {
      const found = (await listed('/zones', name, zones)).filter((zone) => toComparable(zone.name) === name);
      const zone = found.find(({ status }) => status === 'active') ?? found[0];
      return zone ? { id: zone.id, name, isActive: zone.status === 'active' } : null;
    },
    recordsAt: async ({ id }, name) => {
      const found = await listed(`/zones/${encodeURIComponent(id)}/dns_records`, name, records);
      return found.map(toRecord).filter((record) => record.name === name);
    },
    create: async ({ id }, { type, name, value, priority }) => {
      const { response, answer } = await request('POST', `/zones/${encodeURIComponent(id)}/dns_records`, {
        type,
        name,
        content: type === 'TXT' ? textData(value) : value,
        ttl: TTL_AUTOMATIC,
        proxied: false,
        ...(priority === null ? {} : { priority }),
      });
      if (response.ok && answer?.success) return;
      if (answer?.errors?.some(({ code }) => EXISTS.has(code))) return;
      throw refusalOf(response, answer);
    },
  };
};
