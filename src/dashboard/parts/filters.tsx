// Filters of a list, which are in the address of the page.
import { type Filters, useTyped } from '#dashboard/address.ts';
import { LinkButton, Tabs } from './basics.tsx';
import { type Options, SearchField, Select } from './form.tsx';
import { partWords } from './words.ts';

interface FilterProps {
  readonly filters: Filters;
  /** The name in the address. */
  readonly name: string;
  readonly label: string;
}

/** `all`: of the choice that leaves everything in. */
export const FilterSelect = ({
  filters: { values, set },
  name,
  label,
  all,
  options,
}: FilterProps & { readonly all?: string; readonly options: Options }) => (
  <Select
    aria-label={label}
    value={values[name] ?? ''}
    onValue={(value) => set({ [name]: value })}
    options={all === undefined ? options : { '': all, ...options }}
  />
);

/** What is typed is the filter `q` a moment later. */
export const FilterSearch = ({ filters, label }: Omit<FilterProps, 'name'>) => {
  const [typed, setTyped] = useTyped(filters);
  return <SearchField label={label} value={typed} onValue={setTyped} />;
};

/** A list without those filters. */
export const ShowAll = ({
  filters: { href },
  names,
}: Pick<FilterProps, 'filters'> & { readonly names: readonly string[] }) => (
  <LinkButton text={partWords().showAll} href={href(Object.fromEntries(names.map((name) => [name, ''])))} />
);

export const FilterDay = ({ filters: { values, set }, name, label }: FilterProps) => (
  <label>
    <span>{label}</span>
    <input
      type="date"
      value={values[name] ?? ''}
      onChange={(event) => set({ [name]: event.currentTarget.value })}
    />
  </label>
);

/** How many days back a page looks, by the filter `days`. */
export const DayTabs = ({
  filters: { href },
  windows,
  days,
}: Pick<FilterProps, 'filters'> & { readonly windows: readonly number[]; readonly days: number }) => {
  const w = partWords();
  return (
    <Tabs
      label={w.period}
      present={String(days)}
      tabs={windows.map((one) => ({ id: String(one), text: w.days(one), href: href({ days: String(one) }) }))}
    />
  );
};
