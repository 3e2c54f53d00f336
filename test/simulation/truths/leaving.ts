// Nothing is tried that is suppressed, held or not due yet, or whose practice is paused: as the file stood at the last look before the
// claim. What a claim had in hand before that may leave.
import { applicableSuppression, type SuppressionFacts } from '#src/messages/suppression-rules.ts';
import {
  type Claim,
  inFile,
  type MailFacts,
  type Memory,
  type News,
  type Standing,
  type TenantMemory,
} from './memory.ts';
import { row, rows } from './sql.ts';
import { broken, type Truth } from './truth.ts';

/** The shortest wait after an attempt is a minute, and may be a fifth shorter. */
const LEAST_WAIT_MS = 48_000;

const SUPPRESSIONS = `SELECT id, scope, project_id, route_id, reason, lifted_json FROM suppressions
  WHERE lower(address) = ? AND seq <= ?`;
const FACTS = `SELECT r.id, r.address, r.status, m.seq AS message_seq, m.id AS message_id, m.internet_message_id, m.project_id,
    m.route_id, m.channel, m.source, m.scheduled_at
  FROM recipients r JOIN messages m ON m.seq = r.message_seq WHERE r.id = ?`;

/** Why it could not leave as things stood; null where it could. */
const obstacle = (tenant: TenantMemory, facts: MailFacts, before: Standing): string | null => {
  const { standing } = tenant;
  if (before.pausedAt !== null && standing.pausedAt === before.pausedAt)
    return `the practice was paused at ${new Date(before.pausedAt).toISOString()}`;
  if (before.held.has(facts.id) && standing.held.has(facts.id)) return 'it is held since a restore';
  if (facts.source === 'system') return null;
  const found = inFile(tenant, (db) =>
    rows<SuppressionFacts>(db, SUPPRESSIONS, facts.address.toLowerCase(), before.lastSuppression),
  );
  const suppression = applicableSuppression(found, facts);
  return (
    suppression && `suppression ${suppression.id} (${suppression.reason}, ${suppression.scope}) stops it`
  );
};

const checkClaim = ({ tenant, before }: News, claim: Claim): void => {
  const facts = inFile(tenant, (db) => row<MailFacts>(db, FACTS, claim.recipientId));
  const who = `${tenant.name}: recipient ${claim.recipientId} (${facts?.address ?? 'gone'})`;
  if (claim.dueAt < claim.notBefore + LEAST_WAIT_MS)
    broken(
      `${who} is being tried and due again at ${new Date(claim.dueAt).toISOString()}, which is no time after a claim since ${new Date(claim.notBefore).toISOString()}`,
    );
  const why = facts === undefined ? 'it has no row' : obstacle(tenant, facts, before);
  if (why !== null) broken(`${who} is being tried, and ${why}`);
};

export const claimsAreAllowed: Truth = {
  name: 'nothing is tried that may not leave, and each attempt has its next time',
  check: (_scene, _book, { news }) => {
    for (const one of news) {
      if (one.isNew) continue;
      for (const claim of one.tenant.standing.claims.values())
        if (claim.before === one.before) checkClaim(one, claim);
    }
  },
};

/** How things stood when the copy can have been claimed at the earliest; null: that is not known. */
const standingBefore = ({ news }: Memory, tenant: TenantMemory, recipientId: number): Standing | null => {
  const one = news.find((found) => found.tenant === tenant);
  if (one === undefined || one.isNew) return null;
  // It was seen being tried, and was looked at then.
  if (one.before.claims.has(recipientId) || tenant.standing.claims.has(recipientId)) return null;
  return one.before;
};

export const mailsAreAllowed: Truth = {
  name: 'nothing leaves that may not',
  check: (_scene, _book, memory) => {
    for (const { tenant, facts, recipientId, sent } of memory.mails) {
      if (facts === null || facts.address.startsWith('#')) continue;
      const who = `${tenant.name}: a mail left to ${sent.recipient} (recipient ${recipientId})`;
      if (facts.scheduled_at !== null && sent.at < facts.scheduled_at)
        broken(`${who} before ${new Date(facts.scheduled_at).toISOString()}, for which it is scheduled`);
      const before = standingBefore(memory, tenant, recipientId);
      const why = before && obstacle(tenant, facts, before);
      if (why !== null) broken(`${who}, and ${why}`);
    }
  },
};

/** A campaign that stands still makes no messages. */
export const pausedCampaignsStandStill: Truth = {
  name: 'a campaign that is paused or over hands no one over',
  check: (_scene, _book, { news }) => {
    for (const { tenant, before, messages, isNew } of news) {
      if (isNew) continue;
      for (const { seq, campaign_seq } of messages) {
        if (campaign_seq === null) continue;
        const was = before.campaigns.get(campaign_seq);
        const is = tenant.standing.campaigns.get(campaign_seq);
        if (
          was &&
          is &&
          was.updated_at === is.updated_at &&
          ['paused', 'cancelled', 'failed'].includes(was.status) &&
          was.status === is.status
        )
          broken(
            `${tenant.name}: campaign ${campaign_seq} is ${was.status}, and has made message ${seq} since`,
          );
      }
    }
  },
};
