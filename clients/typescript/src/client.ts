// What the generated calls need to know: how they are sent is in transport.ts.

/** Settings of one call. */
export type RequestOptions = {
  /** Your own name for this one request; without it one is made. Every attempt of the call uses the same. */
  idempotencyKey?: string | undefined
  /** Time-out of each attempt, in milliseconds. */
  timeoutMs?: number | undefined
  /** How often the call is sent again after the first time. */
  maxRetries?: number | undefined
  /** Ends the call, also while it waits for its next attempt. */
  signal?: AbortSignal | undefined
}

/** How an answer came. It is beside the object, and is no part of its JSON. */
export type LastResponse = {
  status: number
  requestId: string | undefined
  idempotencyKey: string | undefined
  /** Whether it is the kept answer of an earlier request with this key: nothing was done again. */
  replayed: boolean
  /** Names of members and parameters that the service did not know, misspelt ones among them. */
  ignored: string[]
  attempts: number
}

export type WithResponse<Answer> = Answer & { readonly lastResponse: LastResponse }

export type TDataShape = { body?: unknown; headers?: unknown; path?: unknown; query?: unknown; url: string }

/** What a generated call takes beside `client`. */
export type Options<Data extends TDataShape, _Throws = boolean, _Answer = unknown> = Pick<Data, 'path'> & {
  body?: Data['body'] | undefined
  query?: Data['query'] | undefined
  headers?: Record<string, string> | undefined
  call?: RequestOptions | undefined
}

/** A call as the generated functions hand it over. */
export type Call = {
  url: string
  path?: Record<string, unknown> | undefined
  query?: Record<string, unknown> | undefined
  body?: unknown
  headers?: Record<string, string> | undefined
  security?: readonly object[]
  /** All lists in queries are written with commas, so this is not read. */
  querySerializer?: unknown
  call?: RequestOptions | undefined
}

type Answered<Answers> = Promise<WithResponse<Answers[keyof Answers]>>

export type Client = {
  get<Answers, _Errors = unknown, _Throws = boolean>(call: Call): Answered<Answers>
  post<Answers, _Errors = unknown, _Throws = boolean>(call: Call): Answered<Answers>
}
