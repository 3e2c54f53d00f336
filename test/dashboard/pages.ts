// The pages that are looked at: by axe-core in the test beside it, and by people on the screenshots of `npm run screenshots`.

import { atRest } from '#test/support/browser.ts';
import type { Language, PageOptions, TestPage } from '#test/support/chromium.ts';
import type { Scene } from './scene.ts';

export interface ShownPage {
  /** Of the screenshot's file. */
  readonly name: string;
  readonly path: (scene: Scene) => string;
  /** Who looks at it; absent: a visitor. */
  readonly as?: keyof Scene['people'];
  /** What is there once the page is; a heading where absent. */
  readonly ready?: string;
  /** Another state of a page that is in the list: looked at in `npm run soak`. */
  readonly isVariant?: boolean;
  /** In the README or a page of docs, too. */
  readonly isInReadme?: boolean;
}

const ofPractice =
  (page: string) =>
  ({ practice }: Scene): string =>
    `/app/${practice.practice.id}/${page}`;

export const pages: readonly ShownPage[] = [
  { name: 'sign-in', path: () => '/app/sign-in' },
  {
    name: 'overview',
    path: ofPractice('overview'),
    as: 'owner',
    ready: '.chart svg',
    isInReadme: true,
  },
  {
    name: 'overview-paused',
    isVariant: true,
    path: ({ firm }) => `/app/${firm.practice.id}/overview`,
    as: 'agency',
    ready: '.note.bad',
  },
  {
    name: 'overview-empty',
    isVariant: true,
    path: ({ empty }) => `/app/${empty.practice.id}/overview`,
    as: 'agency',
    ready: '.card.next',
  },
  {
    name: 'start',
    path: ({ empty }) => `/app/${empty.practice.id}/start`,
    as: 'agency',
    ready: '.way + .card',
  },
  { name: 'start-live', isVariant: true, path: ofPractice('start?step=live'), as: 'owner', ready: '.checks' },
  { name: 'settings', path: ofPractice('settings'), as: 'owner', ready: '.card' },
  { name: 'billing', path: ofPractice('billing'), as: 'owner', ready: 'tbody tr' },
  { name: 'post', path: ofPractice('post'), as: 'office', ready: 'tbody tr', isInReadme: true },
  {
    name: 'post-empty',
    isVariant: true,
    path: ({ empty }) => `/app/${empty.practice.id}/post`,
    as: 'agency',
    ready: '.empty',
  },
  {
    name: 'message',
    path: (scene) => ofPractice(`post/${scene.ids.message}`)(scene),
    as: 'office',
    ready: '.sentence',
    isInReadme: true,
  },
  {
    name: 'message-bounced',
    isVariant: true,
    path: (scene) => ofPractice(`post/${scene.ids.bounced}`)(scene),
    as: 'office',
    ready: '.sentence',
  },
  { name: 'letter', path: ofPractice('letter'), as: 'office', ready: '.writtentext', isInReadme: true },
  { name: 'people', path: ofPractice('people'), as: 'office', ready: 'tbody tr' },
  {
    name: 'person',
    path: ofPractice('people/erika.mueller%40example.org'),
    as: 'admin',
    ready: 'tbody tr',
    isInReadme: true,
  },
  { name: 'account', path: () => '/app/account', as: 'office', ready: 'tbody tr' },
  { name: 'send', path: ofPractice('send'), as: 'owner', ready: 'textarea' },
  { name: 'events', path: ofPractice('events'), as: 'owner', ready: '.events li' },
  { name: 'webhooks', path: ofPractice('webhooks'), as: 'owner', ready: 'tbody tr' },
  {
    name: 'webhook',
    path: (scene) => ofPractice(`webhooks/${scene.ids.webhook}`)(scene),
    as: 'owner',
    ready: 'tbody tr',
  },
  { name: 'alerts', path: ofPractice('alerts'), as: 'owner', ready: 'tbody tr' },
  { name: 'tokens', path: ofPractice('tokens'), as: 'owner', ready: 'tbody tr' },
  { name: 'requests', path: ofPractice('requests'), as: 'owner', ready: '.requests li' },
  { name: 'examples', path: ofPractice('examples'), as: 'owner', ready: '.code' },
  { name: 'domain', path: ofPractice('domain'), as: 'owner', ready: '.records', isInReadme: true },
  { name: 'deliverability', path: ofPractice('deliverability'), as: 'owner', ready: '.lamps' },
  { name: 'members', path: ofPractice('members'), as: 'owner', ready: 'tbody tr' },
  { name: 'projects', path: ofPractice('projects'), as: 'owner', ready: 'tbody tr' },
  { name: 'legal', path: ofPractice('legal'), as: 'owner', ready: 'input[type=color]' },
  { name: 'letterhead', path: ofPractice('letterhead'), as: 'owner', ready: '.letter' },
  { name: 'retention', path: ofPractice('retention'), as: 'owner', ready: 'input[type=number]' },
  { name: 'audit', path: ofPractice('audit'), as: 'owner', ready: '.records' },
  { name: 'inbox', path: ofPractice('inbox'), as: 'office', ready: 'tbody tr', isInReadme: true },
  {
    name: 'inbox-mail',
    path: (scene) => ofPractice(`inbox/${scene.ids.inbound}`)(scene),
    as: 'office',
    ready: '.thread iframe',
  },
  { name: 'inbox-replies', path: ofPractice('inbox?view=replies'), as: 'office', ready: 'tbody tr' },
  { name: 'forms', path: ofPractice('forms'), as: 'owner', ready: 'tbody tr' },
  {
    name: 'form',
    isInReadme: true,
    path: (scene) => ofPractice(`forms/${scene.ids.websiteForm}`)(scene),
    as: 'owner',
    ready: '.code',
  },
  { name: 'inbox-settings', path: ofPractice('inbox?view=settings'), as: 'owner', ready: 'form' },
  { name: 'templates', path: ofPractice('templates'), as: 'office', ready: 'tbody tr' },
  {
    name: 'template',
    path: (scene) => ofPractice(`templates/${scene.ids.template}`)(scene),
    as: 'office',
    ready: '.cm-editor',
  },
  {
    name: 'template-document',
    path: (scene) => ofPractice(`templates/${scene.ids.letter}`)(scene),
    as: 'office',
    ready: '.writtentext',
  },
  { name: 'lists', path: ofPractice('lists'), as: 'office', ready: 'tbody tr' },
  {
    name: 'list',
    path: (scene) => ofPractice(`lists/${scene.ids.list}`)(scene),
    as: 'office',
    ready: 'tbody tr',
  },
  {
    name: 'list-import',
    path: (scene) => ofPractice(`lists/${scene.ids.list}?view=import`)(scene),
    as: 'office',
    ready: 'form',
  },
  { name: 'campaigns', path: ofPractice('campaigns'), as: 'admin', ready: 'tbody tr' },
  {
    name: 'campaign',
    isInReadme: true,
    path: (scene) => ofPractice(`campaigns/${scene.ids.campaign}`)(scene),
    as: 'admin',
    ready: '.figures',
  },
  {
    name: 'campaign-draft',
    path: (scene) => ofPractice(`campaigns/${scene.ids.draft}`)(scene),
    as: 'admin',
    ready: '.cm-editor',
  },
  { name: 'suppressions', path: ofPractice('suppressions'), as: 'office', ready: 'tbody tr' },
  {
    name: 'captures',
    path: ({ firm }) => `/app/${firm.practice.id}/captures`,
    as: 'stranger',
    ready: 'tbody tr',
  },
  {
    name: 'capture',
    path: ({ firm, ids }) => `/app/${firm.practice.id}/captures/${ids.capture}`,
    as: 'stranger',
    ready: 'iframe',
  },
  { name: 'practices', path: () => '/app/practices', as: 'agency', ready: 'tbody tr', isInReadme: true },
  { name: 'all-practices', path: () => '/app/operator/practices', as: 'operator', ready: 'tbody tr' },
  { name: 'queues', path: () => '/app/operator/queues', as: 'operator', ready: '.card' },
  { name: 'tickets', path: () => '/app/operator/tickets', as: 'operator', ready: 'tbody tr' },
  {
    name: 'ticket',
    path: ({ ids }) => `/app/operator/tickets/${ids.ticket}`,
    as: 'operator',
    ready: 'tbody tr',
  },
  { name: 'waitlist', path: () => '/app/operator/waitlist', as: 'operator', ready: 'tbody tr' },
  { name: 'health', path: () => '/app/operator/health', as: 'operator', ready: 'tbody tr' },
  { name: 'doctor', path: () => '/app/operator/doctor', as: 'operator' },
  { name: 'operator-audit', path: () => '/app/operator/audit', as: 'operator', ready: 'details' },
  { name: 'entered', isVariant: true, path: ofPractice('post'), as: 'operator', ready: 'tbody tr' },
  { name: 'landing', path: () => '/' },
  { name: 'abuse', path: () => '/api/public/abuse' },
  { name: 'subscribe', path: ({ formPath }) => formPath },
  { name: 'invitation', path: () => '/invitation/svc_inv_unknown' },
];

