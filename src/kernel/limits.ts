// The limits that more than one room reads: gates, servers, GET /api/meta and the reference take them from this one value,
// so that none of them can say something else. What the configuration file can change comes from there (app/config).
import { perMinute, type RateLimit } from './rate-limit.ts';

export interface Limits {
  /** Recipients of one message: to, cc and bcc together. */
  readonly recipients: number;
  /** Messages in one request of `send/batch`. */
  readonly batch: number;
  /** Recipients in one request of `send/bulk`. */
  readonly bulkRecipients: number;
  /** Largest body of an HTTP request, and largest message over SMTP, in bytes. */
  readonly bodyBytes: number;
  /** Mails a UTC month that a practice may send from its managed host. */
  readonly managedHostMails: number;
  /** Requests per credential, or per client address where there is no credential. */
  readonly requests: RateLimit;
  /** Sign-in and public forms, per client address. */
  readonly signInPerAddress: RateLimit;
  /** Sign-in and public forms, per e-mail address. */
  readonly signInPerEmail: RateLimit;
}

export const defaultLimits: Limits = {
  recipients: 50,
  batch: 500,
  bulkRecipients: 10_000,
  bodyBytes: 48 * 1024 * 1024,
  managedHostMails: 200,
  requests: { perSecond: 100, burst: 500 },
  signInPerAddress: perMinute(10),
  signInPerEmail: perMinute(5),
};
