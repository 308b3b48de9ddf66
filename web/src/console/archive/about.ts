import { useLocation, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';

/** A form that an entry of the archive leads to: it is open, and about that entry, until it is closed. */
export function useFormAbout() {
  const about = useLocation({ select: ({ state }) => state.about });
  const [isOpen, set] = useState(about !== undefined);
  const navigate = useNavigate();
  const close = () => {
    set(false);
    if (about) void navigate({ to: '.', state: {}, replace: true });
  };
  return { about, isOpen, open: () => set(true), close };
}
