// The palette (⌘K, Ctrl+K): pages, practices and searches by typing. A combobox with a list, after the ARIA pattern: the focus
// stays in the field, the arrows choose.
import { useEffect, useId, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { call } from '#dashboard/api/call.ts';
import { Dialog } from '#dashboard/parts/dialog.tsx';
import { mayLeave } from '#dashboard/parts/unsaved.ts';
import { account, isOperator, may, practice } from '#dashboard/session.ts';
import { language, plain } from '#dashboard/words.ts';
import { navigationFor } from './navigation.tsx';
import { isPaletteOpen } from './on-demand.tsx';
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

const choicesFor = (typed: string, others: readonly Choice[]): readonly Choice[] => {
  const w = shellWords();
  const inside = practice.value;
  const pages = navigationFor().flatMap(({ group, pages }) =>
    pages.map(({ href, title }) => ({ href, text: title, kind: w.groups[group] })),
  );
  const practices = (account.value?.practices ?? [])
    .filter(({ status }) => status === 'active')
    .map(({ practice_id, name }) => ({ text: name, kind: w.choosePractice, href: `/app/${practice_id}` }));
  const found = [...pages, ...practices].filter(({ text }) => plain(text).includes(plain(typed.trim())));
  const searches: Choice[] = [];
  if (inside && typed.trim() !== '') {
    const query = encodeURIComponent(typed.trim());
    if (may('messages.view'))
      searches.push({
        text: w.searchMail(typed.trim()),
        kind: '',
        href: `/app/${inside.id}/post?q=${query}`,
      });
    if (typed.includes('@') && may('lists.manage'))
      searches.push({
        text: w.searchPerson(typed.trim()),
        kind: '',
        href: `/app/${inside.id}/people/${query}`,
      });
  }
  // What is found later comes last: what is chosen stays where it is.
  const known = new Set(practices.map(({ href }) => href));
  return [...found.slice(0, MAX_CHOICES), ...searches, ...others.filter(({ href }) => !known.has(href))];
};

const Choices = ({ onChosen }: { readonly onChosen: (href: string) => void }) => {
  const w = shellWords();
  const id = useId();
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const choices = choicesFor(typed, useAllPractices(typed));
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
