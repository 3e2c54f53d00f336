import { expect, test } from 'vitest';
import { prefers } from '#src/kernel/accept.ts';

const STREAM = 'text/event-stream';

test.each<readonly [accept: string | undefined, wanted: boolean]>([
  [undefined, false],
  ['', false],
  ['*/*', false],
  ['application/json', false],
  ['text/event-stream', true],
  ['Text/Event-Stream', true],
  ['text/event-stream, */*', true],
  ['text/event-stream, application/json;q=0.5', true],
  ['application/json, text/event-stream;q=0.5', false],
  ['text/event-stream;q=0', false],
  ['text/html', false],
])('Accept: %s', (accept, wanted) => {
  expect(prefers({ header: () => accept }, STREAM)).toBe(wanted);
});
