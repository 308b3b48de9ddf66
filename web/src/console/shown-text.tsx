import { type ReactNode, useState } from 'react';
import { post } from '../api/http.ts';
import { Button } from '../look/button.tsx';
import { toast } from '../shell/toasts.tsx';

/**
 * A text as a page shows it. Card numbers and the like are hidden by the server; if there are some, the button asks for them, and that is an
 * archive entry with the reader's name.
 */
export function useShownText(
  path: string,
  { text, isHidden }: { text: string | null; isHidden: boolean },
  then?: () => void,
): { text: string | null; button: ReactNode } {
  const [shown, show] = useState<{ path: string; text: string | null } | null>(null);
  const read = async () => {
    try {
      show({ path, ...(await post<{ text: string | null }>(path)) });
      then?.();
    } catch (error) {
      toast((error as Error).message);
    }
  };
  if (shown?.path === path) return { text: shown.text, button: null };
  const button = isHidden && (
    <Button icon="eye" kind="small" title="The archive will say that you saw it" onClick={() => void read()}>
      Show the number
    </Button>
  );
  return { text, button };
}
