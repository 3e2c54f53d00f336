// What webhooks say of themselves in numbers.
import { SHORT_SECONDS, timed } from '#src/kernel/metrics.ts';
import { isSuccess, type OutboundOutcome } from '#src/kernel/outbound/outbound.ts';

const outcomes = ['delivered', 'refused', 'timed_out', 'failed'] as const;

export const webhookDuration = () =>
  timed(
    {
      name: 'sendwerk_webhook_request_duration_seconds',
      help: 'Requests to webhooks: delivered (answered with 2xx), refused (another answer), timed_out, or failed without an answer.',
      buckets: SHORT_SECONDS,
    },
    { outcome: outcomes },
  );
export type WebhookDuration = ReturnType<typeof webhookDuration>;

export const outcomeLabel = (outcome: OutboundOutcome): (typeof outcomes)[number] => {
  if (outcome.kind === 'failed') return outcome.timedOut ? 'timed_out' : 'failed';
  return isSuccess(outcome) ? 'delivered' : 'refused';
};
