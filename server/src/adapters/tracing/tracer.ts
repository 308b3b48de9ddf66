import { hostname } from 'node:os';
import type { Config } from '../../config.ts';
import type { Log } from '../../log.ts';
import { headersOf, type RunningTracer, startTracer } from './otlp.ts';

type Settings = Pick<Config, 'otlpEndpoint' | 'otlpHeaders' | 'tracesShare' | 'serviceName' | 'environment'>;

/** A process's tracer. */
export function openTracer(config: Settings, log: Log): RunningTracer {
  return startTracer({
    endpoint: config.otlpEndpoint,
    headers: headersOf(config.otlpHeaders),
    share: config.tracesShare,
    resource: {
      'service.name': config.serviceName,
      'service.instance.id': `${hostname()}/${process.pid}`,
      'deployment.environment.name': config.environment,
    },
    onFault: (why) => log.warn(why, 'spans can’t be exported: some are lost until the collector takes them again'),
  });
}
