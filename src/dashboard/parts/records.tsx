// Records of the DNS. Their list is loaded where it is shown: few pages show one.
import type { ComponentProps } from 'preact';
import { Skeleton } from './feedback.tsx';
import { useLoaded } from './on-demand.ts';
import type { RecordList as List } from './records/list.tsx';

export type { Found } from './records/list.tsx';

export const RecordList = (props: ComponentProps<typeof List>) => {
  const part = useLoaded(() => import('./records/list.tsx'), true);
  return part ? <part.RecordList {...props} /> : <Skeleton lines={props.records.length} />;
};
