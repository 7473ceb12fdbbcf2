import { Type } from 'typebox'
import { endpoint, jsonAnswer, tagEndpoints } from '../../../api/http/endpoint.ts'
import { WITHOUT_KEY } from '../../../api/http/write-endpoints.ts'
import { ModeShape } from '../../../platform/mode.ts'
import type { App } from '../../../program/app.ts'
import { ConformanceResultShape, ConformanceShape, checkConformance } from './conformance.ts'
import { makeDispenseSecret } from './dispense-secret.ts'

const DispenseSecretShape = Type.Object(
  {
    object: Type.Literal('dispense_secret'),
    secret: Type.String({ description: 'starts with `dsec_`; shown here and never again' }),
    mode: ModeShape,
    created_at: Type.String({ format: 'date-time' }),
    rotated: Type.Boolean({ description: 'there was one before; it is not accepted any more' }),
  },
  { $id: 'DispenseSecret' },
)

export const callbackEndpoints = tagEndpoints('Vending', [
  endpoint<App, never>({
    ...WITHOUT_KEY,
    path: '/v1/vending/dispense-secret',
    name: 'createDispenseSecret',
    summary: 'Make the secret with which your machine supplier signs its reports',
    description:
      'Of this mode only. It signs reports of dispenses and can do nothing else; give it to the maker of your machines together with [the page for them](/docs/machines). A new one replaces the old at once.',
    action: 'vending.secret',
    rate: 'dispense_secret',
    answers: { 201: { description: 'made', schema: DispenseSecretShape } },
    async handle(app, { caller }) {
      const { secret, mode, createdAt, rotated } = await makeDispenseSecret(app, caller)
      return jsonAnswer(201, {
        object: 'dispense_secret',
        secret,
        mode,
        created_at: createdAt.toISOString(),
        rotated,
      })
    },
  }),
  endpoint<App, typeof ConformanceShape>({
    ...WITHOUT_KEY,
    path: '/v1/vending/conformance',
    name: 'checkConformance',
    summary: 'Check how a machine supplier signs',
    description:
      'Put the report into `payload` exactly as it would be sent. Nothing is moved or stored. A signature that is wrong comes back with what it should have been made over.',
    action: 'vending.check',
    rate: 'conformance',
    body: ConformanceShape,
    answers: { 200: { description: 'looked at', schema: ConformanceResultShape } },
    refusals: { 400: 'bad_request: payload and sign are required; no_vendor_secret: generate one first' },
    async handle(app, { caller, bodyBytes }) {
      return jsonAnswer(200, await checkConformance(app, caller, bodyBytes.toString('utf8')))
    },
  }),
])
