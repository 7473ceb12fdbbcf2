import type { ComponentChildren, VNode } from 'preact'
import type { WebhookAddress } from '../../../merchants/webhooks/addresses/address.ts'
import { EVENT_TYPES } from '../../../merchants/webhooks/events.ts'
import { FieldFault, type FormField, type FormSpec, type FormValues } from '../../parts/forms/form-spec.ts'
import { WEBHOOKS } from '../texts/webhooks.ts'

const { more, secret, ping } = WEBHOOKS
/** The path below which each address beside the first one has its page. */
export const ADDRESSES_PATH = '/developers/webhook-addresses'

// The events are read only where "only these" is chosen.
const ADDRESS_FIELDS: readonly FormField[] = [
  { name: 'url', label: more.label, hint: more.hint, kind: 'url', maxLength: 2048 },
  {
    ...{ name: 'which', label: more.which, kind: 'radio', about: ['events'] },
    choices: [
      { value: 'all', label: more.all },
      { value: 'some', label: more.some },
    ],
  },
  ...EVENT_TYPES.map((event) => ({ name: event, label: event, kind: 'check' as const })),
]

export const ADD_WEBHOOK_ADDRESS: FormSpec = {
  path: `${ADDRESSES_PATH}/new`,
  action: 'webhook.address',
  fields: ADDRESS_FIELDS,
  submit: more.submit,
  once: true,
}
export const CHANGE_WEBHOOK_ADDRESS: FormSpec = {
  path: `${ADDRESSES_PATH}/:id/change`,
  action: 'webhook.address',
  fields: ADDRESS_FIELDS,
  submit: more.change.submit,
}
export const PAUSE_WEBHOOK_ADDRESS: FormSpec = {
  path: `${ADDRESSES_PATH}/:id/pause`,
  action: 'webhook.switch',
  fields: [],
  submit: more.pause,
}
export const RESUME_WEBHOOK_ADDRESS: FormSpec = {
  path: `${ADDRESSES_PATH}/:id/resume`,
  action: 'webhook.switch',
  fields: [],
  submit: more.resume,
}
export const ROTATE_ADDRESS_SECRET: FormSpec = {
  path: `${ADDRESSES_PATH}/:id/rotate`,
  action: 'webhook.rotate',
  fields: [{ name: 'atOnce', label: secret.atOnce, kind: 'check' }],
  submit: secret.rotate,
  once: true,
}
export const TEST_WEBHOOK_ADDRESS: FormSpec = {
  path: `${ADDRESSES_PATH}/:id/test`,
  action: 'webhook.ping',
  fields: [],
  submit: ping.submit,
}
export const REMOVE_WEBHOOK_ADDRESS: FormSpec = {
  path: `${ADDRESSES_PATH}/:id/remove`,
  action: 'webhook.address',
  fields: [],
  submit: more.remove,
  danger: true,
}

/** Puts the events below the choice between all and some: a browser hides them while all are chosen. */
export const arrangeAddressFields = ([url, which, ...events]: readonly VNode[]): ComponentChildren => (
  <>
    {url}
    {which}
    <div class="chosen-events" role="group" aria-label={more.some}>
      {events}
    </div>
  </>
)

/** The first values of the form about an address: `events` null means all. */
export const fillAddressForm = ({ url, events }: Pick<WebhookAddress, 'url' | 'events'>): FormValues => ({
  url: url ?? '',
  which: events === null ? 'all' : 'some',
  ...Object.fromEntries((events ?? []).map((event) => [event, 'yes'])),
})

/** Reads which events were chosen; null means all. Throws FieldFault where none is ticked. */
export function readChosenEvents(values: FormValues): (typeof EVENT_TYPES)[number][] | null {
  if (values.which !== 'some') return null
  const chosen = EVENT_TYPES.filter((event) => values[event] === 'yes')
  if (chosen.length === 0) throw new FieldFault('which', more.noneChosen)
  return chosen
}
