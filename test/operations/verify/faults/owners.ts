import { MERCHANT_TABLES } from '../../../../src/platform/db/tables.ts'
import { type Fault, LIVE_2, publicIdOf, SUBACCOUNT } from '../names.ts'
import { change, each, plant, remove, subaccounts } from '../planting.ts'

const forTests = (schema: string) =>
  `update ${schema}merchants set parent_id = 2, expires_at = '2026-03-10T08:00:00Z' where id = 1`

export const OWNER_FAULTS: readonly Fault[] = [
  ...plant('M1', [
    ...each(MERCHANT_TABLES, (table) => [
      `${table} of merchant 99`,
      `${table} of nobody`,
      `update ${table} set merchant_id = 99 where ctid = (select min(ctid) from ${table})`,
    ]),
  ]),
  ...plant('M2', [['merchant 2 live', 'a merchant without a head', `delete from ledger_heads where ${LIVE_2}`]]),
  ...plant('M3', [
    ...each(['subaccount_heads', 'charge_shares', 'payouts', 'settlements'], (table) => [
      `${table} of ${SUBACCOUNT.farm} of merchant 3 test`,
      `${table} of a subaccount that is not there`,
      remove(subaccounts(SUBACCOUNT.farm)),
    ]),
    [
      `charge_shares of ${SUBACCOUNT.shop} of merchant 3 live`,
      "a share for another merchant's subaccount",
      change(subaccounts(SUBACCOUNT.shop), 'merchant_id = 2'),
    ],
  ]),
  ...plant('M4', [
    [publicIdOf(1), 'a business for tests that the directory does not know as one', forTests('')],
    [publicIdOf(1), 'a business for tests with real money', `${forTests('')}; ${forTests('directory.')}`],
  ]),
]
