// A change as the audit keeps it: who made it, by what action, from where. The HTTP server makes one for each request; an
// operation gives it to the audit in the transaction of the change.
import type { CallerKind } from './access.ts';

export interface Actor {
  readonly kind: CallerKind | 'system';
  /** The credential's id for tokens, the account's id for sessions. */
  readonly id: string;
  /** A token's name, a session's address. */
  readonly name: string;
}

export interface Change {
  readonly actor: Actor;
  /** `token.create` */
  readonly action: string;
  /** Null where no client asked for it. */
  readonly clientAddress: string | null;
  readonly requestId: string | null;
  /** Set by the audit: whether it has been written down. */
  recorded: boolean;
}

/** A change that the service makes by itself. */
export const systemChange = (action: string): Change => ({
  actor: { kind: 'system', id: 'system', name: '' },
  action,
  clientAddress: null,
  requestId: null,
  recorded: false,
});

/** The same request: the audit notes for the given change that this one was recorded. */
const derived = (change: Change, fields: Partial<Pick<Change, 'actor' | 'action'>>): Change => ({
  ...change,
  ...fields,
  get recorded() {
    return change.recorded;
  },
  set recorded(recorded) {
    change.recorded = recorded;
  },
});

/**
 * The same change, made by the account that the request itself signs in or proves: when the request began, its caller was
 * anonymous.
 */
export const changeBy = (
  change: Change,
  { id, email }: { readonly id: string; readonly email: string },
): Change => derived(change, { actor: { kind: 'member', id, name: email } });

/** A change that another one brings with it. */
export const changeAs = (change: Change, action: string): Change => derived(change, { action });
