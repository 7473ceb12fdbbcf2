import { setTimeout as sleep } from 'node:timers/promises'
import { countKinds, type Fleet, isTooBusy, newKey, post, type Race, type Reply, type Verdict } from './fleet.ts'
import { DONE_WITHIN_MS, earnLiveMoney, PAYOUT } from './money.ts'
import { joined } from './several.ts'

/** A way to stop live payouts, the error code while they are stopped, and the way to allow them again. */
type Stop = { name: string; code: string; stop: string[]; back: string[] }

const STOPS: readonly Stop[] = [
  {
    name: 'platform frozen',
    code: 'payouts_frozen',
    stop: ['payouts', 'freeze', '--reason', 'race'],
    back: ['payouts', 'unfreeze'],
  },
  {
    name: 'verification withdrawn',
    code: 'verification_required',
    stop: ['merchants', 'set', 'race-live', '--kyc', 'pending'],
    back: ['merchants', 'set', 'race-live', '--kyc', 'verified'],
  },
]
const AT_ONCE = 3
const SURE_MS = 400

/** Race 16: live payouts are stopped under load: no process reserves any money after that commit. */
export const stopAgainstPayouts: Race = {
  name: '16 freeze and lost verification against live payouts',
  async run(fleet) {
    await earnLiveMoney(fleet)
    const verdicts: Verdict[] = []
    for (const stop of STOPS) verdicts.push(await stopUnderLoad(fleet, stop))
    return joined(verdicts)
  },
}

async function stopUnderLoad(fleet: Fleet, { name, code, stop, back }: Stop): Promise<Verdict> {
  const load = payWithoutEnd(fleet)
  await load.accepted(1)
  const stopped = await fleet.installation.command(stop)
  const stoppedBy = performance.now()
  const reserved = await reservations(fleet)
  await sleep(SURE_MS)
  const reservedLater = await reservations(fleet)
  const replies = await load.end()
  const resumed = await fleet.installation.command(back)
  const wrong: string[] = []
  if (stopped.code !== 0 || resumed.code !== 0) wrong.push(`${name}: ${stopped.stderr}${resumed.stderr}`)
  if (reservedLater !== reserved) wrong.push(`${name}: ${reservedLater - reserved} reserved after the commit`)
  const after = replies.filter(({ sentAt }) => sentAt > stoppedBy)
  const passed = after.filter((reply) => !isRefused(reply, code) && !isTooBusy(reply))
  if (passed.length > 0) wrong.push(`${name}: afterwards ${countKinds(passed)} such as ${passed[0]?.text}`)
  if (!after.some((reply) => isRefused(reply, code))) wrong.push(`${name}: nobody was refused afterwards`)
  return { wrong, seen: `${name}: ${countKinds(replies)}` }
}

const isRefused = ({ status, text }: Reply, code: string) => status === 400 && JSON.parse(text).code === code

/** Counts rows: each is a reservation, even one whose answer has not been sent yet. */
export async function reservations({ installation }: Fleet): Promise<number> {
  const [row] = await installation.sql<{ count: number }>(
    `select count(*)::int as count from payouts p join merchants m on m.id = p.merchant_id
     where m.handle = 'race-live' and p.mode = 'live'`,
  )
  return row?.count ?? 0
}

/** Several clients at each web process, each sending its next live payout as soon as the last was answered. */
export function payWithoutEnd(fleet: Fleet) {
  const replies: Reply[] = []
  const apiKey = fleet.merchants.live.keys.live
  let paying = true
  const clients = fleet.webs.flatMap((url) =>
    Array.from({ length: AT_ONCE }, async () => {
      while (paying) {
        const body = { ...PAYOUT, amount: 500 }
        replies.push(await post(fleet, url, { path: '/v1/payouts', apiKey, key: newKey('live'), body }))
      }
    }),
  )
  return {
    accepted: async (count: number) => {
      const giveUpAt = performance.now() + DONE_WITHIN_MS
      while (replies.filter(({ status }) => status === 201).length < count) {
        if (performance.now() > giveUpAt) throw new Error(`no live payout was accepted: ${replies[0]?.text}`)
        await sleep(5)
      }
    },
    end: async () => {
      paying = false
      await Promise.all(clients)
      return replies
    },
  }
}
