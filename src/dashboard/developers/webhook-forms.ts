import type { FormSpec } from '../../pages/form-spec.ts'
import { WEBHOOKS } from '../texts/webhooks.ts'

const { address, secret, ping, resendAll, delivery } = WEBHOOKS
const BASE = '/developers/webhooks'

export const ADDRESS: FormSpec = {
  path: `${BASE}/address`,
  action: 'webhook.address',
  fields: [
    {
      ...{ name: 'url', label: address.label, hint: address.hint, kind: 'url', most: 2048, optional: true },
      refused: /address/,
    },
  ],
  submit: address.submit,
}
export const REVEAL_SECRET: FormSpec = {
  path: `${BASE}/secret/reveal`,
  action: 'webhook.reveal',
  fields: [],
  submit: secret.reveal,
}
export const ROTATE_SECRET: FormSpec = {
  path: `${BASE}/secret/rotate`,
  action: 'webhook.rotate',
  fields: [{ name: 'atOnce', label: secret.atOnce, kind: 'check' }],
  submit: secret.rotate,
  once: true,
}
export const PING: FormSpec = {
  path: `${BASE}/ping`,
  action: 'webhook.ping',
  fields: [],
  submit: ping.submit,
  once: true,
}
export const RESEND_ALL: FormSpec = {
  path: `${BASE}/resend-failed`,
  action: 'webhook.resend-failed',
  fields: [
    { name: 'day', label: resendAll.day, kind: 'date' },
    { name: 'time', label: resendAll.time, hint: resendAll.timeHint, kind: 'time', optional: true },
  ],
  submit: resendAll.submit,
}
export const RESEND: FormSpec = {
  path: `${BASE}/:id/resend`,
  action: 'webhook.resend',
  fields: [],
  submit: delivery.resend.submit,
}
