// Confirms the subscription of a topic of Amazon SNS.
import { SECOND } from '#src/kernel/time.ts';

const CONFIRM_TIMEOUT_MS = 10 * SECOND;

/** Calls a URL that `isSubscribeUrl` allows; resolves with whether it was confirmed. Never rejects. */
export type Confirm = (url: string) => Promise<boolean>;

export const confirmSubscription: Confirm = async (url) => {
  try {
    const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(CONFIRM_TIMEOUT_MS) });
    await response.body?.cancel();
    return response.status === 200;
  } catch {
    return false;
  }
};
