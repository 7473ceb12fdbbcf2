import { Agent, request } from 'node:http'
import { median, rounded } from './figures.ts'
import { untilLanded } from './payments.ts'
import type { Stage } from './stage.ts'

const SIGN_INS_A_SECOND = 50
const CHARGES = { connections: 32, perSecond: 200 }
const WINDOW_MS = 6000
const ROUNDS = 5
const SETTINGS = {
  RATE_LIMIT_SIGN_IN: '1000000',
  RATE_LIMIT_PAGES: '1000000',
  RATE_LIMIT_CHARGES: '1000000',
  RATE_LIMIT_ALL: '1000000',
}

/**
 * What the passwords of 50 sign-ins a second do to charges at a steady 200 a second: windows with and without them, in turns. Each
 * address is another one, so that every sign-in costs a whole hash; that it is refused does not change its cost.
 */
export async function measureSignIns(stage: Stage) {
  await stage.restart(SETTINGS)
  const tokens = stage.merchants.map(({ token }) => token)
  const charges = () => stage.driver.run({ port: stage.service.port, tokens, ...CHARGES, ms: WINDOW_MS })
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  await charges()
  const alone: number[] = []
  const beside: number[] = []
  const statuses: Record<number, number> = {}
  for (let round = 0; round < ROUNDS; round += 1) {
    alone.push((await charges()).p99Ms)
    const signing = signIns(stage, agent, statuses)
    beside.push((await charges()).p99Ms)
    await signing
    await untilLanded(stage)
  }
  agent.destroy()
  const [apart, together] = [median(alone) ?? 0, median(beside) ?? 0]
  const ratio = rounded(together / apart, 2)
  stage.say(
    `charge p99 ${rounded(apart, 1)} ms alone, ${rounded(together, 1)} ms beside ${SIGN_INS_A_SECOND} sign-ins a second (${JSON.stringify(statuses)})`,
  )
  return {
    charge_p99_ms_alone: rounded(apart, 2),
    charge_p99_ms_beside: rounded(together, 2),
    ratio,
    answers: statuses,
  }
}

let tried = 0

/** Sends sign-ins at a steady pace for one window, however long the answers take. */
async function signIns({ service }: Stage, agent: Agent, statuses: Record<number, number>): Promise<void> {
  const startedAt = performance.now()
  const sent: Promise<void>[] = []
  const count = (SIGN_INS_A_SECOND * WINDOW_MS) / 1000
  for (let index = 0; index < count; index += 1) {
    const due = startedAt + (index * 1000) / SIGN_INS_A_SECOND
    while (performance.now() < due) await new Promise((resolve) => setTimeout(resolve, due - performance.now()))
    tried += 1
    const fields = { email: `nobody-${tried}@people.invalid`, password: 'four words of mine' }
    sent.push(
      signIn(service.port, agent, new URLSearchParams(fields).toString()).then((status) => {
        statuses[status] = (statuses[status] ?? 0) + 1
      }),
    )
  }
  await Promise.all(sent)
}

function signIn(port: number, agent: Agent, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        ...{ host: '127.0.0.1', port, agent, method: 'POST', path: '/dashboard/sign-in' },
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'sec-fetch-site': 'same-origin',
        },
      },
      (response) => {
        response.resume().on('end', () => resolve(response.statusCode ?? 0))
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}
