import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { createServer as createSilentServer } from 'node:net'

// A process of its own: receivers of webhooks, healthy ones that answer 200 at once, and silent ones that accept a
// connection and never say a word. It notes when each event first came.
export type ReceiversOrder = { healthy: number; silent: number } | 'report'
export type ReceiversReport = { healthy: number[]; silent: number[] } | { seen: [string, number][] }

const seen = new Map<string, number>()

process.on('message', async (order: ReceiversOrder) => {
  if (order === 'report') {
    process.send?.({ seen: [...seen] } satisfies ReceiversReport)
    seen.clear()
    return
  }
  const healthy = await Promise.all(Array.from({ length: order.healthy }, () => listen(healthyServer())))
  const silent = await Promise.all(Array.from({ length: order.silent }, () => listen(silentServer())))
  process.send?.({ healthy, silent } satisfies ReceiversReport)
})
process.on('disconnect', () => process.exit(0))

function healthyServer(): Server {
  return createServer((request, response) => {
    const at = performance.timeOrigin + performance.now()
    let body = ''
    request.on('data', (part) => {
      body += part
    })
    request.on('end', () => {
      const id = /"id":"(evt_[a-z0-9]+)"/.exec(body)?.[1]
      if (id !== undefined && !seen.has(id)) seen.set(id, at)
      response.end('ok')
    })
  })
}

const silentServer = () =>
  createSilentServer((socket) => {
    socket.on('error', () => {}).resume()
  })

async function listen(server: Server | ReturnType<typeof silentServer>): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}
