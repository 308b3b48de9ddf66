import { QueryClient } from '@tanstack/react-query';
import { CallFailed } from '../api/http.ts';

const triesMax = 2;

/** Others work on the same records, and nothing tells a page of it: what is looked at again is read again. */
export const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (failures, error) =>
        failures < triesMax && error instanceof CallFailed && (error.status === 0 || error.status >= 500),
    },
  },
});
