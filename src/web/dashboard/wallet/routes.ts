import { exportSettlements } from '../../../reports/exports/export-settlements.ts'
import { exportRoute } from '../lists/exports.tsx'
import { type DashboardRoute, page } from '../visit.ts'
import { showWallet } from './ledger-page.tsx'
import {
  downloadStatement,
  EXPORT_SETTLEMENTS,
  parseSettlementWindow,
  showSettlements,
  showStatements,
} from './report-pages.tsx'
import { TOP_UP_ROUTES } from './top-up-pages.tsx'
import { WITHDRAWAL_ROUTES } from './withdrawal-page.tsx'

/** The wallet: ledger, settlements, statements, withdrawals, top-ups. */
export const WALLET_ROUTES: readonly DashboardRoute[] = [
  page('/wallet', showWallet, 'payouts.read'),
  page('/wallet/settlements', (visit) => showSettlements(visit), 'payouts.read'),
  exportRoute(EXPORT_SETTLEMENTS, {
    name: 'settlements',
    file: ({ app, caller, query }) => exportSettlements(app, caller, parseSettlementWindow(query)),
    again: showSettlements,
  }),
  page('/wallet/statements', showStatements, 'payouts.read'),
  page('/wallet/statements/:period', downloadStatement, 'payouts.read'),
  ...WITHDRAWAL_ROUTES,
  ...TOP_UP_ROUTES,
]
