import { actingFor } from '../../../api/access/actor.ts'
import { getMerchant, getMerchantOfTag } from '../../../merchants/account/set-merchant.ts'
import { decideStandingOrder } from '../../../payments/withdrawals/standing-orders/decide-standing-order.ts'
import {
  STANDING_ORDER_PREFIX,
  stopStandingOrder,
} from '../../../payments/withdrawals/standing-orders/set-standing-order.ts'
import { decideWithdrawal, type WithdrawalDecision } from '../../../payments/withdrawals/withdraw.ts'
import { verifyWithdrawalNumber } from '../../../payments/withdrawals/withdrawal-number.ts'
import { notFound } from '../../../platform/refusal.ts'
import { parseTag } from '../../../platform/text/ids.ts'
import { askName } from '../../../reports/ask-name.ts'
import { type FormSpec, type FormValues, getAmount } from '../../parts/forms/form-spec.ts'
import { formRoute, pageRoute } from '../../parts/routes/route.ts'
import { redirectDone } from '../../parts/routes/surface-reply.ts'
import { WITHDRAWALS } from '../texts/withdrawals.ts'
import type { ConsoleRoute, ConsoleVisit } from '../visit.ts'
import { ASK_NUMBER_NAME_FORM, NUMBERS_PATH, showNumbers, showTopUps, VERIFY_NUMBER_FORM } from './number-pages.tsx'
import {
  APPROVE_ORDER_FORM,
  REFUSE_ORDER_FORM,
  STANDING_ORDERS_PATH,
  STOP_ORDER_FORM,
  showStandingOrders,
} from './standing-order-pages.tsx'
import {
  APPROVE_WITHDRAWAL_FORM,
  REJECT_WITHDRAWAL_FORM,
  showWithdrawals,
  WITHDRAWALS_PATH,
} from './withdrawal-pages.tsx'

const { numbers, orders, withdrawals } = WITHDRAWALS

const decisionForm = (spec: FormSpec, decision: WithdrawalDecision, doneText: string): ConsoleRoute =>
  formRoute(spec, {
    async submit(visit, { note }: FormValues) {
      const { gateway, caller, params } = visit
      const id = params.id ?? ''
      const tag = parseTag('pout_', id)
      if (tag === null) throw notFound('withdrawal')
      const { app, merchant } = await getMerchantOfTag(gateway, { tag, noun: 'withdrawal' })
      const input = { merchantId: merchant.id, id, decision, note: note ?? null }
      await decideWithdrawal(app, caller, input)
      return redirectDone(visit.to(WITHDRAWALS_PATH), doneText)
    },
    showRefused: showWithdrawals,
  })

/** Finds the merchant of a standing order by its id. Throws 404. */
async function locateOrder({ gateway, params }: ConsoleVisit) {
  const id = params.id ?? ''
  const tag = parseTag(STANDING_ORDER_PREFIX, id)
  if (tag === null) throw notFound('standing order')
  const { app, merchant } = await getMerchantOfTag(gateway, { tag, noun: 'standing order' })
  return { app, key: { merchantId: merchant.id, id } }
}

const ORDER_ROUTES: readonly ConsoleRoute[] = [
  pageRoute(STANDING_ORDERS_PATH, showStandingOrders, 'console.read'),
  formRoute(APPROVE_ORDER_FORM, {
    async submit(visit, values) {
      const { app, key } = await locateOrder(visit)
      const limit = getAmount(values, 'limit')
      const decision = { ...key, decision: 'approved', limit, phone: values.phone ?? '' } as const
      await decideStandingOrder(app, visit.caller, { ...decision, revision: Number(values.revision) })
      return redirectDone(visit.to(STANDING_ORDERS_PATH), orders.approved)
    },
    showRefused: showStandingOrders,
  }),
  formRoute(REFUSE_ORDER_FORM, {
    async submit(visit, { note = '', revision }) {
      const { app, key } = await locateOrder(visit)
      await decideStandingOrder(app, visit.caller, { ...key, decision: 'refused', note, revision: Number(revision) })
      return redirectDone(visit.to(STANDING_ORDERS_PATH), orders.refused)
    },
    showRefused: showStandingOrders,
  }),
  formRoute(STOP_ORDER_FORM, {
    async submit(visit, { note = '' }) {
      const { app, key } = await locateOrder(visit)
      await stopStandingOrder(app, visit.caller, { ...key, note })
      return redirectDone(visit.to(STANDING_ORDERS_PATH), orders.stopped)
    },
    showRefused: showStandingOrders,
  }),
]

/** The withdrawals that wait for a decision, standing orders, the numbers they go to, and top-ups. */
export const CONSOLE_WITHDRAWAL_ROUTES: readonly ConsoleRoute[] = [
  pageRoute(WITHDRAWALS_PATH, showWithdrawals, 'console.read'),
  decisionForm(APPROVE_WITHDRAWAL_FORM, 'approved', withdrawals.approved),
  decisionForm(REJECT_WITHDRAWAL_FORM, 'rejected', withdrawals.rejected),
  ...ORDER_ROUTES,
  pageRoute(NUMBERS_PATH, showNumbers, 'console.read'),
  pageRoute('/top-ups', showTopUps, 'console.read'),
  formRoute(ASK_NUMBER_NAME_FORM, {
    async submit(visit) {
      const { app, merchant } = await getMerchant(visit.gateway, visit.params.id)
      const { id: merchantId, tag } = merchant
      await askName(app, actingFor(visit.caller, { merchantId, tag, cell: app.cell, mode: 'live' }), 'withdrawal')
      return redirectDone(visit.to(NUMBERS_PATH), numbers.asked)
    },
    showRefused: showNumbers,
  }),
  formRoute(VERIFY_NUMBER_FORM, {
    async submit(visit, { phone = '' }) {
      const { app, merchant } = await getMerchant(visit.gateway, visit.params.id)
      await verifyWithdrawalNumber(app, visit.caller, { merchantId: merchant.id, phone })
      return redirectDone(visit.to(NUMBERS_PATH), numbers.verified)
    },
    showRefused: showNumbers,
  }),
]
