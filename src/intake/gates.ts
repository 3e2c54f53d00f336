// The gates every message passes, in order, each a pure function over the message and a snapshot of the tenant's state,
// named after what it looks at. The first that refuses ends the way; the verdicts with the facts they used are kept
// with the message, so that "why was this sent, why was it refused" always has an answer.
import { findRefusedAttachment } from '#src/content/attachment-policy.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Stream } from '#src/kernel/stream.ts';
import { toIso } from '#src/kernel/time.ts';
import { addressDomain, addressKey, needsSmtpUtf8 } from '#src/mail/address.ts';
import type { Mailbox } from '#src/mail/mailbox.ts';
import { defaultKind, type Kind, kinds } from '#src/messages/kinds.ts';
import type { Draft } from './draft.ts';
import { headerProblem } from './header-rules.ts';

export const MAX_RECIPIENTS = 50;

/** What the gates know of the tenant, read in the transaction that stores the message. */
export interface Facts {
  readonly pause: { readonly reason: string; readonly at: number } | null;
  readonly safeMode: boolean;
  /** Addresses, or domains with a leading `@`, in lower case. */
  readonly safeModeAllowed: readonly string[];
  readonly simulatorDomain: string;
  /** Hosts that may be in From. */
  readonly sendingHosts: readonly string[];
  /** A custom domain whose DKIM has not been verified. */
  readonly pendingDomain: string | null;
  readonly from: Mailbox;
  readonly route: { readonly slug: string; readonly type: Stream };
}

export interface Verdict {
  readonly gate: string;
  readonly verdict: 'passed' | 'refused';
  readonly facts: Readonly<Record<string, unknown>>;
}

interface Passed {
  readonly facts: Verdict['facts'];
  readonly refusal?: AppError;
}

interface Gate {
  readonly name: string;
  readonly check: (draft: Draft, facts: Facts) => Passed;
}

export const kindOf = (draft: Draft, facts: Facts): Kind => draft.kind ?? defaultKind[facts.route.type];

const recipientsOf = ({ to, cc, bcc }: Draft): Mailbox[] => [...to, ...cc, ...bcc];

const isAllowedInSafeMode = ({ address }: Mailbox, facts: Facts): boolean => {
  const key = addressKey(address);
  const domain = addressDomain(address);
  return (
    domain === facts.simulatorDomain ||
    facts.safeModeAllowed.includes(key) ||
    facts.safeModeAllowed.includes(`@${domain}`)
  );
};

export const gates: readonly Gate[] = [
  {
    name: 'tenant_state',
    check: (_, { pause }) =>
      pause === null
        ? { facts: { paused: false } }
        : {
            facts: { paused: true, ...pause },
            refusal: new AppError('tenant_paused', 'The practice is paused and does not send.', {
              extra: { reason: pause.reason, paused_at: toIso(pause.at) },
            }),
          },
  },
  {
    name: 'recipient_count',
    check: (draft) => {
      const count = recipientsOf(draft).length;
      const facts = { count, limit: MAX_RECIPIENTS };
      if (count === 0) {
        return {
          facts,
          refusal: new AppError('invalid_recipient', 'The message has no recipient.', {
            extra: { recipients: [] },
          }),
        };
      }
      if (count <= MAX_RECIPIENTS) return { facts };
      return {
        facts,
        refusal: new AppError('too_many_recipients', `The message has ${count} recipients.`, {
          extra: facts,
        }),
      };
    },
  },
  {
    name: 'internationalised_addresses',
    check: (draft, { from }) => {
      const wide = [from, ...recipientsOf(draft), ...draft.replyTo]
        .map(({ address }) => address)
        .filter((address) => needsSmtpUtf8(address));
      if (wide.length === 0) return { facts: {} };
      return {
        facts: { addresses: wide },
        refusal: new AppError('invalid_recipient', 'An address has letters beyond ASCII before its @.', {
          hint: 'Such addresses need SMTPUTF8 all the way, which cannot be promised; use an address with ASCII before the @.',
          extra: { recipients: wide },
        }),
      };
    },
  },
  {
    name: 'kind_and_route',
    check: (draft, facts) => {
      const kind = kindOf(draft, facts);
      const { slug, type } = facts.route;
      const used = { message_kind: kind, route: slug, stream: type };
      if (kinds[kind].stream === type) return { facts: used };
      return {
        facts: used,
        refusal: new AppError(
          'kind_not_allowed_on_route',
          `A message of kind ${kind} may not go over the route ${slug}.`,
          {
            hint: `Use a ${kinds[kind].stream} route for it.`,
          },
        ),
      };
    },
  },
  {
    name: 'sender_domain',
    check: (_, { from, sendingHosts, pendingDomain }) => {
      const domain = addressDomain(from.address);
      const facts = { domain, allowed: sendingHosts };
      if (sendingHosts.includes(domain)) return { facts };
      if (domain === pendingDomain) {
        return {
          facts,
          refusal: new AppError(
            'dkim_not_verified',
            `The DKIM records of ${domain} have not been verified.`,
            {
              extra: { missing: ['dkim'] },
            },
          ),
        };
      }
      return {
        facts,
        refusal: new AppError('from_not_allowed', `The From address is not on a domain of this practice.`, {
          extra: { allowed: [...sendingHosts] },
        }),
      };
    },
  },
  {
    name: 'safe_mode',
    check: (draft, facts) => {
      if (!facts.safeMode) return { facts: { safe_mode: false } };
      const outside = recipientsOf(draft)
        .filter((mailbox) => !isAllowedInSafeMode(mailbox, facts))
        .map(({ address }) => address);
      if (outside.length === 0) return { facts: { safe_mode: true } };
      return {
        facts: { safe_mode: true, outside },
        refusal: new AppError('safe_mode_recipient', 'Safe mode keeps mail from strangers.', {
          extra: { recipients: outside },
        }),
      };
    },
  },
  {
    name: 'headers',
    check: ({ headers }) => {
      const seen = new Set<string>();
      for (const [name, value] of headers) {
        const key = name.toLowerCase();
        const problem = seen.has(key) ? 'is given twice' : headerProblem(name, value);
        seen.add(key);
        if (problem === null) continue;
        const header = name.slice(0, 76);
        return {
          facts: { header, problem },
          refusal: new AppError('header_not_allowed', `The header ${JSON.stringify(header)} ${problem}.`, {
            extra: { header },
          }),
        };
      }
      return { facts: { count: headers.length } };
    },
  },
  {
    name: 'attachments',
    check: ({ attachments }) => {
      const refused = findRefusedAttachment(attachments);
      if (refused === null) return { facts: { count: attachments.length } };
      return {
        facts: refused,
        refusal: new AppError('attachment_rejected', `The attachment is not allowed: ${refused.reason}.`, {
          extra: refused,
        }),
      };
    },
  },
];

/** Verdicts of all gates up to the first that refuses. */
export const passGates = (draft: Draft, facts: Facts): { verdicts: Verdict[]; refusal: AppError | null } => {
  const verdicts: Verdict[] = [];
  for (const { name, check } of gates) {
    const { facts: used, refusal } = check(draft, facts);
    verdicts.push({ gate: name, verdict: refusal ? 'refused' : 'passed', facts: used });
    if (refusal) return { verdicts, refusal };
  }
  return { verdicts, refusal: null };
};
