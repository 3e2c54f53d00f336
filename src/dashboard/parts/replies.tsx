// What is said in the place of a server's reply, from a file of its own: most pages show none.
import { loadPart } from '#dashboard/api/reach.ts';
import { useLoaded } from './on-demand.ts';

const load = () => import('./replies/spoken.tsx');

export const loadReplies = () => loadPart(load);

export const ReplyText = ({
  status,
  diagnostic,
}: {
  readonly status: string;
  readonly diagnostic: string;
}) => <>{useLoaded(load, true)?.spokenReplies().textOf(status, { diagnostic })}</>;
