// Inbound hooks over HTTP: how a practice manages them. Who has the secret of one can send, so making one, giving it a new secret
// and trying it out need `messages.send` too.
import { z } from 'zod';
import { tenantParams } from '#src/accounts/tenants/schema.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { SEND_ERRORS } from '#src/intake/accept.ts';
import { acceptedResult } from '#src/intake/http-send.ts';
import type { Intake } from '#src/intake/open.ts';
import { sampleDraft } from '#src/intake/sample-drafts.ts';
import { sendAnswer } from '#src/intake/schema.ts';
import type { Caller } from '#src/kernel/access.ts';
import { AppError } from '#src/kernel/errors.ts';
import { idSchema } from '#src/kernel/fields.ts';
import { memberLanguageOf } from '#src/kernel/language.ts';
import { listOf, listQuery, pageOf } from '#src/kernel/list.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import { parseAddress } from '#src/mail/address.ts';
import { createHook, type HookDeps, hookOf, MAX_HOOKS, removeHook, rotateHook } from './change.ts';
import {
  createHookBody,
  hookSchema,
  hookWithSecret,
  presentHook,
  rotateHookBody,
  SECRET_HEADER,
} from './schema.ts';
import { hookStore } from './store.ts';

const PATH = '/api/practices/{id}/inbound-hooks';
const ONE = `${PATH}/{hookID}`;
const hookParams = z.strictObject({ ...tenantParams.shape, hookID: idSchema });

const requireSending = ({ permissions }: Caller): void => {
  if (permissions.has('messages.send')) return;
  throw new AppError('forbidden', say`A hook sends, which its maker may not.`, {
    hint: say`A hook cannot have a permission that its maker lacks: ask someone who may send.`,
    extra: { permission: 'messages.send' },
  });
};

export const hookRoutes = (deps: HookDeps, accept: Intake['accept'], simulatorDomain: string): Route[] => {
  const { storage, clock, origin } = deps;
  const shared = { tag: 'Inbound hooks', access: 'inbound.manage', stability: 'stable' } as const;
  const withSecret = { description: 'The hook with its secret, this once.', body: hookWithSecret };
  return [
    defineRoute({
      ...shared,
      method: 'get',
      path: PATH,
      id: 'listInboundHooks',
      summary: 'Inbound hooks',
      access: 'inbound.view',
      params: tenantParams,
      query: z.strictObject(listQuery),
      responses: { 200: { description: 'All, in the order they were made.', body: listOf(hookSchema) } },
      handle: async ({ params: { id }, query }) => {
        const rows = await storage.tenants.read(id, (db) => hookStore(db).list());
        const now = clock.now();
        return { status: 200, body: pageOf(rows, query, (row) => presentHook(row, origin, now)) };
      },
    }),
    defineRoute({
      ...shared,
      method: 'post',
      path: PATH,
      id: 'createInboundHook',
      summary: 'Create an inbound hook',
      description:
        `A form or another program sends by it: \`POST /api/public/hooks/{id}/send\` with the secret in ${SECRET_HEADER}. It is ` +
        `for servers; a secret in a web page is known to all its visitors. At most ${MAX_HOOKS} a practice. Needs ` +
        '`messages.send` besides.',
      audit: 'inbound_hook.create',
      params: tenantParams,
      body: createHookBody,
      responses: { 201: withSecret },
      errors: ['conflict'],
      handle: async ({ params: { id }, body: { name, project_id } }, { caller, change }) => {
        requireSending(caller);
        const wanted = { name, projectId: project_id ?? null };
        const { row, secret } = await createHook(deps, id, wanted, { caller, change });
        return { status: 201, body: { ...presentHook(row, origin, clock.now()), secret } };
      },
    }),
    defineRoute({
      ...shared,
      method: 'delete',
      path: ONE,
      id: 'deleteInboundHook',
      summary: 'Delete an inbound hook',
      audit: 'inbound_hook.delete',
      params: hookParams,
      responses: { 204: { description: 'Nothing is sent by it any more.' } },
      handle: async ({ params: { id, hookID } }, { change }) => {
        await removeHook(deps, id, hookID, change);
        return { status: 204 };
      },
    }),
    defineRoute({
      ...shared,
      method: 'post',
      path: `${ONE}/rotate`,
      id: 'rotateInboundHookSecret',
      summary: 'Give an inbound hook a new secret',
      description:
        'The former secret is valid for 24 hours beside it, unless it is revoked; one that was former until now is not any more. ' +
        'Needs `messages.send` besides.',
      audit: 'inbound_hook.rotate',
      params: hookParams,
      body: rotateHookBody,
      responses: { 200: withSecret },
      handle: async ({ params: { id, hookID }, body }, { caller, change }) => {
        requireSending(caller);
        const { row, secret } = await rotateHook(deps, id, hookID, body.revoke_previous, {
          caller,
          change,
        });
        return { status: 200, body: { ...presentHook(row, origin, clock.now()), secret } };
      },
    }),
    defineRoute({
      ...shared,
      method: 'post',
      path: `${ONE}/test`,
      id: 'testInboundHook',
      summary: 'Send a test mail by an inbound hook',
      description:
        "To the simulator's address that takes everything: the message shows that mail of the hook's project passes and is delivered. " +
        'Needs `messages.send` besides.',
      audit: { none: 'a message is its own record' },
      params: hookParams,
      responses: { 202: { description: 'It is on the disk and will be sent.', body: sendAnswer } },
      errors: SEND_ERRORS,
      handle: async ({ params: { id, hookID } }, { caller, language, answerLanguage }) => {
        requireSending(caller);
        const { project_id } = await storage.tenants.read(id, (db) => hookOf(db, hookID));
        const to = parseAddress(`success@${simulatorDomain}`);
        const accepted = await accept({
          tenantId: id,
          projects: null,
          projectId: project_id,
          source: 'hook',
          draft: (db) =>
            sampleDraft('success', to, memberLanguageOf(language), tenantStore(db).practice().name),
          idempotency: null,
        });
        return acceptedResult(accepted, answerLanguage);
      },
    }),
  ];
};
