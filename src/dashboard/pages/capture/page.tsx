// One captured mail: as its recipient would see it, as text, its header, its source and its files.
import type { CapturedMailContent } from '#api';
import { useFilters } from '#dashboard/address.ts';
import { addressOf, call } from '#dashboard/api/call.ts';
import { useAnswer, useData } from '#dashboard/data.ts';
import type { PageProps } from '#dashboard/page-entry.ts';
import { Card, Code, Facts, Head, LinkButton, Tabs, Time } from '#dashboard/parts/basics.tsx';
import { Loaded, Note } from '#dashboard/parts/feedback.tsx';
import { MailFrame } from '#dashboard/parts/mail-frame.tsx';
import { Table } from '#dashboard/parts/table.tsx';
import { practice } from '#dashboard/session.ts';
import { bytes, translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

const ONE = '/api/practices/{id}/captures/{captureID}';
const views = ['html', 'text', 'headers', 'source', 'files'] as const;

interface ViewProps {
  readonly at: { readonly id: string; readonly captureID: string };
  readonly content: CapturedMailContent;
}

/** Where a sign-in of the last minutes is needed it is asked for by this; what the browser loads by itself comes after it. */
const contentOf = (at: ViewProps['at'], abort?: AbortSignal) => call(`GET ${ONE}/content`, at, { abort });

const downloadOf = (at: ViewProps['at']) => (event: MouseEvent) => {
  const link = event.currentTarget;
  // The click that follows.
  if (!event.isTrusted || !(link instanceof HTMLElement)) return;
  event.preventDefault();
  contentOf(at).then(
    () => link.click(),
    () => undefined,
  );
};

const Source = ({ at }: Pick<ViewProps, 'at'>) => {
  const data = useAnswer(`GET ${ONE}`, at);
  return <Loaded data={data}>{(source) => <Code text={source} label={translated(words).source} />}</Loaded>;
};

const Files = ({ at, content }: ViewProps) => {
  const w = translated(words);
  if (content.attachments.length === 0) return <p class="quiet">{w.noFiles}</p>;
  return (
    <Table
      caption={w.attachments}
      rows={content.attachments}
      rowKey={({ index }) => String(index)}
      columns={[
        {
          head: w.file,
          cell: ({ index, filename, inline }) => (
            <span>
              <a
                download
                onClick={downloadOf(at)}
                href={addressOf(`GET ${ONE}/attachments/{index}`, { ...at, index: String(index) })}
              >
                {filename || w.unnamed}
              </a>{' '}
              {inline && <span class="quiet">({w.inline})</span>}
            </span>
          ),
          isMain: true,
        },
        { head: w.type, cell: ({ content_type }) => content_type },
        { head: w.size, cell: ({ size }) => bytes(size), align: 'end' },
      ]}
    />
  );
};

const Headers = ({ content }: Pick<ViewProps, 'content'>) => {
  const w = translated(words);
  return (
    <Table
      caption={w.headers}
      rows={content.headers.map((field, at) => ({ ...field, at }))}
      rowKey={({ at }) => String(at)}
      columns={[
        { head: w.field, cell: ({ name }) => <code>{name}</code>, isMain: true },
        { head: w.value, cell: ({ value }) => value },
      ]}
    />
  );
};

const Capture = ({ item = '' }: PageProps) => {
  const w = translated(words);
  const id = practice.value?.id ?? '';
  const at = { id, captureID: item };
  const { values, href } = useFilters();
  const view = views.find((one) => one === values.view) ?? 'html';
  const data = useData((abort) => contentOf(at, abort), [id, item, view]);
  const names = (all: CapturedMailContent['to']) =>
    all.map(({ name, address }) => (name ? `${name} <${address}>` : address)).join(', ');
  return (
    <Loaded data={data}>
      {(content) => (
        <>
          <Head
            title={content.subject || w.noSubject}
            back={{ href: `/app/${id}/captures`, text: w.pages.captures }}
            actions={
              <LinkButton
                text={w.download}
                download={`${item}.eml`}
                onClick={downloadOf(at)}
                href={addressOf(`GET ${ONE}`, at)}
              />
            }
          />
          <Card>
            <Facts
              facts={[
                [w.from, content.from && names([content.from])],
                [w.to, names(content.to)],
                [w.cc, names(content.cc)],
                [w.date, content.date && <Time key="date" at={content.date} />],
              ]}
            />
          </Card>
          {content.notes.map((note) => (
            <Note key={note} kind="warn">
              {w.mailNotes[note]}
            </Note>
          ))}
          <Tabs
            label={w.view}
            present={view}
            tabs={views.map((one) => ({
              id: one,
              text: w[one],
              href: href({ view: one }),
              count: one === 'files' ? content.attachments.length : undefined,
            }))}
          />
          {!data.isOther && (view === 'html' || view === 'text') && (
            <MailFrame
              title={w.contentOfMail}
              src={addressOf(`GET ${ONE}/preview`, { ...at, view })}
              isHtml={view === 'html' && !!content.html}
              before={() => contentOf(at)}
            />
          )}
          {view === 'headers' && <Headers content={content} />}
          {view === 'source' && <Source at={at} />}
          {view === 'files' && <Files at={at} content={content} />}
        </>
      )}
    </Loaded>
  );
};

export default Capture;
