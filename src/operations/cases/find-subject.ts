import type { Action } from '../../api/access/actions.ts'
import type { Caller } from '../../api/access/actor.ts'
import { mayDo } from '../../api/access/allow.ts'
import { getCharge } from '../../payments/charges/find-charges.ts'
import { getCard } from '../../payments/gift-cards/find-card.ts'
import { getBatch } from '../../payments/payouts/bulk/find-batches.ts'
import { getPayout } from '../../payments/payouts/find-payouts.ts'
import { getPrepared } from '../../payments/payouts/prepared/find-prepared.ts'
import { getSchedule } from '../../payments/scheduled-payouts/find-schedules.ts'
import { getSubaccount } from '../../payments/subaccounts/find-subaccounts.ts'
import { findTopUp } from '../../payments/top-ups/find-top-ups.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { App } from '../../program/app.ts'
import { getDispute } from '../../selling/disputes/close-dispute.ts'
import { getLink } from '../../selling/payment-links/find-links.ts'

type SubjectKind = { see: Action; get(app: App, caller: Caller, id: string): Promise<unknown> }

/** The objects that a case may be about, by the prefix of their ids: who may see one, and how it is found. */
const SUBJECT_KINDS: Readonly<Record<string, SubjectKind>> = {
  txn_: { see: 'read', get: getCharge },
  lnk_: { see: 'read', get: getLink },
  dsp_: { see: 'read', get: getDispute },
  pout_: { see: 'payouts.read', get: getPayout },
  prep_: { see: 'payouts.read', get: getPrepared },
  batch_: { see: 'payouts.read', get: getBatch },
  spo_: { see: 'payouts.read', get: getSchedule },
  top_: { see: 'payouts.read', get: (app, { merchantId, mode }, id) => findLiveTopUp(app, { merchantId, mode, id }) },
  sub_: { see: 'shop.read', get: getSubaccount },
  gc_: { see: 'shop.read', get: getCard },
}

const findLiveTopUp = async (
  app: App,
  { merchantId, mode, id }: Pick<Caller, 'merchantId' | 'mode'> & { id: string },
) => (mode === 'live' ? findTopUp(app, merchantId, id) : null)

/** Finds the object whose id stands in the path of a page: null where none does, or none that this person may see, in this mode. */
export async function findSubject(app: App, caller: Caller, page: string): Promise<string | null> {
  const [id = '', prefix = ''] = /(?<=\/)([a-z]+_)[a-z0-9]+/.exec(page) ?? []
  const kind = Object.hasOwn(SUBJECT_KINDS, prefix) ? SUBJECT_KINDS[prefix] : undefined
  if (kind === undefined || !mayDo(caller, kind.see)) return null
  try {
    return (await kind.get(app, caller, id)) === null ? null : id
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return null
    throw error
  }
}
