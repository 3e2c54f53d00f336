// The limits of an installation, as one value: gates, servers, GET /api/meta and the reference read this one, so that none
// of them can say something else. The section `limits` of the configuration is declared here: a new key of it reaches all
// of them without being handed through.
import { z } from 'zod';
import { perDay, perHour, perMinute, type RateLimit } from './rate-limit.ts';

const KIB = 1_024;
const MIB = 1_024 * KIB;

const whole = (least: number, most: number) => z.int().min(least).max(most);
const rate = whole(1, 1_000_000);

const inboundRate = (perSecond: number, burst: number) =>
  z
    .strictObject({
      per_second: rate.prefault(perSecond).describe('Mails per second in the long run.'),
      burst: rate.prefault(burst).describe('Mails at once before that counts.'),
    })
    .prefault({});

/** The section `limits` of the configuration file. */
export const limitsSection = z.strictObject({
  api_rate: z
    .strictObject({
      per_second: rate.prefault(100).describe('Requests per second in the long run.'),
      burst: rate.prefault(500).describe('Requests at once before that counts.'),
    })
    .prefault({})
    .describe('Requests per credential, or per client address where there is none.'),
  sign_in_rate: z
    .strictObject({
      per_address: z
        .strictObject({ per_minute: rate.prefault(10).describe('Requests per minute.') })
        .prefault({})
        .describe('Per client address.'),
      per_email: z
        .strictObject({ per_minute: rate.prefault(5).describe('Requests per minute.') })
        .prefault({})
        .describe('Per e-mail address.'),
    })
    .prefault({})
    .describe('Sign-in and public forms.'),
  subscribe_rate: z
    .strictObject({
      per_mailbox: z
        .strictObject({ per_day: rate.prefault(5).describe('Mails per day.') })
        .prefault({})
        .describe(
          'Confirmation mails per mailbox, of all lists of all practices, one client at most half of them; plus-parts of an address do not count.',
        ),
      per_domain: z
        .strictObject({ per_hour: rate.prefault(100).describe('Requests per hour.') })
        .prefault({})
        .describe(
          'Per domain of the addresses, to all lists of a practice; one client at most a fifth of it.',
        ),
      per_list: z
        .strictObject({ per_hour: rate.prefault(500).describe('Requests per hour.') })
        .prefault({})
        .describe('Per list; one client at most a fifth of it.'),
    })
    .prefault({})
    .describe(
      'Requests to be put on a list that strangers make by its form, so that no one is flooded with confirmation mails; sign_in_rate.per_address counts too.',
    ),
  website_form_rate: z
    .strictObject({
      per_client: z
        .strictObject({ per_hour: rate.prefault(20).describe('Per hour.') })
        .prefault({})
        .describe('Per form and client address.'),
      per_form: z
        .strictObject({ per_hour: rate.prefault(100).describe('Per hour.') })
        .prefault({})
        .describe('Per form; each form has a limit of its own for a day, too.'),
    })
    .prefault({})
    .describe(
      'What strangers write to a practice by a form on its website; sign_in_rate.per_address counts too, and subscribe_rate.per_mailbox for the mails that ask them to prove their address.',
    ),
  inbound_rate: z
    .strictObject({
      per_client: inboundRate(20, 10_000).describe(
        'Per client address; a mail counts once for each MiB begun.',
      ),
      per_practice: inboundRate(50, 20_000).describe('Per practice that receives.'),
    })
    .prefault({})
    .describe('Mail that is received, one for each recipient. What comes faster is asked to come later.'),
  inbound_mib: whole(1, 1_000_000)
    .prefault(1_024)
    .describe(
      'Mail that a practice keeps, in MiB; a quarter of it may be held or quarantined. When there is no room, mail is asked to come later.',
    ),
  image_mib: whole(1, 100_000)
    .prefault(200)
    .describe('Images for its mail that a practice keeps, in MiB, as they are stored.'),
  hook_rate: z
    .strictObject({
      per_second: rate.prefault(10).describe('Messages per second in the long run.'),
      burst: rate.prefault(100).describe('Messages at once before that counts.'),
    })
    .prefault({})
    .describe('Messages per inbound hook.'),
  token_brake: z
    .strictObject({
      factor: whole(2, 100)
        .prefault(5)
        .describe('A token may send so many times what it sends in a busy hour and on a busy day.'),
      least_per_hour: whole(10, 1_000_000).prefault(100).describe('Mails of an hour that never slow it.'),
      least_per_day: whole(10, 10_000_000).prefault(250).describe('Mails of a day that never slow it.'),
    })
    .prefault({})
    .describe(
      'When an API token leaves its usual range, by which it is slowed: what is beyond waits, and owners and operator get a mail.',
    ),
  managed_host_mails: whole(0, 100_000_000)
    .prefault(200)
    .describe(
      'Mails a UTC month that a practice may send from its managed host, whatever its plan: all of them share the reputation of service.managed_suffix. In a day it forwards no more of the mail that it receives from there.',
    ),
  body_bytes: whole(64 * KIB, 48 * MIB)
    .prefault(48 * MIB)
    .describe('Largest HTTP request body, in bytes; the default, 48 MiB, is also the most.'),
});
type LimitsSection = z.output<typeof limitsSection>;

