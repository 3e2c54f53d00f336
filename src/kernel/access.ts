// What an endpoint asks of its caller, and who a caller may be. Only the vocabulary: credentials are looked up in
// people/, the check itself stands in http/.

export const permissions = [
  'messages.send',
  'messages.view',
  'messages.view_content',
  'stats.view',
  'suppressions.manage',
  'lists.manage',
  'campaigns.send',
  'webhooks.manage',
  'routes.manage',
  'projects.manage',
  'domain.manage',
  'inbound.view',
  'inbound.manage',
  'tokens.manage',
  'members.manage',
  'billing.manage',
  'practice.manage',
  'audit.view',
] as const;

export type Permission = (typeof permissions)[number];

/** `public`: anyone. `authenticated`: any live credential. `operator`: the admin token. Else: the permission. */
export type Access = 'public' | 'authenticated' | 'operator' | Permission;

export type CallerKind = 'anonymous' | 'operator' | 'team_token' | 'project_token';

/** Who makes a request. `tenantId` is null for the operator, who may enter every tenant, and for anonymous. */
export interface Caller {
  readonly kind: CallerKind;
  /** Stable name of the credential: key of its rate limit, actor in the audit. Holds no secret. */
  readonly credentialId: string;
  readonly tenantId: string | null;
  /** Set where the credential is limited to one project. */
  readonly projectId: string | null;
  readonly permissions: ReadonlySet<Permission>;
}
