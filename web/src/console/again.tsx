import { useEffect, useState } from 'react';
import { attendedMs, type SignInReason, setConfirmation } from '../api/http.ts';
import { Dialog } from '../look/dialog.tsx';
import { StateScreen } from '../look/parts.tsx';
import { client } from './client.ts';
import { type Session, sessionQuery } from './session.ts';

const channel = 'signed in to the console';
const signInPath = '/console/sign-in?again=yes&next=';

const words: Record<SignInReason, { title: string; about: string }> = {
  stale: {
    title: 'Confirm that it’s you',
    about: 'This gives access or records away, and you signed in more than five minutes ago.',
  },
  ended: { title: 'Your session has ended', about: 'What you have typed is still here.' },
};

/**
 * Asks to sign in again, for what gives access or records away and needs a fresh sign-in, or once the session has ended. That is done
 * in a window of its own, so that nothing in this one is lost; what was refused is then done by itself.
 */
export function SignInAgain() {
  const [asked, ask] = useState<{ why: SignInReason; answer(isConfirmed: boolean): void } | null>(null);
  useEffect(() => setConfirmation((why) => new Promise((answer) => ask({ why, answer }))), []);
  useEffect(() => {
    if (asked?.why !== 'ended') return;
    // Nobody is there: what is on the page isn't left for others to read.
    const timer = setTimeout(() => asked.answer(false), attendedMs);
    return () => clearTimeout(timer);
  }, [asked]);
  useEffect(() => {
    if (!asked) return;
    const heard = new BroadcastChannel(channel);
    heard.onmessage = async () => {
      const before = client.getQueryData<Session>(sessionQuery.queryKey)?.staff.staffId;
      const { staff } = await client.fetchQuery({ ...sessionQuery, staleTime: 0 });
      // Somebody else begins anew.
      if (staff.staffId !== before) return location.reload();
      ask(null);
      asked.answer(true);
    };
    return () => heard.close();
  }, [asked]);
  if (!asked) return null;
  const { title, about } = words[asked.why];
  const close = () => {
    ask(null);
    asked.answer(false);
  };
  return (
    <Dialog title={title} close={close} size="sm" isFirm>
      <div className="form">
        <p>{about} Sign in again in a small window; this page then goes on by itself.</p>
        <div className="buttons">
          <button type="button" className="button" onClick={close}>
            Cancel
          </button>
          <button type="button" className="button main" onClick={openSignIn} data-autofocus>
            Sign in again
          </button>
        </div>
      </div>
    </Dialog>
  );
}

function openSignIn(): void {
  const opened = open(`${signInPath}/console/signed-in`, 'sign-in', 'popup,width=480,height=760');
  // Not in every browser: then they come back to this page.
  if (!opened) location.assign(signInPath + encodeURIComponent(location.pathname));
}

/** Where that window ends. */
export function SignedIn() {
  useEffect(() => {
    const told = new BroadcastChannel(channel);
    told.postMessage('');
    told.close();
    window.close();
  }, []);
  return (
    <StateScreen icon="check" title="You are signed in">
      Close this window, and go on in the other.
    </StateScreen>
  );
}
