// Statuses of campaigns in words, and how they look.
import type { CampaignSummary } from '#api';
import type { Tone } from '#dashboard/parts/basics.tsx';
import { words } from '#dashboard/words.ts';

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

export const campaignStatuses = words<Readonly<Record<CampaignStatus, string>>>({
  de: {
    draft: 'Entwurf',
    scheduled: 'Geplant',
    sending: 'Wird gesendet',
    paused: 'Angehalten',
    sent: 'Gesendet',
    cancelled: 'Abgebrochen',
    failed: 'Fehlgeschlagen',
  },
  en: {
    draft: 'Draft',
    scheduled: 'Scheduled',
    sending: 'Being sent',
    paused: 'Paused',
    sent: 'Sent',
    cancelled: 'Cancelled',
    failed: 'Failed',
  },
});
