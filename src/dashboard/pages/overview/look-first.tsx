// What somebody should look at, the worst first. Where there is nothing, nothing is shown.
import { Card, type Tone } from '#dashboard/parts/basics.tsx';
import { may } from '#dashboard/session.ts';
import { unread } from '#dashboard/unread.ts';
import { translated } from '#dashboard/words.ts';
import type { Sum } from './trend.ts';
import { words } from './words/de.ts';

interface LookFirstProps {
  readonly id: string;
  /** Records of the domain that are wrong. */
  readonly failing: number;
  /** Routes that are near to where the service pauses sending. */
  readonly watched: number;
  readonly sum: Sum;
}

export const LookFirst = ({ id, failing, watched, sum: { complaints, bounced, hard } }: LookFirstProps) => {
  const w = translated(words).look;
  const rows: readonly (readonly [Tone, number, string, string])[] = [
    ['bad', may('domain.manage') ? failing : 0, w.records(failing), 'domain'],
    ['bad', complaints, w.complaints(complaints), 'post?status=spam_complaint'],
    ['warn', watched, w.watched, 'deliverability'],
    ['warn', bounced, w.bounced(bounced), `post?status=${hard > 0 ? 'hard_bounced' : 'soft_bounced'}`],
    ['plain', unread.value, w.unread(unread.value), 'inbox'],
  ];
  const shown = rows.filter(
    ([, count, , page]) => count > 0 && (!page.startsWith('post') || may('messages.view')),
  );
  if (shown.length === 0) return null;
  return (
    <Card title={w.title}>
      <ul class="unmarked">
        {shown.map(([tone, , text, page]) => (
          <li key={page}>
            <span class={`lamp ${tone}`}>
              <a href={`/app/${id}/${page}`}>{text}</a>
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
};
