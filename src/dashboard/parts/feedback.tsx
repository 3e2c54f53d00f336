// What a page shows in the place of its content: that it loads, that it failed, that there is nothing; and short confirmations.
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Refusal } from '#dashboard/api/call.ts';
import { isReachable } from '#dashboard/api/reach.ts';
import type { Data } from '#dashboard/data.ts';
import { Button, Code } from './basics.tsx';
import { partWords } from './words.ts';

/** Faster answers show no skeleton: it would only flicker. */
const SKELETON_AFTER_MS = 150;

export const Skeleton = ({ lines = 6 }: { readonly lines?: number }) => {
  const [isShown, show] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => show(true), SKELETON_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!isShown) return null;
  return (
    <div class="skeleton" role="status" aria-label={partWords().loading}>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} />
      ))}
    </div>
  );
};

interface ErrorNoteProps {
  readonly error: unknown;
  readonly onRetry?: () => void;
  /** What happened, where the page knows it better than the API. */
  readonly what?: string;
}

/** What the API says of it, what to do about it, and the id by which the log has it. */
export const ErrorNote = ({ error, onRetry, what }: ErrorNoteProps) => {
  if (error === undefined || error === null) return null;
  const w = partWords();
  const refusal = error instanceof Refusal ? error : undefined;
  const isUnreachable = refusal?.status === 0;
  return (
    <div class="note bad" role="alert">
      <p>
        <strong>
          {isUnreachable ? (isReachable.value ? w.reachedAgain : w.unreachable) : (what ?? w.failed)}
        </strong>
      </p>
      {isUnreachable && <p>{isReachable.value ? w.reachedHint : w.unreachableHint}</p>}
      {what === undefined && refusal?.message && (
        <p lang={refusal.language}>
          {refusal.message} {refusal.fields.length === 0 && refusal.hint}
        </p>
      )}
      {refusal?.requestId && (
        <p class="quiet">
          {w.requestId}: <code>{refusal.requestId}</code>
        </p>
      )}
      {onRetry && <Button text={w.retry} onClick={onRetry} />}
    </div>
  );
};

interface LoadedProps<T> {
  readonly data: Data<T>;
  readonly lines?: number;
  readonly children: (value: T) => ComponentChildren;
}

/** The content once it is there; it is dimmed where it is of something else than what is being loaded. */
export const Loaded = <T,>({ data, lines = 6, children }: LoadedProps<T>) => (
  <>
    <ErrorNote error={data.error} onRetry={data.reload} />
    {data.value === undefined ? (
      data.error === undefined && <Skeleton lines={lines} />
    ) : (
      <div class={data.isOther ? 'loaded old' : 'loaded'} aria-busy={data.isLoading}>
        {children(data.value)}
      </div>
    )}
  </>
);

export const Note = ({
  kind = 'plain',
  children,
}: {
  readonly kind?: 'plain' | 'good' | 'warn' | 'bad';
  readonly children: ComponentChildren;
}) => <div class={`note ${kind}`}>{children}</div>;

interface EmptyProps {
  /** What this page shows once there is something. */
  readonly title: string;
  readonly text: ComponentChildren;
  /** The first thing to do: a link or button. */
  readonly action?: ComponentChildren;
  /** The same by the API. */
  readonly curl?: string;
}

const credentials = {
  token: 'Authorization: Bearer $TOKEN',
  admin: 'X-Admin-Token: $ADMIN_TOKEN',
  session: 'Authorization: Bearer $SESSION',
} as const;

/** What one types into a shell to ask the API; `path` is below `/api/`, `body` is JSON. */
export const curlOf = (
  path: string,
  body?: string,
  as: keyof typeof credentials = path.startsWith('admin/') ? 'admin' : 'token',
): string =>
  [
    `curl "${location.origin}/api/${path}"`,
    `-H "${credentials[as]}"`,
    ...(body ? ['-H "Content-Type: application/json"', `-d '${body}'`] : []),
  ].join(' \\\n  ');

export const Empty = ({ title, text, action, curl }: EmptyProps) => (
  <div class="empty">
    <h2>{title}</h2>
    <p>{text}</p>
    {action && <div>{action}</div>}
    {curl && (
      <details>
        <summary>{partWords().byApi}</summary>
        <Code text={curl} />
      </details>
    )}
  </div>
);

const toasts = signal<readonly { readonly id: number; readonly text: string }[]>([]);
const TOAST_MS = 6_000;
let lastToast = 0;

/** A short confirmation of what was done. What failed is shown where it failed. */
export const toast = (text: string): void => {
  lastToast += 1;
  const id = lastToast;
  toasts.value = [...toasts.value, { id, text }];
  setTimeout(() => {
    toasts.value = toasts.value.filter((one) => one.id !== id);
  }, TOAST_MS);
};

export const Toasts = () => (
  <div class="toasts" role="status" aria-live="polite">
    {!isReachable.value && <p class="gone">{partWords().gone}</p>}
    {toasts.value.map(({ id, text }) => (
      <p key={id}>{text}</p>
    ))}
  </div>
);
