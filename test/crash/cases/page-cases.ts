import { setTimeout as sleep } from 'node:timers/promises'
import type { Mode } from '../../../src/platform/mode.ts'
import { REFUSED_PHONE } from '../requests.ts'
import { type Program, victim } from '../serving.ts'
import { killedBy } from '../victims.ts'
import { issueCards, type World } from '../world.ts'

const PRICE = 4000
const CUSTOMERS = 3
const CARD = { forSome: 1500, forAll: 5000 }
const LOOK_MS = 200
const QUESTION_MS = 6000
const AGAIN_MS = 10_000

/** Customers share a one-shot link in the sandbox; the process dies while it handles the first of them. */
export const onTestPage = (world: World, crashPoint: string): Promise<string[]> =>
  payAtPages(world, { crashPoint, program: 'shipped', mode: 'test', cardValue: null })

export const onLivePage = (world: World, crashPoint: string): Promise<string[]> =>
  payAtPages(world, { crashPoint, program: 'with live rail', mode: 'live', cardValue: null })

export const onPageWithCardForSome = (world: World, crashPoint: string): Promise<string[]> =>
  payAtPages(world, { crashPoint, program: 'with live rail', mode: 'live', cardValue: CARD.forSome })

export const onPageWithCardForAll = (world: World, crashPoint: string): Promise<string[]> =>
  payAtPages(world, { crashPoint, program: 'with live rail', mode: 'live', cardValue: CARD.forAll })

/** The operator refuses the customers, and the process dies while it handles that refusal. */
export const onRefusedPage = (world: World, crashPoint: string): Promise<string[]> =>
  payAtPages(world, {
    ...{ crashPoint, program: 'with live rail', mode: 'live', cardValue: CARD.forSome },
    phone: REFUSED_PHONE,
  })

type How = {
  crashPoint: string
  program: Program
  mode: Mode
  cardValue: number | null
  phone?: string
}

/** Customers pay at a one-shot link and at a reusable one until the process dies, all of them with the same card, if there is one. */
async function payAtPages(world: World, { crashPoint, program, mode, cardValue, phone }: How): Promise<string[]> {
  const { installation, clients, live: merchant } = world
  const [code = null] = cardValue === null ? [] : await issueCards(world, cardValue)
  const running = await victim(world, program, crashPoint)
  const visit = (reusable: boolean) =>
    clients.visit({
      merchant,
      mode,
      reusable,
      customers: CUSTOMERS,
      amount: PRICE,
      code,
      ...(phone === undefined ? {} : { phone }),
    })
  // On a crowded machine a page may not open in time. Then others come.
  const visiting = async () => {
    do await Promise.all([false, true].map(visit))
    while ((await Promise.race([running.ended, sleep(AGAIN_MS, null, { ref: false })])) === null)
  }
  // Time passes, and the operator is asked about the payments.
  const time = setInterval(() => installation.advance(QUESTION_MS), LOOK_MS)
  const wrong = await killedBy(running, crashPoint, [visiting()])
  clearInterval(time)
  return wrong
}
