// What intake says of itself in numbers.
import { counted } from '#src/kernel/metrics.ts';
import { streams } from '#src/kernel/stream.ts';

const sources = [
  'api',
  'batch',
  'bulk',
  'smtp',
  'hook',
  'automatic_reply',
  'form',
  'campaign',
  'system',
  'vendor-a',
  'vendor-b',
  'vendor-c',
  'eu',
] as const;

export const acceptedMessages = () =>
  counted(
    {
      name: 'sendwerk_messages_accepted_total',
      help: 'Messages that were stored and answered, each once however many recipients it has; system is mail of the service itself.',
    },
    { stream: streams, source: sources },
  );
