// The last check of a host's records, gathered by what they are for. Pure: the DNS is not asked here.
import type { z } from 'zod';
import type { CheckedRecord, HostCheck, HostFacts, RecordPurpose } from '#src/domains/records/host-check.ts';
import type { mechanismSchema } from './reports-schema.ts';

export type Mechanism = z.infer<typeof mechanismSchema>;

/** The worst of a host's records stands for all: what is wrong before what is not there before what is unknown. */
const worstFirst = ['multiple', 'mismatch', 'proxied', 'missing', 'error', 'ok'] as const;

const shown = ({ type, name, value, priority, required, status, found, hint }: CheckedRecord) => ({
  type,
  name,
  value,
  priority,
  required,
  status,
  found: [...found],
  hint,
});

/** `check` is null where the host was never looked at; a managed host's records are served by the service itself. */
export const mechanismOf = (
  kind: HostFacts['kind'],
  check: HostCheck | null,
  purposes: readonly RecordPurpose[],
): Mechanism => {
  if (kind === 'managed') return { status: 'ok', source: 'service', hint: '', records: [] };
  const records = [...(check?.records ?? []), ...(check?.inbound ?? [])].filter(({ purpose }) =>
    purposes.includes(purpose),
  );
  const worst = worstFirst.flatMap((status) => records.filter((record) => record.status === status)).at(0);
  return {
    status: worst?.status ?? 'unchecked',
    source: 'dns',
    hint: worst?.hint ?? 'These records have not been checked yet: POST check-dns does it.',
    records: records.map(shown),
  };
};
