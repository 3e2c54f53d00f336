// DKIM keys: list, rotate, import.

import type { z } from 'zod';
import { tenantParams } from '#src/accounts/tenants/schema.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { nothing, type Speak, say, type Text } from '#src/kernel/say.ts';
import type { SealingKey } from '#src/kernel/seal.ts';
import { domainName } from '#src/mail/address.ts';
import type { DomainDeps } from '../domain-deps.ts';
import { adviceIn } from '../records/host-check.ts';
import type { DkimKeyRow } from '../store.ts';
import { importKey } from './import-key.ts';
import { hostsOf } from './key-hosts.ts';
import { planKeys } from './key-rules.ts';
import { dkimKeysSchema, importBody, presentKey, rotateBody } from './key-schema.ts';
import { openKey, recordOf } from './keys.ts';
import { rotateKeys } from './rotate.ts';

const TAG = 'DNS and deliverability';
const PATH = '/api/practices/{id}/dkim-keys';
const KEYS = { 200: { description: "The keys of all the practice's hosts.", body: dkimKeysSchema } };

/** RFC 8301 §3.2: signers should use no fewer. */
const ADVISED_RSA_BITS = 2_048;

const hintOn = (tenantId: string, row: DkimKeyRow, sealingKey: SealingKey): Text => {
  if (row.position > 0) return nothing;
  if (row.role === 'revoked') return say`Replace its TXT record by the one shown, or remove it.`;
  const { modulusLength = ADVISED_RSA_BITS } =
    openKey(tenantId, row, sealingKey).privateKey.asymmetricKeyDetails ?? {};
  return modulusLength < ADVISED_RSA_BITS
    ? say`${modulusLength} bits are few: rotate soon, so that a key of ${ADVISED_RSA_BITS} bits signs.`
    : nothing;
};

const listKeys = (
  deps: DomainDeps,
  tenantId: string,
  speak: Speak,
): Promise<z.infer<typeof dkimKeysSchema>> => {
  const settings = deps.keySettings(tenantId);
  return deps.storage.tenants.read(tenantId, (db: TenantDb) => ({
    data: hostsOf(db).flatMap(({ rows, use }) => {
      const plans = planKeys(rows, use, settings);
      return rows.map((row, index) => {
        const record = recordOf(tenantId, row, deps.sealingKey);
        const plan = plans[index] ?? { step: null, at: null };
        return presentKey(row, plan, {
          record,
          hint: adviceIn(speak, hintOn(tenantId, row, deps.sealingKey)),
        });
      });
    }),
  }));
};

/** The host as the files hold it; a text that is no host name matches none of them. */
const toHost = (text: string | undefined): string | null =>
  text === undefined ? null : (domainName(text.replace(/\.$/, '')) ?? text);

export const keyRoutes = (deps: DomainDeps): Route[] => [
  defineRoute({
    method: 'get',
    path: PATH,
    tag: TAG,
    id: 'listDkimKeys',
    summary: 'DKIM keys',
    description: 'Each with its next step. The private parts are never shown.',
    access: 'domain.manage',
    stability: 'stable',
    params: tenantParams,
    responses: KEYS,
    handle: async ({ params }, { speak }) => ({ status: 200, body: await listKeys(deps, params.id, speak) }),
  }),
  defineRoute({
    method: 'post',
    path: `${PATH}/rotate`,
    tag: TAG,
    id: 'rotateDkimKeys',
    summary: 'Rotate the DKIM keys of a host',
    description:
      'The waiting key signs from now on, after a lookup has found it in the DNS; the keys that signed stay published ' +
      'for the mail in flight. Nothing has to be published for it. By schedule the same happens every `dkim.rotate_every`.',
    access: 'domain.manage',
    audit: 'dkim.rotate',
    stability: 'stable',
    params: tenantParams,
    body: rotateBody,
    responses: KEYS,
    errors: ['conflict'],
    handle: async ({ params, body }, { change, speak }) => {
      const wanted = { host: toHost(body.host), compromised: body.compromised ?? false };
      await rotateKeys(deps, params.id, wanted, change);
      return { status: 200, body: await listKeys(deps, params.id, speak) };
    },
  }),
  defineRoute({
    method: 'post',
    path: `${PATH}/import`,
    tag: TAG,
    id: 'importDkimKey',
    summary: 'Import a DKIM key for a custom domain',
    description:
      'For a domain that moves here with its key. The TXT record of the key must be in the DNS already. The key signs ' +
      'at once; the next rotation retires it.',
    access: 'domain.manage',
    audit: 'dkim.import',
    stability: 'stable',
    params: tenantParams,
    body: importBody,
    responses: KEYS,
    errors: ['conflict'],
    handle: async ({ params, body }, { change, speak }) => {
      const { selector, private_key: privateKey } = body;
      await importKey(deps, params.id, toHost(body.host), selector, privateKey, change);
      return { status: 200, body: await listKeys(deps, params.id, speak) };
    },
  }),
];
