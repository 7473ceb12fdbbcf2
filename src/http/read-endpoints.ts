import { type TSchema, Type } from 'typebox'
import type { Caller } from '../actors/actor.ts'
import { type ApiRequest, answer, type Endpoint, type Untagged } from './endpoint.ts'
import { LIST_QUERY, listOf, type Page, presentPage, readListWindow } from './lists.ts'

/** The settings of endpoints that only read: all plain reads share one limit and take no Idempotency-Key. */
export const READS = { method: 'GET', rate: 'reads', rateKind: 'shared', idempotency: 'ignored' } as const

type Told = Pick<Endpoint<never>, 'path' | 'name' | 'summary'> &
  Partial<Pick<Endpoint<never>, 'description' | 'action' | 'refusals'>>
// The cast holds: every app has the rate limit `reads`.
const reading = <App, Options extends Told>(options: Options) => ({
  ...READS,
  action: 'read' as const,
  rate: READS.rate as Endpoint<App>['rate'],
  ...options,
})
type Query = Readonly<Record<string, string | undefined>>

/** Declares an endpoint that answers with a value of its own schema. */
export const readEndpoint = <App>({
  shape,
  read,
  ...options
}: Told &
  Partial<Pick<Endpoint<App>, 'rate' | 'query' | 'params'>> & {
    shape: { description: string; schema: TSchema }
    read(app: App, request: ApiRequest): unknown
  }): Untagged<App> => ({
  ...reading<App, typeof options>(options),
  answers: { 200: shape },
  handle: async (app, request) => answer(200, await read(app, request)),
})

/** Declares the endpoint that reads one object by the id in its path. */
export function oneEndpoint<App, Row extends { id: string }>({
  id,
  shape,
  find,
  present,
  ...options
}: Told & {
  /** What is said of the id: `starts with txn_`. */
  id: string
  shape: { description: string; schema: TSchema }
  /** Throws 404 for what the caller may not see. */
  find(app: App, caller: Caller, id: string): Promise<Row>
  present(row: Row, app: App): unknown
}): Untagged<App> {
  return {
    ...reading<App, typeof options>(options),
    params: Type.Object({ id: Type.String({ description: id }) }),
    answers: { 200: shape },
    async handle(app, { caller, params }) {
      const row = await find(app, caller, params.id ?? '')
      return answer(200, present(row, app), row.id)
    },
  }
}

/** The query parameters of a list without bounds in time; it ignores `created_after` and `created_before` like unknown ones. */
export const TIMELESS = { limit: LIST_QUERY.limit, starting_after: LIST_QUERY.starting_after }
export const timelessWindow = ({ limit, starting_after }: Query) => readListWindow({ limit, starting_after })

/** Declares an endpoint that lists objects, newest first. `list` parses its parameters from the query, in the order of the spec. */
export function listEndpoint<App, Row>({
  query,
  row,
  list,
  present,
  ...options
}: Told & {
  query: Readonly<Record<string, TSchema>>
  row: TSchema
  list(app: App, caller: Caller, query: Query): Promise<Page<Row>>
  present(row: Row, app: App): unknown
}): Untagged<App> {
  return {
    ...reading<App, typeof options>(options),
    query: Type.Object(query),
    answers: { 200: { description: 'one page', schema: listOf(row) } },
    async handle(app, { caller, query: sent }) {
      const page = await list(app, caller, sent)
      return answer(
        200,
        presentPage(page, (row) => present(row, app)),
      )
    },
  }
}
