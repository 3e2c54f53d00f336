// What a mail says, in a frame of its own, and its files, which are only downloaded.
import { useState } from 'preact/hooks';
import type { InboundMessage } from '#api';
import { addressOf } from '#dashboard/api/call.ts';
import { Button } from '#dashboard/parts/basics.tsx';
import { Note } from '#dashboard/parts/feedback.tsx';
import { MailFrame } from '#dashboard/parts/mail-frame.tsx';
import { bytes, translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

interface ContentProps {
  readonly practiceId: string;
  readonly mail: InboundMessage;
}

export const Content = ({ practiceId: id, mail }: ContentProps) => {
  const w = translated(words);
  const [isText, setText] = useState(false);
  const { html, notes = [], attachments = [] } = mail;
  const files = attachments.filter(({ inline }) => !inline);
  const src = addressOf('GET /api/practices/{id}/inbound/messages/{messageID}/preview', {
    id,
    messageID: mail.id,
    view: isText ? 'text' : undefined,
  });
  return (
    <>
      {notes.map((note) => (
        <Note key={note} kind="warn">
          {w.mailNotes[note]}
        </Note>
      ))}
      {files.length > 0 && (
        <>
          <h3>{w.attachments}</h3>
          <ul class="files">
            {files.map(({ index, filename, size }) => (
              <li key={index}>
                <a
                  download
                  href={addressOf(
                    'GET /api/practices/{id}/inbound/messages/{messageID}/attachments/{index}',
                    {
                      id,
                      messageID: mail.id,
                      index: String(index),
                    },
                  )}
                >
                  {filename || w.unnamed}
                </a>{' '}
                <span class="quiet">{bytes(size)}</span>
              </li>
            ))}
          </ul>
          <p class="hint">{w.attachmentHint}</p>
        </>
      )}
      <MailFrame title={w.contentOfMail} src={src} isHtml={!!html && !isText} />
      {html && (
        <fieldset class="actions">
          <legend class="hidden">{w.view}</legend>
          <Button text={w.asHtml} kind="small" aria-pressed={!isText} onClick={() => setText(false)} />
          <Button text={w.asText} kind="small" aria-pressed={isText} onClick={() => setText(true)} />
        </fieldset>
      )}
    </>
  );
};
