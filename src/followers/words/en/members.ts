import type { Words } from '../de/members.ts';

export const words: Words = {
  counted: {
    'message.created': { one: 'email accepted', other: 'emails accepted' },
    'message.sent': { one: 'email sent', other: 'emails sent' },
    'message.delivered': { one: 'email delivered', other: 'emails delivered' },
    'message.hard_bounced': { one: 'hard bounce', other: 'hard bounces' },
    'message.soft_bounced': { one: 'soft bounce', other: 'soft bounces' },
    'message.auto_replied': { one: 'automatic reply', other: 'automatic replies' },
    'message.spam_complaint': { one: 'spam complaint', other: 'spam complaints' },
    'message.failed': { one: 'failed email', other: 'failed emails' },
    'message.content_blocked': {
      one: 'email refused because of its content',
      other: 'emails refused because of their content',
    },
    'message.suppressed': {
      one: 'email to a suppressed address not sent',
      other: 'emails to suppressed addresses not sent',
    },
    'message.unsubscribed': { one: 'unsubscription', other: 'unsubscriptions' },
    'message.delivery_delayed': { one: 'delayed email', other: 'delayed emails' },
    'message.subscription': { one: 'changed subscription', other: 'changed subscriptions' },
    'suppression.added': { one: 'newly suppressed address', other: 'newly suppressed addresses' },
    'suppression.removed': { one: 'address no longer suppressed', other: 'addresses no longer suppressed' },
    'inbound.received': { one: 'email received', other: 'emails received' },
  },
  events: { one: 'event', other: 'events' },
  link: (service: string) => `View in ${service}`,
  test: (name: string) => `This is a test: the chat alert “${name}” arrives here.`,
  reports: (what: string) => `It reports: ${what}.`,
};
