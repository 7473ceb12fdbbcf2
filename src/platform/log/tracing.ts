import { keepContexts } from './async-context.ts'
import { currentTimeSpent } from './spent.ts'

/** What may stand beside a span: names of ours and numbers. Never a secret, a name or a number of a person, the id of a payment, or an amount. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>

/** A piece of work in a trace that is recorded. */
export type Span = {
  readonly traceId: string
  /** Its place in the trace as others are told of it (W3C Trace Context). */
  readonly traceparent: string
  set(attributes: SpanAttributes): void
  /** Links this piece of work to another one that it had a part in, or that had a part in it. */
  link(other: Span): void
  /** Ends it now; `failed`: because of a fault. */
  end(options?: { failed?: boolean }): void
}

/** `parent`: the work that this is a part of, or the `traceparent` of a stranger. `beganMs`: how long ago it began. */
export type SpanOptions = {
  kind: 'server' | 'client' | 'internal'
  parent?: Span | string | null
  attributes?: SpanAttributes
  beganMs?: number
}

/** Makes spans. Null where the trace is not recorded: then nothing below it is. */
export type Tracer = { begin(name: string, options: SpanOptions): Span | null }

let tracer: Tracer | null = null

/** Traces from now on, or, with null, no more. Only program/tracing/ calls it. */
export function setTracer(chosen: Tracer | null): void {
  tracer = chosen
  // What belongs to which request is then followed on every Node (async-context.ts).
  if (chosen !== null) keepContexts()
}

/** Whether anything is traced. Where it is not, nothing is to be prepared for it. */
export const isTracing = (): boolean => tracer !== null

/** Begins a piece of work; null where it is not recorded, always while nobody traces. */
export const beginSpan = (name: string, options: SpanOptions): Span | null =>
  tracer === null ? null : tracer.begin(name, options)

/** Begins a part of the work that is under way; null where that is not recorded. */
export function beginPart(name: string, options: Omit<SpanOptions, 'parent'>): Span | null {
  if (tracer === null) return null
  const parent = currentTimeSpent()?.span
  return parent == null ? null : tracer.begin(name, { ...options, parent })
}

/** Runs statements that go out together as a part of the work that is under way. */
export async function tracePart<T>(name: string, attributes: () => SpanAttributes, work: () => Promise<T>): Promise<T> {
  const span = tracer === null ? null : beginPart(name, { kind: 'client', attributes: attributes() })
  if (span === null) return work()
  try {
    const value = await work()
    span.end()
    return value
  } catch (error) {
    span.end({ failed: true })
    throw error
  }
}
