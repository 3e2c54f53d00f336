// Gates that ask whether this practice may send such a message at all: kind and route, From, its state, and for marketing
// the sender's identity and a host that receivers trust.
import { AppError } from '#src/kernel/errors.ts';
import { toIso } from '#src/kernel/time.ts';
import { addressDomain } from '#src/mail/address.ts';
import { kinds } from '#src/messages/kinds.ts';
import { defineGate, type Facts } from '../gate.ts';

/** The hint names a few: mail programs show nothing else of the error. */
const MAX_NAMED_HOSTS = 3;
const LEGAL_FIELDS = ['street', 'city', 'privacy_url'] as const;

export const kindAndRoute = defineGate({
  name: 'kind_and_route',
  kind: 'sender',
  errors: ['kind_not_allowed_on_route'],
  check: ({ kind, route: { slug, type } }) => {
    const used = { message_kind: kind, route: slug, stream: type, channel: kinds[kind].channel };
    if (kinds[kind].stream === type) return { facts: used };
    return {
      facts: used,
      refusal: new AppError(
        'kind_not_allowed_on_route',
        `A message of kind ${kind} may not go over the route ${slug}.`,
        { hint: `Use a ${kinds[kind].stream} route for it.` },
      ),
    };
  },
});

export const senderDomain = defineGate({
  name: 'sender_domain',
  kind: 'sender',
  errors: ['dkim_not_verified', 'from_not_allowed'],
  check: ({ from, sendingHosts, pendingDomain }) => {
    const domain = addressDomain(from.address);
    const facts = { domain, allowed: sendingHosts };
    if (sendingHosts.includes(domain)) return { facts };
    if (domain === pendingDomain) {
      return {
        facts,
        refusal: new AppError('dkim_not_verified', `The DKIM records of ${domain} have not been verified.`, {
          extra: { missing: ['dkim'] },
        }),
      };
    }
    return {
      facts,
      refusal: new AppError('from_not_allowed', `This practice may not send from ${domain}.`, {
        hint: `Use an address on ${sendingHosts.slice(0, MAX_NAMED_HOSTS).join(' or ')}, or leave the From address out.`,
        extra: { allowed: [...sendingHosts] },
      }),
    };
  },
});

export const tenantState = defineGate({
  name: 'tenant_state',
  kind: 'sender',
  errors: ['tenant_paused'],
  check: ({ pause, isAskedFor, now }) => {
    if (pause === null) return { facts: { paused: false } };
    const facts = { paused: true, ...pause };
    // The queue of a paused practice is not touched.
    if (isAskedFor) return { facts, holdsUntil: now };
    return {
      facts,
      refusal: new AppError('tenant_paused', 'The practice is paused and does not send.', {
        extra: { reason: pause.reason, paused_at: toIso(pause.at) },
      }),
    };
  },
});

/** The fields that the legal block lacks. */
export const missingLegal = ({ legal }: Pick<Facts, 'legal'>): string[] =>
  LEGAL_FIELDS.filter((field) => !legal[field]);

export const impressum = defineGate({
  name: 'impressum',
  kind: 'sender',
  errors: ['impressum_incomplete'],
  check: (facts) => {
    if (facts.stream !== 'marketing') return { facts: { applies: false } };
    const missing = missingLegal(facts);
    if (missing.length === 0) return { facts: { complete: true } };
    return {
      facts: { missing },
      refusal: new AppError('impressum_incomplete', 'Marketing mail must name its sender.', {
        hint: 'Complete the legal block: PATCH /api/practices/{id}/compliance.',
        extra: { missing },
      }),
    };
  },
});

export const dkim = defineGate({
  name: 'dkim',
  kind: 'sender',
  errors: ['dkim_not_verified'],
  check: ({ stream, from, dkimBroken }) => {
    if (stream !== 'marketing') return { facts: { applies: false } };
    const host = addressDomain(from.address);
    if (!dkimBroken) return { facts: { host, verified: true } };
    return {
      facts: { host, verified: false },
      refusal: new AppError(
        'dkim_not_verified',
        `The last check found the DKIM records of ${host} wrong or missing.`,
        { extra: { missing: ['dkim'] } },
      ),
    };
  },
});
