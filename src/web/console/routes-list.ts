import { ALERT_ROUTES } from './alerts/routes.ts'
import { APPROVAL_ROUTES } from './approvals/routes.ts'
import { CONSOLE_AUDIT_ROUTES } from './audit/routes.ts'
import { CASE_ROUTES } from './cases/routes.ts'
import { EXCEPTION_ROUTES } from './exceptions/routes.ts'
import { FREEZE_ROUTES } from './freeze/routes.ts'
import { CONSOLE_HOME_ROUTES } from './home/routes.ts'
import { INSTALLATION_ROUTES } from './installations/routes.ts'
import { JOB_ROUTES } from './jobs/routes.ts'
import { LEDGER_ROUTES } from './ledger/routes.ts'
import { MERCHANT_ROUTES } from './merchants/routes.ts'
import { PAYMENT_ROUTES } from './payments/routes.ts'
import { CONSOLE_SECURITY_ROUTES } from './people/routes.ts'
import { RAILS_ROUTES } from './rails/routes.ts'
import { RECONCILIATION_ROUTES } from './reconciliation/routes.ts'
import { STAFF_ROUTES } from './staff/routes.ts'
import { CONSOLE_VERIFICATION_ROUTES } from './verification/routes.ts'
import type { ConsoleRoute } from './visit.ts'
import { CONSOLE_WITHDRAWAL_ROUTES } from './withdrawals/routes.ts'

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
  ...CASE_ROUTES,
  ...STAFF_ROUTES,
  ...CONSOLE_SECURITY_ROUTES,
]
