import { setTimeout as sleep } from 'node:timers/promises'
import { FIRST_INSTALLATION, SECOND_CONTRACT } from '../helpers/service/http-rail.ts'
import {
  type Fleet,
  newKey,
  post,
  postUntilJudged,
  QUESTION_MS,
  type Race,
  type Reply,
  type Verdict,
  webOf,
} from './fleet.ts'
import { DONE_WITHIN_MS, earnLiveMoney, newPhone } from './money.ts'

const PAYOUTS = 20
const AMOUNT = 1000
const LOOK_MS = 50
// Longer than the lease that a stopped process holds on a payout.
const LEASE_MS = 31_000

const bodyFor = (phone: string) => ({ amount: AMOUNT, recipient: { phone } })

/**
 * The first post of each payout is lost on its way. While every worker asks about them and posts them again, staff switch the
 * active contract back and forth: a payout first posted to one contract is never sent to the other (M1).
 */
export const contractSwitched: Race = {
  name: `M1 the contract is switched while ${PAYOUTS} payouts are in doubt`,
  async run(fleet) {
    await earnLiveMoney(fleet)
    const payees = Array.from({ length: PAYOUTS }, newPhone)
    for (const { onSubmit } of operatorsOf(fleet))
      for (const phone of payees)
        onSubmit((nth) => (nth === 1 ? { answer: 'error', takes: false } : { answer: 'accept' }), phone)
    const switching = switchWithoutEnd(fleet)
    const { live } = fleet.merchants
    const replies = await Promise.all(
      payees.map((phone, nth) =>
        postUntilJudged(fleet, webOf(fleet, nth), {
          path: '/v1/payouts',
          apiKey: live.keys.live,
          key: newKey('doubt'),
          body: bodyFor(phone),
        }),
      ),
    )
    await untilEnded(fleet, idsOf(replies))
    const switches = await switching.end()
    const verdict = await onceAtOne(fleet, idsOf(replies), 2)
    if (idsOf(replies).length !== PAYOUTS) verdict.wrong.push(`only ${idsOf(replies).length} were accepted`)
    return { ...verdict, seen: `${verdict.seen}; switched ${switches} times` }
  },
}

const idsOf = (replies: readonly Reply[]): string[] =>
  replies.filter(({ status }) => status === 201).map(({ text }) => JSON.parse(text).id)

const operatorsOf = ({ operator, secondOperator }: Fleet) => [operator, secondOperator]

function switchWithoutEnd(fleet: Fleet) {
  let switching = true
  const switched = (async () => {
    let times = 0
    for (; switching; times += 1) {
      fleet.switchTo(times % 2 === 0 ? SECOND_CONTRACT : FIRST_INSTALLATION)
      await sleep(LOOK_MS / 2)
    }
    fleet.switchTo(FIRST_INSTALLATION)
    return times
  })()
  return {
    end: () => {
      switching = false
      return switched
    },
  }
}

/** Moves the clock, because the operator is asked again only after a certain time, until all payouts have ended. */
async function untilEnded(fleet: Fleet, ids: readonly string[]): Promise<void> {
  const giveUpAt = performance.now() + 3 * DONE_WITHIN_MS
  for (;;) {
    const open = await fleet.installation.sql('select id from payouts where id = any($1) and follow_at is not null', [
      ids,
    ])
    if (open.length === 0) return
    if (performance.now() > giveUpAt) throw new Error(`${open.length} payouts in doubt were not ended`)
    fleet.installation.advance(QUESTION_MS)
    await sleep(LOOK_MS)
  }
}

/** Each payout was paid once, by the only contract that received it, and was posted this many times. */
async function onceAtOne(fleet: Fleet, ids: readonly string[], posts: number): Promise<Verdict> {
  const rows = await fleet.installation.sql<{ id: string; status: string; reference: string }>(
    'select id, status, rail_reference as reference from payouts where id = any($1)',
    [ids],
  )
  const wrong: string[] = []
  let atSecond = 0
  for (const { id, status, reference } of rows) {
    const [first, second] = operatorsOf(fleet).map(({ journal, movements }) => ({
      heard: journal.filter((one) => one.reference === reference).length,
      posted: journal.filter((one) => one.reference === reference && one.what === 'submit').length,
      moved: movements().get(reference) ?? 0,
    })) as [Book, Book]
    if (first.heard > 0 && second.heard > 0) wrong.push(`${id} was heard of at both contracts`)
    const [moved, posted] = [first.moved + second.moved, first.posted + second.posted]
    if (status !== 'succeeded' || moved !== 1) wrong.push(`${id} is ${status} and was paid ${moved} times`)
    if (posted !== posts) wrong.push(`${id} was posted ${posted} times, not ${posts}`)
    if (second.heard > 0) atSecond += 1
  }
  return { wrong, seen: `${rows.length - atSecond} paid at the first contract, ${atSecond} at the second` }
}
type Book = { heard: number; posted: number; moved: number }

