import type { words as german } from './de.ts';

export const words: typeof german = {
  action: 'Action',
  person: 'Person',
  actions: {
    letter: 'Write a message',
    templates: 'Create a template',
    lists: 'Create a list',
    campaigns: 'Create a campaign',
    webhooks: 'Create a webhook',
    alerts: 'Create a chat alert',
    tokens: 'Create a token',
    members: 'Invite a member',
  },
};
