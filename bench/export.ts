import { request } from 'node:http'
import { addressIn } from '../src/web/dashboard/addresses.ts'
import { rounded } from './figures.ts'
import { memoryMb, peakMemoryMb } from './processes.ts'
import type { Stage } from './stage.ts'

const TIMES = 3
const LOOK_EVERY_MS = 20
const CSRF = /name="csrf" value="([^"]+)"/

export type Export = { seconds: number; lines: number; mb: number; extraMb: number | null }

/** The whole list of charges as CSV, as the button of the page downloads it: the fastest and the slowest of three, the most memory. */
export async function measureExport(stage: Stage, cookie: string) {
  const csrf = CSRF.exec(await pageText(stage, cookie))?.[1]
  if (csrf === undefined) throw new Error('the list of charges has a form')
  const rounds: Export[] = []
  while (rounds.length < TIMES) rounds.push(await download(stage, cookie, csrf))
  const seconds = rounds.map((round) => round.seconds)
  const figures = {
    lines: rounds[0]?.lines ?? 0,
    mb: rounded(rounds[0]?.mb ?? 0, 1),
    best_seconds: rounded(Math.min(...seconds), 1),
    worst_seconds: rounded(Math.max(...seconds), 1),
    worst_extra_mb: rounded(Math.max(...rounds.map(({ extraMb }) => extraMb ?? Number.NaN)), 1),
  }
  stage.say(
    `export of ${figures.lines} lines in ${figures.best_seconds} to ${figures.worst_seconds} s, ${figures.worst_extra_mb} MB more`,
  )
  return figures
}

const LIST = addressIn('test', '/charges')

async function pageText({ service }: Stage, cookie: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${service.port}${LIST}`, { headers: { cookie } })
  return response.text()
}

function download({ service }: Stage, cookie: string, csrf: string): Promise<Export> {
  const { pid, port } = service
  const before = memoryMb(pid) ?? 0
  let most = before
  const looking = setInterval(() => {
    most = Math.max(most, memoryMb(pid) ?? 0)
  }, LOOK_EVERY_MS)
  const startedAt = performance.now()
  return new Promise<Export>((resolve, reject) => {
    const sent = request(
      {
        ...{ host: '127.0.0.1', port, method: 'POST', path: `${LIST}/export` },
        headers: {
          cookie,
          'sec-fetch-site': 'same-origin',
          'content-type': 'application/x-www-form-urlencoded',
        },
      },
      (response) => {
        let bytes = 0
        let lines = 0
        response.on('data', (part: Buffer) => {
          bytes += part.length
          for (const byte of part) if (byte === 10) lines += 1
        })
        response.on('end', () => {
          const seconds = (performance.now() - startedAt) / 1000
          const extraMb = peakMemoryMb(pid) === null ? null : most - before
          resolve({ seconds, lines, mb: bytes / 1_048_576, extraMb })
        })
        response.on('error', reject)
      },
    )
    sent.on('error', reject)
    sent.end(new URLSearchParams({ csrf }).toString())
  }).finally(() => clearInterval(looking))
}
