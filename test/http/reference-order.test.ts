import { expect, test } from 'vitest';
import { inReadingOrder } from '#src/http/reference/order.ts';

const order = (...declared: string[]): string[] => {
  const calls = declared.map((call) => {
    const [method = '', path = ''] = call.split(' ');
    return { method: method.toLowerCase() as 'get', path: path.replace('…', '/api/practices/{id}') };
  });
  return inReadingOrder(calls).map(
    ({ method, path }) => `${method.toUpperCase()} ${path.replace('/api/practices/{id}/', '…/')}`,
  );
};

test.each([
  [
    'one is made, looked at, changed, acted on and deleted',
    [
      'GET …/campaigns',
      'POST …/campaigns',
      'GET …/campaigns/{campaignID}',
      'PATCH …/campaigns/{campaignID}',
      'DELETE …/campaigns/{campaignID}',
      'POST …/campaigns/{campaignID}/send',
      'GET …/campaigns/{campaignID}/audience',
    ],
    [1, 0, 2, 6, 3, 5, 4],
  ],
  [
    'what is cancelled is looked up before, also where the search is declared later',
    [
      'POST …/messages/{messageID}/cancel',
      'PATCH …/messages/{messageID}',
      'GET …/messages/search',
      'GET …/messages/{messageID}',
    ],
    [2, 3, 1, 0],
  ],
  [
    'records of a record follow it, and what stands alone keeps its place',
    [
      'GET …/webhooks',
      'GET …/webhooks/{webhookID}/deliveries',
      'GET …/webhooks/{webhookID}/deliveries/{deliveryID}',
      'POST …/held-mail/release',
      'GET …/held-mail',
      'POST …/webhooks',
      'DELETE …/webhooks/{webhookID}',
    ],
    [5, 0, 6, 1, 2, 4, 3],
  ],
  [
    'a page that people see is before what it sends, as nothing has an id there',
    ['GET /api/public/confirm', 'POST /api/public/confirm', 'POST …/cutover', 'GET …/cutover'],
    [0, 1, 3, 2],
  ],
  [
    'the practice itself is one of the practices, and not what all else is below',
    ['GET /api/practices', 'POST /api/practices', 'POST …/pause', 'PATCH /api/practices/{id}'],
    [1, 0, 3, 2],
  ],
])('%s', (_, declared, expected) => {
  expect(order(...declared)).toEqual(expected.map((at) => declared[at]));
});
