// The log of the API: what programs asked with the tokens of the practice, live.
import { useEffect } from 'preact/hooks';
import type { ApiRequest } from '#api';
import { useFilters } from '#dashboard/address.ts';
import type { Input } from '#dashboard/api/call.ts';
import { useAnswer, useList } from '#dashboard/data.ts';
import { Badge, Copied, Facts, Head, LinkButton, Time, type Tone } from '#dashboard/parts/basics.tsx';
import { Empty, Note } from '#dashboard/parts/feedback.tsx';
import { FilterSelect, ShowAll } from '#dashboard/parts/filters.tsx';
import { named } from '#dashboard/parts/form.tsx';
import { Paged } from '#dashboard/parts/table.tsx';
import { practice } from '#dashboard/session.ts';
import { number, translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

const LIST = 'GET /api/practices/{id}/requests';
type Wanted = Input<typeof LIST>;

/** Tokens to choose from. */
const MAX_TOKENS = 200;
const FILTERS = ['token', 'status', 'code', 'request', 'message'];
const REFRESH_MS = 3_000;
/** Who has loaded more than the first page reads what is there. */
const FIRST_PAGE = 50;

const toneOf = (status: number | null): Tone => {
  if (status === null) return 'plain';
  if (status < 400) return 'good';
  return status < 500 ? 'warn' : 'bad';
};

const Row = ({
  one,
  base,
  isOpen,
}: {
  readonly one: ApiRequest;
  readonly base: string;
  readonly isOpen: boolean;
}) => {
  const w = translated(words);
  return (
    <li>
      <details open={isOpen}>
        <summary>
          <Time at={one.at} seconds />
          <span>
            <Badge tone={toneOf(one.status)}>{one.status ?? w.gone}</Badge>{' '}
            {one.code && <code>{one.code}</code>}
          </span>
          <span>{one.token.name}</span>
          <code>
            {one.method} {one.path}
          </code>
        </summary>
        {one.hint !== null && <p>{one.hint}</p>}
        <Facts
          facts={[
            [w.requestId, <Copied key="id" text={one.request_id} name={w.requestId} />],
            [w.duration, `${number(one.duration_ms)} ms`],
            [
              w.messages,
              one.message_ids.length > 0 &&
                one.message_ids.map((message) => (
                  <p key={message}>
                    <a href={`${base}/post/${message}`}>
                      <code>{message}</code>
                    </a>
                  </p>
                )),
            ],
          ]}
        />
        {one.code !== null && (
          <p>
            <a href={`/reference/errors#${one.code}`}>{w.reference}</a>
          </p>
        )}
      </details>
    </li>
  );
};

const Requests = () => {
  const w = translated(words);
  const id = practice.value?.id ?? '';
  const base = `/app/${id}`;
  const filters = useFilters();
  const { token, status, code, request, message } = filters.values;
  const wanted = { id, token, status, code, request_id: request, message_id: message } as Wanted;
  const pages = useList(LIST, wanted);
  const tokens = useAnswer('GET /api/practices/{id}/api-tokens', { id, limit: MAX_TOKENS });
  const isAtBeginning = (pages.value?.length ?? 0) <= FIRST_PAGE;
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible' && isAtBeginning) pages.reload();
    }, REFRESH_MS);
    return () => clearInterval(timer);
  }, [pages.reload, isAtBeginning]);
  const codes = [...new Set([code, ...(pages.value ?? []).map((one) => one.code)])].filter((one) => !!one);
  const isFiltered = FILTERS.some((name) => filters.values[name]);
  const isOne = Boolean(request || message);
  return (
    <>
      <Head title={w.pages.requests} intro={w.intro} />
      <div class="filters">
        <FilterSelect
          filters={filters}
          name="token"
          label={w.token}
          all={w.allTokens}
          options={named(tokens.value?.data ?? [])}
        />
        <FilterSelect filters={filters} name="status" label={w.answered} options={w.classes} />
        <FilterSelect
          filters={filters}
          name="code"
          label={w.code}
          all={w.allCodes}
          options={Object.fromEntries(codes.map((one) => [one, one]))}
        />
        {isFiltered && <ShowAll filters={filters} names={FILTERS} />}
      </div>
      {isOne ? <Note>{message ? w.ofMessage : w.ofRequest}</Note> : <p class="quiet">{w.live}</p>}
      <Paged
        pages={pages}
        empty={
          isFiltered ? (
            <Empty title={w.emptyFiltered} text={w.emptyFilteredText} />
          ) : (
            <Empty
              title={w.empty}
              text={w.emptyText}
              action={<LinkButton text={w.pages.examples} kind="primary" href={`${base}/examples`} />}
            />
          )
        }
      >
        {(rows) => (
          <ol class="events requests" aria-label={w.list}>
            {rows.map((one) => (
              <Row key={one.request_id} one={one} base={base} isOpen={isOne} />
            ))}
          </ol>
        )}
      </Paged>
    </>
  );
};

export default Requests;
