import { Agent, request } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { percentile, rounded } from './figures.ts'
import { atMost } from './report.ts'
import type { Stage } from './stage.ts'

const LINKS = 500
const PAGES_A_SECOND = 200
const SECONDS = 20
const QR_CODES = 200
const MOST_BYTES = 14 * 1024

type Asked = { ms: number; status: number; bytes: number; body: Buffer }

/**
 * The hosted pages: their time at a steady 200 a second, in the mix of a checkout (form, status page, the document its script
 * asks for), what the first page weighs on the wire, and QR codes that nobody has asked for before.
 */
export async function measurePages(stage: Stage) {
  const links = await makeLinks(stage)
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const paths = links.flatMap((id) => [`/pay/${id}`, `/pay/${id}`, `/pay/${id}/status`, `/pay/${id}/status.json`])
  for (const path of paths.slice(0, 200)) await ask(stage, agent, path)
  const times = await steadily(stage, agent, paths)
  const qr = await qrTimes(stage, agent, links)
  const first = await ask(stage, agent, paths[0] as string)
  agent.destroy()
  const figures = {
    pages_a_second: PAGES_A_SECOND,
    p50_ms: rounded(percentile(times, 0.5), 2),
    p99_ms: rounded(percentile(times, 0.99), 2),
    first_page_bytes: first.bytes,
    first_page_bytes_unpacked: gunzipSync(first.body).length,
    qr_png_p50_ms: rounded(percentile(qr, 0.5), 2),
    qr_png_p99_ms: rounded(percentile(qr, 0.99), 2),
  }
  stage.say(
    `pages: p99 ${figures.p99_ms} ms at ${PAGES_A_SECOND}/s, first page ${first.bytes} B, QR ${figures.qr_png_p50_ms} ms`,
  )
  return {
    scenarios: { pages: figures },
    bars: [
      atMost('page_p99_ms', 10, figures.p99_ms),
      atMost('first_page_bytes', MOST_BYTES, first.bytes),
      atMost('qr_png_ms', 3, figures.qr_png_p50_ms),
    ],
  }
}

/** Links of many merchants, as their servers make them. */
async function makeLinks({ service, merchants }: Stage): Promise<string[]> {
  const ids: string[] = []
  while (ids.length < LINKS) {
    const merchant = merchants[ids.length % merchants.length]
    const response = await fetch(`http://127.0.0.1:${service.port}/v1/payment-links`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${merchant?.token}`,
        'x-timestamp': String(Math.floor((performance.timeOrigin + performance.now()) / 1000)),
      },
      body: JSON.stringify({
        amount: 25_000,
        description: 'Blue kitenge dress, size M',
        reference: `o-${ids.length}`,
      }),
    })
    const { id } = (await response.json()) as { id?: string }
    if (id === undefined) throw new Error(`no link was made: ${response.status}`)
    ids.push(id)
  }
  return ids
}

/** Sends requests at a steady pace, however long the answers take. Answers with the sorted times since each request was due. */
async function steadily(stage: Stage, agent: Agent, paths: readonly string[]): Promise<number[]> {
  const total = PAGES_A_SECOND * SECONDS
  const startedAt = performance.now()
  const asked: Promise<number>[] = []
  while (asked.length < total) {
    const due = startedAt + (asked.length * 1000) / PAGES_A_SECOND
    const wait = due - performance.now()
    if (wait > 1) await new Promise((resolve) => setTimeout(resolve, wait))
    const path = paths[(asked.length * 7) % paths.length] as string
    asked.push(ask(stage, agent, path).then(({ ms }) => ms))
  }
  return (await Promise.all(asked)).sort((a, b) => a - b)
}

async function qrTimes(stage: Stage, agent: Agent, links: readonly string[]): Promise<number[]> {
  const times: number[] = []
  for (const id of links.slice(0, QR_CODES)) times.push((await ask(stage, agent, `/pay/${id}/qr.png`)).ms)
  return times.sort((a, b) => a - b)
}

function ask({ service }: Stage, agent: Agent, path: string): Promise<Asked> {
  const startedAt = performance.now()
  return new Promise((resolve, reject) => {
    const sent = request(
      { port: service.port, host: '127.0.0.1', path, agent, headers: { 'accept-encoding': 'gzip' } },
      (response) => {
        const parts: Buffer[] = []
        response.on('data', (part: Buffer) => parts.push(part))
        response.on('end', () => {
          const body = Buffer.concat(parts)
          const head = response.rawHeaders.reduce((sum, text) => sum + text.length + 2, 20)
          const status = response.statusCode ?? 0
          if (status >= 400) return reject(new Error(`${path} answered ${status}`))
          resolve({ ms: performance.now() - startedAt, status, bytes: head + body.length, body })
        })
      },
    )
    sent.on('error', reject)
    sent.end()
  })
}
