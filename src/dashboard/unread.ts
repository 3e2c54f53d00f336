// How many mails in the inbox are unread: in the navigation and in the title of the window. The service knows the number; it is asked
// again when a mail has come, when one was read here, and when this tab is looked at again.
import { effect, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { call } from '#dashboard/api/call.ts';
import { useGathered } from '#dashboard/data.ts';
import { useLive } from '#dashboard/live.ts';
import { may, practice } from '#dashboard/session.ts';

export const unread = signal(0);

export const refreshUnread = async (): Promise<void> => {
  const id = practice.value?.id;
  if (id === undefined || !may('inbound.view')) {
    unread.value = 0;
    return;
  }
  // Where it cannot be had now, the number from before is better than none.
  const answer = await call('GET /api/practices/{id}/inbound/unread', { id }, { withoutSession: true }).catch(
    () => undefined,
  );
  if (answer && practice.value?.id === id) unread.value = answer.unread;
};

/** Called once, by the shell. */
export const useUnread = (): void => {
  const refresh = useGathered(() => void refreshUnread());
  useEffect(() => void refreshUnread(), [practice.value?.id]);
  useLive(({ event }) => {
    if (event === 'inbound.received') refresh();
  }, refresh);
};

const title = signal('Sendwerk');
effect(() => {
  document.title = unread.value === 0 ? title.value : `(${unread.value}) ${title.value}`;
});

/** Names the window after the page. */
export const setTitle = (page: string): void => {
  title.value = `${page} – Sendwerk`;
};
