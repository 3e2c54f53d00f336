// Which practice the page is about, and where `/app` leads: to the only practice, to the list of several, to the operator's pages.

import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { call } from '#dashboard/api/call.ts';
import { practicePages } from '#dashboard/pages.ts';
import { Empty } from '#dashboard/parts/feedback.tsx';
import { account, isOperator, type Practice, practice } from '#dashboard/session.ts';
import { isAllowed } from './navigation.tsx';
import { shellWords } from './words.ts';

/** What this person may do in the practice. Rejects where there is none such for them. */
export const findPractice = async (id: string): Promise<Practice> => {
  const membership = account.value?.practices.find(({ practice_id }) => practice_id === id);
  if (membership?.status === 'active') {
    const { name, role, permissions, all_projects: allProjects } = membership;
    return { id, name, role: role.name, permissions: new Set<string>(permissions), allProjects };
  }
  // Another's practice is found by the operator alone; of one's own, /me lists the first 200.
  const { name, caller } = await call('GET /api/practices/{id}', { id });
  const role = caller.kind === 'operator' ? null : '';
  return { id, name, role, permissions: new Set<string>(caller.permissions), allProjects: true };
};

const firstPage = (): string => {
  const inside = practice.value;
  if (inside) {
    const first = practicePages.find(isAllowed);
    return `/app/${inside.id}/${first?.path ?? 'post'}`;
  }
  const own = (account.value?.practices ?? []).filter(({ status }) => status === 'active');
  const [only] = own;
  if (isOperator.value && own.length === 0) return '/app/operator/practices';
  return own.length === 1 && only ? `/app/${only.practice_id}` : '/app/practices';
};

export const Home = () => {
  const w = shellWords();
  const { route } = useLocation();
  const hasNone = !practice.value && !isOperator.value && account.value?.practices.length === 0;
  useEffect(() => {
    if (!hasNone) route(firstPage(), true);
  }, [hasNone, practice.value?.id]);
  return hasNone ? <Empty title={w.noPractice} text={w.noPracticeText} /> : null;
};
