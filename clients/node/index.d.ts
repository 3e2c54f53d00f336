import type { CallOptions, Methods, Operations, WebhookBody } from './operations.js';

export type * from './operations.js';

export interface SendwerkOptions {
  /** The address of the service: https, or http on this computer. */
  url: string;
  /** The token of a practice. */
  token?: string | undefined;
  adminToken?: string | undefined;
  /** Its id; each call may name another one. */
  practice?: string | undefined;
  /** How often a call that can be repeated is tried again; 0 turns it off. 3 where absent. */
  retries?: number;
  /** Milliseconds after which none is tried again. 60,000 where absent. */
  retryTime?: number;
  /** Milliseconds for one attempt. 30,000 where absent. */
  timeout?: number;
  /** Named behind the client's own name in `User-Agent`. */
  userAgent?: string;
  fetch?: typeof globalThis.fetch;
}

export interface Answer<Body> {
  status: number;
  headers: Headers;
  body: Body;
}

export interface LiveEvent {
  id: string | null;
  event: string;
  data: Operations['listEvents']['row'] & { reason?: string };
}

type Input<Name extends keyof Operations> = Operations[Name]['input'] & CallOptions;
type Paged = {
  [Name in keyof Operations]: Operations[Name]['row'] extends never ? never : Name;
}[keyof Operations];

export declare const VERSION: string;

export interface Sendwerk extends Methods {}
export declare class Sendwerk {
  constructor(options: SendwerkOptions);
  call<Name extends keyof Operations>(
    name: Name,
    input?: Input<Name>,
  ): Promise<Answer<Operations[Name]['answer']>>;
  stream<Name extends keyof Operations>(
    name: Name,
    input?: Input<Name>,
  ): Promise<Answer<ReadableStream<Uint8Array>>>;
  each<Name extends Paged>(name: Name, input?: Input<Name>): AsyncGenerator<Operations[Name]['row'], void>;
  events(input?: Input<'listEvents'>): AsyncGenerator<LiveEvent, never>;
}

export interface FieldFault {
  path: string;
  message: string;
}

export declare class SendwerkError extends Error {
  /** 0 where no answer came. */
  readonly status: number;
  /** As in the API's table of errors; `network_error`, `timeout` or `http_error` where the service did not say it. */
  readonly code: string;
  readonly hint: string | null;
  readonly fields: readonly FieldFault[];
  readonly requestId: string | null;
  /** Seconds. */
  readonly retryAfter: number | null;
  readonly body: unknown;
}

export declare class WebhookError extends Error {}

export declare function verifyWebhook(delivery: {
  secret: string | readonly string[];
  headers: Headers | Record<string, string | readonly string[] | undefined>;
  body: string | Uint8Array | ArrayBuffer;
  /** Seconds; 300 where absent. */
  tolerance?: number;
}): Promise<WebhookBody>;
