import { pageRoute } from '../../parts/routes/route.ts'
import type { ConsoleRoute } from '../visit.ts'
import { LEDGER_PATH, showLedger, showMerchantLedgers } from './ledger-pages.tsx'

/** The pages of the books: the totals, and one merchant's ledgers. */
export const LEDGER_ROUTES: readonly ConsoleRoute[] = [
  pageRoute(LEDGER_PATH, showLedger, 'console.read'),
  pageRoute(`${LEDGER_PATH}/:id`, showMerchantLedgers, 'console.read'),
]
