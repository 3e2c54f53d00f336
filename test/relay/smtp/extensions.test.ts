import { expect, test } from 'vitest';
import { parseExtensions } from '#src/relay/smtp/extensions.ts';

const none = { pipelining: false, dsn: false, size: null, auth: false };

test.each([
  ['nothing', [], none],
  [
    'all',
    ['PIPELINING', 'SIZE 35882577', 'dsn', 'AUTH PLAIN LOGIN'],
    { pipelining: true, dsn: true, size: 35_882_577, auth: true },
  ],
  ['AUTH with the old equals sign', ['AUTH=LOGIN'], { ...none, auth: true }],
  ['SIZE without a limit', ['SIZE'], { ...none, size: 0 }],
  ['SIZE with nonsense', ['SIZE lots'], { ...none, size: 0 }],
  ['look-alikes are not what they look like', ['X-DSN', 'XPIPELINING', 'SIZES 5'], none],
])('%s', (_name, lines, extensions) => expect(parseExtensions(lines)).toEqual(extensions));
