// Records that the owner of the domain publishes by one click, where its provider takes them so.
import { call } from '#dashboard/api/call.ts';
import { useData } from '#dashboard/data.ts';
import { LinkButton } from '#dashboard/parts/basics.tsx';
import { Note } from '#dashboard/parts/feedback.tsx';
import { partWords } from '#dashboard/parts/words.ts';
import { translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

/** Nothing where the domain's provider does not offer it. */
export const OneClick = ({
  id,
  checkedAt,
}: {
  readonly id: string;
  /** The offer is about what lacked at the last check. */
  readonly checkedAt: string | undefined;
}) => {
  const w = translated(words);
  const { value } = useData(
    async (abort) =>
      checkedAt === undefined
        ? undefined
        : call(
            'GET /api/practices/{id}/domain-connect/cloudflare',
            { id, redirect_uri: location.origin + location.pathname, inbound: 'true' },
            { abort },
          ),
    [id, checkedAt],
  );
  if (!value?.url) return null;
  const names = partWords().record.purposes;
  return (
    <Note>
      <p>
        <strong>{w.oneClick}</strong> {w.oneClickText}
      </p>
      {value.by_hand.length > 0 && (
        <p>
          {w.byHand} {value.by_hand.map(({ purpose }) => names[purpose]).join(', ')}
        </p>
      )}
      <p>
        <LinkButton text={w.oneClickAction} kind="primary" href={value.url} />
      </p>
    </Note>
  );
};
