import type { StartOptions } from './installation.ts'
import { REFUSED_PHONE } from './requests.ts'
import { killedBy } from './victims.ts'
import { issueCards, type World, withLiveRail } from './world.ts'

const PRICE = 4000
const CUSTOMERS = 3
const CARD = { forSome: 1500, forAll: 5000 }
const LOOK_MS = 200
const QUESTION_MS = 6000

/** Customers who share a link that is paid once, in the sandbox; the process dies over the first of them. */
export const onTestPage = (world: World, crashPoint: string): Promise<string[]> =>
  payAtPages(world, { crashPoint, start: {}, mode: 'test', cardValue: null })

export const onLivePage = (world: World, crashPoint: string): Promise<string[]> =>
  payAtPages(world, { crashPoint, start: withLiveRail(world), mode: 'live', cardValue: null })

export const onPageWithCardForSome = (world: World, crashPoint: string): Promise<string[]> =>
  payAtPages(world, { crashPoint, start: withLiveRail(world), mode: 'live', cardValue: CARD.forSome })

export const onPageWithCardForAll = (world: World, crashPoint: string): Promise<string[]> =>
  payAtPages(world, { crashPoint, start: withLiveRail(world), mode: 'live', cardValue: CARD.forAll })

/** Their operator refuses them, and the process dies over what it has said. */
export const onRefusedPage = (world: World, crashPoint: string): Promise<string[]> =>
  payAtPages(world, {
    ...{ crashPoint, start: withLiveRail(world), mode: 'live', cardValue: CARD.forSome },
    phone: REFUSED_PHONE,
  })

type How = {
  crashPoint: string
  start: StartOptions
  mode: 'test' | 'live'
  cardValue: number | null
  phone?: string
}

/** Of a link that is paid once and of one that everybody pays; all of them with the same card, where there is one. */
async function payAtPages(
  world: World,
  { crashPoint, start, mode, cardValue, phone }: How,
): Promise<string[]> {
  const { installation, clients, live: merchant } = world
  const [code = null] = cardValue === null ? [] : await issueCards(world, cardValue)
  const victim = installation.start({ ...start, crashPoint })
  await victim.ready
  const visits = [false, true].map((reusable) =>
    clients.visit({
      merchant,
      mode,
      reusable,
      customers: CUSTOMERS,
      amount: PRICE,
      code,
      ...(phone === undefined ? {} : { phone }),
    }),
  )
  // Time passes, and the operator is asked how it stands.
  const time = setInterval(() => installation.advance(QUESTION_MS), LOOK_MS)
  const wrong = await killedBy(victim, crashPoint, visits)
  clearInterval(time)
  return wrong
}
