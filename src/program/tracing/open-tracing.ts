import {
  type Context,
  type SpanOptions as OtelSpanOptions,
  type Tracer as OtelTracer,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api'
import type { ReadableSpan, SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace-base'
import { count } from '../../platform/log/measures.ts'
import { type Span, type SpanOptions, setTracer } from '../../platform/log/tracing.ts'
import { VERSION } from '../../platform/processes/version.ts'

// The packages are loaded here, and so only where somebody wants traces.

const SERVICE = 'gateway'
// Spans that wait for the receiver; what comes beyond that is dropped and counted.
const MAX_WAITING = 2048
const CLOSE_WITHIN_MS = 1000
const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL }
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}$/

/**
 * Traces from now on and sends the spans to this address in the background; nothing waits for them. Resolves with the function that sends
 * what is left, for a second at most, and ends it. Sampling and headers are read by OpenTelemetry from its own settings (OTEL_*).
 */
export async function openTracing(endpoint: string): Promise<() => Promise<void>> {
  const { BasicTracerProvider, BatchSpanProcessor } = await import('@opentelemetry/sdk-trace-base')
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http')
  const { detectResources, envDetector, resourceFromAttributes } = await import('@opentelemetry/resources')
  const own = resourceFromAttributes({
    'service.name': SERVICE,
    'service.version': VERSION,
    'process.pid': process.pid,
  })
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` })
  const { counted, bounded } = boundQueue(exporter)
  const provider = new BasicTracerProvider({
    resource: own.merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [bounded(new BatchSpanProcessor(counted, { maxQueueSize: MAX_WAITING }))],
  })
  const tracer = provider.getTracer(SERVICE, VERSION)
  setTracer({ begin: (name, options) => begin(tracer, name, options) })
  return async () => {
    setTracer(null)
    let late: NodeJS.Timeout | undefined
    const over = new Promise<void>((resolve) => {
      late = setTimeout(resolve, CLOSE_WITHIN_MS)
    })
    await Promise.race([provider.shutdown().catch(() => {}), over])
    clearTimeout(late)
  }
}

/** Counts what is lost: spans beyond the queue, and those that the receiver did not take. */
function boundQueue(exporter: SpanExporter) {
  let waiting = 0
  const lost = (spans: number, reason: 'full' | 'refused') => {
    for (let left = spans; left > 0; left -= 1) count('trace_spans_dropped_total', reason)
  }
  const counted: SpanExporter = {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        waiting -= spans.length
        if (result.error !== undefined || result.code !== 0) lost(spans.length, 'refused')
        done(result)
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  }
  const bounded = (processor: SpanProcessor): SpanProcessor => ({
    onStart: (span, parent) => processor.onStart(span, parent),
    onEnd: (span: ReadableSpan) => {
      if ((span.spanContext().traceFlags & TraceFlags.SAMPLED) === 0) return
      if (waiting >= MAX_WAITING) return lost(1, 'full')
      waiting += 1
      processor.onEnd(span)
    },
    forceFlush: () => processor.forceFlush(),
    shutdown: () => processor.shutdown(),
  })
  return { counted, bounded }
}

const contexts = new WeakMap<Span, Context>()

function begin(
  tracer: OtelTracer,
  name: string,
  { kind, parent = null, attributes = {}, beganMs }: SpanOptions,
): Span | null {
  const options = {
    kind: KINDS[kind],
    attributes,
    // OpenTelemetry knows such a number as one of this clock.
    ...(beganMs === undefined ? {} : { startTime: performance.now() - beganMs }),
  }
  if (parent !== null && typeof parent === 'object')
    return record(tracer, name, { options, context: contexts.get(parent) ?? ROOT_CONTEXT })
  // Our own sampling decides, before anything that a stranger wrote is looked at: nobody can make us record, and nobody can hide.
  const own = record(tracer, name, { options, context: ROOT_CONTEXT })
  const [, traceId, spanId] = TRACEPARENT.exec(parent ?? '') ?? []
  if (own === null || traceId === undefined || spanId === undefined) return own
  const stranger = { traceId, spanId, isRemote: true, traceFlags: TraceFlags.SAMPLED }
  return record(tracer, name, { options, context: trace.setSpanContext(ROOT_CONTEXT, stranger) })
}

function record(
  tracer: OtelTracer,
  name: string,
  { options, context }: { options: OtelSpanOptions; context: Context },
): Span | null {
  const recorded = tracer.startSpan(name, options, context)
  if (!recorded.isRecording()) return null
  const { traceId, spanId } = recorded.spanContext()
  const span: Span = {
    traceId,
    traceparent: `00-${traceId}-${spanId}-01`,
    set: (attributes) => void recorded.setAttributes(attributes),
    link(other) {
      const linked = trace.getSpanContext(contexts.get(other) ?? ROOT_CONTEXT)
      if (linked !== undefined) recorded.addLink({ context: linked })
    },
    end({ failed = false } = {}) {
      if (failed) recorded.setStatus({ code: SpanStatusCode.ERROR })
      recorded.end()
    },
  }
  contexts.set(span, trace.setSpan(ROOT_CONTEXT, recorded))
  return span
}
