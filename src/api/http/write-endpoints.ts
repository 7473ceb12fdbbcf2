import { type Static, type TSchema, Type } from 'typebox'
import { assert } from '../../platform/assert.ts'
import type { KeyCaller } from '../access/actor.ts'
import type { Answer } from './answer.ts'
import { type ApiRequest, type Endpoint, jsonAnswer, type UntaggedEndpoint } from './endpoint.ts'

type Idempotency = NonNullable<ApiRequest['idempotency']>
type WriteEndpointOptions<App> = Pick<Endpoint<App>, 'path' | 'name' | 'summary' | 'description' | 'action' | 'rate'> &
  Partial<Pick<Endpoint<App>, 'refusals' | 'testOnly'>>
type CreateEndpointOptions<App, Body extends TSchema> = WriteEndpointOptions<App> &
  Pick<Endpoint<App>, 'answers'> & { body: Body }

/** A POST that does no harm when it is repeated: an Idempotency-Key is ignored (G15). */
export const WITHOUT_KEY = { method: 'POST', rateKind: 'shared', idempotency: 'ignored' } as const

/** A POST that must carry an Idempotency-Key; the frame has checked that it does. */
type KeyedPost<Input> = { caller: KeyCaller; requestId: string; input: Input } & Idempotency
/** A POST whose Idempotency-Key is optional. */
type OptionallyKeyedPost<Input> = Pick<ApiRequest, 'caller' | 'requestId' | 'idempotency'> & { given: Input }

/** Declares a POST that makes something and must carry an Idempotency-Key. */
export const keyedEndpoint = <App, Body extends TSchema>({
  make,
  ...options
}: CreateEndpointOptions<App, Body> &
  Pick<Endpoint<App>, 'rateKind'> & {
    make(app: App, request: KeyedPost<Static<Body>>): Promise<Answer>
  }): UntaggedEndpoint<App> => ({
  ...options,
  method: 'POST',
  idempotency: 'required',
  handle(app, { caller, requestId, body, idempotency }) {
    assert(idempotency !== null, 'the frame asks for the key')
    return make(app, { caller, requestId, input: body as Static<Body>, ...idempotency }) // The frame has checked its form.
  },
})

/** Declares a POST that makes something, once for each Idempotency-Key where one is sent. `make` gets the bytes of the body too. */
export const createEndpoint = <App, Body extends TSchema>({
  make,
  ...options
}: CreateEndpointOptions<App, Body> & {
  make(app: App, request: OptionallyKeyedPost<Static<Body>>, bodyBytes: Buffer): Promise<Answer>
}): UntaggedEndpoint<App> => ({
  ...options,
  method: 'POST',
  rateKind: 'shared',
  idempotency: 'optional',
  handle(app, { caller, requestId, body, bodyBytes, idempotency }) {
    return make(app, { caller, requestId, given: body as Static<Body>, idempotency }, bodyBytes)
  },
})

/** Declares a POST without a body that changes the object named in the path. */
export const actEndpoint = <App, Row extends { id: string }>({
  id,
  shape,
  act,
  present,
  ...options
}: WriteEndpointOptions<App> & {
  /** What is said of the id: `starts with spo_`. */
  id: string
  shape: { description: string; schema: TSchema }
  /** Throws 404 for what the caller may not see. */
  act(app: App, caller: KeyCaller, id: string): Promise<Row>
  present(row: Row, app: App): unknown
}): UntaggedEndpoint<App> => ({
  ...options,
  ...WITHOUT_KEY,
  params: Type.Object({ id: Type.String({ description: id }) }),
  answers: { 200: shape },
  async handle(app, { caller, params }) {
    const row = await act(app, caller, params.id ?? '')
    return jsonAnswer(200, present(row, app), row.id)
  },
})
