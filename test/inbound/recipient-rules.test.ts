import { expect, test } from 'vitest';
import { namesSender } from '#src/inbound/recipient-rules.ts';

test.each<[entry: string, meant: readonly string[], others: readonly string[]]>([
  [
    'evil.example',
    ['eve@evil.example', 'Eve@Mail.EVIL.example', '"a@b"@evil.example', 'x@a.b.evil.example'],
    ['eve@notevil.example', 'eve@evil.example.org', 'evil.example@example.org', 'eve@evil-example', ''],
  ],
  [
    'eve@evil.example',
    ['eve@evil.example', 'EVE@EVIL.EXAMPLE'],
    ['steve@evil.example', 'eve@mail.evil.example', 'eve@evil.example.org', 'eva@evil.example'],
  ],
  ['müller.example', ['ä@MÜLLER.example', 'a@mu\u0308ller.example'], ['a@muller.example']],
])('the entry %s means these senders and no others', (entry, meant, others) => {
  const named = [...meant, ...others].filter((address) => namesSender(['other.example', entry], address));
  expect(named).toEqual(meant);
});
