// A tenant imports a key of its own for its custom domain, under its own selector, and publishes the TXT itself. So a
// domain can move here without a change of its DNS at the same moment. The key signs at once; the key that it replaces
// waits again, with its record unchanged. The next rotation retires the imported key.

import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { auditStore } from '#src/events/audit-store.ts';
import type { Change } from '#src/kernel/change.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { withPatience } from '#src/kernel/dns-lookup.ts';
import { AppError } from '#src/kernel/errors.ts';
import { say, type Text } from '#src/kernel/say.ts';
import { seal } from '#src/kernel/seal.ts';
import { type DkimSigner, dkimRecord } from '#src/mail/dkim-key.ts';
import { checkKeyAt } from '../check/dkim-record.ts';
import { sentences } from '../check/judgement.ts';
import type { DomainDeps } from '../domain-deps.ts';
import { hostInQuestion } from '../records/host-facts.ts';
import { domainRegistryStore } from '../registry-store.ts';
import { type DkimKeyRow, dkimKeyStore } from '../store.ts';
import { scheduleKeyWork } from './key-hosts.ts';
import { auditKeys } from './key-schema.ts';
import { keyName, sealingContext } from './keys.ts';
import { changeKeys } from './signers.ts';

interface ReadKey {
  readonly algorithm: DkimSigner['algorithm'];
  readonly privateKey: KeyObject;
  readonly record: string;
}

/** RFC 8301 §3.2: signers must not use fewer bits, and verifiers need not support more than 4,096. */
const MIN_RSA_BITS = 1_024;
const MAX_RSA_BITS = 4_096;
/** Smaller exponents allow forgeries with careless verifiers, and FIPS 186-5 §5.1 forbids them. */
const MIN_RSA_EXPONENT = 65_537n;
/** Some verifiers accept no larger one (Go's crypto/rsa), and verification takes longer the larger it is. */
const MAX_RSA_EXPONENT = 2n ** 31n - 1n;
/** Each imported key is listed, checked and kept for a while. */
const MAX_IMPORTED = 5;
/** RFC 1035 §2.3.4, as text. */
const MAX_NAME_CHARACTERS = 253;

const refuseKey = (message: Text): AppError =>
  new AppError('invalid_request', say`The private key cannot be used.`, {
    extra: { fields: [{ path: 'body.private_key', message }] },
  });

const parse = (pem: string): KeyObject => {
  if (/ENCRYPTED/.test(pem)) throw refuseKey(say`expected a key without passphrase; decrypt it first`);
  try {
    return createPrivateKey({ key: pem, format: 'pem' });
  } catch {
    throw refuseKey(
      say`expected a private key as PEM: \`-----BEGIN PRIVATE KEY-----\` or \`-----BEGIN RSA PRIVATE KEY-----\``,
    );
  }
};

