// Answers the links of copies: a pixel, or a redirect to the sender's target. The link contains all that the answer needs:
// nothing is read or waited for, and the hit is stored later. Links work on after the mail or its tenant is removed.

import { z } from 'zod';
import { AppError } from '#src/kernel/errors.ts';
import { withoutHost } from '#src/kernel/ip-networks.ts';
import { escapeHtml, HTML_TYPE } from '#src/kernel/page.ts';
import { defineRoute, type RequestContext, type Route } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import type { Clock } from '#src/kernel/time.ts';
import { CLICK_PATH, OPEN_PATH, readClickLink, readOpenLink } from '#src/mail/copy-links.ts';
import type { TokenKeys } from '#src/mail/token-keys.ts';
import { clientOf, type HitKind, machineOf } from './machines.ts';
import type { Recorder } from './recorder.ts';
import type { Hit } from './rules.ts';

/** GIF89a, one transparent point. */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

/** The server's answer for an unknown path, so that a link altered anywhere looks the same. */
const notOurs = (): AppError => new AppError('not_found', say`There is nothing at this path.`);

const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

/** The target as in the mail, or encoded for a header; null if it is not a web address. */
const locationOf = (url: string): string | null => {
  const parsed = URL.parse(url);
  if (parsed?.protocol !== 'https:' && parsed?.protocol !== 'http:') return null;
  return VISIBLE_ASCII.test(url) ? url : parsed.href;
};

/** What is kept of the client that opened or clicked. `url`: the target of the link, for a click. */
const hitOf = (
  kind: HitKind,
  url: string | null,
  context: Pick<RequestContext, 'method' | 'header' | 'clientAddress'>,
  now: number,
): Hit => {
  const client = clientOf(context);
  return {
    kind,
    at: now,
    ip: withoutHost(context.clientAddress),
    userAgent: client.userAgent === '' ? null : client.userAgent,
    url,
    machine: machineOf({ kind, method: context.method, ...client }),
  };
};

const token = z
  .string()
  .describe('of the link in the mail')
  .meta({ examples: ['AbCdEf'] });

export const trackingRoutes = (
  clock: Clock,
  trackingKey: TokenKeys,
  recorder: Pick<Recorder, 'note'>,
): Route[] => {
  const shared = { method: 'get', tag: 'Tracking', access: 'public', stability: 'stable' } as const;
  const notOursAnswer = { description: 'The same for whatever is wrong with the link.', body: HTML_TYPE };
  return [
    defineRoute({
      ...shared,
      path: `${OPEN_PATH}/{token}`,
      isAnsweredWhileDraining: true,
      id: 'trackOpen',
      usedBy: 'mail programs that load the images of a mail',
      summary: 'The image that counts the opening of a mail',
      description: 'Always the same image. Parameters that others have added to the link are ignored.',
      params: z.strictObject({ token }),
      responses: { 200: { description: 'One transparent point.', body: 'image/gif' }, 404: notOursAnswer },
      handle: ({ params }: { params: { token: string } }, context) => {
        const target = readOpenLink(trackingKey, params.token);
        if (target === null) throw notOurs();
        recorder.note(target, hitOf('open', null, context, clock.now()));
        return {
          status: 200,
          contentType: 'image/gif',
          headers: { 'Cache-Control': 'no-store, private', 'X-Robots-Tag': 'noindex' },
          body: PIXEL,
        };
      },
    }),
    defineRoute({
      ...shared,
      path: `${CLICK_PATH}/{token}/{url}`,
      isAnsweredWhileDraining: true,
      id: 'followLink',
      usedBy: 'who follows a link of a mail',
      summary: 'A link of a mail whose clicks are counted',
      description:
        'Leads only to the address that the sender of this mail linked to: it is in the link, signed. Parameters that others have added are ignored.',
      params: z.strictObject({
        token,
        url: z
          .string()
          .describe('the address it leads to, in base64url')
          .meta({ examples: ['aHR0cHM6Ly9wcmF4aXMuZXhhbXBsZS8'] }),
      }),
      responses: {
        302: { description: 'To the address that the mail linked to.', body: HTML_TYPE },
        404: notOursAnswer,
      },
      handle: ({ params }: { params: { token: string; url: string } }, context) => {
        const link = readClickLink(trackingKey, params.token, params.url);
        const location = link && locationOf(link.url);
        if (link === null || location === null) throw notOurs();
        recorder.note(link.target, hitOf('click', link.url, context, clock.now()));
        const shown = escapeHtml(location);
        return {
          status: 302,
          contentType: HTML_TYPE,
          headers: {
            Location: location,
            'Cache-Control': 'no-store',
            'X-Robots-Tag': 'noindex',
          },
          body: `<a href="${shown}">${shown}</a>\n`,
        };
      },
    }),
  ];
};
