// Whether the key that signed evidence of consent is known: by its fingerprint or file, by the installation's data, or because the
// service publishes it, by HTTPS and in the DNS. A key is known only if each way that was named knows it.
import { createPublicKey, type KeyObject } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Evidence } from '#src/audience/consent/evidence-schema.ts';
import { evidenceKeyStore } from '#src/domains/zones/evidence-key-store.ts';
import type { Config } from '#src/kernel/config/config.ts';
import { openReadOnly, type PlatformDb } from '#src/kernel/db/sqlite.ts';
import { createDnsLookup } from '#src/kernel/dns-lookup.ts';
import {
  fingerprintOf,
  KEYS_PATH,
  keyOfRecord,
  keysNameOf,
  keysOfJwkSet,
  type PublishedKey,
  publishedKeyOf,
} from '#src/kernel/evidence-key.ts';
import { createOutbound } from '#src/kernel/outbound/create-outbound.ts';
import { failureOf } from '#src/kernel/outbound/outbound.ts';
import { SECOND, toIso } from '#src/kernel/time.ts';
import { CommandError, UsageError } from './command.ts';

/** One way by which a key can be known. */
export interface Way {
  readonly knows: boolean;
  readonly says: string;
}

const FINGERPRINT = /^(?:[0-9a-f]{2}:?){32}$/i;
const TIMEOUT_MS = 15 * SECOND;

/** `where`: what publishes these keys. A key that was replaced proves only what was made before. */
const wayOf = (
  { signature, made_at }: Evidence,
  where: string,
  keys: readonly Pick<PublishedKey, 'fingerprint' | 'until'>[],
): Way => {
  const found = keys.find(({ fingerprint }) => fingerprint === signature.fingerprint);
  if (found === undefined)
    return {
      knows: false,
      says: `${where}: has other keys: ${[...new Set(keys.map(({ fingerprint }) => fingerprint))].join(', ') || 'none'}`,
    };
  if (found.until === null) return { knows: true, says: `${where}: has this key` };
  const until = toIso(found.until);
  return found.until >= Date.parse(made_at)
    ? { knows: true, says: `${where}: had this key until ${until}` }
    : { knows: false, says: `${where}: had this key until ${until}, before the evidence was made` };
};

const readKeys = (file: string): readonly PublishedKey[] => {
  try {
    const text = readFileSync(file, 'utf8');
    const set = keysOfJwkSet(text);
    if (set !== null) return set;
    return [{ fingerprint: fingerprintOf(createPublicKey(text)), x: '', since: 0, until: null }];
  } catch {
    throw new CommandError(
      `--key ${file}: neither a fingerprint of 64 hexadecimal digits nor a file with a public key, PEM or a JWK set`,
    );
  }
};

/** `key`: a fingerprint, or a file with a public key (PEM) or a JWK set. */
export const namedWay = (evidence: Evidence, key: string): Way => {
  const fingerprint = key.replaceAll(':', '').toLowerCase();
  const keys = FINGERPRINT.test(key) ? [{ fingerprint, until: null }] : readKeys(key);
  return wayOf(evidence, '--key', keys);
};

/** `own`: the key that the configuration makes; null: what the registry says is taken alone. */
export const installedWay = (evidence: Evidence, directory: string, own: KeyObject | null): Way => {
  const registry = join(directory, 'platform.db');
  if (!existsSync(registry) && own === null) throw new CommandError(`${registry} is missing`);
  const db = existsSync(registry) ? openReadOnly<PlatformDb>(registry) : null;
  try {
    const noted = db ? evidenceKeyStore(db).all() : [];
    return wayOf(evidence, `the data in ${directory}`, [...(own ? [publishedKeyOf(own, 0)] : []), ...noted]);
  } finally {
    db?.close();
  }
};

/**
 * The service's published keys, by HTTPS and by the DNS. HTTPS must have the key; where the DNS has records of keys, it must have the same. Both are asked for what the user named: the file may name an origin of its maker.
 */
export const publishedWays = async (
  evidence: Evidence,
  origin: string,
  config: Config | null,
): Promise<readonly Way[]> => {
  const url = URL.parse(origin);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError(`consent verify: --origin ${origin} is no address such as https://mail.example.com`);
  const lookup = createDnsLookup(config?.dns.resolvers ?? []);
  const caFile = config?.security.outbound_ca_file;
  const outbound = createOutbound({
    allow: () => config?.security.outbound_allow ?? [],
    allowHttp: () => config?.security.outbound_allow_http ?? false,
    timeout: () => TIMEOUT_MS,
    ...(caFile === undefined ? {} : { ca: readFileSync(caFile, 'utf8') }),
    lookup,
  });
  const name = keysNameOf(url.origin);
  const where = `${url.origin}${KEYS_PATH}`;
  const [document, texts] = await Promise.all([
    outbound.get(where, 'consent verify'),
    name === null ? null : lookup.txt(name),
  ]);
  outbound.stop();
  const failure = failureOf(document);
  const keys = document.kind === 'answered' && failure === null ? keysOfJwkSet(document.text) : null;
  const byHttps: Way =
    keys === null
      ? { knows: false, says: `${where}: ${failure ?? 'no JWK set'}` }
      : wayOf(evidence, where, keys);
  if (name === null || texts === null) return [byHttps];
  if (texts.kind === 'failed')
    return [byHttps, { knows: byHttps.knows, says: `TXT ${name}: not found out (${texts.reason})` }];
  const records = texts.kind === 'none' ? [] : texts.records.map((strings) => keyOfRecord(strings.join('')));
  const published = records.filter((one) => one !== null);
  return [
    byHttps,
    published.length === 0
      ? { knows: byHttps.knows, says: `TXT ${name}: no key there to compare with` }
      : wayOf(evidence, `TXT ${name}`, published),
  ];
};
