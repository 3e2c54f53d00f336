// All pages: where they are, who sees them, and the chunk that holds them. Those that have a title in the catalogue (`pages`) are in the
// navigation and the palette; the others are reached from another page.
import type { PageEntry } from '#dashboard/page-entry.ts';

const inGroup = (
  group: PageEntry['group'],
  entries: readonly Omit<PageEntry, 'group'>[],
): readonly PageEntry[] => entries.map((entry) => ({ ...entry, group }));

/** The pages below `/app/{practiceId}/`. */
export const practicePages = [
  // What an office does every day: at most seven of them have a title. The navigation folds the other groups.
  ...inGroup('daily', [
    { path: 'overview', needs: 'stats.view', load: () => import('./pages/overview/page.tsx') },
    { path: 'letter', needs: 'messages.send', load: () => import('./pages/letter/page.tsx') },
    { path: 'post', needs: 'messages.view', load: () => import('./pages/post/page.tsx') },
    { path: 'post/:item', needs: 'messages.view', load: () => import('./pages/message/page.tsx') },
    { path: 'inbox', needs: 'inbound.view', load: () => import('./pages/inbox/page.tsx') },
    { path: 'inbox/:item', needs: 'inbound.view', load: () => import('./pages/inbound/page.tsx') },
    { path: 'people', needs: 'lists.manage', load: () => import('./pages/people/page.tsx') },
    { path: 'people/:item', needs: 'lists.manage', load: () => import('./pages/person/page.tsx') },
    { path: 'templates', needs: 'messages.send', load: () => import('./pages/templates/page.tsx') },
    { path: 'templates/:item', needs: 'messages.send', load: () => import('./pages/template/page.tsx') },
    { path: 'campaigns', needs: 'campaigns.send', load: () => import('./pages/campaigns/page.tsx') },
    { path: 'campaigns/:item', needs: 'campaigns.send', load: () => import('./pages/campaign/page.tsx') },
  ]),
  // Who is written to, and who writes.
  ...inGroup('reach', [
    { path: 'lists', needs: 'lists.manage', load: () => import('./pages/lists/page.tsx') },
    { path: 'lists/:item', needs: 'lists.manage', load: () => import('./pages/list/page.tsx') },
    { path: 'forms', needs: 'inbound.manage', load: () => import('./pages/forms/page.tsx') },
    { path: 'forms/:item', needs: 'inbound.manage', load: () => import('./pages/form/page.tsx') },
    {
      path: 'suppressions',
      needs: 'suppressions.manage',
      load: () => import('./pages/suppressions/page.tsx'),
    },
  ]),
  // Pages for people who integrate the service.
  ...inGroup('develop', [
    { path: 'send', needs: 'messages.send', load: () => import('./pages/send/page.tsx') },
    { path: 'events', needs: 'messages.view', load: () => import('./pages/events/page.tsx') },
    { path: 'webhooks', needs: 'webhooks.manage', load: () => import('./pages/webhooks/page.tsx') },
    { path: 'webhooks/:item', needs: 'webhooks.manage', load: () => import('./pages/webhooks/page.tsx') },
    { path: 'alerts', needs: 'webhooks.manage', load: () => import('./pages/alerts/page.tsx') },
    { path: 'tokens', needs: 'tokens.manage', load: () => import('./pages/tokens/page.tsx') },
    { path: 'requests', needs: 'tokens.manage', load: () => import('./pages/requests/page.tsx') },
    { path: 'examples', load: () => import('./pages/examples/page.tsx') },
    { path: 'captures', needs: 'messages.view_content', load: () => import('./pages/captures/page.tsx') },
    {
      path: 'captures/:item',
      needs: 'messages.view_content',
      load: () => import('./pages/capture/page.tsx'),
    },
  ]),
  // Pages for people who set up a practice and answer for it.
  ...inGroup('practice', [
    { path: 'start', load: () => import('./pages/start/page.tsx') },
    { path: 'settings', needs: 'practice.manage', load: () => import('./pages/settings/page.tsx') },
    { path: 'domain', needs: 'domain.manage', load: () => import('./pages/domain/page.tsx') },
    { path: 'deliverability', needs: 'stats.view', load: () => import('./pages/deliverability/page.tsx') },
    { path: 'members', needs: 'members.manage', load: () => import('./pages/members/page.tsx') },
    { path: 'projects', load: () => import('./pages/projects/page.tsx') },
    { path: 'legal', needs: 'practice.manage', load: () => import('./pages/legal/page.tsx') },
    { path: 'letterhead', needs: 'practice.manage', load: () => import('./pages/letterhead/page.tsx') },
    { path: 'retention', needs: 'stats.view', load: () => import('./pages/retention/page.tsx') },
    { path: 'billing', needs: 'billing.manage', load: () => import('./pages/billing/page.tsx') },
    { path: 'audit', needs: 'audit.view', load: () => import('./pages/audit/page.tsx') },
  ]),
];

/** The operator's pages below `/app/`. */
export const operatorPages = inGroup('operator', [
  { path: 'operator/practices', load: () => import('./pages/operator-practices/page.tsx') },
  { path: 'operator/queues', load: () => import('./pages/queues/page.tsx') },
  { path: 'operator/tickets', load: () => import('./pages/tickets/page.tsx') },
  { path: 'operator/tickets/:item', load: () => import('./pages/tickets/page.tsx') },
  { path: 'operator/waitlist', load: () => import('./pages/waitlist/page.tsx') },
  { path: 'operator/health', load: () => import('./pages/health/page.tsx') },
  { path: 'operator/doctor', load: () => import('./pages/doctor/page.tsx') },
  { path: 'operator/audit', load: () => import('./pages/audit/page.tsx') },
]);

/** A person's own pages below `/app/`. */
export const ownPages = inGroup('own', [
  { path: 'practices', load: () => import('./pages/practices/page.tsx') },
  { path: 'account', load: () => import('./pages/account/page.tsx') },
]);
