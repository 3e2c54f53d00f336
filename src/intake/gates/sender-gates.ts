// Gates that ask whether this practice may send such a message at all: kind and route, From, its state.
import { AppError } from '#src/kernel/errors.ts';
import { toIso } from '#src/kernel/time.ts';
import { addressDomain } from '#src/mail/address.ts';
import { kinds } from '#src/messages/kinds.ts';
import { type Gate, kindOf } from '../gate.ts';

/** In a hint, which is all that mail programs show. */
const MAX_NAMED_HOSTS = 3;

const kindAndRoute: Gate = {
  name: 'kind_and_route',
  check: (draft, facts) => {
    const kind = kindOf(draft, facts);
    const { slug, type } = facts.route;
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
};

const senderDomain: Gate = {
  name: 'sender_domain',
  check: (_, { from, sendingHosts, pendingDomain }) => {
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
};

const tenantState: Gate = {
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
};

export const senderGates: readonly Gate[] = [kindAndRoute, senderDomain, tenantState];
