import type { Deps } from '../../deps.ts';
import { type CarrierRow, listCarriers } from '../../store/carriers/carriers.ts';
import type { CarrierEvent, CarrierExtra, CarrierFault, CarrierKind, Carriers, OpenCarrier } from '../ports.ts';
import type { Sealer } from '../shared/sealing.ts';
import { noCalls } from './calls.ts';
import { settingsOf } from './carriers.ts';
import { checkSettings } from './settings.ts';

type CarrierOpenOptions = {
  db: Deps['db'];
  sealer: Sealer;
  kinds: Record<string, CarrierKind>;
  /** Events name their carrier. */
  extra: Omit<CarrierExtra, 'report'> & { report(event: CarrierEvent & { carrier: string }): void };
  /** Called once for each version that can't be opened. */
  onFault(fault: CarrierFault): void;
};

/** A bad row never stops the server: the other carriers go on. */
export function followCarriers({ db, sealer, kinds, extra, onFault }: CarrierOpenOptions): Carriers {
  let open = new Map<number, OpenCarrier>();
  let faults = new Map<number, CarrierFault>();

  function openRow(row: CarrierRow): OpenCarrier | CarrierFault {
    const { carrierId, name, version } = row;
    try {
      const kind = kinds[row.kind];
      if (!kind) throw new Error(`This version doesn’t know the kind ${row.kind}.`);
      const settings = settingsOf({ sealer }, row);
      checkSettings(kind, settings);
      const { answersKeywords = false, ...own } = settings;
      const report = (event: CarrierEvent) => extra.report({ carrier: name, ...event });
      const carrier = kind.open(name, own, { ...extra, report });
      return {
        carrierId,
        name,
        version,
        answersKeywords: answersKeywords === true,
        looksUp: settings.lookUp === true && carrier.lookUp !== undefined,
        carrier,
        readCall: kind.reader?.(own) ?? null,
        calls: noCalls(),
      };
    } catch (error) {
      return { carrierId, name, version, why: error instanceof Error ? error.message : String(error) };
    }
  }

  return {
    find: (carrierId) => open.get(carrierId),
    list: () => [...open.values()],
    faults: () => [...faults.values()],
    async refresh() {
      const rows = (await listCarriers(db)).filter(
        ({ kind, disabled }) => !disabled && (kind !== 'sandbox' || extra.environment === 'sandbox'),
      );
      const [nowOpen, nowFaulty] = [new Map<number, OpenCarrier>(), new Map<number, CarrierFault>()];
      for (const row of rows) {
        const known = open.get(row.carrierId) ?? faults.get(row.carrierId);
        const each = known?.version === row.version ? known : openRow(row);
        if ('carrier' in each) nowOpen.set(row.carrierId, each);
        else {
          nowFaulty.set(row.carrierId, each);
          if (each !== known) onFault(each);
        }
      }
      open = nowOpen;
      faults = nowFaulty;
    },
  };
}
