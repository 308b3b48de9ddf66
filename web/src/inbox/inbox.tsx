import { Outlet, useLocation, useParams } from '@tanstack/react-router';
import { StateScreen } from '../look/parts.tsx';
import { ConversationList } from './conversation-list.tsx';

export function Inbox() {
  const { memberId } = useParams({ strict: false });
  const isReading = useLocation({ select: ({ pathname }) => /^\/(c\/|new)/.test(pathname) });
  return (
    <div className={`inbox ${isReading ? 'reading' : ''}`}>
      <ConversationList open={memberId} />
      <Outlet />
    </div>
  );
}

export function NothingOpen() {
  return (
    <StateScreen icon="message-2" title="Choose a conversation">
      Move with <kbd>J</kbd> and <kbd>K</kbd>, search with <kbd>/</kbd>, write a new text with <kbd>C</kbd>.
    </StateScreen>
  );
}
