/** The part of autocannon that we use; it comes without types. */
declare module 'autocannon' {
  export type Options = {
    url: string;
    connections: number;
    duration: number;
    headers: Record<string, string>;
    requests: { method: 'GET'; path: string }[];
  };
  export type Result = { errors: number; timeouts: number; non2xx: number; duration: number };
  export type Run = Promise<Result> & {
    on(
      event: 'response',
      listener: (client: unknown, status: number, bytes: number, responseTimeMs: number) => void,
    ): void;
    stop(): void;
  };
  export default function autocannon(options: Options): Run;
}
