// Decides which suppressions keep mail from an address. Pure.
import type { Channel } from './kinds.ts';

export const suppressionScopes = ['team', 'project', 'route'] as const;
export type SuppressionScope = (typeof suppressionScopes)[number];

export const suppressionReasons = [
  'hard_bounce',
  'soft_bounces',
  'complaint',
  'unsubscribe',
  'unsubscribe_all',
  'manual',
  'import',
  'erasure',
] as const;
export type SuppressionReason = (typeof suppressionReasons)[number];

/** The source of mails for which their recipients asked by a public form. */
export const ASKED_FOR = 'form';

/** The columns of a suppression that decide whether it applies. */
export interface SuppressionFacts {
  readonly id: string;
  readonly scope: SuppressionScope;
  readonly project_id: string | null;
  readonly route_id: string | null;
  readonly reason: SuppressionReason;
  /** See `Lifting`; null or absent: none. */
  readonly lifted_json?: string | null;
}

/** The person wanted no mail at all, and has confirmed since that they want that of a channel: the rest stays as it was. */
export interface Lifting {
  readonly channel: Channel;
  /** Id of the entry of the consent ledger. */
  readonly entry: string;
  /** ISO 8601, UTC. */
  readonly at: string;
}

export const liftingsOf = ({ lifted_json }: Pick<SuppressionFacts, 'lifted_json'>): readonly Lifting[] =>
  lifted_json ? JSON.parse(lifted_json) : [];

export const isLiftedFor = (row: Pick<SuppressionFacts, 'lifted_json'>, channel: Channel): boolean =>
  liftingsOf(row).some((one) => one.channel === channel);

const wishes: ReadonlySet<SuppressionReason> = new Set<SuppressionReason>([
  'unsubscribe',
  'unsubscribe_all',
  'erasure',
]);

/**
 * Whether the person left, which they can take back themselves. A complaint is no such wish: who gets another mail, even one that asks,
 * may complain of that too, and mailbox providers expect that no more comes.
 */
export const isOwnWish = ({ reason }: Pick<SuppressionFacts, 'reason'>): boolean => wishes.has(reason);

/** The columns of a message that decide which suppressions stop it. */
export interface SuppressibleMail {
  readonly project_id: string;
  readonly route_id: string;
  readonly channel: Channel;
  readonly source: string;
}

const applies = (row: SuppressionFacts, mail: SuppressibleMail): boolean => {
  if (row.scope !== 'team' && row.project_id !== mail.project_id && row.route_id !== mail.route_id)
    return false;
  // Their own request came after the wish; the mail only asks whether it was theirs.
  if (mail.source === ASKED_FOR && isOwnWish(row)) return false;
  return !isLiftedFor(row, mail.channel);
};

/** The widest of an address's suppressions that stops that mail; null if none does. */
export const applicableSuppression = (
  rows: readonly SuppressionFacts[],
  mail: SuppressibleMail,
): SuppressionFacts | null =>
  suppressionScopes
    .map((scope) => rows.find((row) => row.scope === scope && applies(row, mail)))
    .find((row) => row !== undefined) ?? null;
