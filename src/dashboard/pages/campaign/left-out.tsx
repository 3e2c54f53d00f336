// Who gets no message of a campaign, and why.
import { number } from '#dashboard/words.ts';
import { campaignWords } from './words.ts';

export const reasonText = (reason: string): string => campaignWords().reasons[reason] ?? reason;

interface LeftOutProps {
  readonly counts: Readonly<Record<string, number>>;
  /** What those lack who have no value for a placeholder. */
  readonly placeholders?: readonly { readonly name: string; readonly people: number }[];
}

export const LeftOut = ({ counts, placeholders = [] }: LeftOutProps) => {
  const left = Object.entries(counts).filter(([, count]) => count > 0);
  if (left.length === 0) return null;
  return (
    <div>
      <p class="quiet">{campaignWords().leftOut}</p>
      <ul class="counts">
        {left.map(([reason, count]) => (
          <li key={reason}>
            <strong>{number(count)}</strong> {reasonText(reason)}
            {reason === 'missing_value' && placeholders.length > 0 && (
              <>: {placeholders.map(({ name, people }) => `${name} (${number(people)})`).join(', ')}</>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
};
