import { type TSchema, Type } from 'typebox'
import type { Caller } from '../access/actor.ts'
import { type ApiRequest, type Endpoint, jsonAnswer, type UntaggedEndpoint } from './endpoint.ts'
import { LIST_QUERY, type ListPage, listSchema, parseListWindow, presentPage } from './lists/lists.ts'

/** The settings of endpoints that only read: all plain reads share one limit and take no Idempotency-Key. */
export const PLAIN_READ = {
  method: 'GET',
  rate: 'reads',
  rateKind: 'shared',
  idempotency: 'ignored',
} as const

type ReadEndpointOptions = Pick<Endpoint<never>, 'path' | 'name' | 'summary'> &
  Partial<Pick<Endpoint<never>, 'description' | 'action' | 'refusals' | 'testOnly'>>
// The cast holds: every app has the rate limit `reads`.
const plainRead = <App, Options extends ReadEndpointOptions>(options: Options) => ({
  ...PLAIN_READ,
  action: 'read' as const,
  rate: PLAIN_READ.rate as Endpoint<App>['rate'],
  ...options,
})
type ReadQuery = Readonly<Record<string, string | undefined>>

/** Declares an endpoint that answers with a value of its own schema. */
export const readEndpoint = <App>({
  shape,
  read,
  ...options
}: ReadEndpointOptions &
  Partial<Pick<Endpoint<App>, 'rate' | 'query' | 'params'>> & {
    shape: { description: string; schema: TSchema }
    read(app: App, request: ApiRequest): unknown
  }): UntaggedEndpoint<App> => ({
  ...plainRead<App, typeof options>(options),
  answers: { 200: shape },
  handle: async (app, request) => jsonAnswer(200, await read(app, request)),
})

/** Declares the endpoint that reads one object by the id in its path. */
export function objectEndpoint<App, Row extends { id: string }>({
  id,
  shape,
  find,
  present,
  ...options
}: ReadEndpointOptions & {
  /** What is said of the id: `starts with txn_`. */
  id: string
  shape: { description: string; schema: TSchema }
  /** Throws 404 for what the caller may not see. */
  find(app: App, caller: Caller, id: string): Promise<Row>
  present(row: Row, app: App): unknown
}): UntaggedEndpoint<App> {
  return {
    ...plainRead<App, typeof options>(options),
    params: Type.Object({ id: Type.String({ description: id }) }),
    answers: { 200: shape },
    async handle(app, { caller, params, expand }) {
      const row = await find(app, caller, params.id ?? '')
      const view = present(row, app)
      await expand?.([view as Record<string, unknown>])
      return jsonAnswer(200, view, row.id)
    },
  }
}

/** The query parameters of a list without bounds in time; it ignores `created_after` and `created_before` like unknown ones. */
export const LIST_QUERY_WITHOUT_TIMES = {
  limit: LIST_QUERY.limit,
  starting_after: LIST_QUERY.starting_after,
  ending_before: LIST_QUERY.ending_before,
}
export const parseWindowWithoutTimes = ({ limit, starting_after, ending_before }: ReadQuery) =>
  parseListWindow({ limit, starting_after, ending_before })

/** Declares an endpoint that lists objects, newest first. `list` parses its parameters from the query, in the order of the spec. */
export function listEndpoint<App, Row>({
  query,
  row,
  list,
  present,
  ...options
}: ReadEndpointOptions & {
  query: Readonly<Record<string, TSchema>>
  row: TSchema
  list(app: App, caller: Caller, query: ReadQuery): Promise<ListPage<Row>>
  present(row: Row, app: App): unknown
}): UntaggedEndpoint<App> {
  return {
    ...plainRead<App, typeof options>(options),
    query: Type.Object(query),
    answers: { 200: { description: 'one page', schema: listSchema(row) } },
    async handle(app, { caller, query: sent, expand }) {
      const page = await list(app, caller, sent)
      const answer = presentPage(page, (row) => present(row, app))
      await expand?.(answer.data as Record<string, unknown>[])
      return jsonAnswer(200, answer)
    },
  }
}
