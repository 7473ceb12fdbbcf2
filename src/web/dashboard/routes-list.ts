import { BRANDING_ROUTES } from './branding/branding-page.tsx'
import { BULK_ROUTES } from './bulk/routes.ts'
import { CHARGE_ROUTES } from './charges/routes.ts'
import { COUNTER_ROUTES } from './counter/counter-page.tsx'
import { DEVELOPER_ROUTES } from './developers/routes.ts'
import { DISPUTE_ROUTES } from './disputes/dispute-pages.tsx'
import { GIFT_CARD_ROUTES } from './gift-cards/routes.ts'
import { GO_LIVE_ROUTES } from './go-live/go-live-page.tsx'
import { HOME_ROUTES } from './home/home-page.tsx'
import { LIMITS_ROUTES } from './limits/routes.ts'
import { LINK_ROUTES } from './links/routes.ts'
import { VIEW_ROUTES } from './lists/saved-views.tsx'
import { NOTICE_ROUTES } from './notices/notices-page.tsx'
import { PAYOUT_ROUTES } from './payouts/routes.ts'
import { PAYROLL_ROUTES } from './payroll/routes.ts'
import { PEOPLE_ROUTES } from './people/routes.tsx'
import { SECURITY_ROUTES } from './people/security-routes.ts'
import { SEARCH_ROUTES } from './search/search-page.tsx'
import { AUDIT_ROUTES } from './settings/audit-page.tsx'
import { BUSINESS_ROUTES } from './settings/business-page.tsx'
import { CLOSE_ROUTES } from './settings/close-page.tsx'
import { SETTINGS_ROUTES } from './settings/settings-page.tsx'
import { STOREFRONT_ROUTES } from './storefront/routes.ts'
import { SUBACCOUNT_ROUTES } from './subaccounts/routes.ts'
import { MACHINE_ROUTES } from './vending/machine-pages.tsx'
import { ORDER_ROUTES } from './vending/routes.ts'
import { VENDING_SETTINGS_ROUTES } from './vending/settings-page.tsx'
import { VERIFICATION_ROUTES } from './verification/routes.ts'
import type { DashboardRoute } from './visit.ts'
import { WALLET_ROUTES } from './wallet/routes.ts'

/** Every page and form of the dashboard for people who have signed in. */
export const DASHBOARD_ROUTES: readonly DashboardRoute[] = [
  ...HOME_ROUTES,
  ...CHARGE_ROUTES,
  ...DEVELOPER_ROUTES,
  ...PAYOUT_ROUTES,
  ...BULK_ROUTES,
  ...WALLET_ROUTES,
  ...PAYROLL_ROUTES,
  ...SUBACCOUNT_ROUTES,
  ...LIMITS_ROUTES,
  ...PEOPLE_ROUTES,
  ...SECURITY_ROUTES,
  ...SETTINGS_ROUTES,
  ...BUSINESS_ROUTES,
  ...CLOSE_ROUTES,
  ...AUDIT_ROUTES,
  ...NOTICE_ROUTES,
  ...COUNTER_ROUTES,
  ...LINK_ROUTES,
  ...STOREFRONT_ROUTES,
  ...GIFT_CARD_ROUTES,
  ...DISPUTE_ROUTES,
  ...SEARCH_ROUTES,
  ...VIEW_ROUTES,
  ...MACHINE_ROUTES,
  ...ORDER_ROUTES,
  ...VENDING_SETTINGS_ROUTES,
  ...VERIFICATION_ROUTES,
  ...GO_LIVE_ROUTES,
  ...BRANDING_ROUTES,
]
