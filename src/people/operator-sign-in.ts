// A link by which an operator signs in while mail does not work yet, or no longer: a one-time code that is given to who has the
// admin token, and so may do all that the operator may.
import { z } from 'zod';
import { auditStore } from '#src/events/audit-store.ts';
import { dashboardLink } from '#src/kernel/dashboard-link.ts';
import { AppError } from '#src/kernel/errors.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import { toIso } from '#src/kernel/time.ts';
import { emailSchema } from '#src/mail/email.ts';
import type { SignInDeps } from './sign-in.ts';
import { CODE_VALID_MS } from './sign-in-codes.ts';

const linkBody = z
  .strictObject({ email: emailSchema })
  .meta({ examples: [{ email: 'operator@example.net' }] });

export const linkSchema = z
  .strictObject({
    email: z.string(),
    link: z.string().describe('opens the page that signs in, where a button does it; once'),
    expires_at: z.iso.datetime(),
  })
  .meta({ id: 'OperatorSignInLink' });

export const operatorSignInRoutes = ({
  storage,
  clock,
  codes,
  findOperator,
  origin,
}: SignInDeps): readonly Route[] => [
  defineRoute({
    method: 'post',
    path: '/api/admin/sign-in-links',
    tag: 'Sign-in',
    id: 'createOperatorSignInLink',
    usedBy: '`sendwerk admin sign-in-link`, and `sendwerk setup` at its end',
    summary: 'A link by which an operator signs in',
    description:
      'For an address of `operators`. It takes the place of a code that was mailed to it, is valid for ten minutes and once, and needs no mail.',
    access: 'operator',
    audit: 'operator.sign_in_link',
    stability: 'stable',
    body: linkBody,
    responses: { 201: { description: 'The link.', body: linkSchema } },
    errors: ['not_found'],
    handle: async ({ body }, { change }) => {
      const operator = findOperator(body.email.emailKey);
      if (operator === undefined)
        throw new AppError('not_found', say`No operator has this address.`, {
          hint: say`The configuration names them under operators.`,
        });
      const { email, emailKey } = operator;
      const now = clock.now();
      const code = await storage.platform.write((db) => {
        const target = { type: 'account', id: email } as const;
        auditStore(db).record(change, { target, before: null, after: { email } }, now);
        return codes.issue(db, emailKey, now);
      });
      const fragment = new URLSearchParams({ email, code });
      const link = dashboardLink(origin, `app/sign-in#${fragment}`);
      return { status: 201, body: { email, link, expires_at: toIso(now + CODE_VALID_MS) } };
    },
  }),
];
