// The form that changes a record of a list, filled with the record as it is now: a list says nothing of the versions of its records.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Answer, Input, OperationName } from '#dashboard/api/call.ts';
import { useAnswer } from '#dashboard/data.ts';
import { Loaded } from './feedback.tsx';

export const Current = <K extends OperationName>({
  of,
  at,
  children,
}: {
  readonly of: K;
  readonly at: Input<K>;
  /** `take` fills the form anew, with what someone else has saved. */
  readonly children: (record: Answer<K>, take: (record: Answer<K>) => void) => ComponentChildren;
}) => {
  const data = useAnswer(of, at);
  /** Counts the records that were taken. */
  const [taken, setTaken] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  const isThere = data.value !== undefined;
  useEffect(() => {
    // The dialog was opened before its form was there.
    box.current?.querySelector<HTMLElement>('form :is(input, select, textarea):enabled')?.focus();
  }, [isThere]);
  const take = (record: Answer<K>): void => {
    data.replace(record);
    setTaken((before) => before + 1);
  };
  return (
    <div ref={box}>
      <Loaded data={data}>{(record) => <div key={taken}>{children(record, take)}</div>}</Loaded>
    </div>
  );
};
