import { Type } from 'typebox'
import type { Caller, CallerMerchant } from '../../api/access/actor.ts'
import { endpoint, jsonAnswer, tagEndpoints } from '../../api/http/endpoint.ts'
import { parseListChoice } from '../../api/http/lists/list-choices.ts'
import {
  invalidCursor,
  LIST_QUERY,
  type ListPage,
  type ListQuery,
  listSchema,
  parseListWindow,
  presentPage,
} from '../../api/http/lists/lists.ts'
import { ERROR_CODES } from '../../api/http/openapi/error-codes.ts'
import { objectEndpoint, PLAIN_READ } from '../../api/http/read-endpoints.ts'
import { badRequest, notFound } from '../../platform/refusal.ts'
import { echo } from '../../platform/text/text.ts'
import { addMs } from '../../platform/time/clock.ts'
import type { App } from '../../program/app.ts'
import { findRequest, listRequests, MAX_REQUESTS_SEARCHED, type RequestFilter } from './find-requests.ts'
import {
  LOGGED_METHODS,
  type LoggedRequest,
  LoggedRequestShape,
  parseRequestId,
  presentLoggedRequest,
  presentRequestId,
} from './logged-request.ts'

type RequestListPage = ListPage<LoggedRequest> & { searchedBackTo: Date | null }
type OwnedRequest = { id: string; request: LoggedRequest; merchant: CallerMerchant }

const STATUS_CLASSES = ['2xx', '4xx', '5xx', 'refused'] as const
const ROUTE_FORMAT = /^(?:unknown|\/[\w.:/-]{0,200})$/
const KEY_END_FORMAT = /^[\w-]{4}$/
// Each process writes its requests once a second: a younger row may still get older neighbours, which whoever reads on behind it would miss.
const SETTLED_AFTER_MS = 3000
const SEARCHED = MAX_REQUESTS_SEARCHED.toLocaleString('en')

const QUERY = Type.Object({
  // No list of words: what is read is the status itself.
  status: Type.Optional(
    Type.String({
      pattern: `^(?:${STATUS_CLASSES.join('|')})$`,
      description: '`2xx`, `4xx`, `5xx`, or `refused` for 4xx and 5xx together',
      examples: ['refused'],
    }),
  ),
  method: Type.Optional(Type.Enum([...LOGGED_METHODS], { $id: 'LoggedMethod' })),
  route: Type.Optional(Type.String({ description: 'the pattern of a path, as `route` of a row has it' })),
  code: Type.Optional(Type.String({ description: 'the code of a refusal' })),
  key_last4: Type.Optional(
    Type.String({ pattern: '^[A-Za-z0-9_-]{4}$', description: 'the last four characters of a key' }),
  ),
  request_id: Type.Optional(Type.String({ description: 'the `X-Request-ID` of an answer' })),
  ...LIST_QUERY,
})

const RequestPageShape = Type.Object(
  {
    ...listSchema(LoggedRequestShape).properties,
    searched_back_to: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description:
        'how far back a filter has looked, where it stopped before the end: `has_more` is true then, and `next_cursor` goes on from there',
    }),
  },
  { $id: 'LoggedRequestList' },
)

