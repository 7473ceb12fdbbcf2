import { CHARGE, LIVE_1, NOW } from '../names.ts'

/**
 * A statement that a wrong program might send (ledger.md section 12). Either the schema refuses it, or verify finds it: then
 * `caughtBy` lists exactly the invariants that are broken.
 */
export type BrokenStatement = { statement: string; sql: string } & (
  | { refusedBy: string; caughtBy?: undefined }
  | { refusedBy?: undefined; caughtBy: string[] }
)

export const AT = `timestamptz '${NOW.toISOString()}'`

// The parts of a correct success of the open live charge: 9000 with a fee of 200.
export const open = CHARGE.liveOpen
export const move = `update charges set status = 'succeeded', completed_at = ${AT}, follow_at = null,
  hold_until = ${AT} + interval '24 hours' where id = '${open}';
  insert into rail_evidence (merchant_id, attempt_id, at, operation, answer, stage, elapsed_ms)
  select merchant_id, id, ${AT}, 'status', 'succeeded', 'answered', 5 from rail_attempts where subject = '${open}';`
export const headBy = (net: number, place = LIVE_1) =>
  `update ledger_heads set pending = pending + ${net}, seq = seq + 2 where ${place};`
export const posting = ({ kind = 'charge_net', amount = 8800, mode = 'live', back = 1, from = 'rail:op1_momo' } = {}) =>
  `insert into transfers select 1, '${mode}', seq - ${back}, '${kind}', '${open}', '${from}',
     '${kind === 'charge_fee' ? 'fees' : 'pending'}', ${amount}, ${AT} from ledger_heads where merchant_id = 1 and mode = '${mode}';`
export const head = headBy(8800)
export const net = posting()
export const fee = posting({ kind: 'charge_fee', amount: 200, back: 0 })
export const eventAt = (
  at: string,
  merchantId = 1,
) => `insert into events (merchant_id, id, mode, type, subject, body, created_at)
  values (${merchantId}, 'evt_1', 'live', 'charge.succeeded', '${open}', '', ${at});`
export const event = eventAt(AT)
export const deliveryOf = (
  merchantId: number,
) => `insert into deliveries (merchant_id, event_id, mode, event, created_at)
  values (${merchantId}, 'evt_1', 'live', 'charge.succeeded', ${AT});`
export const delivery = deliveryOf(1)

/** All parts together, as the product sends them. They break no invariant. */
export const WHOLE_SUCCESS = move + head + net + fee + event + delivery
