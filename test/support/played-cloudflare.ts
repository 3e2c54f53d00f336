// A stand-in for Cloudflare's API v4, after its documentation: zones by name, the list and the creation of DNS records, pages, and
// the errors by their codes. It fails on demand.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';

export interface PlayedRecord {
  readonly type: string;
  readonly name: string;
  readonly content: string;
  readonly ttl?: number;
  readonly priority?: number;
  readonly proxied?: boolean;
}
interface PlayedZone {
  readonly id: string;
  readonly name: string;
  readonly status: string;
}
export interface Failure {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}
export interface PlayedCloudflare {
  /** For `dns.provider`. */
  readonly config: { readonly kind: 'cloudflare'; readonly token_file: string; readonly api: string };
  /** Of all zones, in the order of their creation. */
  readonly records: PlayedRecord[];
  /** As `POST /zones/z1/dns_records`. */
  readonly requests: string[];
  /** Zones that the token may see. */
  zones: PlayedZone[];
  /** Asked for each request; null: as usual. */
  failure: (request: string) => Failure | null;
  /** Called with each record that is created. */
  created: (record: PlayedRecord) => void;
  stop(): Promise<void>;
}

export const failing = (status: number, code: number, message: string, headers = {}): Failure => ({
  status,
  headers,
  body: JSON.stringify({ success: false, errors: [{ code, message }], messages: [], result: null }),
});

/** The one that it takes. */
export const PROVIDER_TOKEN = 'cloudflare-token-0123456789';

/** Pages are smaller than they are asked for: so what is on a later one is missed by who reads the first alone. */
const MOST_PER_PAGE = 2;

/** `token`: the one that the configuration names. */
export async function startPlayedCloudflare(token = PROVIDER_TOKEN): Promise<PlayedCloudflare> {
  const directory = mkdtempSync(join(tmpdir(), 'cloudflare-'));
  const token_file = join(directory, 'token');
  writeFileSync(token_file, token, { mode: 0o600 });
  const paged = (items: readonly unknown[], query: URLSearchParams): object => {
    const per_page = Math.min(Number(query.get('per_page')), MOST_PER_PAGE);
    const page = Number(query.get('page'));
    const result = items.slice((page - 1) * per_page, page * per_page);
    const counts = { total_count: items.length, total_pages: Math.ceil(items.length / per_page) };
    const result_info = { page, per_page, count: result.length, ...counts };
    return { success: true, errors: [], messages: [], result, result_info };
  };

  const refusalOf = ({ type, name, content, ttl, priority }: PlayedRecord): Failure | null => {
    if (typeof content !== 'string' || typeof ttl !== 'number')
      return failing(400, 9_207, 'Request body is invalid.');
    if (type === 'MX' && typeof priority !== 'number') return failing(400, 9_100, 'priority is required.');
    const here = played.records.filter((record) => record.name === name);
    if (here.some((record) => record.type === type && record.content === content))
      return failing(400, 81_058, 'An identical record already exists.');
    if (here.length > 0 && (type === 'CNAME' || here.some((record) => record.type === 'CNAME')))
      return failing(400, 81_053, 'An A, AAAA, or CNAME record with that host already exists.');
    return null;
  };

  const answerTo = async (request: IncomingMessage): Promise<Failure | object> => {
    const url = new URL(request.url ?? '', 'http://localhost');
    const path = url.pathname.replace('/client/v4', '');
    const said = `${request.method} ${path}`;
    played.requests.push(said);
    const { authorization } = request.headers;
    if (!authorization?.startsWith('Bearer ')) return failing(400, 6_003, 'Invalid request headers');
    const failure = played.failure(said);
    if (failure) return failure;
    if (authorization !== `Bearer ${PROVIDER_TOKEN}`) return failing(403, 9_109, 'Invalid access token');
    const name = url.searchParams.get('name');
    const named = <T extends { readonly name: string }>(all: readonly T[]) =>
      paged(name === null ? all : all.filter((one) => one.name === name), url.searchParams);
    if (said === 'GET /zones') return named(played.zones);
    const id = /^\/zones\/([^/]+)\/dns_records$/.exec(path)?.[1];
    if (!played.zones.some((zone) => zone.id === id)) return failing(404, 7_003, 'Could not route to it.');
    if (request.method === 'GET') return named(played.records);
    const record = (await json(request)) as PlayedRecord;
    const refusal = refusalOf(record);
    if (refusal) return refusal;
    played.records.push(record);
    played.created(record);
    return { success: true, errors: [], messages: [], result: { id: 'r1', ...record } };
  };

  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const answer = await answerTo(request);
    if ('status' in answer && 'body' in answer) {
      const { status, headers, body } = answer as Failure;
      response.writeHead(status, headers).end(body);
    } else response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
  };
  const server = createServer((request, response) => void respond(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const played: PlayedCloudflare = {
    config: {
      kind: 'cloudflare',
      token_file,
      api: `http://127.0.0.1:${(server.address() as AddressInfo).port}/client/v4`,
    },
    records: [],
    requests: [],
    zones: [],
    failure: () => null,
    created: () => undefined,
    stop: async () => {
      rmSync(directory, { recursive: true });
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return played;
}
