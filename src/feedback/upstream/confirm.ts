// Confirms a subscription of SNS by calling the address it named, which is known to be one of SNS.
import { SECOND } from '#src/kernel/time.ts';

const TIMEOUT_MS = 10 * SECOND;

/** Whether it was confirmed. Never rejects. */
export type Confirm = (url: string) => Promise<boolean>;

export const confirmSubscription: Confirm = async (url) => {
  try {
    const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
    // What it says besides is of no use.
    await response.body?.cancel();
    return response.status === 200;
  } catch {
    return false;
  }
};
