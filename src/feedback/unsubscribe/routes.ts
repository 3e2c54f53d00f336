// The unsubscribe link of each copy (RFC 8058): GET shows a page, and POST unsubscribes, from the page's button or a mail
// program's one click. The body of the POST is ignored: the link alone names the copy, and every form of body that a mail
// program sends must work. No cookie, Origin or Referer is required.

import { z } from 'zod';
import { lookOf } from '#src/accounts/pages/store.ts';
import { registryStore } from '#src/accounts/tenants/registry-store.ts';
import { clientOf } from '#src/feedback/tracking/machines.ts';
import type { DurableFile } from '#src/kernel/db/durable-file.ts';
import type { PlatformDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { AppError } from '#src/kernel/errors.ts';
import { mailLinkQuery } from '#src/kernel/fields.ts';
import { withoutHost } from '#src/kernel/ip-networks.ts';
import { linkedPage } from '#src/kernel/page.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import type { Clock } from '#src/kernel/time.ts';
import { decodeUnsubscribeToken, preferencesUrlOf, UNSUBSCRIBE_PATH } from '#src/mail/copy-links.ts';
import type { TokenKeys } from '#src/mail/token-keys.ts';
import { type UnsubscribeView, unknownLinkPage, unsubscribePage } from './page.ts';
import {
  copyOf,
  type UnsubscribeKeys,
  type UnsubscribeRequest,
  unsubscribe,
  unsubscribedScope,
} from './unsubscribe.ts';

export interface UnsubscribeDeps extends UnsubscribeKeys {
  readonly platform: DurableFile<PlatformDb>;
  readonly files: TenantFiles;
  readonly clock: Clock;
  /** Signs the tokens. */
  readonly unsubscribeKey: TokenKeys;
  readonly serviceName: string;
}

const query = mailLinkQuery.extend({
  from: z.enum(['all']).optional().catch(undefined).describe('`all`: from all mail of this sender'),
});

type Query = z.output<typeof query>;

const linksOf = (token: string): Pick<UnsubscribeView, 'action' | 'preferences'> => {
  const route = `${UNSUBSCRIBE_PATH}?t=${token}`;
  return { action: { route, team: `${route}&from=all` }, preferences: preferencesUrlOf(route) };
};

/** The copy that the token names; an invalid one costs only an HMAC. */
const targetOf = ({ platform, unsubscribeKey }: UnsubscribeDeps, token: string) => {
  const target = decodeUnsubscribeToken(unsubscribeKey, token);
  const tenant = target && platform.peek((db) => registryStore(db).anyByNumber(target.tenantNumber));
  return target && tenant ? { tenantId: tenant.id, recipientId: target.recipientId } : null;
};

const viewOf = async (deps: UnsubscribeDeps, token: string): Promise<UnsubscribeView | null> => {
  const target = targetOf(deps, token);
  if (target === null) return null;
  return deps.files.read(target.tenantId, (db) => {
    const copy = copyOf(db, target.recipientId);
    const stopped = copy && unsubscribedScope(db, copy, deps.suppressionKey);
    return copy && { copy, look: lookOf(db), stopped, ...linksOf(token) };
  });
};

const unsubscribeByLink = async (
  deps: UnsubscribeDeps,
  token: string,
  request: UnsubscribeRequest,
): Promise<UnsubscribeView | null> => {
  const target = targetOf(deps, token);
  if (target === null) return null;
  return deps.files.write(target.tenantId, (db) => {
    const copy = copyOf(db, target.recipientId);
    if (copy === null) return null;
    unsubscribe(db, copy, request, deps, deps.clock.now());
    const { scope } = request;
    // A complaint is kept as it is and has the same effect.
    const stopped = unsubscribedScope(db, copy, deps.suppressionKey) ?? scope;
    return {
      copy,
      look: lookOf(db),
      stopped: scope === 'team' ? scope : stopped,
      ...linksOf(token),
    };
  });
};

export const unsubscribeRoutes = (deps: UnsubscribeDeps): Route[] => {
  const shared = {
    ...linkedPage,
    path: UNSUBSCRIBE_PATH,
    tag: 'Unsubscribe',
    query,
  } as const;
  const answer = async (
    language: Parameters<typeof unsubscribePage>[0],
    found: Promise<UnsubscribeView | null>,
  ) => {
    const view = await found;
    return view === null
      ? unknownLinkPage(language, deps.serviceName)
      : unsubscribePage(language, deps.serviceName, view);
  };
  return [
    defineRoute({
      ...shared,
      method: 'get',
      id: 'getUnsubscribePage',
      usedBy: 'who follows the unsubscribe link of a mail',
      summary: 'The page behind the unsubscribe link of a mail',
      description: 'Changes nothing: machines follow links too.',
      handle: ({ query: { t = '' } }: { query: Query }, { language }) => answer(language, viewOf(deps, t)),
    }),
    defineRoute({
      ...shared,
      method: 'post',
      id: 'unsubscribeRecipient',
      usedBy: 'mail programs with one click (RFC 8058), and the page itself',
      summary: 'Unsubscribe the recipient of a mail',
      description:
        'One click of a mail program (RFC 8058: `List-Unsubscribe=One-Click` as either kind of form), or the button of the page. Whatever the body is, the link alone counts. Asked for again it changes nothing.',
      audit: { none: 'the person concerned asks for it; suppression and events are the record' },
      handle: ({ query: { t = '', from } }: { query: Query }, context) => {
        const request = {
          scope: from === 'all' ? 'team' : 'route',
          ip: withoutHost(context.clientAddress),
          user_agent: clientOf(context).userAgent || null,
        } as const;
        return answer(context.language, unsubscribeByLink(deps, t, request));
      },
    }),
    defineRoute({
      method: 'post',
      path: '/api/public/unsubscribe',
      tag: 'Unsubscribe',
      id: 'unsubscribeByRetiredPath',
      usedBy: 'links of old mails, which learn that it has gone',
      summary: 'Retired',
      access: 'public',
      audit: { none: 'it does nothing' },
      stability: 'deprecated',
      responses: {},
      errors: ['gone'],
      handle: () => {
        throw new AppError('gone', say`Unsubscribing by this path was retired.`, {
          hint: say`Use the link of the mail: POST ${UNSUBSCRIBE_PATH}?t=...`,
        });
      },
    }),
  ];
};
