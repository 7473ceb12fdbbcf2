import { revealWebhookSecret } from '../../merchants/reveal-secrets.ts'
import { rotateWebhookSecret } from '../../merchants/rotate-webhook-secret.ts'
import { setMerchant } from '../../merchants/set-merchant.ts'
import { FieldFault, type Values } from '../../pages/form-spec.ts'
import { timeText } from '../../pages/parts.tsx'
import { doneTo, type Shown } from '../../pages/shown.ts'
import { readIsoTime } from '../../platform/times.ts'
import { resendDelivery } from '../../webhooks/find-deliveries.ts'
import { resendFailed } from '../../webhooks/resend-failed.ts'
import { sendPing } from '../../webhooks/send-ping.ts'
import { WEBHOOKS } from '../texts/webhooks.ts'
import { type DashboardRoute, type DashboardVisit, form, page } from '../visit.ts'
import { showDelivery } from './delivery-page.tsx'
import { secretPage } from './secret-page.tsx'
import { ADDRESS, PING, RESEND, RESEND_ALL, REVEAL_SECRET, ROTATE_SECRET } from './webhook-forms.ts'
import { showWebhooks } from './webhooks-page.tsx'

const { address, secret, ping, resendAll, delivery } = WEBHOOKS
const HERE = '/developers/webhooks'

async function saveAddress(visit: DashboardVisit, { url = '' }: Values): Promise<Shown> {
  const webhookUrl = url === '' ? null : url
  await setMerchant(visit.app, visit.caller, { merchant: visit.merchant, change: { webhookUrl } })
  return doneTo(visit.to(HERE), webhookUrl === null ? address.emptied : address.saved)
}

async function rotate(visit: DashboardVisit, values: Values): Promise<Shown> {
  const atOnce = values.atOnce === 'yes'
  const rotation = { merchant: visit.merchant, atOnce, commandKey: visit.once?.key }
  const rotated = await rotateWebhookSecret(visit.app, visit.caller, rotation)
  const oldSecret = atOnce ? secret.madeAtOnce : secret.madeUntil(timeText(rotated.previousUntil))
  return shownSecret(visit, { title: secret.madeTitle, value: rotated.secret }, `${secret.made} ${oldSecret}`)
}

const shownSecret = (
  visit: DashboardVisit,
  { title, value }: { title: string; value: string },
  message: string,
) =>
  secretPage(
    { title, label: secret.label, secret: value, back: { href: visit.to(HERE), name: secret.back } },
    message,
  )

async function resendSince(visit: DashboardVisit, { day = '', time = '' }: Values): Promise<Shown> {
  const since = readIsoTime(`${day}T${time === '' ? '00:00' : time}+03:00`)
  if (since === null) throw new FieldFault('day', resendAll.wrong)
  const { resent, more } = await resendFailed(visit.app, visit.caller, since)
  return doneTo(visit.to(HERE), resendAll.done(resent, more))
}

/** Webhooks: their address, secret and deliveries, with the forms of each. */
export const WEBHOOK_ROUTES: readonly DashboardRoute[] = [
  page(HERE, (visit) => showWebhooks(visit), 'payouts.read'),
  page(`${HERE}/:id`, (visit) => showDelivery(visit), 'payouts.read'),
  form(ADDRESS, { submit: saveAddress, again: showWebhooks }),
  form(REVEAL_SECRET, {
    async submit(visit) {
      const value = await revealWebhookSecret(visit.app, visit.caller, visit.merchant.id)
      return shownSecret(visit, { title: secret.revealTitle, value }, secret.revealed)
    },
    again: showWebhooks,
  }),
  form(ROTATE_SECRET, { submit: rotate, again: showWebhooks }),
  form(PING, {
    async submit(visit) {
      const { mode, merchant } = visit
      const testEvent = await sendPing(visit.app, visit.caller, {
        merchant,
        mode,
        commandKey: visit.once?.key,
      })
      return doneTo(visit.to(`${HERE}/${testEvent.eventId}`), ping.done)
    },
    again: showWebhooks,
  }),
  form(RESEND_ALL, { submit: resendSince, again: showWebhooks }),
  form(RESEND, {
    async submit(visit) {
      const { id } = await resendDelivery(visit.app, visit.caller, visit.params.id ?? '')
      return doneTo(visit.to(`${HERE}/${id}`), delivery.resend.done)
    },
    again: showDelivery,
  }),
]
