import type { ReplyItem } from '../api/types.ts';
import { Icon } from './icons.tsx';

/** What came with a text: a picture is shown, anything else is a download. */
export function Media({ url, contentType, size, isPending }: ReplyItem['media'][number]) {
  if (isPending)
    return (
      <div
        className="picture skeleton"
        style={{ width: 160, height: 120 }}
        role="img"
        aria-label="An attachment that is still on its way"
      />
    );
  if (contentType.startsWith('image/'))
    return (
      <a href={url} target="_blank" rel="noreferrer">
        <img className="picture" src={url} alt="Sent with the text" loading="lazy" />
      </a>
    );
  return (
    <a className="say in row" href={url} download>
      <Icon name="paperclip" />
      Attachment, {Math.ceil(size / 1024)} KB
    </a>
  );
}
