import { useState } from 'react';
import { post } from '../../api/http.ts';
import { FormDialog } from '../../look/dialog.tsx';
import { Field, Lines } from '../../look/fields.tsx';
import { toast } from '../../shell/toasts.tsx';
import { refresh } from '../lists.ts';

const isNumber = (text: string) => /^\d+$/.test(text);

/** Says why times that a verification found are wrong. */
export function ExplainTimes({ close }: { close(): void }) {
  const [advisorId, setAdvisorId] = useState('0');
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const [reason, setReason] = useState('');
  const numbers = { advisorId, from, to: to || from };
  const run = async () => {
    const [advisorId, from, to] = Object.values(numbers).map(Number);
    await post('/explanations', { body: { advisorId, from, to, reason: reason.trim() } });
    await refresh('/audit');
    toast('Verifications name it beside these times once it is signed, in a few seconds.');
  };
  return (
    <FormDialog
      title="Explain wrong times"
      action="Explain them"
      run={run}
      close={close}
      isReady={Object.values(numbers).every(isNumber) && reason.trim().length >= 5}
    >
      <p>
        <code>assent archive verify</code> names entries whose times go back. Nothing else that it finds can be
        explained. For a step that was accepted, the number of its entry is enough.
      </p>
      <Field label="Advisor’s number; 0 is the deployment" inputMode="numeric" value={advisorId} set={setAdvisorId} />
      <div className="two">
        <Field label="From entry" inputMode="numeric" value={from} data-autofocus set={setFrom} />
        <Field label="To entry, if there are more" inputMode="numeric" value={to} set={setTo} />
      </div>
      <Lines label="Why are they wrong?" rows={2} value={reason} set={setReason} />
      <p className="small soft">Your name, the reason and the time go into the archive for good.</p>
    </FormDialog>
  );
}
