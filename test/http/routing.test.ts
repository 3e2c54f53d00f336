import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createRouter } from '#src/http/routing.ts';
import type { Method, Route } from '#src/kernel/route.ts';

const route = (method: Method, path: string, overrides: Partial<Route> = {}): Route => ({
  id: 'testRoute',
  method,
  path,
  tag: 'Test',
  summary: 'For the tests.',
  access: 'public',
  stability: 'stable',
  ...(method === 'get' ? {} : { audit: { none: 'for the tests' } }),
  params: z.object(
    Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, z.string()])),
  ),
  responses: { 200: { description: 'done' } },
  handle: () => ({ status: 200 }),
  ...overrides,
});

/** What a request finds among the routes. */
const finder = (routes: readonly Route[]) => {
  const find = createRouter(routes);
  return (method: string, path: string) => {
    const found = find(method, path);
    if (found.route) return { path: found.route.path, params: found.params };
    return { path: null, allowed: found.allowed, nearest: found.nearest() };
  };
};

const DECLARED = [
  route('get', '/'),
  route('get', '/api/practices/{id}/messages/search'),
  route('get', '/api/practices/{id}/messages/{messageID}'),
  route('get', '/api/practices/{id}/messages/{messageID}/events'),
  route('patch', '/api/practices/{id}'),
  route('post', '/api/practices/{id}'),
];
const find = finder(DECLARED);

describe('finding', () => {
  test.each<[string, string, string | undefined, Record<string, string>?]>([
    ['GET', '/', '/'],
    ['GET', '/api/practices/1/messages/search', '/api/practices/{id}/messages/search', { id: '1' }],
    [
      'GET',
      '/api/practices/1/messages/2',
      '/api/practices/{id}/messages/{messageID}',
      { id: '1', messageID: '2' },
    ],
    [
      'GET',
      '/api/practices/1/messages/search/events',
      '/api/practices/{id}/messages/{messageID}/events',
      { id: '1', messageID: 'search' },
    ],
    [
      'GET',
      '/api/practices/1/messages/a%2Fb%20c',
      '/api/practices/{id}/messages/{messageID}',
      { id: '1', messageID: 'a/b c' },
    ],
    [
      'GET',
      '/api/practices/1/messages/__proto__',
      '/api/practices/{id}/messages/{messageID}',
      { id: '1', messageID: '__proto__' },
    ],
    ['HEAD', '/', '/'],
    [
      'GET',
      '/api/practices/1/messages/2/',
      '/api/practices/{id}/messages/{messageID}',
      { id: '1', messageID: '2' },
    ],
    ['PATCH', '/api/practices/1/', '/api/practices/{id}', { id: '1' }],
    ['GET', '/api/practices//messages/2', undefined],
    ['GET', '/api/practices/1/messages//', undefined],
    ['GET', '/api/practices/1/messages/', undefined],
    ['GET', '/api/practices/1/messages', undefined],
    ['GET', '/constructor', undefined],
    ['GET', '/%', undefined],
    ['GET', '*', undefined],
    ['GET', '/API/practices/1/messages/search', undefined],
  ])('%s %s is %s', (method, path, pattern, params = {}) => {
    const found = find(method, path);
    if (pattern === undefined) expect(found).toMatchObject({ path: null, allowed: undefined });
    else expect(found).toEqual({ path: pattern, params });
  });

  test.each([
    ['GET', '/api/practice/1/messages/2/events', 'GET /api/practices/{id}/messages/{messageID}/events'],
    ['GET', '/practices/1/messages/2', 'GET /api/practices/{id}/messages/{messageID}'],
    ['GET', '/api/practices/1/message/search', 'GET /api/practices/{id}/messages/search'],
    ['PATCH', '/api/practises/1', 'PATCH /api/practices/{id}'],
    ['POST', '/API/practises/1', 'POST /api/practices/{id}'],
    ['GET', '/api/practices//messages/2', 'GET /api/practices/{id}/messages/{messageID}'],
    ['GET', '/api/practices/1/messages', 'GET /api/practices/{id}/messages/search'],
    ['GET', '/api/practices/1/messages/2/event', 'GET /api/practices/{id}/messages/{messageID}/events'],
    ['GET', '/api/practices/1/messages/2/x', undefined],
    ['POST', '/api/practices/1/messages', undefined],
    ['GET', '/api', undefined],
    ['GET', '/%', undefined],
    ['GET', '*', undefined],
    ['GET', '/wp-login.php', undefined],
    ['GET', '/api/customers/1/letters/2', undefined],
    ['GET', `/api/practices/1/messages/${'2/'.repeat(50)}`, undefined],
  ])('nothing is at %s %s; the nearest is %s', (method, path, nearest) => {
    expect(finder([route('get', '/x'), ...DECLARED])(method, path)).toMatchObject({ path: null, nearest });
  });

  const CALLS = [
    route('get', '/api/bimi'),
    route('get', '/api/me'),
    route('get', '/api/admin/abuse-tickets'),
    route('get', '/api/admin/abuse-tickets/{ticketID}'),
    route('get', '/api/practices/{id}/domain-reports'),
    route('get', '/api/practices/{id}/domains'),
    route('post', '/api/auth/request-otp'),
  ];
  test.each([
    ['a short word is near nothing short', '/nix', undefined],
    ['nor are two letters', '/api/mx', undefined],
    ['a letter is mistyped', '/bimmi', 'GET /api/bimi'],
    ['a word is left out', '/api/admin/abuse', 'GET /api/admin/abuse-tickets'],
    ['the other word is', '/api/admin/tickets', 'GET /api/admin/abuse-tickets'],
    ['a word is left out before an id', '/api/admin/abuse/7', 'GET /api/admin/abuse-tickets/{ticketID}'],
    ['a word is too many', '/api/practices/1/domains-list', 'GET /api/practices/{id}/domains'],
    ['a letter is nearer than a word', '/api/practices/1/domain', 'GET /api/practices/{id}/domains'],
    ['a piece of a word is no word', '/api/admin/abu', undefined],
    ['short words are in many', '/api/auth/otp', 'POST /api/auth/request-otp'],
    ['another area is not near', '/api/users/abuse-tickets', undefined],
    ['each segment is somewhat off', '/api/admim/abuse-ticket', 'GET /api/admin/abuse-tickets'],
    ['another word is not near', '/api/admin/tenants', undefined],
  ])('where nothing is, %s: %s', (_, path, nearest) => {
    expect(finder(CALLS)('GET', path)).toMatchObject({ path: null, nearest });
  });

  test('another method learns which there are', () => {
    expect(find('DELETE', '/api/practices/1')).toMatchObject({ path: null, allowed: ['PATCH', 'POST'] });
    expect(find('POST', '/')).toMatchObject({ path: null, allowed: ['GET', 'HEAD'] });
    expect(find('OPTIONS', '/')).toMatchObject({ path: null, allowed: ['GET', 'HEAD'] });
  });

  test('a fixed segment wins over a parameter, whatever the order of the list', () => {
    const routes = [route('get', '/{a}/c/{b}'), route('get', '/x/{a}/y'), route('get', '/x/c/{a}')];
    for (const list of [routes, routes.toReversed()])
      expect(finder(list)('GET', '/x/c/y')).toMatchObject({ path: '/x/c/{a}', params: { a: 'y' } });
  });
});

