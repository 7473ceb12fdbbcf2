import type { FormSpec } from '../../parts/forms/form-spec.ts'
import { WEBHOOKS } from '../texts/webhooks.ts'

const { address, secret, ping, resendAll, delivery } = WEBHOOKS
/** The path of the page of webhooks, below which each delivery has its page. */
export const WEBHOOKS_PATH = '/developers/webhooks'

export const SET_WEBHOOK_ADDRESS: FormSpec = {
  path: `${WEBHOOKS_PATH}/address`,
  action: 'webhook.address',
  fields: [
    {
      ...{
        name: 'url',
        label: address.label,
        hint: address.hint,
        kind: 'url',
        maxLength: 2048,
        optional: true,
      },
    },
  ],
  submit: address.submit,
}
export const REVEAL_WEBHOOK_SECRET: FormSpec = {
  path: `${WEBHOOKS_PATH}/secret/reveal`,
  action: 'webhook.reveal',
  fields: [],
  submit: secret.reveal,
}
export const ROTATE_WEBHOOK_SECRET: FormSpec = {
  path: `${WEBHOOKS_PATH}/secret/rotate`,
  action: 'webhook.rotate',
  fields: [{ name: 'atOnce', label: secret.atOnce, kind: 'check' }],
  submit: secret.rotate,
  once: true,
}
export const SEND_TEST_EVENT: FormSpec = {
  path: `${WEBHOOKS_PATH}/ping`,
  action: 'webhook.ping',
  fields: [],
  submit: ping.submit,
  once: true,
}
export const RESEND_FAILED_SINCE: FormSpec = {
  path: `${WEBHOOKS_PATH}/resend-failed`,
  action: 'webhook.resend-failed',
  fields: [
    { name: 'day', label: resendAll.day, kind: 'date' },
    { name: 'time', label: resendAll.time, hint: resendAll.timeHint, kind: 'time', optional: true },
  ],
  submit: resendAll.submit,
}
export const RESEND_DELIVERY: FormSpec = {
  path: `${WEBHOOKS_PATH}/:id/resend`,
  action: 'webhook.resend',
  fields: [],
  submit: delivery.resend.submit,
}
