// Records of the DNS: what to publish, what was found, and what to do about it. What is right is folded.
import type { CheckedRecord, WantedRecord } from '#api';
import { Copy, Lamp, type Tone } from '#dashboard/parts/basics.tsx';
import { partWords } from '#dashboard/parts/words.ts';
import { translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

/** A record has no status before the first check. */
export type Found = WantedRecord & {
  readonly status?: CheckedRecord['status'] | null;
  readonly found?: CheckedRecord['found'];
};

const toneOf = ({ status, required }: Found): Tone => {
  if (!status) return 'plain';
  if (status === 'ok') return 'good';
  if (status === 'missing' && !required) return 'plain';
  return status === 'error' || !required ? 'warn' : 'bad';
};

const Value = ({
  name,
  value,
  record,
}: {
  readonly name: string;
  readonly value: string;
  readonly record: string;
}) => (
  <div>
    <dt>{name}</dt>
    <dd>
      <code>{value}</code> <Copy text={value} name={`${name}: ${record}`} />
    </dd>
  </div>
);

/** Only what one has to do something about is unfolded. */
const isToDo = ({ status, required }: Found): boolean =>
  !!status && status !== 'ok' && (required || status !== 'missing');

const OneRecord = ({ record, isOwn }: { readonly record: Found; readonly isOwn: boolean }) => {
  const w = translated(words);
  const names = partWords().record;
  const { purpose, type, name, value, priority, required, status, found = [], hint } = record;
  const shown = names.purposes[purpose];
  return (
    <li>
      <details open={isOwn && isToDo(record)}>
        <summary>
          <Lamp tone={toneOf(record)} text={names.statuses[status ?? 'unchecked']} />
          <strong>{shown}</strong>
          <span class="quiet">
            {type} · <code>{name}</code> · {required ? w.required : w.optional}
          </span>
        </summary>
        <dl class="facts">
          <Value name={w.name} value={name} record={shown} />
          <div>
            <dt>{w.type}</dt>
            <dd>
              <code>{type}</code>
            </dd>
          </div>
          <Value name={w.value} value={value} record={shown} />
          {priority !== null && <Value name={w.priority} value={String(priority)} record={shown} />}
          {status && status !== 'ok' && (
            <div>
              <dt>{w.found}</dt>
              <dd>
                {found.length === 0
                  ? w.nothing
                  : found.map((one) => (
                      <div key={one}>
                        <code>{one}</code>
                      </div>
                    ))}
              </dd>
            </div>
          )}
          {status && status !== 'ok' && (
            <div>
              <dt>{w.whatToDo}</dt>
              <dd>{isOwn ? w.advice[status] : w.byOperator}</dd>
            </div>
          )}
          {hint !== '' && (
            <div>
              <dt>{w.hint}</dt>
              <dd>{hint}</dd>
            </div>
          )}
        </dl>
      </details>
    </li>
  );
};

export const RecordList = ({
  records,
  isOwn,
}: {
  readonly records: readonly Found[];
  /** The records are of a domain whose DNS the practice keeps. */
  readonly isOwn: boolean;
}) => (
  <ul class="records dns">
    {records.map((record) => (
      <OneRecord key={`${record.type} ${record.name} ${record.purpose}`} record={record} isOwn={isOwn} />
    ))}
  </ul>
);
