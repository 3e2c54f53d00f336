// What one recipient's copy has of its own: the links that identify this recipient and no one else.

import { addressDomain } from '#src/mail/address.ts';
import { preferencesUrlOf, type TrackingLinks } from '#src/mail/copy-links.ts';
import type { Address } from '#src/mail/mailbox.ts';
import type { CopyAddresses, ReturnPathTarget } from '#src/mail/verp.ts';
import type { Copy } from '#src/messages/compose/message.ts';
import { parsedMessage } from '#src/messages/compose/parsed-message.ts';
import type { MessageRow } from '#src/messages/store.ts';

export interface RecipientCopyDeps {
  /** The link in one recipient's copy by which that recipient unsubscribes. */
  readonly unsubscribeUrl: (target: ReturnPathTarget) => string;
  readonly trackingLinks: TrackingLinks;
  /** Null where the service takes no mail from the world. */
  readonly addresses: CopyAddresses | null;
  /** The service, which copies may name. */
  readonly service: Copy['service'];
}

export const recipientCopy = (
  { unsubscribeUrl, trackingLinks, addresses, service }: RecipientCopyDeps,
  practice: { readonly number: number; readonly slug: string },
  message: MessageRow,
  recipient: { readonly id: number; readonly address: string; readonly is_untracked: 0 | 1 },
): Copy => {
  const target: ReturnPathTarget = { tenantNumber: practice.number, recipientId: recipient.id };
  const { settings, from } = parsedMessage(message);
  const host = addressDomain(from.address);
  const link = settings.footer?.unsubscribe ? unsubscribeUrl(target) : null;
  return {
    recipient: recipient.address as Address,
    unsubscribeUrl: link,
    unsubscribeAddress: addresses && link !== null ? addresses.unsubscribe(target, host) : null,
    // The service's own mail is not counted.
    complaints:
      addresses && message.source !== 'system'
        ? { address: addresses.complaints(host), id: addresses.feedbackId(target) }
        : null,
    preferencesUrl: message.source === 'campaign' && link !== null ? preferencesUrlOf(link) : null,
    tracking:
      recipient.is_untracked === 1
        ? null
        : {
            openUrl: () => trackingLinks.open(target),
            clickUrl: (url) => trackingLinks.click(target, url),
          },
    practice: practice.slug,
    service,
  };
};
