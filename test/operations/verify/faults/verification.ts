import { type Fault, NOW } from '../names.ts'

const MERCHANT = `mer_onexx${'0'.repeat(16)}`
const at = `'${NOW.toISOString()}'`

const next = (state: string) =>
  `insert into verifications (merchant_id, number, state, opened_at) values (1, 3, '${state}', ${at})`

export const VERIFICATION_FAULTS: readonly Fault[] = [
  [`verified without an approval of today`, `update merchants set kyc_status = 'pending' where id = 1`],
  ['approved and rejected', `update merchants set kyc_status = 'rejected' where id = 1`],
  ['under review and verified', next('submitted')],
  ['rejected and verified', next('rejected')],
  ['a draft of somebody who is verified', next('draft')],
].map(([fault = '', sql = '']) => ({ id: 'KY1', fault, sql, names: MERCHANT }))
