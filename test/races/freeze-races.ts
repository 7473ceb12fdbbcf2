import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { freezePlatform, readFreezes, repairFreezeCopy } from '../../src/merchants/account/payout-freeze.ts'
import { getMerchantNamed } from '../../src/merchants/account/set-merchant.ts'
import { readOpenExceptions, resolveException } from '../../src/payments/exceptions/resolve-exception.ts'
import { retryWhileAway } from '../../src/platform/db/retry-while-away.ts'
import { Refusal } from '../../src/platform/refusal.ts'
import type { App, Gateway } from '../../src/program/app.ts'
import { openGateway } from '../../src/program/open-gateway.ts'
import { readConfig } from '../../src/program/settings/config.ts'
import { BY_HAND } from '../helpers/service/actors.ts'
import { type Fleet, newKey, postUntilJudged, type Race, type Reply, webOf } from './fleet.ts'
import { DONE_WITHIN_MS, earnLiveMoney, newPhone, until } from './money.ts'
import { payWithoutEnd, reservations } from './stop-races.ts'

const TURNS = 15
const FOLLOWERS = 4
const SURE_MS = 100

/**
 * The platform is frozen and unfrozen again and again while commands run, processes start, and payouts are accepted: the last
 * command holds in the directory and in the cell, and nothing is reserved during a freeze (M7).
 */
export const freezeAgainstStarts: Race = {
  name: `M7 ${TURNS} freezes while commands run, cells are told and payouts are accepted`,
  async run(fleet) {
    await earnLiveMoney(fleet)
    return withGateway(fleet, async (gateway, app) => {
      const beside = besides(fleet, app)
      const wrong: string[] = []
      let reserved = 0
      for (let turn = 0; turn < TURNS; turn += 1) {
        const reason = `turn ${turn}`
        await patiently(() => freezePlatform(gateway, BY_HAND, reason))
        const before = await reservations(fleet)
        await sleep(SURE_MS)
        const slipped = (await reservations(fleet)) - before
        if (slipped > 0) wrong.push(`${slipped} payouts were reserved under the freeze of ${reason}`)
        wrong.push(...(await otherThan(app, reason)))
        await patiently(() => freezePlatform(gateway, BY_HAND, null))
        wrong.push(...(await otherThan(app, null)))
        await untilReserved(fleet, before)
        reserved += (await reservations(fleet)) - before
      }
      const commands = await beside.end()
      return { wrong, seen: `${reserved} payouts reserved in between, ${commands} commands beside` }
    })
  },
}

/** A gateway inside this process, as a command opens one: it has its own connections to the database of the fleet. */
async function withGateway<T>({ installation }: Fleet, work: (gateway: Gateway, app: App) => Promise<T>): Promise<T> {
  const config = readConfig({ DATA_DIR: installation.dataDir })
  const opened = await openGateway({
    config,
    log: pino({ level: 'silent' }),
    say: () => {},
    clock: installation.clock,
  })
  try {
    return await work(opened.gateway, opened.gateway.cells[0] as App)
  } finally {
    await opened.close()
  }
}

/** Retries, because a busy machine may have no connection for a moment. */
const patiently = <T>(work: () => Promise<T>): Promise<T> => retryWhileAway(work, DONE_WITHIN_MS)

async function otherThan(app: App, reason: string | null): Promise<string[]> {
  const { directory, cell } = await patiently(() => readFreezes(app))
  if (directory === reason && cell === reason) return []
  return [`frozen for ${reason}: the directory says ${directory}, the cell ${cell}`]
}

/** Background activity: clients that pay, commands one after the other, and tasks that copy the directory's state to the cell. */
function besides(fleet: Fleet, app: App) {
  const load = payWithoutEnd(fleet)
  let going = true
  const followers = Array.from({ length: FOLLOWERS }, async () => {
    while (going) await patiently(() => repairFreezeCopy(app))
  })
  const commands = (async () => {
    let run = 0
    for (; going; run += 1) {
      const { code, stderr } = await fleet.installation.command(['merchants', 'list'])
      if (code !== 0) throw new Error(`merchants list: ${stderr}`)
    }
    return run
  })()
  return {
    end: async () => {
      going = false
      await Promise.all([load.end(), ...followers])
      return commands
    },
  }
}

