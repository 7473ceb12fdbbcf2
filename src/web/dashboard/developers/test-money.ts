import { addTestFunds } from '../../../ledger/test-funds.ts'
import { type FormSpec, type FormValues, getAmount } from '../../parts/forms/form-spec.ts'
import { getOnce } from '../../parts/routes/route.ts'
import { redirectDone, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { formatShillings } from '../../parts/wording.ts'
import { SANDBOX } from '../texts/sandbox.ts'
import type { DashboardVisit } from '../visit.ts'

const { funds } = SANDBOX

/** Makes the form that adds test money, on the page at `path` below which it is sent. */
export const testMoneyForm = (path: string): FormSpec => ({
  path: `${path}/funds`,
  action: 'funds.add',
  fields: [{ name: 'amount', label: funds.amount, kind: 'amount', hint: funds.hint }],
  submit: funds.submit,
  once: true,
})

/** Adds the test money, and leads back to the page of the form. */
export const submitTestMoney =
  (backTo: string) =>
  async (visit: DashboardVisit, values: FormValues): Promise<SurfaceReply> => {
    const amount = getAmount(values, 'amount')
    const { id: merchantId, tag } = visit.merchant
    await addTestFunds(visit.app, visit.caller, { holder: { merchantId, tag }, amount, key: getOnce(visit).key })
    return redirectDone(visit.to(backTo), funds.done(formatShillings(amount)))
  }
