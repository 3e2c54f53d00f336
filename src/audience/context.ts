// What the parts of this room work with, handed whole to each of them.
import type { KeyObject } from 'node:crypto';
import type { Accounts } from '#src/accounts/open.ts';
import type { Feedback } from '#src/feedback/open.ts';
import type { Intake } from '#src/intake/open.ts';
import type { Base, Room } from '#src/kernel/base.ts';
import type { Relay } from '#src/relay/open.ts';
import type { Ledger } from './consent/ledger.ts';
import type { Task } from './work.ts';

export interface AudienceContext
  extends Pick<Base, 'clock' | 'config' | 'evidenceKey' | 'limits' | 'log' | 'storage'> {
  readonly files: Base['storage']['tenants'];
  /** The key of `addressHash`. */
  readonly suppressionKey: KeyObject;
  readonly ledger: Ledger;
  /** Signs the links of forms and confirmation mails. */
  readonly linkKey: KeyObject;
  /** Seals the addresses of people who are being erased; 32 bytes. */
  readonly erasureKey: Buffer;
  readonly accounts: Accounts;
  readonly feedback: Feedback;
  readonly relay: Relay;
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
