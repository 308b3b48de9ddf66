import { useState } from 'react';
import { FormDialog } from '../dialogs.tsx';
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
      <label className="row">
        <input type="checkbox" checked={isLimited} onChange={({ target }) => limit(target.checked)} />
        Limit how fast it may call
      </label>
      {isLimited && (
        <div className="two">
          <label className="label">
            Requests per second
            <input
              className="plain-field"
              inputMode="numeric"
              value={rate}
              onChange={({ target }) => setRate(target.value)}
            />
          </label>
          <label className="label">
            At once
            <input
              className="plain-field"
              inputMode="numeric"
              value={burst}
              onChange={({ target }) => setBurst(target.value)}
            />
          </label>
        </div>
      )}
      <label className="label">
        Requests per day (UTC); empty for no limit
        <input
          className="plain-field"
          inputMode="numeric"
          value={quota}
          onChange={({ target }) => setQuota(target.value)}
        />
      </label>
      <p className="small soft">It takes effect on every node within a second.</p>
    </FormDialog>
  );
}