async function untilReserved(fleet: Fleet, before: number): Promise<void> {
  const giveUpAt = performance.now() + DONE_WITHIN_MS
  while ((await reservations(fleet)) === before) {
    if (performance.now() > giveUpAt) throw new Error('no payout was reserved after the freeze')
    await sleep(10)
  }
}

const MISTOLD = 30
const ROUNDS_OF_QUESTIONS = 12
// Longer than the longest interval between two questions about an old payout.
const QUESTION_MS = 4 * 3_600_000
const ASKED_MS = 400

// One snapshot: an open critical exception whose account may still pay.
const UNPAUSED = `select e.id from exceptions e join ledger_heads h on (h.merchant_id, h.mode) = (e.merchant_id, e.mode)
  where e.closed_at is null and e.severity = 'critical' and h.payouts_paused_by is null`

/**
 * The operator reports wrong amounts for many payouts: workers open exceptions as fast as people resolve them.
 * At no moment does an account pay while one of its exceptions is open (M8).
 */
export const exceptionsOpenAndClose: Race = {
  name: `M8 exceptions of ${MISTOLD} payouts open while others are resolved`,
  async run(fleet) {
    await earnLiveMoney(fleet)
    const payees = Array.from({ length: MISTOLD }, newPhone)
    for (const phone of payees) fleet.operator.onQuestion({ answer: 'succeeded', says: { amount: 1 } }, phone)
    const replies = await Promise.all(payees.map((phone, nth) => pay(fleet, nth, phone)))
    const wrong = replies.filter(({ status }) => status !== 201).map(({ text }) => `not accepted: ${text}`)
    return withGateway(fleet, async (gateway, app) => {
      const { merchant } = await patiently(() => getMerchantNamed(gateway, fleet.merchants.live.handle))
      const resolving = resolveWithoutEnd(app, merchant.id)
      const unpaused = new Set<string>()
      for (let round = 0; round < ROUNDS_OF_QUESTIONS; round += 1) {
        fleet.installation.advance(QUESTION_MS)
        const nextAt = performance.now() + ASKED_MS
        while (performance.now() < nextAt) for (const { id } of await fleet.installation.sql(UNPAUSED)) unpaused.add(id)
      }
      for (const phone of payees) fleet.operator.onQuestion({ answer: 'book' }, phone)
      await allPaid(fleet, payees)
      const resolved = await resolving.end()
      await until(fleet, UNPAUSED).catch(() => wrong.push('the account pays beside an open exception'))
      if (unpaused.size > 0) wrong.push(`${unpaused.size} exceptions stood open beside an account that pays`)
      if (resolved < MISTOLD) wrong.push(`only ${resolved} exceptions were resolved`)
      return { wrong, seen: `${resolved} exceptions opened and resolved` }
    })
  },
}

const pay = (fleet: Fleet, nth: number, phone: string): Promise<Reply> =>
  postUntilJudged(fleet, webOf(fleet, nth), {
    path: '/v1/payouts',
    apiKey: fleet.merchants.live.keys.live,
    key: newKey('mistold'),
    body: { amount: 1000, recipient: { phone } },
  })

/** The operator reports the true amounts again. */
async function allPaid(fleet: Fleet, payees: readonly string[]): Promise<void> {
  const giveUpAt = performance.now() + 2 * DONE_WITHIN_MS
  const open = 'select 1 from payouts where recipient_phone = any($1) and follow_at is not null'
  while ((await fleet.installation.sql(open, [payees])).length > 0) {
    if (performance.now() > giveUpAt) throw new Error('payouts stayed open')
    fleet.installation.advance(QUESTION_MS)
    await sleep(50)
  }
}

/** Two people resolve whatever is open; when both try the same exception, the second is told that it is already resolved. */
function resolveWithoutEnd(app: App, merchantId: number) {
  let going = true
  const people = [1, 2].map(async () => {
    let resolved = 0
    for (;;) {
      const last = !going
      const open = await patiently(() => readOpenExceptions(app, merchantId))
      for (const { id } of open)
        resolved += await patiently(() =>
          resolveException(app, BY_HAND, {
            merchantId,
            id,
            note: 'looked into',
            resolution: 'no_difference',
          }),
        ).then(
          () => 1,
          (error) => {
            if (error instanceof Refusal) return 0
            throw error
          },
        )
      if (last && open.length === 0) return resolved
      if (open.length === 0) await sleep(1)
    }
  })
  return {
    end: async () => {
      going = false
      return (await Promise.all(people)).reduce((sum, one) => sum + one, 0)
    },
  }
}
