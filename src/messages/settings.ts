// What was decided of a message when it was accepted and is needed to compose its copies later: kept with it, so that
// every attempt composes the same bytes, whatever has changed since.
import type { Language } from '#src/kernel/language.ts';

/** What is put below the content of each copy. */
export interface MessageFooter {
  /** Of the words in it. */
  readonly language: Language;
  /**
   * `one_click`: link and header fields (RFC 2369, RFC 8058). `link`: the origin is not HTTPS, which RFC 8058 asks for,
   * and the message must have a way out all the same: the field of RFC 2369 alone. null: the service's own mail.
   */
  readonly unsubscribe: 'one_click' | 'link' | null;
  readonly powered_by: boolean;
  /** The sender's identity, on marketing. */
  readonly legal: {
    readonly name: string;
    readonly street: string;
    readonly city: string;
    readonly privacy_url: string;
  } | null;
}

export interface MessageSettings {
  readonly plain_text_fallback: boolean;
  /** Absent, as `track_clicks`, from messages of versions that did not track. */
  readonly track_opens?: boolean;
  readonly track_clicks?: boolean;
  /** Absent from messages of versions that had none. */
  readonly footer?: MessageFooter;
}

/** An appointment to invite to; times as they were given. */
export interface Invitation {
  readonly summary: string;
  /** ISO 8601 with an offset, or local time in `time_zone`. */
  readonly starts_at: string;
  readonly ends_at: string;
  readonly location: string | null;
  readonly description: string | null;
  /** IANA name. */
  readonly time_zone: string;
}
