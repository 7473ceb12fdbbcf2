import { parseBody } from '../../../api/http/bodies/parse-body.ts'
import { ChargeCreateShape } from '../../../payments/charges/charge-request.ts'
import { createCharge } from '../../../payments/charges/create-charge.ts'
import { DEFAULT_CHANNEL } from '../../../rails/rail.ts'
import { createLink } from '../../../selling/payment-links/create-link.ts'
import { PaymentLinkCreateShape } from '../../../selling/payment-links/link-request.ts'
import { getCreatedId } from '../../parts/created.ts'
import { type FormValues, getAmount } from '../../parts/forms/form-spec.ts'
import { formRoute, getOnce, pageRoute } from '../../parts/routes/route.ts'
import { redirectDone } from '../../parts/routes/surface-reply.ts'
import type { DashboardRoute, DashboardVisit } from '../visit.ts'
import { ASK_FOR_PAYMENT } from './ask-form.tsx'
import { showAsk, showAsked, showAskedByCode } from './ask-page.tsx'

/** Asking a customer's phone for money from the till, in both modes. */
export const ASK_ROUTES: readonly DashboardRoute[] = [
  pageRoute('/ask', showAsk, ASK_FOR_PAYMENT.action),
  pageRoute('/ask/:id', showAsked, 'read'),
  pageRoute('/ask/qr/:id', showAskedByCode, 'read'),
  formRoute(ASK_FOR_PAYMENT, {
    submit: async (visit, values) =>
      redirectDone(
        visit.to(values.by === 'qr' ? `/ask/qr/${await makeLink(visit, values)}` : `/ask/${await ask(visit, values)}`),
      ),
    showRefused: showAsk,
  }),
]

async function ask(visit: DashboardVisit, { phone = '', reference = '', ...values }: FormValues): Promise<string> {
  const input = parseBody(ChargeCreateShape, {
    ...{ amount: getAmount(values, 'amount'), channel: DEFAULT_CHANNEL, customer: { phone } },
    ...(reference === '' ? {} : { reference }),
  })
  const { app, caller, requestId } = visit
  return getCreatedId(await createCharge(app, { caller, requestId, input, ...getOnce(visit) }))
}

/** A link over the same amount, to be paid once. */
async function makeLink(visit: DashboardVisit, { reference = '', ...values }: FormValues): Promise<string> {
  const given = parseBody(PaymentLinkCreateShape, {
    amount: getAmount(values, 'amount'),
    ...(reference === '' ? {} : { reference, description: reference }),
  })
  const { app, caller, requestId } = visit
  return getCreatedId(await createLink(app, { caller, requestId, given, idempotency: getOnce(visit) }))
}