/** The limits that no configuration changes, named as those that it does. */
const fixedLimits = {
  /** Recipients of one message: to, cc and bcc together. */
  recipients: 50,
  /** Messages in one request of `send/batch`. */
  batch: 500,
  /** Recipients in one request of `send/bulk`. */
  bulk_recipients: 10_000,
  /** How many days ahead a message may be scheduled. */
  days_ahead: 30,
  /** Mails that a practice forwards to one address in an hour and in a day; more stay in its mailbox alone. */
  forwards_per_hour: 100,
  forwards_per_day: 1_000,
  /** All addresses together have so many. A managed host has not more than `managed_host_mails` either. */
  forwards_per_practice_per_day: 2_000,
  /** Automatic replies of a practice in a day. */
  automatic_replies_per_day: 500,
};

type OwnLimits = typeof fixedLimits &
  Omit<
    LimitsSection,
    'api_rate' | 'sign_in_rate' | 'subscribe_rate' | 'website_form_rate' | 'inbound_rate' | 'hook_rate'
  >;
export interface Limits extends Readonly<OwnLimits> {
  /** Requests per credential, or per client address where there is no credential. */
  readonly requests: RateLimit;
  /** Sign-in and public forms, per client address. */
  readonly signInPerAddress: RateLimit;
  /** Sign-in and public forms, per e-mail address. */
  readonly signInPerEmail: RateLimit;
  /** Requests of strangers to be put on a list. */
  readonly subscribePerMailbox: RateLimit;
  /** The limit for one practice. */
  readonly subscribePerDomain: RateLimit;
  readonly subscribePerList: RateLimit;
  /** What is sent by a website's form, per form: of one client, and of all. */
  readonly formPostsPerClient: RateLimit;
  readonly formPostsPerForm: RateLimit;
  /** Mails received, per client address and per tenant. */
  readonly inboundPerClient: RateLimit;
  readonly inboundPerTenant: RateLimit;
  /** Messages sent by an inbound hook. */
  readonly messagesPerHook: RateLimit;
}

const rateOf = ({ per_second, burst }: { per_second: number; burst: number }): RateLimit => ({
  perSecond: per_second,
  burst,
});

/** All limits of the service, as this configuration has them. */
export const limitsOf = (config: { readonly limits: LimitsSection }): Limits => {
  const { api_rate, sign_in_rate, subscribe_rate, website_form_rate, inbound_rate, hook_rate, ...section } =
    config.limits;
  return {
    ...fixedLimits,
    ...section,
    requests: rateOf(api_rate),
    signInPerAddress: perMinute(sign_in_rate.per_address.per_minute),
    signInPerEmail: perMinute(sign_in_rate.per_email.per_minute),
    subscribePerMailbox: perDay(subscribe_rate.per_mailbox.per_day),
    subscribePerDomain: perHour(subscribe_rate.per_domain.per_hour),
    subscribePerList: perHour(subscribe_rate.per_list.per_hour),
    formPostsPerClient: perHour(website_form_rate.per_client.per_hour),
    formPostsPerForm: perHour(website_form_rate.per_form.per_hour),
    messagesPerHook: rateOf(hook_rate),
    inboundPerClient: rateOf(inbound_rate.per_client),
    inboundPerTenant: rateOf(inbound_rate.per_practice),
  };
};

export const defaultLimits: Limits = limitsOf({ limits: limitsSection.parse({}) });
