// Gates that ask who may be mailed: safe mode, and the suppressions.
import { AppError } from '#src/kernel/errors.ts';
import { addressDomain, addressKey } from '#src/mail/address.ts';
import type { Mailbox } from '#src/mail/mailbox.ts';
import { type Facts, type Gate, recipientsOf } from '../gate.ts';

const isAllowedInSafeMode = ({ address }: Mailbox, facts: Facts): boolean => {
  const key = addressKey(address);
  const domain = addressDomain(address);
  return (
    domain === facts.simulatorDomain ||
    facts.safeModeAllowed.includes(key) ||
    facts.safeModeAllowed.includes(`@${domain}`)
  );
};

const safeMode: Gate = {
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
};

const suppression: Gate = {
  name: 'suppression',
  check: (_, { suppressed }) => {
    if (suppressed.size === 0) return { facts: { suppressed: [] } };
    const rows = [...suppressed].map(([address, { id, scope, reason }]) => ({ address, id, scope, reason }));
    return { facts: { suppressed: rows }, suppresses: [...suppressed.keys()] };
  },
};

export const recipientGates: readonly Gate[] = [safeMode, suppression];
