import { parseBody } from '../../../api/http/bodies/parse-body.ts'
import { ChargeCreateShape } from '../../../payments/charges/charge-request.ts'
import { createCharge } from '../../../payments/charges/create-charge.ts'
import { findHolderName } from '../../../payments/charges/find-holder-name.ts'
import { DEFAULT_CHANNEL } from '../../../rails/rail.ts'
import { createLink } from '../../../selling/payment-links/create-link.ts'
import { PaymentLinkCreateShape } from '../../../selling/payment-links/link-request.ts'
import { getCreatedId, parseHint } from '../../parts/created.ts'
import { type FormValues, getAmount } from '../../parts/forms/form-spec.ts'
import { formRoute, getOnce, pageRoute } from '../../parts/routes/route.ts'
import { redirectDone } from '../../parts/routes/surface-reply.ts'
import { checkOperator, NUMBER_IS } from '../operators/other-operator.ts'
import { LINKS } from '../texts/links.ts'
import type { DashboardRoute, DashboardVisit } from '../visit.ts'
import { ASK_FOR_PAYMENT } from './ask-form.tsx'
import { showAsk, showAsked, showAskedByCode, showHolder } from './ask-page.tsx'

/** Asking a customer's phone for money from the till, in both modes. */
export const ASK_ROUTES: readonly DashboardRoute[] = [
  pageRoute('/ask', showAsk, ASK_FOR_PAYMENT.action),
  pageRoute('/ask/:id', showAsked, 'read'),
  pageRoute('/ask/qr/:id', showAskedByCode, 'read'),
  formRoute(ASK_FOR_PAYMENT, {
    submit: (visit, values) => (values.by === 'qr' ? makeLink(visit, values) : ask(visit, values)),
    showRefused: showAsk,
  }),
]

async function ask(visit: DashboardVisit, values: FormValues) {
  const { phone = '', reference = '' } = values
  checkOperator(visit, values)
  const input = parseBody(ChargeCreateShape, {
    ...{ amount: getAmount(values, 'amount'), channel: DEFAULT_CHANNEL, customer: { phone } },
    ...(reference === '' ? {} : { reference }),
  })
  const { app, gateway, caller, requestId } = visit
  const customer = input.customer.phone
  const isSure = values[NUMBER_IS.name] === customer
  const name = isSure ? null : await findHolderName(gateway, app, { caller, phone: customer })
  if (name !== null) return showHolder(visit, { name, phone: customer, values })
  const id = getCreatedId(await createCharge(app, { caller, requestId, input, ...getOnce(visit) }))
  return redirectDone(visit.to(`/ask/${id}`))
}

/** A link over the same amount, to be paid once. */
async function makeLink(visit: DashboardVisit, { reference = '', ...values }: FormValues) {
  const given = parseBody(PaymentLinkCreateShape, {
    amount: getAmount(values, 'amount'),
    ...(reference === '' ? {} : { reference, description: reference }),
  })
  const { app, caller, requestId } = visit
  const answer = await createLink(app, { caller, requestId, given, idempotency: getOnce(visit) })
  const hint = parseHint(answer)
  const message = hint === null ? undefined : LINKS.create.unpayable(hint)
  return redirectDone(visit.to(`/ask/qr/${getCreatedId(answer)}`), message)
}
