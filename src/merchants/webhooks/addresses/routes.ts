import { type Static, Type } from 'typebox'
import { endpoint, jsonAnswer, tagEndpoints } from '../../../api/http/endpoint.ts'
import { listSchema } from '../../../api/http/lists/lists.ts'
import { objectEndpoint, readEndpoint } from '../../../api/http/read-endpoints.ts'
import { actEndpoint, createEndpoint, WITHOUT_KEY } from '../../../api/http/write-endpoints.ts'
import type { App } from '../../../program/app.ts'
import { postAddress } from './add-address.ts'
import {
  presentAddress,
  type WebhookAddress,
  WebhookAddressChangeShape,
  WebhookAddressCreateShape,
  WebhookAddressShape,
  WebhookAddressWithSecretShape,
} from './address.ts'
import { pingAddress } from './address-deliveries.ts'
import { changeAddress, removeAddress } from './change-addresses.ts'
import { getAddress, listAddresses } from './find-addresses.ts'
import { rotateAddressSecret } from './rotate-address-secret.ts'
import { pauseAddress, resumeAddress } from './switch-address.ts'

const ID = 'starts with `wha_`'
const PATH = '/v1/webhook-addresses'
const ONE = `${PATH}/:id`
const PARAMS = Type.Object({ id: Type.String({ description: ID }) })
const SHAPE = { description: 'as it is now', schema: WebhookAddressShape }
const WITH_SECRET = { description: 'its secret is shown this once', schema: WebhookAddressWithSecretShape }
const RotateShape = Type.Object(
  { at_once: Type.Optional(Type.Boolean({ description: 'true: the old secret signs no longer' })) },
  { $id: 'WebhookAddressRotate' },
)
const PingShape = Type.Object(
  { ok: Type.Literal(true), event_id: Type.String({ description: 'starts with `evt_`' }) },
  { $id: 'WebhookAddressTest' },
)

const presentWithSecret = ({ address, secret }: { address: WebhookAddress; secret: string }) => ({
  ...presentAddress(address),
  secret,
})

const WRITES = { ...WITHOUT_KEY, action: 'webhook.address', rate: 'webhook_addresses' } as const
const SWITCHES = {
  action: 'webhook.switch',
  rate: 'webhook_addresses',
  id: ID,
  shape: SHAPE,
  present: presentAddress,
} as const

const READING = [
  readEndpoint<App>({
    path: PATH,
    name: 'listWebhookAddresses',
    summary: 'List your addresses for webhooks',
    description:
      'At most five, the first one first. The first gets the events of both modes, each other those of the mode in which it was made.',
    shape: { description: 'all of them', schema: listSchema(WebhookAddressShape) },
    async read(app, { caller }) {
      const addresses = await listAddresses(app, caller)
      return { object: 'list', data: addresses.map(presentAddress), has_more: false, next_cursor: null }
    },
  }),
  objectEndpoint<App, WebhookAddress>({
    path: ONE,
    name: 'getWebhookAddress',
    summary: 'Read one address for webhooks',
    description: 'Without its secret.',
    id: ID,
    shape: SHAPE,
    find: getAddress,
    present: presentAddress,
  }),
]

const WRITING = [
  createEndpoint<App, typeof WebhookAddressCreateShape>({
    action: 'webhook.address',
    rate: 'webhook_addresses',
    path: PATH,
    name: 'createWebhookAddress',
    summary: 'Add an address for webhooks',
    description:
      'It gets what happens from now on in the mode of the key, signed with a secret of its own that is shown this once. A repeat under the same Idempotency-Key shows it again, until it is replaced. The same address twice is refused.',
    body: WebhookAddressCreateShape,
    answers: { 201: WITH_SECRET },
    make: postAddress,
  }),
  endpoint<App, typeof WebhookAddressChangeShape>({
    ...WRITES,
    path: ONE,
    name: 'changeWebhookAddress',
    summary: 'Change an address for webhooks',
    description:
      'What is left out stays. What waits is sent to the new `url`; `events` counts for what happens from now on. The first address gets every event, and is changed on the dashboard.',
    params: PARAMS,
    body: WebhookAddressChangeShape,
    bodyMayBeMissing: true,
    answers: { 200: SHAPE },
    async handle(app, { caller, params, body }) {
      const changed = await changeAddress(app, caller, { id: params.id ?? '', change: body })
      return jsonAnswer(200, presentAddress(changed), changed.id)
    },
  }),
  endpoint<App, typeof RotateShape>({
    ...WRITES,
    action: 'webhook.rotate',
    path: `${ONE}/rotate`,
    name: 'rotateWebhookAddress',
    summary: 'Give an address a new secret',
    description:
      'Deliveries are signed with it from now on. For 24 hours `webhook-signature` carries a signature by the old one too, unless `at_once`.',
    params: PARAMS,
    body: RotateShape,
    bodyMayBeMissing: true,
    answers: { 200: WITH_SECRET },
    async handle(app, { caller, params, body }) {
      const { at_once: atOnce = false } = body as Static<typeof RotateShape>
      const rotated = await rotateAddressSecret(app, caller, { id: params.id ?? '', atOnce })
      return jsonAnswer(200, presentWithSecret(rotated), rotated.address.id)
    },
  }),
  endpoint<App, never>({
    ...WRITES,
    action: 'webhook.ping',
    path: `${ONE}/test`,
    name: 'testWebhookAddress',
    summary: 'Send a test event to one address',
    description: 'The event `test.ping`, whatever events the address gets, and to this address only.',
    params: PARAMS,
    answers: { 202: { description: 'on its way', schema: PingShape } },
    async handle(app, { caller, params }) {
      const { eventId } = await pingAddress(app, caller, params.id ?? '')
      return jsonAnswer(202, { ok: true, event_id: eventId }, eventId)
    },
  }),
]

const ACTING = [
  actEndpoint<App, WebhookAddress>({
    ...SWITCHES,
    path: `${ONE}/pause`,
    name: 'pauseWebhookAddress',
    summary: 'Let the events of an address wait',
    description: 'Nothing is sent there until you resume it. Paused already: unchanged.',
    act: pauseAddress,
  }),
  actEndpoint<App, WebhookAddress>({
    ...SWITCHES,
    path: `${ONE}/resume`,
    name: 'resumeWebhookAddress',
    summary: 'Switch an address on and send what waits',
    description:
      'Sends what has waited and what it has failed to take, oldest first, at the pace of every address. One call takes up to 10,000 failed ones; call again for more.',
    act: resumeAddress,
  }),
  actEndpoint<App, WebhookAddress>({
    ...SWITCHES,
    action: 'webhook.address',
    shape: { description: 'as it was', schema: WebhookAddressShape },
    path: `${ONE}/remove`,
    name: 'removeWebhookAddress',
    summary: 'Remove an address for webhooks',
    description:
      'Nothing more is sent there, also what waits. Of the first one the events wait for another; it stays in the list without its `url`.',
    act: removeAddress,
  }),
]

export const webhookAddressEndpoints = tagEndpoints('Webhooks', [...READING, ...WRITING, ...ACTING])
