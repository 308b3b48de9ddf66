import { Modal } from '@mantine/core';
import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { Button } from './button.tsx';
import { Wrong } from './fields.tsx';
import { rescueFocus } from './focus.ts';

/**
 * A dialog for as long as it is rendered. Mantine gives the focus back only if the dialog stays in the tree after it was closed; ours
 * do not, so this does it.
 */
export function Dialog({
  title,
  close,
  size = 'md',
  isFirm = false,
  children,
}: {
  title: string;
  close(): void;
  size?: 'sm' | 'md' | 'lg' | 'xl';
  /** A click beside it doesn't close it: what was typed, or is shown once, would be gone. */
  isFirm?: boolean;
  children: ReactNode;
}) {
  const [opener] = useState(() => document.activeElement);
  useEffect(() => () => rescueFocus(opener), [opener]);
  return (
    <Modal
      opened
      onClose={close}
      title={title}
      size={size}
      closeOnClickOutside={!isFirm}
      closeButtonProps={{ 'aria-label': 'Close' }}
      attributes={{ header: { role: 'presentation' } }}
    >
      {children}
    </Modal>
  );
}

/** A form in a dialog. It closes when what it asks for is done, unless that says `stay`; what was wrong stands above its buttons. */
export function FormDialog({
  title,
  action,
  run,
  close,
  isReady = true,
  isBad = false,
  size = 'md',
  cancel = 'Cancel',
  other,
  children,
}: {
  title: string;
  /** On the button: what will happen. */
  action: string;
  run(): Promise<unknown>;
  close(): void;
  isReady?: boolean;
  isBad?: boolean;
  size?: 'sm' | 'md' | 'lg';
  /** On the button that changes nothing. */
  cancel?: string;
  /** A button for something else, to the left of these. */
  other?: ReactNode;
  children: ReactNode;
}) {
  const [wrong, setWrong] = useState<string | null>(null);
  const [isRunning, setRunning] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    // A form that opened this one is above it for React.
    event.stopPropagation();
    setRunning(true);
    setWrong(null);
    try {
      if ((await run()) !== 'stay') close();
    } catch (error) {
      setWrong((error as Error).message);
      setRunning(false);
    }
  };
  return (
    <Dialog title={title} close={close} size={size} isFirm>
      <form className="form" onSubmit={(event) => void submit(event)}>
        {children}
        {wrong && <Wrong>{wrong}</Wrong>}
        <div className="buttons">
          {other}
          <Button onClick={close}>{cancel}</Button>
          <button type="submit" className={`button ${isBad ? 'bad' : 'main'}`} disabled={!isReady || isRunning}>
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
