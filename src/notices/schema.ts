// What the service has to tell people by mail, as data; the words stand in service-mail/.
import type { Language } from '#src/kernel/language.ts';

export type NoticeContent =
  | { readonly kind: 'sign_in_code'; readonly code: string; readonly minutes: number }
  | {
      readonly kind: 'invitation';
      readonly practice: string;
      /** Whoever invites: a member's address; null for the operator. */
      readonly inviter: string | null;
      readonly link: string;
      readonly expiresAt: number;
    }
  /** Someone was made the owner of a practice by the operator. */
  | { readonly kind: 'owner_welcome'; readonly practice: string; readonly origin: string }
  | {
      readonly kind: 'abuse_ticket';
      readonly ticketId: string;
      readonly stage: 'open' | 'investigating' | 'closed';
    }
  /** Nothing is told: written where an address is not known, so that known ones cannot be told by the time. */
  | { readonly kind: 'nothing' };

export type Notice = NoticeContent & {
  /** A single address. */
  readonly to: string;
  readonly language: Language;
  /** After that it would tell what no longer holds: then it is dropped. */
  readonly expiresAfter: number;
};
