// A server on a free port with a few routes, callers and a clock of its own; and raw sockets for what fetch cannot say.

import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { eventsDescription } from '#src/followers/webhooks/described.ts';
import { documentationRoutes } from '#src/http/documentation.ts';
import { createHttpServer, type HttpServerOptions } from '#src/http/server.ts';
import { anonymous, type Caller, type Permission } from '#src/kernel/access.ts';
import { createByteBudget } from '#src/kernel/byte-budget.ts';
import { noSuchToken } from '#src/kernel/credentials.ts';
import { AppError } from '#src/kernel/errors.ts';
import { defaultLimits } from '#src/kernel/limits.ts';
import { createLog } from '#src/kernel/log.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';

export const TENANT = '018f0000-0000-7000-8000-000000000001';
export const OTHER_TENANT = '018f0000-0000-7000-8000-000000000002';
export const LIMITS = { ...defaultLimits, requests: { perSecond: 100, burst: 1000 } };
export const UNKNOWN_TENANT = '018f0000-0000-7000-8000-00000000dead';

const caller = (kind: Caller['kind'], tenantId: string | null, granted: readonly Permission[]): Caller => ({
  ...anonymous,
  kind,
  credentialId: `${kind} of ${tenantId}`,
  tenantId,
  permissions: new Set(granted),
});

export const sender = caller('team_token', TENANT, ['messages.send', 'stats.view']);

const callers: Readonly<Record<string, Caller>> = {
  'bearer sender': sender,
  'bearer viewer': caller('project_token', TENANT, ['stats.view']),
  'bearer other': caller('team_token', OTHER_TENANT, ['messages.send']),
  'admin root': caller('operator', null, ['messages.send', 'stats.view']),
};

const echoBody = z.strictObject({
  to: z.union([z.string(), z.array(z.string())]).describe('one address or several'),
  subject: z.string().min(1).max(20).describe('the `Subject` of the message'),
  metadata: z.record(z.string(), z.string()).optional(),
  anything: z.unknown().optional(),
});

export const gate: { wait: Promise<void>; entered: () => void } = {
  wait: Promise.resolve(),
  entered: () => {},
};

const tenantParams = z.object({ id: z.uuid() });
const ok = { 200: { description: 'done', body: z.unknown() } };
const base = { tag: 'Test', summary: 'For the tests.', stability: 'stable', responses: ok } as const;

export const testRoutes: readonly Route[] = [
  defineRoute({
    id: 'postPracticesEcho',
    ...base,
    method: 'post',
    audit: { none: 'for the tests' },
    path: '/api/practices/{id}/echo',
    access: 'messages.send',
    params: tenantParams,
    query: z.object({ limit: z.coerce.number().int().min(1).max(200).optional() }),
    body: echoBody,
    bodyLimit: 8 * 1024 * 1024,
    responses: {
      200: { description: 'what was sent', body: z.object({ params: tenantParams, body: echoBody }) },
    },
    handle: ({ params, query, body }) => ({ status: 200, body: { params, query, body } }),
  }),
  defineRoute({
    id: 'getPractices',
    ...base,
    method: 'get',
    path: '/api/practices/{id}',
    access: 'authenticated',
    params: tenantParams,
    handle: ({ params }) => ({ status: 200, body: params }),
  }),
  defineRoute({
    id: 'deletePractices',
    ...base,
    method: 'delete',
    audit: { none: 'for the tests' },
    path: '/api/practices/{id}',
    access: 'operator',
    params: tenantParams,
    responses: { 204: { description: 'gone' } },
    handle: () => ({ status: 204 }),
  }),
  defineRoute({
    id: 'postPracticesUsual',
    ...base,
    method: 'post',
    audit: { none: 'for the tests' },
    path: '/api/practices/{id}/usual',
    access: 'messages.send',
    params: tenantParams,
    body: z.object({ text: z.string() }),
    handle: ({ body }) => ({ status: 200, body }),
  }),
  defineRoute({
    id: 'getMeta',
    ...base,
    method: 'get',
    path: '/api/meta',
    isAnsweredWhileDraining: true,
    access: 'public',
    handle: () => ({ status: 200, body: { a: 1 } }),
  }),
  defineRoute({
    id: 'getHealthz',
    ...base,
    method: 'get',
    path: '/healthz',
    isAnsweredWhileDraining: true,
    access: 'public',
    handle: () => ({ status: 200, body: 'ok' }),
  }),
  defineRoute({
    id: 'postSmall',
    ...base,
    method: 'post',
    audit: { none: 'for the tests' },
    path: '/api/public/small',
    access: 'public',
    body: z.object({ text: z.string() }),
    handle: ({ body }) => ({ status: 200, body }),
  }),
  defineRoute({
    id: 'postBodiless',
    ...base,
    method: 'post',
    audit: { none: 'for the tests' },
    path: '/api/public/bodiless',
    access: 'public',
    handle: () => ({ status: 200, body: { done: true } }),
  }),
  defineRoute({
    id: 'getAddress',
    ...base,
    method: 'get',
    path: '/api/public/address',
    access: 'public',
    handle: (_, { clientAddress, header }) => ({
      status: 200,
      body: { clientAddress, twice: header('x-twice') ?? null },
    }),
  }),
  defineRoute({
    id: 'getFailsHow',
    ...base,
    method: 'get',
    path: '/api/public/fails/{how}',
    access: 'public',
    errors: ['conflict'],
    params: z.object({ how: z.string() }),
    handle: ({ params: { how } }) => {
      if (how === 'gone') throw new AppError('gone', say`Nothing declares this.`);
      if (how === 'conflict') throw new AppError('conflict', say`The name is taken.`);
      if (how === 'busy')
        throw new AppError('unavailable', say`The disk is full.`, { extra: { retry_after: 7 } });
      if (how === 'undeclared') return { status: 418, body: {} };
      if (how === 'header') return { status: 200, body: {}, headers: { 'X-Bad': 'a\r\nb' } };
      throw new Error('secret of the inside');
    },
  }),
  defineRoute({
    id: 'getSlow',
    ...base,
    method: 'get',
    path: '/api/public/slow',
    access: 'public',
    handle: async () => {
      gate.entered();
      await gate.wait;
      return { status: 200, body: { slow: true } };
    },
  }),
  defineRoute({
    id: 'getCsv',
    ...base,
    method: 'get',
    path: '/api/public/csv',
    access: 'public',
    responses: { 200: { description: 'rows', body: 'text/csv' } },
    handle: () => ({
      status: 200,
      contentType: 'text/csv',
      headers: { 'cache-control': 'max-age=60' },
      body: (async function* () {
        yield 'a,b\r\n';
        yield '1,2\r\n';
      })(),
    }),
  }),
];

