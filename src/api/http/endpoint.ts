import type { Static, TSchema } from 'typebox'
import { writeExactJson } from '../../platform/text/exact-json.ts'
import type { Action } from '../access/actions.ts'
import type { KeyCaller } from '../access/actor.ts'
import type { Answer } from './answer.ts'
import type { OnEnd } from './waiting-requests.ts'

/** One request that has passed every check of the frame: key, scope, rate, timestamp, Idempotency-Key, schema. */
export type ApiRequest<Body = unknown> = {
  caller: KeyCaller
  requestId: string
  params: Readonly<Record<string, string>>
  query: Readonly<Record<string, string | undefined>>
  body: Body
  /** The bytes of the body as they came, for handlers that must see how a number was written; empty on a GET. */
  bodyBytes: Buffer
  /** Null where the endpoint ignores keys or none was sent. */
  idempotency: { key: string; fingerprint: Buffer } | null
  /** For a handler that waits for something. */
  onEnd: OnEnd
  /** Adds to these views the objects that they name and the request asks to see (expand.ts); absent where it asks for none. */
  expand?(views: readonly Record<string, unknown>[]): Promise<void>
}

/** How an endpoint takes a body that may also come as CSV, in a form or by itself (contract.md G12). */
export type RawBody<Body = unknown> = {
  /** A longer body is refused with 413; everywhere else the limit is 1 MiB. */
  limit: number
  /** A valid CSV, for the description. */
  csvExample: string
  /** Reads a CsvFile or parsed JSON. An error it throws is answered only after the 409 of a used key was ruled out. */
  read(content: unknown): Body | Promise<Body>
}

type EndpointAnswers = Readonly<Record<number, { description: string; schema: TSchema }>>

/** The names of the rate limits, so that a misspelt one does not compile. Plain reads are counted by the frame itself. */
type RateNameIn<App> = [App] extends [{ exactWindows: Readonly<Record<infer Name, unknown>> }]
  ? (Name & string) | 'reads'
  : string

/** A public endpoint of the API: what the frame checks, what the description says, and the handler. */
export type Endpoint<App> = {
  method: 'GET' | 'POST'
  path: string
  name: string
  summary: string
  description?: string
  tag: string
  /** What the key must be allowed to do; else 403 before any other check (contract.md 3 f). */
  action: Action
  /** Only test keys may: a live key is refused (403) together with a wrong scope. */
  testOnly?: true
  /** The name of its own rate limit; the total of all requests is counted beside it. */
  rate: RateNameIn<App>
  /**
   * `batch`: counted exactly, in the transaction of the work. `shared`: counted before the work, exactly as well, or for
   * plain reads in this process, which learns the counts of the others.
   */
  rateKind: 'batch' | 'shared'
  idempotency: 'required' | 'optional' | 'ignored'
  params?: TSchema
  query?: TSchema
  /** The schema of the body; without one any body is accepted. Where there is a `rawBody` it only describes the JSON. */
  body?: TSchema
  /** For an endpoint that once took no body: whatever is no object counts as `{}`. */
  bodyMayBeMissing?: boolean
  /** Only where the body may come as CSV too. */
  rawBody?: RawBody
  answers: EndpointAnswers
  /** Other forms of the answer. Each has a path of its own in the description, because clients expect one form at a path. */
  documents?: readonly {
    path: string
    name: string
    summary: string
    description?: string
    params: TSchema
    answers: EndpointAnswers
  }[]
  /** Errors it may answer with, for the description: status -> codes. */
  refusals?: Readonly<Record<number, string>>
  handle(app: App, request: ApiRequest): Promise<Answer>
}

/** An endpoint before it is put under the tag of its group. */
export type UntaggedEndpoint<App> = Omit<Endpoint<App>, 'tag'>

/** Puts the endpoints of one group under this tag of the description. */
export const tagEndpoints = <App>(tag: string, endpoints: readonly UntaggedEndpoint<App>[]): Endpoint<App>[] =>
  endpoints.map((endpoint) => ({ ...endpoint, tag }))

/** Declares an endpoint; the handler sees the body as the schema says it. */
export function endpoint<App, Body extends TSchema>(
  declared: Omit<UntaggedEndpoint<App>, 'handle' | 'body'> & {
    body?: Body
    handle(app: App, request: ApiRequest<Static<Body>>): Promise<Answer>
  },
): UntaggedEndpoint<App> {
  return declared as UntaggedEndpoint<App>
}

/** Declares an endpoint that reads its body itself; the handler sees what `rawBody.read` returns. */
export function rawEndpoint<App, Body>(
  declared: Omit<UntaggedEndpoint<App>, 'handle' | 'rawBody'> & {
    rawBody: RawBody<Body>
    handle(app: App, request: ApiRequest<Body>): Promise<Answer>
  },
): UntaggedEndpoint<App> {
  return declared as UntaggedEndpoint<App>
}

/** Makes an answer with this value as JSON. `objectId`: the object that it is about, for the log. */
export const jsonAnswer = (status: number, value: unknown, objectId: string | null = null): Answer => ({
  status,
  body: writeExactJson(value),
  objectId,
})
