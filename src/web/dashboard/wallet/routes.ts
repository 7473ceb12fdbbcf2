import { onceForKey } from '../../../payments/payouts/once-for-key.ts'
import { requestTopUp } from '../../../payments/top-ups/request-top-up.ts'
import {
  setStandingOrder,
  stopStandingOrder,
} from '../../../payments/withdrawals/standing-orders/set-standing-order.ts'
import { decideWithdrawal, requestWithdrawal } from '../../../payments/withdrawals/withdraw.ts'
import { setWithdrawalNumber } from '../../../payments/withdrawals/withdrawal-number.ts'
import { notFound } from '../../../platform/refusal.ts'
import { exportSettlements } from '../../../reports/exports/export-money.ts'
import { getAmount } from '../../parts/forms/form-spec.ts'
import { formRoute, getOnce, pageRoute } from '../../parts/routes/route.ts'
import { redirectDone } from '../../parts/routes/surface-reply.ts'
import { exportRoute } from '../lists/exports.tsx'
import { checkOperator } from '../operators/other-operator.ts'
import { STANDING_ORDER } from '../texts/standing-order.ts'
import { WALLET } from '../texts/wallet.ts'
import type { DashboardRoute } from '../visit.ts'
import { downloadLedger, EXPORT_LEDGER } from './ledger-file.tsx'
import { showWallet } from './ledger-page.tsx'
import {
  downloadStatement,
  EXPORT_SETTLEMENTS,
  parseSettlementWindow,
  showSettlements,
  showStatements,
} from './report-pages.tsx'
import {
  parseOrderTerms,
  SET_STANDING_ORDER,
  STANDING_ORDER_PATH,
  STOP_STANDING_ORDER,
  showStandingOrder,
} from './standing-order.tsx'
import { REQUEST_TOP_UP, showTopUp, showTopUps, TOP_UPS_PATH } from './top-up-pages.tsx'
import {
  CANCEL_WITHDRAWAL,
  REQUEST_WITHDRAWAL,
  SET_WITHDRAWAL_NUMBER,
  showWithdrawals,
  WITHDRAWALS_PATH,
} from './withdrawal-page.tsx'

const { topUps, withdrawals } = WALLET

/** The wallet: ledger, settlements, statements, withdrawals with the standing order, top-ups. */
export const WALLET_ROUTES: readonly DashboardRoute[] = [
  pageRoute('/wallet', showWallet, 'payouts.read'),
  formRoute(EXPORT_LEDGER, { submit: downloadLedger, showRefused: showStatements }),
  pageRoute('/wallet/settlements', showSettlements, 'payouts.read'),
  exportRoute(EXPORT_SETTLEMENTS, {
    name: 'settlements',
    file: ({ app, caller, query }, reader) =>
      exportSettlements(app, caller, { filter: parseSettlementWindow(query), reader }),
    again: showSettlements,
  }),
  pageRoute('/wallet/statements', showStatements, 'payouts.read'),
  pageRoute('/wallet/statements/:period', downloadStatement, 'payouts.read'),
  pageRoute(WITHDRAWALS_PATH, showWithdrawals, 'payouts.read'),
  formRoute(SET_WITHDRAWAL_NUMBER, {
    async submit(visit, { phone = '' }) {
      await setWithdrawalNumber(visit.app, visit.caller, { merchantId: visit.merchant.id, phone })
      return redirectDone(visit.to(WITHDRAWALS_PATH), withdrawals.number.done)
    },
    showRefused: showWithdrawals,
  }),
  formRoute(REQUEST_WITHDRAWAL, {
    async submit(visit, values) {
      const { app, caller, merchant } = visit
      const amount = getAmount(values, 'amount')
      const owner = { merchantId: merchant.id, tag: merchant.tag, key: getOnce(visit).key }
      await onceForKey(app, owner, (key) => requestWithdrawal(app, caller, { merchantId: merchant.id, amount, key }))
      return redirectDone(visit.to(WITHDRAWALS_PATH), withdrawals.request.done)
    },
    showRefused: showWithdrawals,
  }),
  formRoute(CANCEL_WITHDRAWAL, {
    async submit(visit) {
      if (visit.mode === 'test') throw notFound('withdrawal')
      const withdrawal = { merchantId: visit.merchant.id, id: visit.params.id ?? '', note: null }
      await decideWithdrawal(visit.app, visit.caller, { ...withdrawal, decision: 'cancelled' })
      return redirectDone(visit.to(WITHDRAWALS_PATH), withdrawals.cancelled)
    },
    showRefused: showWithdrawals,
  }),
  pageRoute(STANDING_ORDER_PATH, showStandingOrder, 'standing-order.set'),
  formRoute(SET_STANDING_ORDER, {
    async submit({ app, caller, merchant, to }, values) {
      await setStandingOrder(app, caller, { merchantId: merchant.id, tag: merchant.tag }, parseOrderTerms(values))
      return redirectDone(to(WITHDRAWALS_PATH), STANDING_ORDER.form.done)
    },
    showRefused: showStandingOrder,
  }),
  formRoute(STOP_STANDING_ORDER, {
    async submit({ app, caller, merchant, mode, params, to }) {
      if (mode === 'test') throw notFound('standing order')
      await stopStandingOrder(app, caller, { merchantId: merchant.id, id: params.id ?? '', note: null })
      return redirectDone(to(WITHDRAWALS_PATH), STANDING_ORDER.stopped)
    },
    showRefused: showWithdrawals,
  }),
  pageRoute(TOP_UPS_PATH, showTopUps, 'payouts.read'),
  pageRoute(`${TOP_UPS_PATH}/:id`, showTopUp, 'payouts.read'),
  formRoute(REQUEST_TOP_UP, {
    async submit(visit, values) {
      const { app, caller, merchant } = visit
      const { phone = '' } = values
      checkOperator(visit, values)
      const input = { merchantId: merchant.id, amount: getAmount(values, 'amount'), phone }
      const { topUp } = await requestTopUp(app, caller, { ...input, key: getOnce(visit).key })
      return redirectDone(visit.to(`${TOP_UPS_PATH}/${topUp.id}`), topUps.done)
    },
    showRefused: showTopUps,
  }),
]
