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
import type { DashboardVisit } from '../visit.ts'
import { renderSecretPage } from './secret-page.tsx'
import { WEBHOOKS_PATH } from './webhook-forms.ts'

const { address, secret, ping, resendAll, delivery } = WEBHOOKS

export async function submitAddress(visit: DashboardVisit, { url = '' }: FormValues): Promise<SurfaceReply> {
  const webhookUrl = url === '' ? null : url
  await setMerchant(visit.app, visit.caller, { merchant: visit.merchant, change: { webhookUrl } })
  return redirectDone(visit.to(WEBHOOKS_PATH), webhookUrl === null ? address.emptied : address.saved)
}

export async function submitRotateSecret(visit: DashboardVisit, values: FormValues): Promise<SurfaceReply> {
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

export async function submitResendFailed(
  visit: DashboardVisit,
  { day = '', time = '' }: FormValues,
): Promise<SurfaceReply> {
  const since = parseIsoTime(`${day}T${time === '' ? '00:00' : time}+03:00`)
  if (since === null) throw new FieldFault('day', resendAll.wrong)
  const { resent, more } = await resendFailed(visit.app, visit.caller, since)
  return redirectDone(visit.to(WEBHOOKS_PATH), resendAll.done(resent, more))
}

export async function submitRevealSecret(visit: DashboardVisit): Promise<SurfaceReply> {
  const value = await revealWebhookSecret(visit.app, visit.caller, visit.merchant.id)
  return showWebhookSecret(visit, { title: secret.revealTitle, value }, secret.revealed)
}

export async function submitTestEvent(visit: DashboardVisit): Promise<SurfaceReply> {
  const { mode, merchant } = visit
  const testEvent = await sendPing(visit.app, visit.caller, {
    merchant,
    mode,
    commandKey: visit.once?.key,
    everywhere: true,
  })
  return redirectDone(visit.to(`${WEBHOOKS_PATH}/${testEvent.eventId}`), ping.done)
}

export async function submitResend(visit: DashboardVisit): Promise<SurfaceReply> {
  const { id } = await resendDelivery(visit.app, visit.caller, visit.params.id ?? '')
  return redirectDone(visit.to(`${WEBHOOKS_PATH}/${id}`), delivery.resend.done)
}
