// Addresses in the dashboard to which mails, pages and chat messages lead. Who is not signed in there is asked to, and goes on.

type PracticePage =
  | 'start'
  | 'overview'
  | 'domain'
  | 'inbox'
  | 'alerts'
  | 'billing'
  | 'tokens'
  | `webhooks/${string}`
  | `campaigns/${string}`
  | `lists/${string}`;

type Page =
  | 'app'
  | 'app/sign-in'
  /** What follows `#` stays in the browser, so no log has the code. */
  | `app/sign-in#${string}`
  | 'app/operator/health'
  | { readonly practice: string; readonly page: PracticePage };

/** `practice` is its id; `origin` the service's, without a slash at its end. */
export const dashboardLink = (origin: string, page: Page): string =>
  `${origin}/${typeof page === 'string' ? page : `app/${page.practice}/${page.page}`}`;
