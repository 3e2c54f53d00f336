// What the parts of this room work with, handed whole to each of them.

import type { Accounts } from '#src/accounts/open.ts';
import type { Feedback } from '#src/feedback/open.ts';
import type { Intake } from '#src/intake/open.ts';
import type { Base, Room } from '#src/kernel/base.ts';
import type { TenantKey } from '#src/kernel/keys.ts';
import type { PersonalData } from '#src/kernel/personal-data.ts';
import type { SealingKey } from '#src/kernel/seal.ts';
import type { TokenKeys } from '#src/mail/token-keys.ts';
import type { Ledger } from './consent/ledger.ts';
import type { Task } from './work.ts';

export interface AudienceContext
  extends Pick<Base, 'clock' | 'config' | 'evidenceKey' | 'limits' | 'log' | 'storage'> {
  readonly files: Base['storage']['tenants'];
  /** The key of `addressHash`. */
  readonly suppressionKey: TenantKey;
  readonly ledger: Ledger;
  /** Signs the links of forms and confirmation mails. */
  readonly linkKey: TokenKeys;
  /** Seals the addresses of people who are being erased. */
  readonly erasureKey: SealingKey;
  readonly accounts: Accounts;
  readonly feedback: Feedback;
  /** See `leftAs` of the relay. */
  readonly leftAs: (tenantId: string, messageSeq: number) => Promise<Buffer | null>;
  /** The personal data of all rooms, in the order of an erasure: what keeps anything more from being sent comes first. */
  readonly personalData: readonly PersonalData[];
  readonly intake: Intake;
  /**
   * Before something is written for which the tenant has work: resolves once the registry knows that it has. The function that it
   * resolves with is called afterwards, whether it was written or not.
   */
  readonly hold: (tenantId: string) => Promise<() => void>;
  /** Something is due. Harmless at any time. */
  readonly wake: (tenantId: string) => void;
}

/** What a part hands to the room. */
export interface Part extends Room {
  readonly tasks?: readonly Task[];
  readonly stop?: () => Promise<void>;
}
