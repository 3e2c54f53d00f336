// A mail as its recipient sees it, in a document of its own whose policy runs nothing: stored mail by its address, a draft by
// the frame that takes it as a message. Images of other servers are loaded when the person asks for them.
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from './basics.tsx';
import { partWords } from './words.ts';

interface FrameProps {
  readonly title: string;
  /** The width of the view in CSS pixels; absent: as wide as the page. */
  readonly width?: number;
}

interface MailFrameProps extends FrameProps {
  /** The address of a preview. */
  readonly src: string;
  /** HTML is shown, and its images of other servers can be asked for. */
  readonly isHtml?: boolean;
  /** Before its images are loaded. */
  readonly before?: () => Promise<unknown>;
}

const atOnce = async (): Promise<void> => {};

export const MailFrame = ({ title, width, src, isHtml = false, before = atOnce }: MailFrameProps) => {
  const w = partWords().frame;
  const [hasImages, setImages] = useState(false);
  const shown = hasImages ? `${src}${src.includes('?') ? '&' : '?'}images=remote` : src;
  return (
    <>
      <div class="mailframe" style={width ? { maxWidth: `${width}px` } : undefined}>
        {/* A frame that changes its address would be an entry of the history. */}
        <iframe
          key={shown}
          title={title}
          src={shown}
          sandbox="allow-popups allow-popups-to-escape-sandbox"
          loading="lazy"
        />
      </div>
      {isHtml && !hasImages && (
        <p class="more">
          <Button
            text={w.loadImages}
            kind="small"
            onClick={() => before().then(() => setImages(true), atOnce)}
          />{' '}
          <span class="hint">{w.loadImagesHint}</span>
        </p>
      )}
    </>
  );
};

/** `html` may change as it is typed. */
export const DraftFrame = ({
  title,
  width,
  html,
  isDark = false,
}: FrameProps & { readonly html: string; readonly isDark?: boolean }) => {
  const frame = useRef<HTMLIFrameElement>(null);
  const shown = useRef(html);
  shown.current = html;
  const show = (): void => frame.current?.contentWindow?.postMessage({ html: shown.current }, '*');
  useEffect(show, [html]);
  return (
    <div class="mailframe" style={width ? { maxWidth: `${width}px` } : undefined}>
      <iframe
        ref={frame}
        class={isDark ? 'dark' : undefined}
        title={title}
        src="/app/frame"
        sandbox="allow-scripts"
        onLoad={show}
      />
    </div>
  );
};
