import { createServer, type ServerResponse } from 'node:http'

/** A span as a receiver gets it, by OTLP as JSON. */
export type ReceivedSpan = {
  name: string
  kind: number
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  failed: boolean
  attributes: Record<string, unknown>
  links: { traceId: string; spanId: string }[]
}

/** A receiver of traces: real HTTP, with faults that the test chooses. */
export type TraceReceiver = {
  url: string
  spans: ReceivedSpan[]
  /** The facts of the service that came with the spans. */
  resource(): Record<string, unknown>
  /** How often it was asked. */
  asked(): number
  /** Sets how it treats the next requests; it takes them until then. */
  behave(how: (response: ServerResponse) => void): void
  close(): Promise<void>
}

export async function startTraceReceiver(): Promise<TraceReceiver> {
  const spans: ReceivedSpan[] = []
  let resource: Record<string, unknown> = {}
  let asked = 0
  const take = (response: ServerResponse): void => {
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}')
  }
  let how = take
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      asked += 1
      if (how === take)
        for (const { resource: of, scopeSpans } of JSON.parse(Buffer.concat(chunks).toString('utf8')).resourceSpans) {
          resource = valuesOf(of.attributes)
          for (const { spans: sent } of scopeSpans) spans.push(...sent.map(readSpan))
        }
      how(response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    resource: () => resource,
    asked: () => asked,
    behave: (next) => {
      how = next
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

const readSpan = (sent: any): ReceivedSpan => ({
  name: sent.name,
  kind: sent.kind,
  traceId: sent.traceId,
  spanId: sent.spanId,
  parentSpanId: sent.parentSpanId,
  failed: sent.status?.code === 2,
  attributes: valuesOf(sent.attributes),
  links: (sent.links ?? []).map(({ traceId, spanId }: ReceivedSpan) => ({ traceId, spanId })),
})

const valuesOf = (attributes: { key: string; value: Record<string, unknown> }[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
