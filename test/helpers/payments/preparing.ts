import { randomUUID } from 'node:crypto'
import type { PersonCaller } from '../../../src/api/access/actor.ts'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { formatReading, getDraft } from '../../../src/payments/payouts/bulk/drafts/draft.ts'
import { sendDraft } from '../../../src/payments/payouts/bulk/drafts/send-draft.ts'
import { approvePrepared } from '../../../src/payments/payouts/prepared/approve-prepared.ts'
import { requestPayout } from '../../../src/payments/payouts/prepared/request-payout.ts'
import { setCheckerRule } from '../../../src/payments/payouts/prepared/set-checker-rule.ts'
import { approveSchedule } from '../../../src/payments/scheduled-payouts/request-schedule.ts'
import type { App } from '../../../src/program/app.ts'
import { worker } from '../service/actors.ts'
import { type LiveService, newPayer, type Shop } from '../service/live-service.ts'
import type { TestService } from '../service/test-service.ts'
import { richShop } from './payouts.ts'

/** The people of a shop with live money. */
export type Crew = Shop & {
  anna: PersonCaller
  ben: PersonCaller
  books: PersonCaller
  merchantId: number
}

/** A shop with two owners and an accountant. `above`: from which amount on a second person is needed. */
export async function crewed(
  service: LiveService,
  { funds = 500_000, above = 10_000 as number | null } = {},
): Promise<Crew> {
  const shop = await richShop(service, funds)
  const { merchant } = await getMerchantNamed(service.gateway, shop.merchant.id)
  const place = { merchantId: merchant.id, tag: merchant.tag, cell: service.app.cell, mode: 'live' } as const
  const anna = worker(place, 'owner', 9001)
  if (above !== null) await setCheckerRule(service.app, anna, above)
  return {
    ...shop,
    ...{ anna, ben: worker(place, 'owner', 9002), books: worker(place, 'accountant', 9003) },
    merchantId: merchant.id,
  }
}

/** A person's form for a payout; answers the id of the payout or of the prepared one. */
export async function ask(
  { app }: TestService,
  caller: PersonCaller,
  { amount = 20_000, phone = newPayer(), key = `form ${randomUUID()}`, note = null as string | null } = {},
): Promise<string> {
  const { objectId, status, body } = await requestPayout(app, {
    ...{ caller, key, fingerprint: Buffer.alloc(32, 1), requestId: 'req_test', note },
    input: { amount, recipient: { phone, name: 'Okot James' }, reference: 'rent' },
  })
  if (status !== 201 || typeof objectId !== 'string') throw new Error(body)
  return objectId
}

export const approve = ({ app }: TestService, caller: PersonCaller, id: string) =>
  approvePrepared(app, caller, { id, requestId: 'req_test', schedule: approveSchedule })

/** Sends a draft as somebody does who has just looked at its lines. */
export async function sendSeenDraft(app: App, caller: PersonCaller, id: string): Promise<string> {
  const reading = formatReading((await getDraft(app, caller, id)).layout)
  return sendDraft(app, caller, { id, key: randomUUID(), requestId: 'req_test', note: null, reading })
}
