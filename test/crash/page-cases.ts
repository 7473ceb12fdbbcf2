import { REFUSED_PHONE } from './requests.ts'
import { type Program, victim } from './serving.ts'
import { killedBy } from './victims.ts'
import { issueCards, type World } from './world.ts'

const PRICE = 4000
const CUSTOMERS = 3
const CARD = { forSome: 1500, forAll: 5000 }
const LOOK_MS = 200
const QUESTION_MS = 6000

/** Customers who share a link that is paid once, in the sandbox; the process dies over the first of them. */
export const onTestPage = (world: World, crashPoint: string): Promise<string[]> =>
  payAtPages(world, { crashPoint, program: 'shipped', mode: 'test', cardValue: null })

export const onLivePage = (world: World, crashPoint: string): Promise<string[]> =>
  payAtPages(world, { crashPoint, program: 'with live rail', mode: 'live', cardValue: null })

export const onPageWithCardForSome = (world: World, crashPoint: string): Promise<string[]> =>
  payAtPages(world, { crashPoint, program: 'with live rail', mode: 'live', cardValue: CARD.forSome })

export const onPageWithCardForAll = (world: World, crashPoint: string): Promise<string[]> =>
  payAtPages(world, { crashPoint, program: 'with live rail', mode: 'live', cardValue: CARD.forAll })

/** Their operator refuses them, and the process dies over what it has said. */
export const onRefusedPage = (world: World, crashPoint: string): Promise<string[]> =>
  payAtPages(world, {
    ...{ crashPoint, program: 'with live rail', mode: 'live', cardValue: CARD.forSome },
    phone: REFUSED_PHONE,
  })

type How = {
  crashPoint: string
  program: Program
  mode: 'test' | 'live'
  cardValue: number | null
  phone?: string
}

/** Of a link that is paid once and of one that everybody pays; all of them with the same card, where there is one. */
async function payAtPages(
  world: World,
  { crashPoint, program, mode, cardValue, phone }: How,
): Promise<string[]> {
  const { installation, clients, live: merchant } = world
  const [code = null] = cardValue === null ? [] : await issueCards(world, cardValue)
  const running = await victim(world, program, crashPoint)
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
  const wrong = await killedBy(running, crashPoint, visits)
  clearInterval(time)
  return wrong
}