/** The window in which its person looks at it. */
export const viewing = (
  { app, people }: Scene,
  { as }: Pick<ShownPage, 'as'>,
  how: Omit<PageOptions, 'origin' | 'cookie'> = {},
): PageOptions => ({
  origin: app.origin,
  ...(as === undefined ? {} : { cookie: people[as].cookie }),
  ...how,
});

/** Waits until it is there. Throws what is there instead. */
const isThere = async (page: TestPage, { ready = 'h1' }: ShownPage): Promise<void> => {
  try {
    await page.locator(ready).first().waitFor();
  } catch (cause) {
    throw new Error(`${page.url()} has no ${ready}: ${await page.locator('body').textContent()}`, { cause });
  }
  await atRest(page);
};

export const show = async (page: TestPage, scene: Scene, shown: ShownPage): Promise<void> => {
  await page.goto(shown.path(scene));
  await isThere(page, shown);
};

/** As by a link on the page that is shown, which costs half of opening it anew. */
export const goOn = async (page: TestPage, scene: Scene, shown: ShownPage): Promise<void> => {
  const href = JSON.stringify(shown.path(scene));
  await page.evaluate(`{
    for (const heading of document.querySelectorAll('h1')) heading.dataset.before = '';
    const link = Object.assign(document.createElement('a'), { href: ${href} });
    document.body.append(link);
    link.click();
    link.remove();
  }`);
  // Letters have headings of that level too: that of the page is the first one.
  await page.locator('h1:not([data-before])').first().waitFor();
  await isThere(page, shown);
};

export const languages: readonly Language[] = ['de', 'en'];
