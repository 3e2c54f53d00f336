// Which suppressions keep mail from an address. Pure.
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
}

const applies = (row: SuppressionFacts, projectId: string, routeId: string): boolean =>
  row.scope === 'team' || row.project_id === projectId || row.route_id === routeId;

/** The widest of an address's suppressions that stops mail of that project and route; null if none does. */
export const applicableSuppression = (
  rows: readonly SuppressionFacts[],
  projectId: string,
  routeId: string,
): SuppressionFacts | null =>
  suppressionScopes
    .map((scope) => rows.find((row) => row.scope === scope && applies(row, projectId, routeId)))
    .find((row) => row !== undefined) ?? null;
