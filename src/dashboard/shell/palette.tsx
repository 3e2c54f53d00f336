// The palette (⌘K, Ctrl+K): pages, practices and searches by typing. A combobox with a list, after the ARIA pattern: the focus
// stays in the field, the arrows choose.
import { useEffect, useId, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { call } from '#dashboard/api/call.ts';
import { practicePages } from '#dashboard/pages.ts';
import { Dialog } from '#dashboard/parts/dialog.tsx';
import { mayLeave } from '#dashboard/parts/unsaved.ts';
import { account, isOperator, may, practice } from '#dashboard/session.ts';
import { language, plain, translated } from '#dashboard/words.ts';
import { isAllowed, navigationFor } from './navigation.tsx';
import { isPaletteOpen } from './opened.ts';
import { words } from './palette/words/de.ts';
import { shellWords } from './words.ts';

interface Choice {
  readonly text: string;
  readonly kind: string;
  readonly href: string;
}

const MAX_CHOICES = 12;

/** Long enough that a word is not searched letter by letter. */
const TYPING_MS = 250;

/** Practices by name for the operator, who enters those of others too. */
const useAllPractices = (typed: string): readonly Choice[] => {
  const [found, setFound] = useState<readonly Choice[]>([]);
  const q = isOperator.value ? typed.trim() : '';
  useEffect(() => {
    setFound([]);
    if (q === '') return;
    const controller = new AbortController();
    const search = async (): Promise<void> => {
      const query = { q, limit: MAX_CHOICES };
      const { data } = await call('GET /api/admin/practices', query, { abort: controller.signal });
      setFound(
        data.map((row) => ({
          text: 'unavailable' in row ? row.slug : row.name,
          kind: shellWords().openAsOperator,
          href: `/app/${row.id}`,
        })),
      );
    };
    // What cannot be searched is not found; the pages of the list are there all the same.
    const timer = setTimeout(() => void search().catch(() => {}), TYPING_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [q]);
  return found;
};

/** What one can begin: the page opens its form by the query. */
const actionsOf = (base: string): readonly Choice[] => {
  const w = translated(words);
  const needs = new Map(practicePages.map((page) => [page.path, page]));
  return Object.entries(w.actions).flatMap(([path, text]) => {
    const page = needs.get(path);
    if (!page || !isAllowed(page)) return [];
    return [
      { text, kind: w.action, href: path === 'letter' ? `${base}/letter` : `${base}/${path}?create=yes` },
    ];
  });
};

const MAX_LISTED = 100;

/** Lists and templates of the practice, asked for once while the palette is open. */
const useRecords = (base: string): readonly Choice[] => {
  const [found, setFound] = useState<readonly Choice[]>([]);
  const id = practice.value?.id;
  useEffect(() => {
    if (id === undefined) return;
    const controller = new AbortController();
    const how = { abort: controller.signal };
    const take = (
      kind: string,
      path: string,
      data: readonly { readonly id: string; readonly name: string }[],
    ) =>
      setFound((before) => [
        ...before,
        ...data.map((row) => ({ text: row.name, kind, href: `${base}/${path}/${row.id}` })),
      ]);
    const w = translated(words);
    if (may('messages.send'))
      call('GET /api/practices/{id}/templates', { id, limit: MAX_LISTED }, how)
        .then(({ data }) => take(w.template, 'templates', data))
        .catch(() => {});
    if (may('lists.manage'))
      call('GET /api/practices/{id}/lists', { id, limit: MAX_LISTED }, how)
        .then(({ data }) => take(w.list, 'lists', data))
        .catch(() => {});
    return () => controller.abort();
  }, [id]);
  return found;
};

const MAX_HITS = 5;
const MIN_TYPED = 2;

/** The newest messages that fit, and the people they went to: one request for both. */
const useMail = (typed: string, base: string): readonly Choice[] => {
  const [found, setFound] = useState<readonly Choice[]>([]);
  const id = practice.value?.id;
  const q = typed.trim();
  useEffect(() => {
    setFound([]);
    if (id === undefined || q.length < MIN_TYPED || !may('messages.view')) return;
    const controller = new AbortController();
    const search = async (): Promise<void> => {
      const w = translated(words);
      const query = { id, q, limit: MAX_HITS };
      const { data } = await call('GET /api/practices/{id}/messages/search', query, {
        abort: controller.signal,
      });
      const people = new Map(
        data
          .flatMap(({ recipients }) => recipients)
          .filter(({ address, name }) => plain(`${name ?? ''} ${address}`).includes(plain(q)))
          .map(({ address, name }) => [address, name ?? address]),
      );
      setFound([
        ...(may('lists.manage')
          ? [...people].map(([address, name]) => ({
              text: name,
              kind: w.person,
              href: `${base}/people/${encodeURIComponent(address)}`,
            }))
          : []),
        ...data.map((row) => ({
          text: row.subject || w.noSubject,
          kind: w.message,
          href: `${base}/post/${row.id}`,
        })),
      ]);
    };
    const timer = setTimeout(() => void search().catch(() => {}), TYPING_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [q, id]);
  return found;
};

const choicesFor = (
  typed: string,
  records: readonly Choice[],
  others: readonly Choice[],
): readonly Choice[] => {
  const w = shellWords();
  const inside = practice.value;
  const base = `/app/${inside?.id}`;
  const pages = navigationFor().flatMap(({ group, pages }) =>
    pages.map(({ href, title }) => ({ href, text: title, kind: w.groups[group] })),
  );
  const practices = (account.value?.practices ?? [])
    .filter(({ status }) => status === 'active')
    .map(({ practice_id, name }) => ({ text: name, kind: w.choosePractice, href: `/app/${practice_id}` }));
  const isTyped = typed.trim() !== '';
  const fits = ({ text }: Choice): boolean => plain(text).includes(plain(typed.trim()));
  const found = [...pages, ...(inside && isTyped ? actionsOf(base) : []), ...practices].filter(fits);
  const searches: Choice[] = [];
  if (inside && isTyped) {
    const query = encodeURIComponent(typed.trim());
    if (may('messages.view'))
      searches.push({ text: w.searchMail(typed.trim()), kind: '', href: `${base}/post?q=${query}` });
    if (typed.includes('@') && may('lists.manage'))
      searches.push({ text: w.searchPerson(typed.trim()), kind: '', href: `${base}/people/${query}` });
  }
  // What is found later comes last: what is chosen stays where it is.
  const all = [
    ...found.slice(0, MAX_CHOICES),
    ...searches,
    ...(isTyped ? records.filter(fits).slice(0, MAX_HITS) : []),
    ...others,
  ];
  return all.filter(({ href }, at) => all.findIndex((one) => one.href === href) === at);
};

const Choices = ({ onChosen }: { readonly onChosen: (href: string) => void }) => {
  const w = shellWords();
  const id = useId();
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const base = `/app/${practice.value?.id}`;
  const choices = choicesFor(typed, useRecords(base), [...useMail(typed, base), ...useAllPractices(typed)]);
  const chosen = Math.min(at, choices.length - 1);
  return (
    <>
      <input
        type="text"
        class="search"
        role="combobox"
        aria-label={w.palette}
        aria-expanded="true"
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={choices[chosen] ? `${id}-${chosen}` : undefined}
        placeholder={w.palettePlaceholder}
        // biome-ignore lint/a11y/noAutofocus: a dialog that is opened to type
        autoFocus
        value={typed}
        onInput={(event) => {
          setTyped(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
          if (step !== undefined) {
            event.preventDefault();
            setAt((chosen + step + choices.length) % Math.max(choices.length, 1));
          }
          const choice = choices[chosen];
          if (event.key === 'Enter' && choice) onChosen(choice.href);
        }}
      />
      <div id={id} role="listbox" aria-label={w.palette} class="choices">
        {choices.map(({ text, kind, href }, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field
          <div
            key={href}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            onClick={() => onChosen(href)}
          >
            {text} <span class="quiet">{kind}</span>
          </div>
        ))}
      </div>
      {choices.length === 0 && <p class="quiet">{w.nothingFound}</p>}
    </>
  );
};

export const Palette = () => {
  const { route } = useLocation();
  // Read here, so that it renders again with the other language.
  void language.value;
  return (
    <Dialog
      title={shellWords().palette}
      isOpen={isPaletteOpen.value}
      onClose={() => (isPaletteOpen.value = false)}
    >
      <Choices
        onChosen={(href) => {
          isPaletteOpen.value = false;
          void mayLeave().then((isLeft) => isLeft && route(href));
        }}
      />
    </Dialog>
  );
};
