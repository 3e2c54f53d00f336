// All keys come from the master key (HKDF-SHA256, RFC 5869), by what they are for. They differ in what a change of the master key
// does to them:
//
// - Keys that seal are derived from the present master key. While values are sealed again, those under the former one open too.
// - Keys of hashes and of tokens last: a suppression, a link and a return path are worth nothing under another key. They are derived
//   from keys of the installation, which are those of its first master key and are kept sealed from its first change on.
// - Keys of what ends within minutes change with the master key.
//
// Lasting keys are a tenant's own, so that a tenant can leave for another host with its keys, and that host can forge nothing of the
// tenants that stay. There the tenant makes new tokens with the keys and the number of the new host. Its former tokens have its
// former number, which another tenant may have there: that one's key is tried first, and a key that came with a tenant opens tokens
// of this tenant only.
import { createSecretKey, type KeyObject } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { deriveKey, type SealingKey } from './seal.ts';

export type SealingPurpose =
  | 'alerts'
  | 'captured mail'
  | 'certificates'
  | 'dkim keys'
  | 'erasures'
  | 'lasting keys'
  | 'notices'
  | 'service mail'
  | 'webhooks';

const hashPurposes = ['consent ledger', 'suppressions'] as const;
const tokenPurposes = [
  'audience links',
  'forwarding',
  'return paths',
  'tracking links',
  'unsubscribe links',
] as const;
const lastingPurposes = ['consent evidence', ...hashPurposes, ...tokenPurposes] as const;
type HashPurpose = (typeof hashPurposes)[number];
type TokenPurpose = (typeof tokenPurposes)[number];

/** The key of a tenant, by the tenant's id. */
export type TenantKey = (tenantId: string) => KeyObject;

/** What mail/token-keys.ts asks for. */
interface TokenKeys {
  readonly own: (number: number) => KeyObject;
  readonly brought: (number: number) => readonly { readonly key: KeyObject; readonly number: number }[];
}

/** The words of a purpose never change: what is sealed, hashed or sent depends on them. */
export interface KeyFor {
  (purpose: SealingPurpose): SealingKey;
  (purpose: HashPurpose): TenantKey;
  (purpose: TokenPurpose): TokenKeys;
  /** 32 bytes. */
  (purpose: 'consent evidence' | 'csrf' | 'sign-in codes'): Buffer;
}

const keyText = z.base64().length(44);
const lastingSchema = z.record(z.enum(lastingPurposes), keyText);

/** A tenant's lasting keys, as its file and an export hold them. The first of `tokens` are those of its present number. */
const tenantKeysSchema = z.object({
  hashes: z.record(z.enum(hashPurposes), keyText),
  tokens: z.array(z.object({ number: z.int().positive(), keys: z.record(z.enum(tokenPurposes), keyText) })),
});
export type TenantKeys = z.infer<typeof tenantKeysSchema>;

/** Throws where the bytes are something else. */
export const readTenantKeys = (json: Buffer): TenantKeys =>
  tenantKeysSchema.parse(JSON.parse(json.toString()));

export interface MasterKeys {
  /** 32 bytes. */
  readonly present: Buffer;
  /** Null where all values are sealed under the present one. */
  readonly former: Buffer | null;
  /** The lasting keys of the installation, as `lastingKeysOf` makes them of its first master key. */
  readonly lasting: Buffer;
}

export interface Keys {
  readonly key: KeyFor;
  /** The lasting keys of a tenant, with those that it came with. */
  readonly ofTenant: (tenantId: string, number: number) => TenantKeys;
  /** The tenant has these keys, which differ from those that this installation gives it. `number`: the one it has here. */
  readonly bring: (tenantId: string, number: number, keys: TenantKeys) => void;
  /** Whether a tenant of that id and number has these keys without having brought any. */
  readonly isOwn: (tenantId: string, number: number, keys: TenantKeys) => boolean;
  /** The tenant is gone. */
  readonly forget: (tenantId: string) => void;
}

/** Deriving and importing a key costs more than a hash with it. Strangers choose the numbers in tokens, so the memory has a bound. */
const REMEMBERED = 10_000;

const remembered = <Of>(make: (of: Of) => KeyObject): ((of: Of) => KeyObject) => {
  const known = new Map<Of, KeyObject>();
  return (of) => {
    const found = known.get(of);
    if (found !== undefined) return found;
    const key = make(of);
    if (known.size >= REMEMBERED) known.clear();
    known.set(of, key);
    return key;
  };
};

const imported = (base64: string): KeyObject => createSecretKey(Buffer.from(base64, 'base64'));
const mapOf = <Name extends string, Value>(
  names: readonly Name[],
  make: (name: Name) => Value,
): Record<Name, Value> => Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Name, Value>;

