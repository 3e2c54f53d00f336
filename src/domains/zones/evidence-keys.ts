// Serves the keys by which anyone can check evidence of consent: below the public origin, beside the TXT records of the zone.
import { type jwkSetOf, jwkSetSchema, KEYS_PATH } from '#src/kernel/evidence-key.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';

/** A new key is of use as soon as it is found; an hour bounds what a check costs. */
const MAX_AGE_S = 3_600;

export const evidenceKeysRoute = (keys: () => ReturnType<typeof jwkSetOf>): Route =>
  defineRoute({
    method: 'get',
    path: KEYS_PATH,
    tag: 'Consent',
    id: 'getConsentKeys',
    summary: 'The public keys of the evidence of consent',
    description:
      'A JWK set (RFC 7517): the key that signs, and former ones with the time at which each was replaced. The same are TXT records of ' +
      '`_consent-keys.` before the host of the public origin. `sendwerk consent verify --origin` compares both.',
    access: 'public',
    stability: 'stable',
    responses: { 200: { description: 'The keys, the oldest first.', body: jwkSetSchema } },
    handle: () => ({
      status: 200,
      body: keys(),
      headers: { 'Cache-Control': `public, max-age=${MAX_AGE_S}`, 'Access-Control-Allow-Origin': '*' },
    }),
  });
