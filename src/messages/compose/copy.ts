// What one recipient's copy is composed of: the rows that all copies share, and what this one has of its own.
import type { Address } from '#src/mail/mailbox.ts';
import type { AttachmentRow, BodyRow, MessageRow } from '#src/messages/store.ts';

export interface StoredMessage {
  readonly message: MessageRow;
  readonly body: BodyRow;
  readonly attachments: readonly AttachmentRow[];
}

/** Whose copy it is, and what the rows do not say of who sends it. */
export interface Copy {
  readonly recipient: Address;
  /** Null where the copy has no way out of its own. */
  readonly unsubscribeUrl: string | null;
  /** By which its opens and clicks are noticed, where the message's settings say so. */
  readonly tracking: {
    readonly openUrl: () => string;
    /** `url`: where the link leads; as `TrackingLinks.click` wants it. */
    readonly clickUrl: (url: string) => string;
  };
  /** The practice's slug. */
  readonly practice: string;
  readonly service: {
    readonly name: string;
    /** As in `https://mail.example.com`. */
    readonly origin: string;
  };
}
