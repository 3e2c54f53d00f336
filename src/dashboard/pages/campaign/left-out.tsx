// Who gets no message of a campaign, and why.
import { number } from '#dashboard/words.ts';
import { campaignWords } from './words.ts';

export const reasonText = (reason: string): string => campaignWords().reasons[reason] ?? reason;

export const LeftOut = ({ counts }: { readonly counts: Readonly<Record<string, number>> }) => {
  const left = Object.entries(counts).filter(([, count]) => count > 0);
  if (left.length === 0) return null;
  return (
    <div>
      <p class="quiet">{campaignWords().leftOut}</p>
      <ul class="counts">
        {left.map(([reason, count]) => (
          <li key={reason}>
            <strong>{number(count)}</strong> {reasonText(reason)}
          </li>
        ))}
      </ul>
    </div>
  );
};
