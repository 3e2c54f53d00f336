// The link by which an address agrees that mail is forwarded to it (GET shows a page, POST is its button), and asking it again.
import { z } from 'zod';
import { requirePermission } from '#src/accounts/entry/enter.ts';
import { registryStore } from '#src/accounts/tenants/registry-store.ts';
import { changeAs } from '#src/kernel/change.ts';
import type { DurableFile } from '#src/kernel/db/durable-file.ts';
import type { PlatformDb, TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { AppError } from '#src/kernel/errors.ts';
import { idSchema, mailLinkQuery } from '#src/kernel/fields.ts';
import { linkedPage } from '#src/kernel/page.ts';
import { defineRoute, type RequestContext, type Route } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import { type Clock, HOUR, SECOND } from '#src/kernel/time.ts';
import { decodeForwardToken, FORWARD_PATH } from '#src/mail/copy-links.ts';
import { emailSchema } from '#src/mail/email.ts';
import type { AskDeps, ForwardMails } from './ask.ts';
import { type TargetView, targetPage, unknownTargetPage, viewOf } from './page.ts';
import { type TargetRow, targetStore } from './target-store.ts';
import { asksOf, DECLINED, MAX_ASKS, setStatus } from './targets.ts';

export interface ForwardRoutesDeps extends Pick<AskDeps, 'key'> {
  readonly platform: DurableFile<PlatformDb>;
  readonly files: TenantFiles;
  readonly clock: Clock;
  readonly serviceName: string;
  readonly mails: Pick<ForwardMails, 'wake'>;
}

const ASK_AGAIN_AFTER_MS = HOUR;
const AUDITED = 'inbound.forward_target';

const query = mailLinkQuery.extend({
  do: z
    .enum(['end'])
    .optional()
    .catch(undefined)
    .describe('`end`: no forwarding, rather than agreeing to it'),
});
type Query = z.output<typeof query>;

/** What the button of the page does: nothing where it is so already, or too late. */
const press = (
  db: TenantDb,
  row: TargetRow,
  { state, mayAgree }: TargetView,
  ends: boolean,
  by: Parameters<typeof setStatus>[3],
): void => {
  if (ends && state !== 'ended') setStatus(db, row, { status: 'failed', failure: DECLINED }, by);
  if (!ends && mayAgree && state !== 'confirmed')
    setStatus(db, row, { status: 'confirmed', failure: null }, by);
};

export const forwardRoutes = (deps: ForwardRoutesDeps): Route[] => {
  const { platform, files, clock, key, serviceName, mails } = deps;

  /** An invalid token costs only an HMAC. */
  const answer = async (
    { t = '', do: what }: Query,
    { language, change, method }: RequestContext,
  ): Promise<ReturnType<typeof targetPage>> => {
    const target = decodeForwardToken(key, t);
    const tenant = target && platform.peek((db) => registryStore(db).anyByNumber(target.tenantNumber));
    if (!target || !tenant) return unknownTargetPage(language, serviceName);
    const look = (db: TenantDb): TargetView | null =>
      viewOf(db, targetStore(db).bySeq(target.recipientId), clock.now());
    const view =
      method === 'POST'
        ? await files.write(tenant.id, (db) => {
            const row = targetStore(db).bySeq(target.recipientId);
            const before = look(db);
            if (row && before)
              press(db, row, before, what === 'end', { change: changeAs(change, AUDITED), now: clock.now() });
            return look(db);
          })
        : await files.read(tenant.id, look);
    if (view === null) return unknownTargetPage(language, serviceName);
    if (view.state === 'ended') mails.wake(tenant.id);
    return targetPage(language, serviceName, `${FORWARD_PATH}?t=${t}`, view);
  };

  const shared = {
    ...linkedPage,
    path: FORWARD_PATH,
    tag: 'Inbound mail',
    query,
    handle: ({ query: given }: { query: Query }, context: RequestContext) => answer(given, context),
  } as const;

  return [
    defineRoute({
      ...shared,
      method: 'get',
      id: 'getForwardingPage',
      usedBy: 'who follows the link of the mail that asks about forwarding',
      summary: 'The page behind the link that asks an address whether mail may be forwarded to it',
      description: 'Changes nothing: machines follow links too.',
    }),
    defineRoute({
      ...shared,
      method: 'post',
      id: 'confirmForwarding',
      usedBy: 'who follows the link of the mail that asks about forwarding',
      summary: 'Agree that mail is forwarded to the address, or end that',
      description: 'The buttons of the page. Whatever the body is, the link alone counts.',
      audit: { none: 'the person concerned decides; the audit has it, but no caller' },
    }),
    defineRoute({
      method: 'post',
      path: '/api/practices/{id}/inbound/ask-again',
      tag: 'Inbound mail',
      id: 'askForwardTargetAgain',
      summary: 'Ask an address again whether mail may be forwarded to it',
      description:
        'Once an hour, three times at the most, and only for an address that has not agreed. One that has declined can still agree by the link that it has. Also needs `messages.view_content`.',
      access: 'inbound.manage',
      audit: AUDITED,
      stability: 'stable',
      params: z.strictObject({ id: idSchema.describe('the practice') }),
      body: z
        .strictObject({ address: emailSchema.describe('as in `forward_to`') })
        .meta({ id: 'AskForwardTarget', examples: [{ address: 'frontdesk@example.org' }] }),
      responses: { 204: { description: 'The address gets a mail, as soon as it may be asked.' } },
      errors: ['not_found', 'conflict', 'rate_limited'],
      handle: async (
        {
          params: { id },
          body: {
            address: { emailKey },
          },
        },
        { change, caller },
      ) => {
        const now = clock.now();
        await files.write(id, (db) => {
          requirePermission(db, caller, 'messages.view_content');
          const row = targetStore(db).byKey(emailKey);
          if (!row || row.status === 'removed')
            throw new AppError('not_found', say`No mailbox of the practice forwards to that address.`);
          if (row.status === 'confirmed' || row.failure === DECLINED)
            throw new AppError(
              'conflict',
              row.status === 'confirmed'
                ? say`The address has agreed already.`
                : say`The address has declined.`,
            );
          if (asksOf(db)(row.address) >= MAX_ASKS)
            throw new AppError('conflict', say`The address has been asked ${MAX_ASKS} times.`);
          const again = (row.asked_at ?? 0) + ASK_AGAIN_AFTER_MS;
          if (again > now)
            throw new AppError('rate_limited', say`The address was asked less than an hour ago.`, {
              extra: { retry_after: Math.ceil((again - now) / SECOND) },
            });
          setStatus(
            db,
            { ...row, asked_at: null },
            { status: 'unconfirmed', failure: null },
            { change, now },
          );
        });
        mails.wake(id);
        return { status: 204 };
      },
    }),
  ];
};
