import { type CSSVariablesResolver, createTheme, Modal, Popover, Tooltip } from '@mantine/core';

/** Our colors in Mantine's variables, so that its components look like ours in both schemes. */
export const theme = createTheme({
  fontFamily: 'var(--sans)',
  headings: { fontFamily: 'var(--sans)' },
  defaultRadius: 8,
  cursorType: 'pointer',
  components: {
    // The page itself never scrolls, so there is nothing to lock; locking writes a style element without our nonce.
    Modal: Modal.extend({
      defaultProps: { lockScroll: false, centered: true, overlayProps: { backgroundOpacity: 0.4 } },
    }),
    Popover: Popover.extend({ defaultProps: { shadow: 'md', withinPortal: true, transitionProps: { duration: 0 } } }),
    Tooltip: Tooltip.extend({ defaultProps: { openDelay: 400, transitionProps: { duration: 0 } } }),
  },
});

const shared = {
  '--mantine-color-text': 'var(--ink)',
  '--mantine-color-body': 'var(--paper)',
  '--mantine-color-dimmed': 'var(--soft)',
  '--mantine-color-error': 'var(--bad)',
  '--mantine-color-default': 'var(--paper)',
  '--mantine-color-default-hover': 'var(--deep)',
  '--mantine-color-default-border': 'var(--line)',
  '--mantine-primary-color-filled': 'var(--brand)',
};

export const variables: CSSVariablesResolver = () => ({
  variables: { '--mantine-shadow-md': 'var(--shadow)', '--mantine-shadow-xl': 'var(--shadow)' },
  light: shared,
  dark: shared,
});

/** The nonce that the server put into the page, for the style elements that Mantine writes. */
export function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[name=style-nonce]')?.content ?? '';
}
