import { useEffect, useState } from 'react';
import { setConfirmation } from '../api/http.ts';
import { Dialog } from '../look/dialog.tsx';
import { StateScreen } from '../look/parts.tsx';
import { client } from './client.ts';
import { type Session, sessionQuery } from './session.ts';

const channel = 'signed in to the console';
const signInPath = '/console/sign-in?again=yes&next=';

/**
 * Asks to sign in again, for what gives somebody access and needs a fresh sign-in. That is done in a window of its own, so that nothing
 * in this one is lost; what was refused is then done by itself.
 */
export function SignInAgain() {
  const [answer, setAnswer] = useState<((isConfirmed: boolean) => void) | null>(null);
  useEffect(() => setConfirmation(() => new Promise((resolve) => setAnswer(() => resolve))), []);
  useEffect(() => {
    if (!answer) return;
    const heard = new BroadcastChannel(channel);
    heard.onmessage = async () => {
      const before = client.getQueryData<Session>(sessionQuery.queryKey)?.staff.staffId;
      const { staff } = await client.fetchQuery({ ...sessionQuery, staleTime: 0 });
      // Somebody else begins anew.
      if (staff.staffId !== before) return location.reload();
      setAnswer(null);
      answer(true);
    };
    return () => heard.close();
  }, [answer]);
  if (!answer) return null;
  const close = () => {
    setAnswer(null);
    answer(false);
  };
  return (
    <Dialog title="Confirm that it’s you" close={close} size="sm">
      <div className="form">
        <p>
          This gives somebody access, and you signed in more than five minutes ago. Sign in again in a small window;
          this page then goes on by itself.
        </p>
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
