// What the recipient sees: as on a computer or a phone, as text, and the files.
import type { Message } from '#api';
import { useFilters } from '#dashboard/address.ts';
import { addressOf } from '#dashboard/api/call.ts';
import { Card, Facts, Tabs } from '#dashboard/parts/basics.tsx';
import { MailFrame } from '#dashboard/parts/mail-frame.tsx';
import { may, practice } from '#dashboard/session.ts';
import { bytes, translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

const views = ['desktop', 'phone', 'text'] as const;
const PHONE_WIDTH = 375;

const Preview = ({ message }: { readonly message: Message }) => {
  const w = translated(words);
  const { values, href } = useFilters();
  const view = views.find((one) => one === values.view) ?? 'desktop';
  const src = addressOf('GET /api/practices/{id}/messages/{messageID}/preview', {
    id: practice.value?.id ?? '',
    messageID: message.id,
    view: view === 'text' ? 'text' : 'html',
  });
  return (
    <>
      <Tabs
        label={w.preview}
        present={view}
        tabs={views.map((one) => ({ id: one, text: w.views[one], href: href({ view: one }) }))}
      />
      <MailFrame
        title={w.preview}
        src={src}
        isHtml={view !== 'text' && !!message.html}
        width={view === 'phone' ? PHONE_WIDTH : undefined}
      />
      {/* A frame is cut where its window ends. */}
      {message.text && <div class="onpaper">{message.text}</div>}
    </>
  );
};

const Files = ({
  message: { id: messageID, attachments = [], attachments_removed },
}: {
  readonly message: Message;
}) => {
  const w = translated(words);
  const id = practice.value?.id ?? '';
  if (!attachments_removed && attachments.length === 0) return null;
  return (
    <>
      <h3>{w.attachments}</h3>
      {attachments_removed && <p class="quiet">{w.attachmentsRemoved}</p>}
      <ul class="unmarked">
        {attachments.map(({ filename, size }, index) => (
          <li key={`${index} ${filename}`}>
            <a
              download
              href={addressOf('GET /api/practices/{id}/messages/{messageID}/attachments/{index}', {
                id,
                messageID,
                index: String(index),
              })}
            >
              {filename}
            </a>{' '}
            <span class="quiet">{bytes(size)}</span>
          </li>
        ))}
      </ul>
    </>
  );
};

export const Content = ({ message }: { readonly message: Message }) => {
  const w = translated(words);
  const { calendar } = message;
  const why =
    message.source === 'system'
      ? w.ofService
      : may('messages.view_content')
        ? message.content_removed && w.removed
        : w.notShown;
  return (
    <Card title={w.content}>
      {why ? <p class="quiet">{why}</p> : <Preview message={message} />}
      {calendar && (
        <Facts
          facts={[
            [
              w.calendar,
              [calendar.summary, `${calendar.starts_at} – ${calendar.ends_at}`, calendar.location]
                .filter(Boolean)
                .join(', '),
            ],
          ]}
        />
      )}
      {may('messages.view_content') && <Files message={message} />}
    </Card>
  );
};
