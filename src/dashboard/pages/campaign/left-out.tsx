// Who gets no message of a campaign, and why.
import type { Campaign } from '#api';
import { number, translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

/** `refusals`: what the API says of the codes among the reasons. */
export const reasonText = (reason: string, refusals: Campaign['refusals'] = {}): string =>
  translated(words).reasons[reason] ??
  refusals[reason.replace(/^refused:/, '')]?.brief ??
  translated(words).anotherReason;

interface LeftOutProps {
  readonly counts: Readonly<Record<string, number>>;
  readonly refusals?: Campaign['refusals'];
  /** What those lack who have no value for a placeholder. */
  readonly placeholders?: readonly { readonly name: string; readonly people: number }[];
}

export const LeftOut = ({ counts, refusals, placeholders = [] }: LeftOutProps) => {
  const left = Object.entries(counts).filter(([, count]) => count > 0);
  if (left.length === 0) return null;
  return (
    <div>
      <p class="quiet">{translated(words).leftOut}</p>
      <ul class="counts">
        {left.map(([reason, count]) => (
          <li key={reason}>
            <strong>{number(count)}</strong> {reasonText(reason, refusals)}
            {reason === 'missing_value' && placeholders.length > 0 && (
              <>: {placeholders.map(({ name, people }) => `${name} (${number(people)})`).join(', ')}</>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
};
