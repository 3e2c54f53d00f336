// Filters of a list, which are in the address of the page.
import type { Filters } from '#dashboard/address.ts';
import { type Options, Select } from './form.tsx';

interface FilterProps {
  readonly filters: Filters;
  /** In the address. */
  readonly name: string;
  readonly label: string;
}

/** The option without a value leaves everything in. */
export const FilterSelect = ({
  filters: { values, set },
  name,
  label,
  options,
}: FilterProps & { readonly options: Options }) => (
  <Select
    aria-label={label}
    value={values[name] ?? ''}
    onValue={(value) => set({ [name]: value })}
    options={options}
  />
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
