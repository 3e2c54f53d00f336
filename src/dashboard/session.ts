// Who is signed in, and what they may do in which practice. What one may not do is not shown; the API refuses it anyway.
import { computed, signal } from '@preact/signals';
import { type Answer, call, Refusal, useCsrfToken } from '#dashboard/api/call.ts';
import { dropDraftsOfOthers } from '#dashboard/parts/drafts.ts';

export type Account = Answer<'GET /api/auth/me'>;
export type Membership = Account['practices'][number];

/** Undefined: not known yet; null: signed out. */
export const account = signal<Account | null | undefined>(undefined);

/** Tabs of this browser have one session: each looks again when another one signs in or out. */
const otherTabs = new BroadcastChannel('account');
otherTabs.onmessage = () => void loadAccount().catch(() => {});

const signedOut = (): void => {
  account.value = null;
  practice.value = undefined;
};

/** Rejects where the service cannot be reached. */
export const loadAccount = async (): Promise<Account | null> => {
  try {
    const found = await call('GET /api/auth/me', {}, { withoutSession: true });
    // Nothing that the one before has opened is shown to another person.
    if (account.value && account.value.id !== found.id) location.reload();
    useCsrfToken(found.csrf_token);
    dropDraftsOfOthers(found.id);
    account.value = found;
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 401) throw error;
    signedOut();
  }
  return account.value ?? null;
};

/** This tab calls it after a sign-in. */
export const signedIn = async (): Promise<void> => {
  await loadAccount();
  otherTabs.postMessage('signed in');
};

export const signOut = async (): Promise<void> => {
  await call('POST /api/auth/logout', {}, { withoutSession: true }).catch((error) => {
    if (!(error instanceof Refusal) || error.status !== 401) throw error;
  });
  dropDraftsOfOthers();
  signedOut();
  otherTabs.postMessage('signed out');
};

export interface Practice {
  readonly id: string;
  readonly name: string;
  readonly permissions: Pick<ReadonlySet<string>, 'has'>;
  /** False: limited to some. */
  readonly allProjects: boolean;
  /** The role's name; null: inside as the operator. */
  readonly role: string | null;
}

/** The practice that the page is about. */
export const practice = signal<Practice | undefined>(undefined);

export const may = (permission: string): boolean => practice.value?.permissions.has(permission) ?? false;
export const isOperator = computed(() => account.value?.is_operator === true);
