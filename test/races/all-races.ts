import { chargesNearTheEnd } from './balance-races.ts'
import { bulksWithSameReferences, bulkWithMoneyForSome } from './bulk-races.ts'
import { cardDeactivated, oneCardOnManyLinks } from './card-races.ts'
import { manyCycles } from './cycle-races.ts'
import { contractSwitched, stoppedProcess } from './doubt-races.ts'
import type { Fleet, Race, Verdict } from './fleet.ts'
import { exceptionsOpenAndClose, freezeAgainstStarts } from './freeze-races.ts'
import { fullAndCollectionsKey, oneKeyTwoEndpoints } from './key-payout-races.ts'
import { finishedKeyReplayed, keyRevoked, oneKeyManyOwners, oneKeyOneBody, oneKeyTwoBodies } from './key-races.ts'
import { largeRateAcrossProcesses, leasedRateAcrossProcesses, rateAcrossProcesses } from './limit-races.ts'
import { closedUnderLoad, oneFormOfReusableLink, submitsOfOneLink } from './link-races.ts'
import { callbacksOfOneOrder, manyDispensers } from './machine-races.ts'
import { invalidateAgainstSubmit } from './order-races.ts'
import { promptsOfOnePhone, reportsOfOneCharge } from './page-races.ts'
import { payoutsOnOneBalance, refundAgainstPayout, refundsOfOneCharge } from './payout-races.ts'
import { stopAgainstPayouts } from './stop-races.ts'
import { dispensesOfOneCharge, retryAgainstRefund } from './vending-races.ts'
import { manyFollowers, manySettlers, resendAgainstAttempt } from './worker-races.ts'

/** The races of reliability.md 3.8 that apply to the product so far, and some similar ones. */
export const RACES: readonly Race[] = [
  oneKeyOneBody,
  oneKeyTwoBodies,
  finishedKeyReplayed,
  payoutsOnOneBalance,
  refundsOfOneCharge,
  refundAgainstPayout,
  bulksWithSameReferences,
  bulkWithMoneyForSome,
  oneKeyManyOwners,
  oneKeyTwoEndpoints,
  fullAndCollectionsKey,
  submitsOfOneLink,
  oneFormOfReusableLink,
  closedUnderLoad,
  rateAcrossProcesses,
  largeRateAcrossProcesses,
  leasedRateAcrossProcesses,
  keyRevoked,
  stopAgainstPayouts,
  freezeAgainstStarts,
  exceptionsOpenAndClose,
  contractSwitched,
  stoppedProcess,
  chargesNearTheEnd,
  oneCardOnManyLinks,
  cardDeactivated,
  promptsOfOnePhone,
  reportsOfOneCharge,
  invalidateAgainstSubmit,
  dispensesOfOneCharge,
  retryAgainstRefund,
  callbacksOfOneOrder,
  manyDispensers,
  manyFollowers,
  manySettlers,
  manyCycles,
  resendAgainstAttempt,
]

/** After all races: every invariant holds. */
export const verifyAfter: Race = {
  name: '   verify',
  async run({ installation }: Fleet): Promise<Verdict> {
    // The races have moved the clock by days; the workers look for holds and due dates only at intervals.
    for (const sweep of ['settle-charges', 'run-schedules']) await installation.command(['sweep', sweep])
    const { code, json, stderr } = await installation.command(['verify'])
    if (code === 0) return { wrong: [], seen: 'every invariant holds' }
    const broken = (json?.cells ?? []).flatMap((cell: any) =>
      cell.findings.filter(({ violations }: any) => violations > 0),
    )
    return { wrong: [json === null ? stderr : JSON.stringify(broken)], seen: 'a breach' }
  },
}
