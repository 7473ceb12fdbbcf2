import { actingFor } from '../../../api/access/actor.ts'
import { getMerchant, getMerchantOfTag } from '../../../merchants/account/set-merchant.ts'
import { decideWithdrawal, type WithdrawalDecision } from '../../../payments/withdrawals/withdraw.ts'
import { verifyWithdrawalNumber } from '../../../payments/withdrawals/withdrawal-number.ts'
import { notFound } from '../../../platform/refusal.ts'
import { parseTag } from '../../../platform/text/ids.ts'
import { askName } from '../../../reports/ask-name.ts'
import type { FormSpec, FormValues } from '../../parts/forms/form-spec.ts'
import { formRoute, pageRoute } from '../../parts/routes/route.ts'
import { redirectDone } from '../../parts/routes/surface-reply.ts'
import { WITHDRAWALS } from '../texts/withdrawals.ts'
import type { ConsoleRoute } from '../visit.ts'
import { ASK_NUMBER_NAME_FORM, NUMBERS_PATH, showNumbers, showTopUps, VERIFY_NUMBER_FORM } from './number-pages.tsx'
import {
  APPROVE_WITHDRAWAL_FORM,
  REJECT_WITHDRAWAL_FORM,
  showWithdrawals,
  WITHDRAWALS_PATH,
} from './withdrawal-pages.tsx'

const { numbers, withdrawals } = WITHDRAWALS

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

/** The withdrawals that wait for a decision, the numbers they go to, and top-ups. */
export const CONSOLE_WITHDRAWAL_ROUTES: readonly ConsoleRoute[] = [
  pageRoute(WITHDRAWALS_PATH, showWithdrawals, 'console.read'),
  decisionForm(APPROVE_WITHDRAWAL_FORM, 'approved', withdrawals.approved),
  decisionForm(REJECT_WITHDRAWAL_FORM, 'rejected', withdrawals.rejected),
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