describe('defects that stop the start', () => {
  test.each<[string, Route[], string]>([
    ['the same twice', [route('get', '/a'), route('get', '/a')], 'get /a answers the same requests'],
    [
      'the same under another name',
      [route('get', '/{a}'), route('get', '/{b}')],
      'get /{a} answers the same requests',
    ],
    [
      'a parameter the schema lacks',
      [route('get', '/a/{b}', { params: z.object({}) })],
      'the path has {b}, the params schema has not',
    ],
    [
      'a parameter the path lacks',
      [route('get', '/a', { params: z.object({ b: z.string() }) })],
      'the params schema has b, the path has not',
    ],
    ['a parameter twice', [route('get', '/{a}/{a}')], 'twice'],
    ['a tenant under another name', [route('get', '/api/practices/{tenant}')], 'must be named {id}'],
    ['no response', [route('get', '/a', { responses: {} })], 'no response is declared'],
    [
      'an impossible status',
      [route('get', '/a', { responses: { 99: { description: '' } } })],
      '99 is no status',
    ],
    ['a GET that needs a body', [route('get', '/a', { body: z.object({}) })], 'needs no body'],
    [
      'a change that says nothing of the audit',
      [{ ...route('get', '/a'), method: 'put' }],
      'says what the audit keeps of it',
    ],
    [
      'an audit of what only reads',
      [route('get', '/a', { audit: 'thing.read' })],
      'says what the audit keeps of it',
    ],
    ['an access that there is not', [route('get', '/a', { access: 'somebody' as never })], 'is no access'],
    ['a path of another syntax', [route('get', '/a/:b')], 'not made of fixed segments'],
    ['a path without its slash', [route('get', 'a')], 'not made of fixed segments'],
  ])('%s', (_, routes, message) => {
    expect(() => finder(routes)).toThrow(message);
  });
});
