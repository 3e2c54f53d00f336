import type { AbuseTicketSummary } from '#api';
import type { Tone } from '#dashboard/parts/basics.tsx';

export const stageTones: Readonly<Record<AbuseTicketSummary['stage'], Tone>> = {
  open: 'warn',
  investigating: 'busy',
  closed: 'plain',
};
