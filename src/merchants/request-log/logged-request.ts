import { Type } from 'typebox'
import { ModeShape } from '../../platform/mode.ts'
import { parseTag } from '../../platform/text/ids.ts'

/** A request as its merchant sees it. `id` is its name in the log. */
export type LoggedRequest = {
  id: string
  at: Date
  requestId: string
  method: string
  route: string
  status: number
  code: string | null
  ms: number
  keyOutcome: 'new' | 'replay' | 'conflict' | null
  error: string | null
  keyLast4: string
  objectId: string | null
  /** The names in the request that its endpoint does not know. */
  ignored: string | null
}

/** The methods of the API; a row may have another, which was refused. */
export const LOGGED_METHODS = ['GET', 'POST'] as const
const PREFIX = 'req_'
const NAME_CHARACTERS = 16

const orNull = (schema: ReturnType<typeof Type.String>) => Type.Union([schema, Type.Null()])

/** A row of the log for programs: what the dashboard shows of it, and no more. */
export const LoggedRequestShape = Type.Object(
  {
    id: Type.String({ description: 'starts with `req_`' }),
    request_id: Type.String({ description: 'the `X-Request-ID` of its answer' }),
    mode: ModeShape,
    method: Type.Enum([...LOGGED_METHODS], { $id: 'LoggedMethod' }),
    route: Type.String({
      description: 'the pattern of its path, without what stood in it; `unknown` where there is no such path',
    }),
    status: Type.Integer({ minimum: 100, maximum: 599 }),
    code: orNull(Type.String({ description: 'the code of the refusal, by the table of errors' })),
    error: orNull(
      Type.String({ description: 'its sentence, at most 500 characters; phones and keys in it are masked' }),
    ),
    duration_ms: Type.Number({ minimum: 0, description: 'how long the answer took, to a tenth of a millisecond' }),
    idempotency_status: Type.Union([
      Type.Enum(['new', 'replayed', 'conflict'], {
        $id: 'LoggedIdempotency',
        description: 'what its Idempotency-Key did; null without one',
      }),
      Type.Null(),
    ]),
    key_last4: Type.String({ description: 'the last four characters of its key' }),
    object_id: orNull(Type.String({ description: 'the object that it was about' })),
    ignored_parameters: Type.Array(Type.String(), { description: 'names that its endpoint does not know' }),
    created_at: Type.String({ format: 'date-time', description: 'when it was answered' }),
  },
  { $id: 'LoggedRequest' },
)

/** Presents a request of the log as the API shows it. `tag`: that of its merchant. */
export const presentLoggedRequest = (request: LoggedRequest, { tag, mode }: { tag: string; mode: string }) => ({
  id: presentRequestId(request.id, tag),
  request_id: request.requestId,
  mode,
  method: request.method,
  route: request.route,
  status: request.status,
  code: request.code,
  error: request.error,
  duration_ms: request.ms,
  idempotency_status: request.keyOutcome === 'replay' ? 'replayed' : request.keyOutcome,
  key_last4: request.keyLast4,
  object_id: request.objectId,
  ignored_parameters: request.ignored?.split(', ') ?? [],
  created_at: request.at.toISOString(),
})

/** Makes the id of a logged request for programs: with its merchant's tag, as every id has, and always of one length. */
export const presentRequestId = (name: string, tag: string): string =>
  PREFIX + tag + name.padStart(NAME_CHARACTERS, '0')

/** Returns the name in the log that such an id stands for; null where it is none of this merchant. */
export function parseRequestId(id: string, tag: string): string | null {
  if (parseTag(PREFIX, id) !== tag || id.length !== PREFIX.length + tag.length + NAME_CHARACTERS) return null
  const name = id.slice(-NAME_CHARACTERS).replace(/^0+(?=.)/, '')
  return parseLogId(name) === null ? null : name
}

/** Parses the name of a logged request, a number in base 36; null when it is none. */
export function parseLogId(name: string): bigint | null {
  if (!/^[0-9a-z]{1,13}$/.test(name)) return null
  let number = 0n
  for (const digit of name) number = number * 36n + BigInt(Number.parseInt(digit, 36))
  return number < 2n ** 63n ? number : null
}