/** The log of requests, for who may see payouts: it names them, as the page of the dashboard does. */
export const requestEndpoints = tagEndpoints('Account', [
  endpoint<App, never>({
    ...PLAIN_READ,
    path: '/v1/requests',
    name: 'listRequests',
    summary: 'List what your keys asked, newest first',
    description: `The requests of all keys of this mode in the last 30 days, as they were answered; bodies are not kept. A request is in the log about a second after its answer. A filter looks at ${SEARCHED} requests a page: it may then have few rows or none while \`has_more\` is true, and \`next_cursor\` goes on from there. With \`ending_before\` rows come once they are ${SETTLED_AFTER_MS / 1000} seconds old: whoever goes on behind the newest one sees each once.`,
    action: 'payouts.read',
    query: QUERY,
    answers: { 200: { description: 'one page', schema: RequestPageShape } },
    async handle(app, { caller, query }) {
      const page = await listForPrograms(app, caller, query)
      const answer = presentPage(page, (request) => presentLoggedRequest(request, caller))
      return jsonAnswer(200, { ...answer, searched_back_to: page.searchedBackTo?.toISOString() ?? null })
    },
  }),
  objectEndpoint<App, OwnedRequest>({
    path: '/v1/requests/:id',
    name: 'getRequest',
    summary: 'Read one request of the log',
    description: 'By the `id` of its row. By its `X-Request-ID` it is found with `GET /v1/requests?request_id=`.',
    action: 'payouts.read',
    id: 'starts with `req_`',
    shape: { description: 'the request', schema: LoggedRequestShape },
    async find(app, caller, id) {
      const name = parseRequestId(id, caller.tag)
      const request = name === null ? null : await findRequest(app, caller, name)
      if (request === null) throw notFound('request')
      return { id, request, merchant: caller }
    },
    present: ({ request, merchant }) => presentLoggedRequest(request, merchant),
  }),
])

/** Reads a page of the log by the parameters of a list. Throws 400. */
async function listForPrograms(app: App, caller: Caller, query: ListQuery): Promise<RequestListPage> {
  const filter = parseRequestFilter(query)
  const { limit, createdAfter, createdBefore, startingAfter, endingBefore = null } = parseListWindow(query)
  const settledBefore = endingBefore === null ? null : addMs(app.clock.now(), -SETTLED_AFTER_MS)
  const until = [createdBefore, settledBefore].flatMap((bound) => (bound === null ? [] : bound.getTime()))
  const page = await listRequests(app, caller, {
    ...{ ...filter, limit },
    ...(createdAfter !== null && { from: createdAfter.toISOString() }),
    ...(until.length > 0 && { until: new Date(Math.min(...until)).toISOString() }),
    ...(startingAfter !== null && { after: parseCursor('starting_after', startingAfter, caller) }),
    ...(endingBefore !== null && { before: parseCursor('ending_before', endingBefore, caller) }),
  })
  const further = endingBefore === null ? page.older : page.newer
  return {
    data: page.rows,
    hasMore: further !== null,
    nextCursor: further === null ? null : presentRequestId(further, caller.tag),
    searchedBackTo: page.searchedBackTo,
  }
}

/** A cursor is a moment in the log: it stays good when its row is no longer kept. */
function parseCursor(name: 'starting_after' | 'ending_before', id: string, { tag }: CallerMerchant): string {
  const cursor = parseRequestId(id, tag)
  if (cursor === null) throw invalidCursor(name)
  return cursor
}

function parseRequestFilter({ status, method, route, code, key_last4, request_id }: ListQuery): RequestFilter {
  const statusClass = parseListChoice('status', status, STATUS_CLASSES)
  parseListChoice('method', method, LOGGED_METHODS)
  if (route !== undefined && !ROUTE_FORMAT.test(route))
    throw badRequest(`invalid route: ${echo(route)}`, {
      hint: 'it is the pattern of a path as rows have it, such as /v1/charges/:id',
      field: 'route',
    })
  if (code !== undefined && !Object.hasOwn(ERROR_CODES, code))
    throw badRequest(`invalid code: ${echo(code)}`, { hint: 'all codes stand at /docs/errors', field: 'code' })
  if (key_last4 !== undefined && !KEY_END_FORMAT.test(key_last4))
    throw badRequest('key_last4 must be the last four characters of a key', { field: 'key_last4' })
  return {
    ...(statusClass !== null && { status: statusClass.replace('xx', '') }),
    ...(method !== undefined && { method }),
    ...(route !== undefined && { route }),
    ...(code !== undefined && { code }),
    ...(key_last4 !== undefined && { key: key_last4 }),
    ...(request_id !== undefined && { request: request_id }),
  }
}
