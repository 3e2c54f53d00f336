// What the service notifies people of by mail, as data; the words are in `texts.ts` and its parts. `link` is where they act, or
// see the current state.

import type { SlowedReason } from '#src/accounts/entry/slowed-token.ts';
import type { Plan } from '#src/accounts/tenants/rules.ts';
import type { FileFault } from '#src/kernel/db/file-states.ts';
import type { Language } from '#src/kernel/language.ts';

/** A record of the DNS as a mail shows it. */
export interface ToldRecord {
  readonly name: string;
  readonly type: string;
  /** The value that it should have, of an MX with its priority; null: no record. */
  readonly value: string | null;
  readonly found: readonly string[];
  /** Null where its value could not be found out. */
  readonly problem: 'missing' | 'mismatch' | 'multiple' | 'proxied' | null;
}

export type NoticeContent =
  | {
      readonly kind: 'sign_in_code';
      readonly code: string;
      readonly minutes: number;
      readonly link: string;
    }
  | {
      readonly kind: 'invitation';
      readonly practice: string;
      /** The inviting member's address; null for the operator. */
      readonly inviter: string | null;
      readonly link: string;
      readonly expiresAt: number;
    }
  /** Someone was made the owner of a practice by the operator. */
  | { readonly kind: 'owner_welcome'; readonly practice: string; readonly link: string }
  | {
      readonly kind: 'abuse_ticket';
      readonly ticketId: string;
      readonly stage: 'open' | 'investigating' | 'closed';
    }
  /** The DKIM records of a practice's own domain were found: it is in use from now on. */
  | {
      readonly kind: 'domain_verified';
      readonly practice: string;
      readonly host: string;
      /** Marketing mail can leave from it until the warm-up lets it leave from the domain. */
      readonly managedHost: string;
      readonly link: string;
    }
  /** Another practice has proved that the domain is theirs. */
  | {
      readonly kind: 'domain_lost';
      readonly practice: string;
      readonly host: string;
      /** The host from which mail goes out now. */
      readonly managedHost: string;
      readonly link: string;
    }
  /** Records of the domain in use that have gone bad. */
  | {
      readonly kind: 'dns_alert';
      readonly practice: string;
      readonly host: string;
      readonly records: readonly ToldRecord[];
      readonly link: string;
    }
  /** Records that were reported before, and are right again. */
  | {
      readonly kind: 'dns_recovered';
      readonly practice: string;
      readonly host: string;
      readonly records: readonly Pick<ToldRecord, 'name' | 'type'>[];
      readonly link: string;
    }
  /** A share of the plan's monthly cap is used up. */
  | {
      readonly kind: 'plan_usage';
      readonly practice: string;
      readonly plan: Plan;
      /** `2026-11`, of UTC. */
      readonly month: string;
      /** The share is in per cent. */
      readonly share: 70 | 90 | 100;
      /** Mails. */
      readonly used: number;
      readonly cap: number;
      readonly resetsAt: number;
      /** What is no longer taken at the cap. */
      readonly refuses: 'all' | 'marketing';
      /** The cap is that of managed hosts, not the plan's. */
      readonly managedHost: boolean;
      readonly link: string;
    }
  /** What the payment provider reports of the subscription to the plan Supporter. */
  | {
      readonly kind: 'billing';
      readonly practice: string;
      readonly what:
        | { readonly is: 'payment_failed'; readonly planKeptUntil: number }
        | { readonly is: 'plan_ended'; readonly isUnpaid: boolean };
      readonly at: number;
      /** Mails a month on the plan Test. */
      readonly testCap: number;
      readonly link: string;
    }
  /** Nothing of the practice is sent until it is resumed. */
  | {
      readonly kind: 'practice_paused';
      readonly practice: string;
      readonly at: number;
      readonly cause:
        | {
            /** A share of mail was too high. */
            readonly by: 'guardrail';
            /** Its slug. */
            readonly route: string;
            /** Since when it was counted. */
            readonly from: number;
            readonly measure: 'hard_bounces' | 'complaints';
            /** That number of mails was refused, out of `of`. */
            readonly count: number;
            readonly whole: number;
            /** The share that pauses; 1 is all. */
            readonly limit: number;
          }
        | {
            readonly by: 'member' | 'token' | 'operator';
            /** A member's address, a token's name; of the operator ''. */
            readonly name: string;
            readonly reason: string;
          };
      readonly link: string;
    }
  | {
      readonly kind: 'practice_resumed';
      readonly practice: string;
      readonly at: number;
      readonly by: 'member' | 'token' | 'operator';
      readonly name: string;
      readonly link: string;
    }
  /** An API token left its usual range, or a person slowed it: what it sends waits in a line. Also sent to the operator. */
  | {
      readonly kind: 'token_slowed';
      readonly practice: string;
      /** Its name. */
      readonly token: string;
      readonly at: number;
      readonly by: 'brake' | 'member' | 'operator';
      readonly reason: SlowedReason;
      /** Mails that leave in an hour. */
      readonly perHour: number;
      readonly link: string;
    }
  /** A webhook or alert was disabled: it gets no events until someone enables it again. */
  | {
      readonly kind: 'follower_disabled';
      readonly practice: string;
      readonly follower: 'webhook' | 'alert';
      /** What somebody of the practice called it. */
      readonly name: string;
      readonly at: number;
      /** `gone`: the address answered that it exists no more. `failing`: it took nothing, since then. */
      readonly reason: 'gone' | 'failing';
      readonly since: number;
      /** What became of the last attempt; null where that is not known. */
      readonly error: string | null;
      readonly link: string;
    }
  /** Asks an address to which a practice's mail is to be forwarded. */
  | {
      readonly kind: 'forward_confirmation';
      readonly practice: string;
      readonly link: string;
      readonly expiresAt: number;
    }
  /** An address that mail was forwarded to gets none any more. */
  | {
      readonly kind: 'forward_ended';
      readonly practice: string;
      readonly target: string;
      readonly at: number;
      /** The reply of its server; null: it does not want it. */
      readonly reason: string | null;
      readonly link: string;
    }
  /** A campaign has ended, stopped by itself, or does not go on. */
  | {
      readonly kind: 'campaign';
      readonly practice: string;
      /** What somebody of the practice called it. */
      readonly name: string;
      readonly what: 'finished' | 'stopped' | 'stalled' | 'restored' | 'failed';
      readonly at: number;
      /** `stopped`: `bounces` or `complaints`. `failed`, `stalled`: a code. */
      readonly reason: string | null;
      readonly counts: {
        readonly handedOver: number;
        readonly sent: number;
        readonly queued: number;
        readonly delivered: number;
        readonly hardBounced: number;
        readonly softBounced: number;
        readonly failed: number;
        readonly complained: number;
        readonly leftOut: readonly { readonly reason: string; readonly count: number }[];
      };
      readonly link: string;
    }
  /** The confirmation mails of a list's public form come back, so that it takes few requests, or none for a while. */
  | {
      readonly kind: 'form_alert';
      readonly practice: string;
      readonly list: string;
      readonly health: 'slowed' | 'closed';
      readonly at: number;
      readonly counts: {
        readonly mails: number;
        readonly hardBounced: number;
        readonly complaints: number;
      };
      readonly link: string;
    }
  /** Sent to the operator: database files whose state has changed. */
  | {
      readonly kind: 'storage_faults';
      readonly faults: readonly (FileFault & {
        /** A practice's slug, `platform` or `disk`. */
        readonly name: string;
        readonly ended: boolean;
      })[];
      /** How many are not named. */
      readonly more: number;
      readonly link: string;
    }
  /** Sent to the operator: the replica is not what it should be, or is again. */
  | {
      readonly kind: 'replica';
      readonly state: 'ok' | 'behind' | 'silent';
      /** Slugs of practices that are behind; `platform` is the registry. */
      readonly names: readonly string[];
      /** How many are not named. */
      readonly more: number;
      /** Since then it lacks something; null where it lacks nothing, or that is not known. */
      readonly since: number | null;
      readonly link: string;
    }
  /** No mail: written where an address is not known, so that the time of an answer does not show which ones are. */
  | { readonly kind: 'nothing' };

export type Notice = NoticeContent & {
  /** A single address. */
  readonly to: string;
  readonly language: Language;
  /** The mail is dropped after that time, because its content no longer holds. */
  readonly expiresAfter: number;
};
