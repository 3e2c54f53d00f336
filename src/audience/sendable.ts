// Whether mail can go to an address at all: what lists, imports, forms and the count of a campaign's people take is what is sent. The
// gate `internationalised_addresses` asks the same of each message.
import type { AudienceContext } from '#src/audience/context.ts';
import { needsSmtpUtf8 } from '#src/mail/address.ts';
import type { Address } from '#src/mail/mailbox.ts';

type Context = Pick<AudienceContext, 'intake'>;

export interface Sendable {
  readonly takes: (address: Address) => boolean;
  /** Before `takes` is asked: an upstream that was not reached yet is asked what it offers, once: one that is down would be waited for with each part of a file. Never rejects. */
  readonly learn: (addresses: readonly string[]) => Promise<void>;
}

export const sendableFor = ({ intake }: Context, tenantId: string): Sendable => {
  const { utf8 } = intake.context;
  let asked: Promise<void> | null = null;
  return {
    takes: (address) => !needsSmtpUtf8(address) || utf8.takes(tenantId),
    learn: async (addresses) => {
      if (asked === null && addresses.some((address) => needsSmtpUtf8(address as Address)))
        asked = utf8.learn(tenantId);
      await asked;
    },
  };
};
