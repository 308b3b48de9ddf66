import type { ReactNode } from 'react';
import { Button } from '../look/button.tsx';
import { Dialog, FormDialog } from '../look/dialog.tsx';
import { Icon } from '../look/icons.tsx';
import { toast } from '../shell/toasts.tsx';

/** Asks before something is done that isn't undone by a click: what will happen, then its button. */
export function Ask({
  children,
  ...rest
}: {
  title: string;
  action: string;
  run(): Promise<unknown>;
  close(): void;
  isBad?: boolean;
  children: ReactNode;
}) {
  return (
    <FormDialog size="sm" {...rest}>
      <p>{children}</p>
    </FormDialog>
  );
}

/** Secrets and links that nobody can look up again. */
export function ShownOnce({
  title,
  values,
  close,
  children,
}: {
  title: string;
  values: Record<string, string>;
  close(): void;
  children: ReactNode;
}) {
  return (
    <Dialog title={title} close={close} isFirm>
      <div className="form">
        <p className="hint warn">
          <Icon name="alert-triangle" />
          {children}
        </p>
        {Object.entries(values).map(([name, value]) => (
          <div className="label" key={name}>
            {name}
            <div className="shown-once">
              <code>{value}</code>
              <CopyButton what={name} value={value} />
            </div>
          </div>
        ))}
        <div className="buttons">
          <Button kind="main" onClick={close}>
            Done
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

export function CopyButton({ what, value }: { what: string; value: string }) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value);
      toast(`${what} copied.`);
    } catch {
      toast('Your browser doesn’t let this page copy: select the text instead.');
    }
  };
  return (
    <Button icon="copy" kind="small" aria-label={`Copy ${what}`} onClick={() => void copy()}>
      Copy
    </Button>
  );
}
