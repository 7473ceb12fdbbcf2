import { revealWebhookSecret } from '../../../merchants/account/reveal-secrets.ts'
import { rotateWebhookSecret } from '../../../merchants/account/rotate-webhook-secret.ts'
import { setMerchant } from '../../../merchants/account/set-merchant.ts'
import { resendDelivery } from '../../../merchants/webhooks/find-deliveries.ts'
import { resendFailed } from '../../../merchants/webhooks/resend-failed.ts'
import { sendPing } from '../../../merchants/webhooks/send-ping.ts'
import { parseIsoTime } from '../../../platform/time/times.ts'
import { FieldFault, type FormValues } from '../../parts/forms/form-spec.ts'
import { formatPageTime } from '../../parts/parts.tsx'
import { redirectDone, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { WEBHOOKS } from '../texts/webhooks.ts'
import { type DashboardRoute, type DashboardVisit, form, page } from '../visit.ts'
import { showDelivery } from './delivery-page.tsx'
import { renderSecretPage } from './secret-page.tsx'
import {
  RESEND_DELIVERY,
  RESEND_FAILED_SINCE,
  REVEAL_WEBHOOK_SECRET,
  ROTATE_WEBHOOK_SECRET,
  SEND_TEST_EVENT,
  SET_WEBHOOK_ADDRESS,
} from './webhook-forms.ts'
import { showWebhooks } from './webhooks-page.tsx'

const { address, secret, ping, resendAll, delivery } = WEBHOOKS
const WEBHOOKS_PATH = '/developers/webhooks'

async function saveAddress(visit: DashboardVisit, { url = '' }: FormValues): Promise<SurfaceReply> {
  const webhookUrl = url === '' ? null : url
  await setMerchant(visit.app, visit.caller, { merchant: visit.merchant, change: { webhookUrl } })
  return redirectDone(visit.to(WEBHOOKS_PATH), webhookUrl === null ? address.emptied : address.saved)
}

async function rotateSecret(visit: DashboardVisit, values: FormValues): Promise<SurfaceReply> {
  const atOnce = values.atOnce === 'yes'
  const rotation = { merchant: visit.merchant, atOnce, commandKey: visit.once?.key }
  const rotated = await rotateWebhookSecret(visit.app, visit.caller, rotation)
  const oldSecret = atOnce ? secret.madeAtOnce : secret.madeUntil(formatPageTime(rotated.previousUntil))
  return showWebhookSecret(visit, { title: secret.madeTitle, value: rotated.secret }, `${secret.made} ${oldSecret}`)
}

const showWebhookSecret = (
  visit: DashboardVisit,
  { title, value }: { title: string; value: string },
  message: string,
) =>
  renderSecretPage(
    { title, label: secret.label, secret: value, back: { href: visit.to(WEBHOOKS_PATH), name: secret.back } },
    message,
  )

async function resendFailedSince(visit: DashboardVisit, { day = '', time = '' }: FormValues): Promise<SurfaceReply> {
  const since = parseIsoTime(`${day}T${time === '' ? '00:00' : time}+03:00`)
  if (since === null) throw new FieldFault('day', resendAll.wrong)
  const { resent, more } = await resendFailed(visit.app, visit.caller, since)
  return redirectDone(visit.to(WEBHOOKS_PATH), resendAll.done(resent, more))
}

/** Webhooks: their address, secret and deliveries, with the forms of each. */
export const WEBHOOK_ROUTES: readonly DashboardRoute[] = [
  page(WEBHOOKS_PATH, (visit) => showWebhooks(visit), 'payouts.read'),
  page(`${WEBHOOKS_PATH}/:id`, (visit) => showDelivery(visit), 'payouts.read'),
  form(SET_WEBHOOK_ADDRESS, { submit: saveAddress, showRefused: showWebhooks }),
  form(REVEAL_WEBHOOK_SECRET, {
    async submit(visit) {
      const value = await revealWebhookSecret(visit.app, visit.caller, visit.merchant.id)
      return showWebhookSecret(visit, { title: secret.revealTitle, value }, secret.revealed)
    },
    showRefused: showWebhooks,
  }),
  form(ROTATE_WEBHOOK_SECRET, { submit: rotateSecret, showRefused: showWebhooks }),
  form(SEND_TEST_EVENT, {
    async submit(visit) {
      const { mode, merchant } = visit
      const testEvent = await sendPing(visit.app, visit.caller, {
        merchant,
        mode,
        commandKey: visit.once?.key,
      })
      return redirectDone(visit.to(`${WEBHOOKS_PATH}/${testEvent.eventId}`), ping.done)
    },
    showRefused: showWebhooks,
  }),
  form(RESEND_FAILED_SINCE, { submit: resendFailedSince, showRefused: showWebhooks }),
  form(RESEND_DELIVERY, {
    async submit(visit) {
      const { id } = await resendDelivery(visit.app, visit.caller, visit.params.id ?? '')
      return redirectDone(visit.to(`${WEBHOOKS_PATH}/${id}`), delivery.resend.done)
    },
    showRefused: showDelivery,
  }),
]
