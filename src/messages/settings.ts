// What was decided when a message was accepted and is needed to compose its copies later. It is stored with the message, so
// that every attempt composes the same bytes even if settings change in between.
import type { LegalBlock } from '#src/accounts/tenants/legal.ts';
import type { Language } from '#src/kernel/language.ts';

/** The footer below the content of each copy. */
export interface MessageFooter {
  /** The language of the footer's text. */
  readonly language: Language;
  /**
   * `one_click`: a link and the header fields of RFC 2369 and RFC 8058. `link`: the public origin is not HTTPS, which
   * RFC 8058 requires, so the copy has a link and only the field of RFC 2369. null: the service's own mail.
   */
  readonly unsubscribe: 'one_click' | 'link' | null;
  readonly powered_by: boolean;
  /** The sender's legal identity; null except on marketing mail and what was made of a document. */
  readonly legal: ({ readonly name: string } & Partial<LegalBlock>) | null;
}

export interface MessageSettings {
  readonly plain_text_fallback: boolean;
  /** Messages of versions that did not track have neither `track_opens` nor `track_clicks`. */
  readonly track_opens?: boolean;
  readonly track_clicks?: boolean;
  /** Messages of versions without footers do not have it. */
  readonly footer?: MessageFooter;
}

/** An appointment that the recipients are invited to. Times are kept as the caller wrote them. */
export interface Invitation {
  readonly summary: string;
  /** ISO 8601 with an offset, or local time in `time_zone`. */
  readonly starts_at: string;
  readonly ends_at: string;
  readonly location: string | null;
  readonly description: string | null;
  /** Name in the IANA time zone database. */
  readonly time_zone: string;
  /** The UID of an invitation that is sent again: the one that it had first, so that calendars have the appointment once. */
  readonly uid?: string;
}
