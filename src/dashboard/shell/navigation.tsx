// The pages that the person may see, by group.
import { useLocation } from 'preact-iso/router';
import type { PageEntry } from '#dashboard/page-entry.ts';
import { operatorPages, ownPages, practicePages } from '#dashboard/pages.ts';
import { Hidden } from '#dashboard/parts/basics.tsx';
import { account, isOperator, may, practice } from '#dashboard/session.ts';
import { unread } from '#dashboard/unread.ts';
import { words } from '#dashboard/words/de.ts';
import { number, translated } from '#dashboard/words.ts';
import { shellWords } from './words.ts';

export const isAllowed = ({ group, needs }: PageEntry): boolean =>
  group === 'operator' ? isOperator.value : needs === undefined || may(needs);

interface Entry {
  readonly href: string;
  readonly title: string;
}
export interface NavigationGroup {
  readonly group: PageEntry['group'];
  readonly pages: readonly Entry[];
}

const entriesOf = (
  base: string,
  pages: readonly PageEntry[],
): readonly (Entry & { readonly group: PageEntry['group'] })[] =>
  pages.flatMap(({ path, group }) => {
    const titles: Readonly<Record<string, string>> = translated(words).pages;
    const title = titles[path];
    return title === undefined ? [] : [{ href: `${base}/${path}`, title, group }];
  });

export const navigationFor = (): readonly NavigationGroup[] => {
  const inside = practice.value;
  const entries = [
    ...(inside ? entriesOf(`/app/${inside.id}`, practicePages.filter(isAllowed)) : []),
    ...entriesOf('/app', operatorPages.filter(isAllowed)),
    ...(account.value ? entriesOf('/app', ownPages) : []),
  ];
  return [...Map.groupBy(entries, ({ group }) => group)].map(([group, pages]) => ({ group, pages }));
};

export const Navigation = ({ onChosen }: { readonly onChosen: () => void }) => {
  const w = shellWords();
  const { path } = useLocation();
  return (
    <nav class="navigation" aria-label={w.navigation}>
      {navigationFor().map(({ group, pages }) => (
        <section key={group}>
          <h2>{w.groups[group]}</h2>
          <ul>
            {pages.map(({ href, title }) => (
              <li key={href}>
                <a
                  href={href}
                  aria-current={path === href || path.startsWith(`${href}/`) ? 'page' : undefined}
                  onClick={onChosen}
                >
                  {title}
                  {href.endsWith('/inbox') && unread.value > 0 && (
                    <span class="count">
                      {number(unread.value)} <Hidden>{w.unread}</Hidden>
                    </span>
                  )}
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  );
};
