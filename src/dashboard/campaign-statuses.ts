// Statuses of campaigns in words, and how they look.
import type { CampaignSummary } from '#api';
import type { Tone } from '#dashboard/parts/basics.tsx';
import { translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

export type CampaignStatus = CampaignSummary['status'];

export const campaignTones: Readonly<Record<CampaignStatus, Tone>> = {
  draft: 'plain',
  scheduled: 'busy',
  sending: 'busy',
  paused: 'warn',
  sent: 'good',
  cancelled: 'plain',
  failed: 'bad',
};

export const campaignStatuses = () => translated(words).campaigns;
