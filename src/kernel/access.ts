// What an endpoint asks of its caller, and who a caller may be. Only the vocabulary: credentials are looked up in
// people/, the check itself is in http/admission.ts.
import { say, type Text } from './say.ts';

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

/**
 * `public`: anyone. `authenticated`: any live credential. `session`: someone signed in, in no practice yet.
 * `practice_creator`: operators, and who is Owner or Admin of a practice. `operator`: the admin token, and sessions of the
 * addresses that the configuration names. Else: the permission.
 */
export const openAccess = ['public', 'authenticated', 'session', 'practice_creator', 'operator'] as const;
export type Access = (typeof openAccess)[number] | Permission;

const permissionNames: ReadonlySet<string> = new Set(permissions);
export const isPermission = (access: Access): access is Permission => permissionNames.has(access);

const refusals: Readonly<Record<Exclude<(typeof openAccess)[number], 'public' | 'authenticated'>, Refusal>> =
  {
    session: {
      text: say`This is for people who are signed in.`,
      hint: say`Sign in with POST /api/auth/request-otp and use the session.`,
    },
    practice_creator: {
      text: say`This credential may not create practices.`,
      hint: say`Practices are created by who is signed in and Owner or Admin of one, and by the operator.`,
    },
    operator: {
      text: say`This is for operators of the service.`,
      hint: say`Sign in by code or password with an address that the configuration names under \`operators\`, or send the admin token in X-Admin-Token.`,
    },
  };

interface Refusal {
  readonly text: Text;
  readonly hint: Text;
}

/** For who lacks it, where that is no permission of a role or a token. */
export const refusalOf = (access: Access): Refusal | undefined =>
  (refusals as Readonly<Partial<Record<Access, Refusal>>>)[access];

const accessNames: ReadonlySet<string> = new Set([...openAccess, ...permissions]);
export const isAccess = (name: string): name is Access => accessNames.has(name);

export type CallerKind = 'anonymous' | 'operator' | 'team_token' | 'project_token' | 'member';

/** Who is signed in. */
export interface Account {
  readonly id: string;
  /** The address as it was given. */
  readonly email: string;
  /** The address by which it is compared. */
  readonly emailKey: string;
}

/**
 * Who makes a request. `tenantId` is null for anonymous, for the operator, who may enter every tenant, and for a member
 * who has not entered one: then nothing is permitted to them yet.
 */
export interface Caller {
  readonly kind: CallerKind;
  /** Stable name of the credential: key of its rate limit. Holds no secret. */
  readonly credentialId: string;
  /** The name in the audit: a token's name, a member's address. */
  readonly name: string;
  readonly tenantId: string | null;
  /** Ids of the projects that the credential is limited to; null: all. */
  readonly projects: ReadonlySet<string> | null;
  readonly permissions: ReadonlySet<Permission>;
  /** A session has one. */
  readonly account: Account | null;
  /**
   * When code or password were given (ms), in a session whose address the configuration names as an operator's. The operator's
   * rights are taken where the request needs them, and then `kind` is `operator`.
   */
  readonly operatorProof: number | null;
  /** The id as a member of the tenant entered; null where the caller is no member there. */
  readonly memberId: string | null;
  /** Owners of the tenant entered, and operators. */
  readonly isOwner: boolean;
}

export const anonymous: Caller = {
  kind: 'anonymous',
  credentialId: 'anonymous',
  name: '',
  tenantId: null,
  projects: null,
  permissions: new Set(),
  account: null,
  operatorProof: null,
  memberId: null,
  isOwner: false,
};

/** Whether what belongs to that project is the caller's business. */
export const mayUseProject = ({ projects }: Pick<Caller, 'projects'>, projectId: string): boolean =>
  projects === null || projects.has(projectId);

/** One of `bearer`, `adminToken` and `cookie`; the others are null. */
export interface Credentials {
  readonly bearer: string | null;
  readonly adminToken: string | null;
  /** The header. */
  readonly cookie: string | null;
  readonly csrfToken: string | null;
  /** The request may change something: a cookie alone is not enough. */
  readonly isWrite: boolean;
  /** The same request was let in before and is still in flight: the credential has not been used again. */
  readonly isOnceMore: boolean;
}

/** Throws or rejects with `unauthorized`, which says why, and `forbidden` for a write by cookie alone. */
export type Authenticate = (credentials: Credentials, clientAddress: string) => Caller | Promise<Caller>;

export const operatorPermissions: ReadonlySet<Permission> = new Set(permissions);

/** The caller with the operator's rights; null where they are none. */
export const asOperator = (caller: Caller): Caller | null =>
  caller.operatorProof === null
    ? null
    : {
        ...caller,
        kind: 'operator',
        tenantId: null,
        projects: null,
        permissions: operatorPermissions,
        memberId: null,
        isOwner: true,
      };
