// All that is asked about the people in practices, with what they share: one turn for each tenant, one limit of
// invitations.

import { createKeyedQueue } from '#src/kernel/concurrency.ts';
import { AppError } from '#src/kernel/errors.ts';
import { createRateLimiter, type RateLimit } from '#src/kernel/rate-limit.ts';
import type { Route } from '#src/kernel/route.ts';
import { DAY, HOUR, SECOND } from '#src/kernel/time.ts';
import { type InvitationDeps, invitationRoutes } from './invitation-routes.ts';
import type { InviteDeps } from './inviting.ts';
import { memberRoutes, membershipRoutes } from './member-routes.ts';
import type { OwnerDeps } from './owners.ts';
import { roleRoutes } from './role-routes.ts';

/** Of one practice: a large one invites its staff in one go; nobody writes to strangers in our name all day. */
const INVITATIONS = { perSecond: 200 / (HOUR / SECOND), burst: 200 };
/** Of one practice to one address: a link may get lost, but nobody is pressed. */
const INVITATIONS_TO_ONE = { perSecond: 10 / (DAY / SECOND), burst: 10 };

export type PeopleDeps = Omit<InviteDeps & InvitationDeps & OwnerDeps, 'queue' | 'limitInvitations'>;

export const peopleRoutes = (given: PeopleDeps): Route[] => {
  const limiter = createRateLimiter();
  const take = (key: string, limit: RateLimit, message: string): void => {
    const { allowed, retryAfterSeconds } = limiter.take(key, given.clock.now(), limit);
    if (!allowed) throw new AppError('rate_limited', message, { extra: { retry_after: retryAfterSeconds } });
  };
  const limitInvitations = (tenantId: string, emailKey: string): void => {
    take(
      `${tenantId} ${emailKey}`,
      INVITATIONS_TO_ONE,
      'The address has been invited often enough for today.',
    );
    take(tenantId, INVITATIONS, 'The practice has invited too many people in too short a time.');
  };
  const deps = { ...given, queue: createKeyedQueue(), limitInvitations };
  return [
    ...memberRoutes(deps),
    ...roleRoutes({ files: given.storage.tenants, clock: given.clock }),
    ...invitationRoutes(deps),
    ...membershipRoutes(deps),
  ];
};
