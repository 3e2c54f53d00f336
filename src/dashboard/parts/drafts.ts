// Drafts of forms, kept in the tab by its session storage: by person, page and form, few and bounded. Reading and writing may be
// forbidden; then nothing is kept.
export interface Draft {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** What native controls hold, by the name of each. */
  readonly values?: Readonly<Record<string, string | boolean>>;
  /** JSON of what the form itself gave. */
  readonly text?: string;
}

const PREFIX = 'sendwerk.draft.';
const MAX_DRAFTS = 20;
/** A letter with its document is far below it; the browser keeps some five million letters for an origin. */
const MAX_LENGTH = 400_000;

const draftKeys = (): readonly string[] =>
  Object.keys(sessionStorage).filter((key) => key.startsWith(PREFIX));

const read = (key: string): Draft | undefined => {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
};

export const draftAt = (key: string): Draft | undefined => {
  try {
    return read(PREFIX + key);
  } catch {
    return undefined;
  }
};

export const dropDraft = (key: string): void => {
  try {
    sessionStorage.removeItem(PREFIX + key);
  } catch {
    // None was kept.
  }
};

export const keepDraft = (key: string, draft: Draft): void => {
  const text = JSON.stringify(draft);
  if (text.length > MAX_LENGTH) return;
  try {
    const others = draftKeys()
      .filter((one) => one !== PREFIX + key)
      .sort((a, b) => (read(b)?.at ?? 0) - (read(a)?.at ?? 0));
    for (const old of others.splice(MAX_DRAFTS - 1)) sessionStorage.removeItem(old);
    for (;;) {
      try {
        sessionStorage.setItem(PREFIX + key, text);
        return;
      } catch {
        const oldest = others.pop();
        if (oldest === undefined) return;
        sessionStorage.removeItem(oldest);
      }
    }
  } catch {
    // Nothing can be kept.
  }
};

/** Drops the drafts of all people but this one; all where it is absent. A key begins with the person's id. */
export const dropDraftsOfOthers = (personId = '\0'): void => {
  try {
    for (const key of draftKeys()) if (!key.startsWith(PREFIX + personId)) sessionStorage.removeItem(key);
  } catch {
    // None was kept.
  }
};
