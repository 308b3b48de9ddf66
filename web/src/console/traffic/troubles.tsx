import { Icon } from '../../look/icons.tsx';
import type { CarrierNow } from './queries.ts';
import { troubleOf } from './words.ts';

/** Above everything: carriers that take less than they are given, what that means, and when it will be over. */
export function Troubles({ carriers }: { carriers: CarrierNow[] }) {
  return (
    <div className="traffic-troubles" aria-live="polite">
      {carriers.map((carrier) => {
        const trouble = troubleOf(carrier);
        return (
          trouble && (
            <p key={carrier.carrierId} className={`hint ${carrier.state === 'down' ? 'bad' : 'warn'}`}>
              <Icon name="alert-triangle" />
              <span className="grow">
                <b>{trouble.what}</b> {trouble.then}
              </span>
              <a className="link" href={`/docs/operators/monitoring#${trouble.guide}`}>
                What to do
              </a>
            </p>
          )
        );
      })}
    </div>
  );
}
