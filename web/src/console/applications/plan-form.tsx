import { useState } from 'react';
import { FormDialog } from '../../look/dialog.tsx';
import { Field, Tick } from '../../look/fields.tsx';
import type { Plan } from './queries.ts';

/** A usage plan: for a new key, or instead of the one that a key has. */
export function PlanForm({
  title,
  action,
  plan,
  save,
  close,
}: {
  title: string;
  action: string;
  plan: Plan;
  save(plan: Plan): Promise<unknown>;
  close(): void;
}) {
  const [isLimited, limit] = useState(plan.ratePerSecond !== null);
  const [rate, setRate] = useState(String(plan.ratePerSecond ?? 50));
  const [burst, setBurst] = useState(String(plan.burst ?? 100));
  const [quota, setQuota] = useState(plan.dailyQuota === null ? '' : String(plan.dailyQuota));
  const given: Plan = {
    ratePerSecond: isLimited ? Number(rate) : null,
    burst: isLimited ? Number(burst) : null,
    dailyQuota: quota.trim() === '' ? null : Number(quota),
  };
  const isReady = Object.values(given).every((value) => value === null || (Number.isInteger(value) && value >= 1));
  return (
    <FormDialog title={title} action={action} run={() => save(given)} close={close} isReady={isReady} size="sm">
      <Tick isOn={isLimited} set={limit}>
        Limit how fast it may call
      </Tick>
      {isLimited && (
        <div className="two">
          <Field label="Requests per second" inputMode="numeric" value={rate} set={setRate} />
          <Field label="At once" inputMode="numeric" value={burst} set={setBurst} />
        </div>
      )}
      <Field label="Requests per day (UTC); empty for no limit" inputMode="numeric" value={quota} set={setQuota} />
      <p className="small soft">It takes effect on every node within a second.</p>
    </FormDialog>
  );
}
