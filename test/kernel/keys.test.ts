// Which keys a change of the master key leaves as they are, and whose tokens a key opens that came with a tenant.
import { describe, expect, test } from 'vitest';
import { keysOf, lastingKeysOf, readTenantKeys, type TenantKeys } from '#src/kernel/keys.ts';
import { seal, unseal } from '#src/kernel/seal.ts';
import { decodeUnsubscribeToken, encodeUnsubscribeToken } from '#src/mail/copy-links.ts';
import { decodeForwardPath, encodeForwardPath } from '#src/mail/srs.ts';
import { decodeFeedbackId, decodeReturnPath, encodeReturnPath } from '#src/mail/verp.ts';
import { addressHash } from '#src/messages/pseudonym.ts';
import { keysBy } from '#test/support/keys.ts';

const FIRST = Buffer.alloc(32, 1);
const SECOND = Buffer.alloc(32, 2);
const first = keysBy(FIRST);
const second = keysOf({ present: SECOND, former: FIRST, lasting: lastingKeysOf(FIRST) });
const target = { tenantNumber: 7, recipientId: 42 };
const address = 'erika@example.org' as never;

describe('after a change of the master key', () => {
  test('links, return paths and hashes are what they were', () => {
    const token = encodeUnsubscribeToken(first.key('unsubscribe links'), target);
    const path = encodeReturnPath(first.key('return paths'), target, 'praxis.example');
    expect(decodeUnsubscribeToken(second.key('unsubscribe links'), token)).toEqual(target);
    expect(decodeReturnPath(second.key('return paths'), path)).toEqual(target);
    expect(addressHash(second.key('suppressions'), 'tenant', address)).toEqual(
      addressHash(first.key('suppressions'), 'tenant', address),
    );
    expect(second.key('consent evidence')).toEqual(first.key('consent evidence'));
  });

  test('what was sealed opens, what is sealed then opens without the former key, and codes are others', () => {
    const sealed = seal(first.key('dkim keys'), Buffer.from('key'), 'context');
    expect(unseal(second.key('dkim keys'), sealed, 'context').toString()).toBe('key');
    const again = seal(second.key('dkim keys'), Buffer.from('key'), 'context');
    const third = keysOf({ present: SECOND, former: null, lasting: lastingKeysOf(FIRST) });
    expect(unseal(third.key('dkim keys'), again, 'context').toString()).toBe('key');
    expect(() => unseal(third.key('dkim keys'), sealed, 'context')).toThrow();
    expect(second.key('csrf')).not.toEqual(first.key('csrf'));
  });
});

test('each tenant has keys of its own', () => {
  const of = (id: string, number: number): string[] => {
    const { hashes, tokens } = first.ofTenant(id, number);
    return [...Object.values(hashes), ...tokens.flatMap(({ keys }) => Object.values(keys))];
  };
  const all = [...of('a', 1), ...of('b', 2)];
  expect(new Set(all).size).toBe(14);
});

describe('a tenant from another host', () => {
  /** At its former host it had the number 7; here it has 3. */
  const brought = (keys: TenantKeys) => {
    const here = keysBy(SECOND);
    here.bring('moved', 3, keys);
    return here;
  };
  const there = first.ofTenant('moved', 7);
  const here = brought(there);

  test('brings what its old tokens and hashes need, under its number here', () => {
    const now = Date.now();
    const token = encodeUnsubscribeToken(first.key('unsubscribe links'), target);
    const path = encodeReturnPath(first.key('return paths'), target, 'praxis.example');
    const copy = { tenantNumber: 7, forwardSeq: 9 };
    const forward = encodeForwardPath(first.key('forwarding'), copy, 'praxis.example', now);
    const moved = { ...target, tenantNumber: 3 };
    expect(decodeUnsubscribeToken(here.key('unsubscribe links'), token)).toEqual(moved);
    expect(decodeReturnPath(here.key('return paths'), path)).toEqual(moved);
    expect(decodeForwardPath(here.key('forwarding'), forward, now)).toEqual({ ...copy, tenantNumber: 3 });
    expect(addressHash(here.key('suppressions'), 'moved', address)).toEqual(
      addressHash(first.key('suppressions'), 'moved', address),
    );
  });

  test('a tenant of this host with the former number keeps its own tokens', () => {
    const own = encodeUnsubscribeToken(keysBy(SECOND).key('unsubscribe links'), target);
    expect(decodeUnsubscribeToken(here.key('unsubscribe links'), own)).toEqual(target);
  });

  test('its keys open nothing of other tenants, here or there', () => {
    const forged = (number: number, keys: TenantKeys) => {
      const holder = keysBy(Buffer.alloc(32, 9));
      holder.bring('moved', number, keys);
      const [key] = holder.key('unsubscribe links').brought(7);
      const tokenKeys = { own: () => key?.key ?? expect.fail(), brought: () => [] };
      return encodeUnsubscribeToken(tokenKeys, { tenantNumber: number, recipientId: 1 });
    };
    for (const number of [1, 3, 8]) {
      expect(decodeUnsubscribeToken(here.key('unsubscribe links'), forged(number, there))).toBeNull();
      expect(decodeUnsubscribeToken(first.key('unsubscribe links'), forged(number, there))).toBeNull();
    }
  });

  test('moves on with its keys of both hosts', () => {
    const next = readTenantKeys(Buffer.from(JSON.stringify(here.ofTenant('moved', 3))));
    expect(next.tokens.map(({ number }) => number)).toEqual([3, 7]);
    expect(next.hashes).toEqual(there.hashes);
    const third = keysBy(Buffer.alloc(32, 3));
    third.bring('moved', 5, next);
    for (const [keys, number] of [
      [first, 7],
      [keysBy(SECOND), 3],
    ] as const) {
      const token = encodeUnsubscribeToken(keys.key('unsubscribe links'), {
        tenantNumber: number,
        recipientId: 1,
      });
      expect(decodeUnsubscribeToken(third.key('unsubscribe links'), token)).toEqual({
        tenantNumber: 5,
        recipientId: 1,
      });
    }
    third.forget('moved');
    expect(third.key('unsubscribe links').brought(7)).toEqual([]);
  });

  test('may come back to where it was', () => {
    const home = keysBy(FIRST);
    home.bring('moved', 7, readTenantKeys(Buffer.from(JSON.stringify(here.ofTenant('moved', 3)))));
    expect(home.ofTenant('moved', 7).tokens.map(({ number }) => number)).toEqual([7, 3]);
  });
});

test('a text that no key has made is nobody’s', () => {
  expect(decodeFeedbackId(first.key('return paths'), `1${'a'.repeat(32)}`)).toBeNull();
});
