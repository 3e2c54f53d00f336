// The consent ledger over the API: entries, and the evidence of one person.
import { tenantParams } from '#src/accounts/tenants/schema.ts';
import type { AudienceContext } from '#src/audience/context.ts';
import { auditStore } from '#src/events/audit-store.ts';
import { addressOf } from '#src/feedback/suppressions/routes.ts';
import { changeAs } from '#src/kernel/change.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { memberLanguageOf } from '#src/kernel/language.ts';
import { decodeCursor, listOf, toPage } from '#src/kernel/list.ts';
import { HTML_TYPE, prefersPage } from '#src/kernel/page.ts';
import { createRateCheck, perMinute } from '#src/kernel/rate-limit.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import { addressHash, addressPseudonym } from '#src/messages/pseudonym.ts';
import { makeEvidence } from './evidence.ts';
import { evidencePage } from './evidence-page.ts';
import { evidenceSchema } from './evidence-schema.ts';
import { consentEntrySchema, evidenceQuery, listConsentQuery, presentConsent } from './schema.ts';
import { consentStore } from './store.ts';

/** Each evidence reads some hundred rows, and the documents of the person. */
const EVIDENCE_PER_MINUTE = 60;

const wordingIn =
  (db: TenantDb) =>
  (hash: string): string | null =>
    consentStore(db).document(Buffer.from(hash, 'hex'))?.content.toString() ?? null;

export const consentRoutes = ({
  files,
  clock,
  config,
  suppressionKey,
  evidenceKey,
}: Pick<AudienceContext, 'files' | 'clock' | 'config' | 'suppressionKey' | 'evidenceKey'>): Route[] => {
  const limit = createRateCheck(
    clock,
    () => perMinute(EVIDENCE_PER_MINUTE),
    say`Evidence is made ${EVIDENCE_PER_MINUTE} times a minute at most for a practice.`,
  );
  const shared = {
    method: 'get',
    tag: 'Consent',
    access: 'lists.manage',
    stability: 'stable',
    params: tenantParams,
  } as const;
  return [
    defineRoute({
      ...shared,
      path: '/api/practices/{id}/consent',
      id: 'listConsent',
      summary: 'Entries of the consent ledger',
      description:
        'Newest first. The ledger is append-only: an erased person leaves entries without address, name, client and mail.',
      query: listConsentQuery,
      responses: { 200: { description: 'The entries.', body: listOf(consentEntrySchema) } },
      handle: async ({ params: { id }, query: { address, cursor, limit: size } }) => {
        const person =
          address === undefined ? null : addressHash(suppressionKey, id, addressOf('query.address', address));
        const before = decodeCursor(cursor) ?? Number.MAX_SAFE_INTEGER;
        const page = await files.read(id, (db) => {
          const store = consentStore(db);
          const rows =
            person === null ? store.newest(before, size + 1) : store.newestOfPerson(person, before, size + 1);
          return toPage(
            rows,
            size,
            ({ seq }) => seq,
            (row) => presentConsent(row, wordingIn(db)),
          );
        });
        return { status: 200, body: page };
      },
    }),
    defineRoute({
      ...shared,
      path: '/api/practices/{id}/consent/evidence',
      id: 'getConsentEvidence',
      summary: "Evidence of one person's consent",
      description:
        'All entries of the person with what was shown and sent, their places in the chain, and the signature of the service. ' +
        '`sendwerk consent verify FILE` checks it: 0 where all is right, 1 where something was changed, 2 where the key that signed it is not ' +
        'known, because anyone can sign such a file. It says nothing of other people.',
      query: evidenceQuery,
      responses: { 200: { description: 'The evidence.', body: evidenceSchema, otherwise: HTML_TYPE } },
      errors: ['not_found'],
      handle: async ({ params: { id }, query: { address: asked, format } }, context) => {
        const address = addressOf('query.address', asked);
        limit(id);
        const { name, public_origin } = config().service;
        const person = addressHash(suppressionKey, id, address);
        const service = { name, origin: public_origin };
        const request = { person, address, service, key: evidenceKey, now: clock.now() };
        const evidence = await files.read(id, (db) => makeEvidence(db, request));
        if (evidence === null)
          throw new AppError('not_found', say`The consent ledger has no entry of this address.`);
        await files.write(id, (db) =>
          auditStore(db).record(
            changeAs(context.change, 'consent.evidence'),
            {
              target: { type: 'practice', id },
              before: null,
              after: { person: addressPseudonym(suppressionKey, id, address) },
            },
            clock.now(),
          ),
        );
        if (format === undefined ? prefersPage(context) : format === 'html')
          return evidencePage(evidence, memberLanguageOf(context.language));
        return {
          status: 200,
          body: evidence,
          headers: { 'Content-Disposition': 'attachment; filename="consent-evidence.json"' },
        };
      },
    }),
  ];
};
