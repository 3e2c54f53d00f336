// What one recipient's copy has of its own: the links that identify this recipient and no one else.

import { preferencesUrlOf, type TrackingLinks } from '#src/mail/copy-links.ts';
import type { Address } from '#src/mail/mailbox.ts';
import type { ReturnPathTarget } from '#src/mail/verp.ts';
import type { Copy } from '#src/messages/compose/message.ts';
import { parsedMessage } from '#src/messages/compose/parsed-message.ts';
import type { MessageRow } from '#src/messages/store.ts';

export interface RecipientCopyDeps {
  /** The link in one recipient's copy by which that recipient unsubscribes. */
  readonly unsubscribeUrl: (target: ReturnPathTarget) => string;
  readonly trackingLinks: TrackingLinks;
  /** The service, which copies may name. */
  readonly service: Copy['service'];
}

export const recipientCopy = (
  { unsubscribeUrl, trackingLinks, service }: RecipientCopyDeps,
  practice: { readonly number: number; readonly slug: string },
  message: MessageRow,
  recipient: { readonly id: number; readonly address: string },
): Copy => {
  const target: ReturnPathTarget = { tenantNumber: practice.number, recipientId: recipient.id };
  const { settings } = parsedMessage(message);
  const link = settings.footer?.unsubscribe ? unsubscribeUrl(target) : null;
  return {
    recipient: recipient.address as Address,
    unsubscribeUrl: link,
    preferencesUrl: message.source === 'campaign' && link !== null ? preferencesUrlOf(link) : null,
    tracking: {
      openUrl: () => trackingLinks.open(target),
      clickUrl: (url) => trackingLinks.click(target, url),
    },
    practice: practice.slug,
    service,
  };
};