const isOneOf = <Name extends string>(names: readonly Name[], name: string): name is Name =>
  (names as readonly string[]).includes(name);

/** A token's key that came with a tenant, and the number that this tenant has here. */
interface BroughtKeys {
  readonly tenantId: string;
  readonly number: number;
  readonly keys: Record<TokenPurpose, KeyObject>;
}

export const sealingKeyOf = (
  purpose: SealingPurpose,
  present: Buffer,
  former: Buffer | null,
): SealingKey => ({
  present: createSecretKey(deriveKey(present, purpose)),
  former: former && createSecretKey(deriveKey(former, purpose)),
});

/** The lasting keys of an installation with that master key, which are kept when it changes. */
export const lastingKeysOf = (master: Buffer): Buffer =>
  Buffer.from(
    JSON.stringify(mapOf(lastingPurposes, (purpose) => deriveKey(master, purpose).toString('base64'))),
  );

/** The one place where keys come from. Throws where `lasting` is something else. */
export const keysOf = ({ present, former, lasting: kept }: MasterKeys): Keys => {
  const read = lastingSchema.parse(JSON.parse(kept.toString()));
  const lasting = mapOf(lastingPurposes, (purpose) => Buffer.from(read[purpose], 'base64'));
  /** The keys that are not derived here, by the ids of their tenants. */
  const brought = new Map<
    string,
    { readonly keys: TenantKeys; readonly hashes: Record<HashPurpose, KeyObject> }
  >();
  const byNumber = new Map<number, BroughtKeys[]>();
  const rawOf = (purpose: HashPurpose | TokenPurpose, of: string): Buffer => deriveKey(lasting[purpose], of);
  const hashes = mapOf(hashPurposes, (purpose): TenantKey => {
    const own = remembered((tenantId: string) => createSecretKey(rawOf(purpose, tenantId)));
    return (tenantId) => brought.get(tenantId)?.hashes[purpose] ?? own(tenantId);
  });
  const tokens = mapOf(
    tokenPurposes,
    (purpose): TokenKeys => ({
      own: remembered((number: number) => createSecretKey(rawOf(purpose, String(number)))),
      brought: (number) =>
        byNumber.get(number)?.map((one) => ({ key: one.keys[purpose], number: one.number })) ?? [],
    }),
  );
  const ownKeys = (tenantId: string, number: number): TenantKeys => ({
    hashes: mapOf(hashPurposes, (purpose) => rawOf(purpose, tenantId).toString('base64')),
    tokens: [
      { number, keys: mapOf(tokenPurposes, (purpose) => rawOf(purpose, String(number)).toString('base64')) },
    ],
  });
  const forget = (tenantId: string): void => {
    for (const { number } of brought.get(tenantId)?.keys.tokens ?? []) {
      const left = byNumber.get(number)?.filter((one) => one.tenantId !== tenantId) ?? [];
      if (left.length > 0) byNumber.set(number, left);
      else byNumber.delete(number);
    }
    brought.delete(tenantId);
  };
  return {
    key: ((purpose: string) => {
      if (isOneOf(hashPurposes, purpose)) return hashes[purpose];
      if (isOneOf(tokenPurposes, purpose)) return tokens[purpose];
      if (purpose === 'consent evidence') return lasting[purpose];
      if (purpose === 'csrf' || purpose === 'sign-in codes') return deriveKey(present, purpose);
      return sealingKeyOf(purpose as SealingPurpose, present, former);
    }) as KeyFor,
    ofTenant: (tenantId, number) => {
      const own = ownKeys(tenantId, number);
      const came = brought.get(tenantId)?.keys;
      const others = came?.tokens.filter((one) => !own.tokens.some((two) => isDeepStrictEqual(one, two)));
      return { hashes: came?.hashes ?? own.hashes, tokens: [...own.tokens, ...(others ?? [])] };
    },
    isOwn: (tenantId, number, keys) => isDeepStrictEqual(keys, ownKeys(tenantId, number)),
    bring: (tenantId, number, keys) => {
      forget(tenantId);
      brought.set(tenantId, {
        keys,
        hashes: mapOf(hashPurposes, (purpose) => imported(keys.hashes[purpose])),
      });
      for (const one of keys.tokens) {
        const known = byNumber.get(one.number) ?? [];
        const own = mapOf(tokenPurposes, (purpose) => imported(one.keys[purpose]));
        byNumber.set(one.number, [...known, { tenantId, number, keys: own }]);
      }
    },
    forget,
  };
};
