// Webhooks of tests, made and looked at over HTTP, and what came to their receivers.
import type { List, Sender } from './app.ts';
import type { ConfigFile } from './daemon.ts';
import type { HttpsReceiver, ReceivedRequest } from './https-receiver.ts';

/** Receivers of tests are internal targets. */
export const outboundTo = (receiver: Pick<HttpsReceiver, 'caFile'>): ConfigFile => ({
  outbound_allow: ['127.0.0.0/8', '::1/128'],
  outbound_allow_http: true,
  outbound_ca_file: receiver.caFile,
});

export interface Hook {
  readonly id: string;
  readonly secret: string;
  /** Of its URL. */
  readonly path: string;
  /** `/api/practices/<id>/webhooks/<id>`. */
  readonly base: string;
  readonly sender: Sender;
}

export interface Delivery {
  readonly id: string;
  readonly event: string;
  readonly attempts: number;
  readonly status: 'pending' | 'delivered' | 'failed';
  readonly response_status: number | null;
  readonly response_excerpt: string | null;
  readonly error: string | null;
  readonly next_attempt_at: string | null;
  readonly created_at: string;
}

/** A daemon in this process, or one of its own. */
interface Requests {
  request<Body>(
    method: string,
    path: string,
    body?: unknown,
    token?: string,
  ): Promise<{ readonly status: number; readonly body: Body }>;
}

export const createHook = async (
  app: Requests,
  sender: Sender,
  url: string,
  events: readonly string[],
  given: object = {},
): Promise<Hook> => {
  const fields = { name: 'Praxissoftware', url, events, ...given };
  const path = `${sender.base}/webhooks`;
  const answer = await app.request<{ id: string; secret: string }>('POST', path, fields, sender.token);
  if (answer.status !== 201) throw new Error(`no webhook: ${answer.status} ${JSON.stringify(answer.body)}`);
  const { id, secret } = answer.body;
  return { id, secret, path: new URL(url).pathname, base: `${path}/${id}`, sender };
};

/** Oldest first. */
export const deliveriesOf = async (app: Requests, { base, sender }: Hook): Promise<readonly Delivery[]> => {
  const answer = await app.request<List<Delivery>>(
    'GET',
    `${base}/deliveries?limit=200`,
    undefined,
    sender.token,
  );
  if (answer.status !== 200) throw new Error(`no deliveries: ${answer.status}`);
  return answer.body.data.toReversed();
};

/** The request with that place, from 0, among those that came to the webhook's path. */
export const requestTo = async (
  receiver: HttpsReceiver,
  { path }: Pick<Hook, 'path'>,
  place = 0,
): Promise<ReceivedRequest> => {
  for (let count = receiver.count; ; count = receiver.count + 1) {
    const own = (await receiver.received(count)).filter((request) => request.path === path);
    const wanted = own[place];
    if (wanted !== undefined) return wanted;
  }
};
