// What each kind of credential may do (decisions 2), and how tokens look.
import { type Permission, permissions } from '#src/kernel/access.ts';

export const tokenScopes = ['team', 'project'] as const;
export type TokenScope = (typeof tokenScopes)[number];

export const tokenPrefix: Readonly<Record<TokenScope, string>> = { team: 'svc_team_', project: 'svc_proj_' };

const withheldFromTeamTokens: ReadonlySet<Permission> = new Set(['billing.manage', 'members.manage']);

export const operatorPermissions: ReadonlySet<Permission> = new Set(permissions);

export const tokenPermissions: Readonly<Record<TokenScope, ReadonlySet<Permission>>> = {
  team: new Set(permissions.filter((permission) => !withheldFromTeamTokens.has(permission))),
  project: new Set<Permission>(['messages.send', 'messages.view', 'stats.view']),
};
