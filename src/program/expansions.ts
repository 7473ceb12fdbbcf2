import type { Expansion, Expansions } from '../api/http/expand.ts'
import { presentCharge } from '../payments/charges/charge.ts'
import { findCharges } from '../payments/charges/find-charges.ts'
import { findPayouts } from '../payments/payouts/find-payouts.ts'
import { presentPayout } from '../payments/payouts/payout.ts'
import { findSchedules } from '../payments/scheduled-payouts/find-schedules.ts'
import { presentSchedule } from '../payments/scheduled-payouts/schedule.ts'
import { findLinks } from '../selling/payment-links/find-links.ts'
import { presentLink } from '../selling/payment-links/payment-link.ts'
import type { App } from './app.ts'

const byId = <Row extends { id: string }>(rows: readonly Row[], present: (row: Row) => unknown) =>
  new Map(rows.map((row) => [row.id, present(row)]))

const charge: Expansion<App> = {
  field: 'charge_id',
  action: 'read',
  find: async (app, caller, ids) => byId(await findCharges(app, caller, ids), presentCharge),
}
const refund: Expansion<App> = {
  field: 'refund_id',
  action: 'payouts.read',
  find: async (app, caller, ids) => byId(await findPayouts(app, caller, ids), presentPayout),
}
const scheduledPayout: Expansion<App> = {
  field: 'scheduled_payout_id',
  action: 'payouts.read',
  find: async (app, caller, ids) => byId(await findSchedules(app, caller, ids), presentSchedule),
}
const paymentLink: Expansion<App> = {
  field: 'payment_link_id',
  action: 'read',
  find: async (app, caller, ids) => byId(await findLinks(app, caller, ids), (link) => presentLink(link, app.baseUrl)),
}

/** Which objects the reads show in full, by the path of the list. */
export const EXPANSIONS: Readonly<Record<string, Expansions<App>>> = {
  '/v1/charges': { payment_link: paymentLink, refund },
  '/v1/payouts': { charge, scheduled_payout: scheduledPayout },
  '/v1/payment-links': { charge },
  '/v1/vending/orders': { charge },
}
