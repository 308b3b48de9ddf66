import { Link } from '@tanstack/react-router';

/** Firms and advisors are one place with two lists. */
export function FirmTabs({ here }: { here: 'firms' | 'advisors' }) {
  return (
    <nav className="tabs" aria-label="Lists">
      <Link to="/firms" aria-current={here === 'firms' ? 'page' : undefined}>
        Firms
      </Link>
      <Link to="/advisors" aria-current={here === 'advisors' ? 'page' : undefined}>
        Advisors
      </Link>
    </nav>
  );
}
