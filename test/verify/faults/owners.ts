import { OF_MERCHANT } from '../../../src/platform/db/tables.ts'
import { type Fault, LIVE_2, of, SUBACCOUNT } from '../names.ts'

export const OWNER_FAULTS: readonly Fault[] = [
  ...OF_MERCHANT.map((table) => ({
    id: 'M1',
    fault: `${table} of nobody`,
    sql: `update ${table} set merchant_id = 99 where ctid = (select min(ctid) from ${table})`,
    names: `${table} of merchant 99`,
  })),
  {
    id: 'M2',
    fault: 'a merchant without a head',
    sql: `delete from ledger_heads where ${LIVE_2}`,
    names: 'merchant 2 live',
  },
  ...['subaccount_heads', 'charge_shares', 'payouts', 'settlements'].map((table) => ({
    id: 'M3',
    fault: `${table} of a subaccount that is not there`,
    sql: `delete from subaccounts where ${of(SUBACCOUNT.farm)}`,
    names: `${table} of ${SUBACCOUNT.farm} of merchant 3`,
  })),
  {
    id: 'M3',
    fault: "a share for another merchant's subaccount",
    sql: `update subaccounts set merchant_id = 2 where ${of(SUBACCOUNT.shop)}`,
    names: `charge_shares of ${SUBACCOUNT.shop} of merchant 3`,
  },
]
