import { ASK_ROUTES } from './ask/routes.ts'
import { BRANDING_ROUTES } from './branding/routes.ts'
import { BULK_ROUTES } from './bulk/routes.ts'
import { CHARGE_ROUTES } from './charges/routes.ts'
import { COUNTER_ROUTES } from './counter/routes.ts'
import { CUSTOMER_ROUTES } from './customers/routes.ts'
import { DEVELOPER_ROUTES } from './developers/routes.ts'
import { DEVICE_ROUTES } from './device/routes.ts'
import { DISPUTE_ROUTES } from './disputes/routes.ts'
import { GIFT_CARD_ROUTES } from './gift-cards/routes.ts'
import { GO_LIVE_ROUTES } from './go-live/routes.ts'
import { HELP_ROUTES } from './help/routes.ts'
import { HOME_ROUTES } from './home/routes.ts'
import { INVOICE_ROUTES } from './invoices/routes.ts'
import { LIMITS_ROUTES } from './limits/routes.ts'
import { LINK_ROUTES } from './links/routes.ts'
import { VIEW_ROUTES } from './lists/routes.ts'
import { NOTICE_ROUTES } from './notices/routes.ts'
import { PAYOUT_ROUTES } from './payouts/routes.ts'
import { PAYROLL_ROUTES } from './payroll/routes.ts'
import { PEOPLE_ROUTES } from './people/routes.ts'
import { SEARCH_ROUTES } from './search/routes.ts'
import { SETTINGS_ROUTES } from './settings/routes.ts'
import { STOREFRONT_ROUTES } from './storefront/routes.ts'
import { SUBACCOUNT_ROUTES } from './subaccounts/routes.ts'
import { VENDING_ROUTES } from './vending/routes.ts'
import { VERIFICATION_ROUTES } from './verification/routes.ts'
import type { DashboardRoute } from './visit.ts'
import { WALLET_ROUTES } from './wallet/routes.ts'

/** Every page and form of the dashboard for people who have signed in. */
export const DASHBOARD_ROUTES: readonly DashboardRoute[] = [
  ...HOME_ROUTES,
  ...ASK_ROUTES,
  ...CHARGE_ROUTES,
  ...CUSTOMER_ROUTES,
  ...DEVELOPER_ROUTES,
  ...PAYOUT_ROUTES,
  ...BULK_ROUTES,
  ...WALLET_ROUTES,
  ...PAYROLL_ROUTES,
  ...SUBACCOUNT_ROUTES,
  ...LIMITS_ROUTES,
  ...PEOPLE_ROUTES,
  ...SETTINGS_ROUTES,
  ...NOTICE_ROUTES,
  ...DEVICE_ROUTES,
  ...COUNTER_ROUTES,
  ...LINK_ROUTES,
  ...INVOICE_ROUTES,
  ...STOREFRONT_ROUTES,
  ...GIFT_CARD_ROUTES,
  ...DISPUTE_ROUTES,
  ...SEARCH_ROUTES,
  ...VIEW_ROUTES,
  ...VENDING_ROUTES,
  ...VERIFICATION_ROUTES,
  ...GO_LIVE_ROUTES,
  ...BRANDING_ROUTES,
  ...HELP_ROUTES,
]
