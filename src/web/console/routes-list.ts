import { ALERT_ROUTES } from './alerts/alerts-page.tsx'
import { APPROVAL_ROUTES } from './approvals/routes.ts'
import { CONSOLE_AUDIT_ROUTES } from './audit/audit-page.tsx'
import { EXCEPTION_ROUTES } from './exceptions/routes.ts'
import { FREEZE_ROUTES } from './freeze/freeze-page.tsx'
import { CONSOLE_HOME_ROUTES } from './home/home-page.tsx'
import { INSTALLATION_ROUTES } from './installations/installations-page.tsx'
import { JOB_ROUTES } from './jobs/jobs-page.tsx'
import { LEDGER_ROUTES } from './ledger/ledger-pages.tsx'
import { MERCHANT_ROUTES } from './merchants/routes.ts'
import { PAYMENT_ROUTES } from './payments/routes.ts'
import { CONSOLE_SECURITY_ROUTES } from './people/security-page.tsx'
import { RAILS_ROUTES } from './rails/rails-page.tsx'
import { RECONCILIATION_ROUTES } from './reconciliation/routes.ts'
import { STAFF_ROUTES } from './staff/routes.ts'
import { CONSOLE_VERIFICATION_ROUTES } from './verification/routes.ts'
import type { ConsoleRoute } from './visit.ts'
import { NUMBER_ROUTES } from './withdrawals/number-pages.tsx'
import { CONSOLE_WITHDRAWAL_ROUTES } from './withdrawals/withdrawal-pages.tsx'

/** Every page and form of the console for signed-in staff. */
export const CONSOLE_ROUTES: readonly ConsoleRoute[] = [
  ...CONSOLE_HOME_ROUTES,
  ...ALERT_ROUTES,
  ...JOB_ROUTES,
  ...PAYMENT_ROUTES,
  ...RECONCILIATION_ROUTES,
  ...EXCEPTION_ROUTES,
  ...APPROVAL_ROUTES,
  ...FREEZE_ROUTES,
  ...LEDGER_ROUTES,
  ...RAILS_ROUTES,
  ...INSTALLATION_ROUTES,
  ...CONSOLE_AUDIT_ROUTES,
  ...MERCHANT_ROUTES,
  ...CONSOLE_VERIFICATION_ROUTES,
  ...CONSOLE_WITHDRAWAL_ROUTES,
  ...NUMBER_ROUTES,
  ...STAFF_ROUTES,
  ...CONSOLE_SECURITY_ROUTES,
]