const algorithmOf = (key: KeyObject): DkimSigner['algorithm'] => {
  if (key.asymmetricKeyType === 'ed25519') return 'ed25519-sha256';
  if (key.asymmetricKeyType !== 'rsa') throw refuseKey(say`expected an RSA or Ed25519 key`);
  const { modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {};
  if (modulusLength < MIN_RSA_BITS || modulusLength > MAX_RSA_BITS)
    throw refuseKey(say`expected ${MIN_RSA_BITS} to ${MAX_RSA_BITS} bits, not ${modulusLength}`);
  if (publicExponent < MIN_RSA_EXPONENT || publicExponent > MAX_RSA_EXPONENT || publicExponent % 2n === 0n)
    throw refuseKey(
      say`expected an odd public exponent of ${String(MIN_RSA_EXPONENT)} to ${String(MAX_RSA_EXPONENT)}`,
    );
  return 'rsa-sha256';
};

/** A damaged key may parse and still make signatures that its public half rejects. */
const isSound = (privateKey: KeyObject, publicKey: KeyObject, digest: string | null): boolean => {
  const sample = Buffer.from('dkim');
  try {
    return verify(digest, sample, publicKey, sign(digest, sample, privateKey));
  } catch {
    return false;
  }
};

/** Throws `invalid_request`. */
export const readPrivateKey = (pem: string): ReadKey => {
  const privateKey = parse(pem);
  const algorithm = algorithmOf(privateKey);
  const publicKey = createPublicKey(privateKey);
  if (!isSound(privateKey, publicKey, algorithm === 'rsa-sha256' ? 'sha256' : null))
    throw refuseKey(say`the key is damaged: what it signs is not verified by its public half`);
  return { algorithm, privateKey, record: dkimRecord(publicKey, algorithm) };
};

const customHost = (db: TenantDb, wanted: string | null): string => {
  const practice = tenantStore(db).practice();
  const { host, kind } = hostInQuestion(practice);
  const domains = [practice.pending_domain, practice.custom_domain];
  const chosen = wanted ?? (kind === 'custom' ? host : null);
  if (chosen !== null && domains.includes(chosen)) return chosen;
  throw new AppError(
    'conflict',
    chosen === null
      ? say`The practice has no domain of its own.`
      : say`${chosen} is not the custom domain of the practice.`,
    {
      hint: say`A key can be imported for a custom domain, pending or in use: attach it with POST custom-domain.`,
    },
  );
};

const requireRoom = (rows: readonly DkimKeyRow[], host: string, selector: string): void => {
  const same = rows.find(({ token }) => token === selector);
  if (same) {
    throw new AppError('conflict', say`${host} has a key with the selector ${selector} already.`, {
      hint: say`The key behind a selector never changes: choose another selector.`,
    });
  }
  if (rows.filter(({ position }) => position === 0).length < MAX_IMPORTED) return;
  throw new AppError('conflict', say`${host} has ${MAX_IMPORTED} imported keys already.`, {
    hint: say`GET dkim-keys says when the ones that sign no more are removed.`,
  });
};

const requireName = (row: Pick<DkimKeyRow, 'token' | 'domain'>): void => {
  if (keyName(row).length <= MAX_NAME_CHARACTERS) return;
  throw new AppError('invalid_request', say`The selector is too long for the domain.`, {
    extra: { fields: [{ path: 'body.selector', message: say`expected a shorter one` }] },
  });
};

const replaced = (row: DkimKeyRow, now: number): DkimKeyRow =>
  row.position === 0 ? { ...row, role: 'retiring', retired_at: now } : { ...row, role: 'next' };

/**
 * Throws `invalid_request`, and `conflict` if the domain is not the tenant's own, if the selector is taken, or if the
 * DNS does not have the key; nothing has changed then. `wantedHost` is null for the custom domain that is pending or in use.
 */
export const importKey = (
  deps: DomainDeps,
  tenantId: string,
  wantedHost: string | null,
  selector: string,
  pem: string,
  change: Change,
): Promise<void> => {
  const { storage, clock, lookup, sealingKey } = deps;
  const { algorithm, privateKey, record } = readPrivateKey(pem);
  const accept = (db: TenantDb): string => {
    const host = customHost(db, wantedHost);
    requireRoom(dkimKeyStore(db).ofHost(host), host, selector);
    return host;
  };
  return deps.queue(tenantId, async () => {
    const domain = await storage.tenants.read(tenantId, accept);
    const name = { domain, token: selector, position: 0 };
    requireName(name);
    const seen = await checkKeyAt(withPatience(lookup), keyName(name), record);
    if (seen.status !== 'ok') {
      throw new AppError('conflict', say`The key is not seen at ${keyName(name)}.`, {
        hint: sentences(seen.hint, say`The TXT must be: ${record}`),
      });
    }
    const plain = privateKey.export({ type: 'pkcs8', format: 'der' });
    await storage.platform.write((db) => domainRegistryStore(db).setKeysAt(tenantId, clock.now()));
    await changeKeys(deps, tenantId, [domain], (db) => {
      if (accept(db) !== domain)
        throw new AppError('conflict', say`The domain was changed meanwhile.`, { hint: say`Ask again.` });
      const now = clock.now();
      const keys = dkimKeyStore(db);
      const before = keys.ofHost(domain);
      for (const row of before.filter((one) => one.role === 'active' && one.algorithm === algorithm))
        keys.update(replaced(row, now));
      keys.insert({
        ...name,
        algorithm,
        role: 'active',
        sealed_key: seal(sealingKey, plain, sealingContext(tenantId, name)),
        created_at: now,
        published_at: now,
        activated_at: now,
        retired_at: null,
      });
      const target = { type: 'dkim_keys', id: domain };
      const entry = { target, before: auditKeys(before), after: auditKeys(keys.ofHost(domain)) };
      auditStore(db).record(change, entry, now);
    });
    await scheduleKeyWork(deps, tenantId, clock.now());
  });
};
