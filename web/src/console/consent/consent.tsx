import { useNavigate } from '@tanstack/react-router';
import { StateScreen } from '../../look/parts.tsx';
import { PersonField } from '../archive/person-field.tsx';
import '../archive/archive.css';
import './consent.css';

/** Finds the person whose consent somebody asks about. */
export function Consent() {
  const navigate = useNavigate();
  return (
    <div className="console-page">
      <header className="console-head">
        <h1>Consent</h1>
      </header>
      <div className="consent-find">
        <PersonField
          label="Whose consent"
          choose={({ advisorId, memberId }) =>
            void navigate({
              to: '/consent/$advisorId/$memberId',
              params: { advisorId: String(advisorId), memberId: String(memberId) },
            })
          }
        />
      </div>
      <StateScreen icon="shield-check" title="One person’s consent">
        Every request, answer and change with what proves it, and a page of it to print or to save as PDF.
      </StateScreen>
    </div>
  );
}