const SLEEPERS = 5

/**
 * A process stops in the middle of its posts. Others ask and post again, and the operator accepts; then the first process
 * resumes and reads that its own post was refused. No payout may fail because of that (M5).
 */
export const stoppedProcess: Race = {
  name: `M5 a process that stopped over ${SLEEPERS} payouts wakes with refusals`,
  async run(fleet) {
    await earnLiveMoney(fleet)
    return fleet.withMore([{ role: 'web' }], async ([url = ''], [sleeper]) => {
      const payees = Array.from({ length: SLEEPERS }, newPhone)
      let answer = () => {}
      const until = new Promise<void>((resolve) => {
        answer = resolve
      })
      // The operator has the requests but has not paid anybody yet: a refusal could still end them.
      for (const phone of payees) fleet.operator.onQuestion({ answer: 'pending' }, phone)
      for (const phone of payees)
        fleet.operator.onSubmit(
          (nth) => (nth === 1 ? { answer: 'refuse', takes: false, until } : { answer: 'accept' }),
          phone,
        )
      const apiKey = fleet.merchants.live.keys.live
      const asked = payees.map((phone) =>
        post(fleet, url, { path: '/v1/payouts', apiKey, key: newKey('slept'), body: bodyFor(phone) }),
      )
      const ids = await untilHeard(fleet, payees)
      sleeper?.signal('SIGSTOP')
      answer()
      fleet.installation.advance(LEASE_MS)
      await untilWritten(fleet, ids, 1)
      sleeper?.signal('SIGCONT')
      const replies = await Promise.all(asked)
      await untilWritten(fleet, ids, 2)
      for (const phone of payees) fleet.operator.onQuestion({ answer: 'book' }, phone)
      await untilEnded(fleet, ids)
      const verdict = await onceAtOne(fleet, ids, 2)
      const told = replies.filter(({ status, text }) => status === 201 && !text.includes('"failed"'))
      if (told.length !== SLEEPERS) verdict.wrong.push(`its callers heard ${replies.map(({ status }) => status)}`)
      return verdict
    })
  },
}

/** Waits until the operator has received each post without answering it; returns the ids of the payouts. */
async function untilHeard(fleet: Fleet, payees: readonly string[]): Promise<string[]> {
  const giveUpAt = performance.now() + DONE_WITHIN_MS
  for (;;) {
    const rows = await fleet.installation.sql<{ id: string; reference: string }>(
      'select id, rail_reference as reference from payouts where recipient_phone = any($1)',
      [payees],
    )
    const heard = new Set(fleet.operator.journal.map(({ reference }) => reference))
    if (rows.length === payees.length && rows.every(({ reference }) => heard.has(reference)))
      return rows.map(({ id }) => id)
    if (performance.now() > giveUpAt) throw new Error('the operator was not asked to pay')
    await sleep(LOOK_MS)
  }
}

/** Each payout is with the operator, and this many posts have stored evidence: a resumed process records even a stale answer. */
async function untilWritten(fleet: Fleet, ids: readonly string[], posts: number): Promise<void> {
  const giveUpAt = performance.now() + 3 * DONE_WITHIN_MS
  const written = `select a.subject from rail_attempts a join rail_evidence e on e.attempt_id = a.id
    where a.subject = any($1) and a.state = 'accepted' and e.operation = 'submit' group by a.subject having count(*) >= $2`
  for (;;) {
    const found = await fleet.installation.sql(written, [ids, posts])
    if (found.length === ids.length) return
    if (performance.now() > giveUpAt)
      throw new Error(`only ${found.length} of ${ids.length} are with the operator, with ${posts} posts written down`)
    if (posts === 1) fleet.installation.advance(QUESTION_MS)
    await sleep(LOOK_MS)
  }
}