export interface TestServer {
  readonly url: string;
  readonly port: number;
  readonly clock: { milliseconds: number };
  readonly state: { draining: boolean };
  readonly log: Record<string, unknown>[];
  readonly stop: () => Promise<void>;
}

const info = {
  name: 'Test <service>',
  version: '1.2.3',
  origin: 'https://mail.example.com',
  events: eventsDescription,
};
export const allRoutes: readonly Route[] = [...testRoutes, ...documentationRoutes(() => allRoutes, info)];

/** An open server that is closed when the test ends. */
export const startServer = async (overrides: Partial<HttpServerOptions> = {}): Promise<TestServer> => {
  const clock = { milliseconds: 1_700_000_000_000 };
  const state = { draining: false };
  const lines: Record<string, unknown>[] = [];
  const server = createHttpServer({
    someMoved: () => false,
    listen: { host: '127.0.0.1', port: 0 },
    routes: allRoutes,
    shapes: [],
    authenticate: ({ bearer, adminToken }) => {
      const caller = callers[adminToken === null ? `bearer ${bearer}` : `admin ${adminToken}`];
      if (!caller) throw noSuchToken();
      return caller;
    },
    serviceName: info.name,
    practiceNamed: (id) => id,
    bodies: createByteBudget(256 * 1024 * 1024),
    tenantExists: (id) => id === TENANT || id === OTHER_TENANT,
    enterTenant: async () => null,
    noteEntrance: async () => undefined,
    mayCreatePractice: async () => false,
    limits: () => LIMITS,
    trustProxy: false,
    log: createLog('debug', { write: (line: string) => void lines.push(JSON.parse(line)) }),
    clock: { now: () => clock.milliseconds },
    draining: () => state.draining,
    checkResponses: true,
    ...overrides,
  });
  const { port } = await server.start();
  onTestFinished(() => server.stop());
  return { url: `http://127.0.0.1:${port}`, port, clock, state, log: lines, stop: () => server.stop() };
};

/** A socket to the server; it is destroyed when the test ends. */
export const dial = async (port: number): Promise<Socket> => {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  await new Promise((resolve) => socket.once('connect', resolve));
  return socket;
};

/** All the server sends until it closes the connection, or until `enough` is in it. */
export const readAll = (socket: Socket, enough?: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let received = '';
    socket.setEncoding('utf8').on('data', (chunk) => {
      received += chunk;
      if (enough !== undefined && received.includes(enough)) resolve(received);
    });
    socket.on('end', () => resolve(received));
    socket.on('error', reject).resume();
  });
