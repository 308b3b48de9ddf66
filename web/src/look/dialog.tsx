import { Modal } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { rescueFocus } from './focus.ts';

/**
 * A dialog for as long as it is rendered. Mantine gives the focus back only if the dialog stays in the tree after it was closed; ours
 * do not, so this does it.
 */
export function Dialog({
  title,
  close,
  size = 'md',
  children,
}: {
  title: string;
  close(): void;
  size?: 'sm' | 'md' | 'lg' | 'xl';
  children: ReactNode;
}) {
  const [opener] = useState(() => document.activeElement);
  useEffect(() => () => rescueFocus(opener), [opener]);
  return (
    <Modal opened onClose={close} title={title} size={size} closeButtonProps={{ 'aria-label': 'Close' }}>
      {children}
    </Modal>
  );
}
