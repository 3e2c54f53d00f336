// The pages that the person may see, by group. What an office does every day is always there; the other groups are folded, but for
// the one that the role is for and that of the present page. What is unfolded by hand is kept in the browser.
import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { kept } from '#dashboard/kept.ts';
import type { PageEntry } from '#dashboard/page-entry.ts';
import { operatorPages, ownPages, practicePages } from '#dashboard/pages.ts';
import { Hidden } from '#dashboard/parts/basics.tsx';
import { Drawing } from '#dashboard/parts/drawing.tsx';
import { account, isOperator, may, practice } from '#dashboard/session.ts';
import { unread } from '#dashboard/unread.ts';
import { words } from '#dashboard/words/de.ts';
import { number, translated } from '#dashboard/words.ts';
import { pictures } from './pictures.ts';
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

const Picture = ({ of }: { readonly of: string | undefined }) => {
  const path = of === undefined ? undefined : pictures[of];
  return path === undefined ? null : <Drawing path={path} />;
};

interface LinksProps {
  readonly pages: readonly Entry[];
  readonly onChosen: () => void;
}

const isAt = (path: string, href: string): boolean => path === href || path.startsWith(`${href}/`);

const Links = ({ pages, onChosen }: LinksProps) => {
  const w = shellWords();
  const { path } = useLocation();
  return (
    <ul>
      {pages.map(({ href, title }) => (
        <li key={href}>
          <a href={href} aria-current={isAt(path, href) ? 'page' : undefined} onClick={onChosen}>
            <Picture of={href.split('/').at(-1)} />
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
  );
};

const folds = ['open', 'folded'] as const;
const fold = (isOpen: boolean): (typeof folds)[number] => (isOpen ? 'open' : 'folded');

/** Outside of a practice there are few pages; inside of one an administrator sets up, and a developer is no administrator. */
const isOpenAtFirst = (group: PageEntry['group']): boolean => {
  if (!practice.value) return true;
  const isAdministrator = may('practice.manage');
  return group === 'practice'
    ? isAdministrator
    : group === 'develop' && may('tokens.manage') && !isAdministrator;
};

const Group = ({ group, ...links }: LinksProps & Pick<NavigationGroup, 'group'>) => {
  const { path } = useLocation();
  const isPresent = links.pages.some(({ href }) => isAt(path, href));
  const name = `navigation-${group}`;
  const unfolded = (): boolean =>
    isPresent || (kept.get(name, folds) ?? fold(isOpenAtFirst(group))) === 'open';
  const [isOpen, setOpen] = useState(unfolded);
  const inside = practice.value;
  useEffect(() => setOpen(unfolded()), [isPresent, inside]);
  return (
    <details
      open={isOpen}
      onToggle={({ currentTarget: { open } }) => {
        // Also the browser's own search unfolds; what was unfolded here is known already.
        if (open === isOpen) return;
        kept.set(name, fold(open));
        setOpen(open);
      }}
    >
      <summary>
        <Picture of={group} />
        {shellWords().groups[group]}
      </summary>
      <Links {...links} />
    </details>
  );
};

export const Navigation = ({ onChosen }: { readonly onChosen: () => void }) => (
  <nav class="navigation" aria-label={shellWords().navigation}>
    {navigationFor().map(({ group, pages }) =>
      group === 'daily' ? (
        <Links key={group} pages={pages} onChosen={onChosen} />
      ) : (
        <Group key={group} group={group} pages={pages} onChosen={onChosen} />
      ),
    )}
  </nav>
);
