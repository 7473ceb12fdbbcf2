import {
  type ListedOrder,
  listStandingOrders,
  ORDER_LISTS,
} from '../../../payments/withdrawals/standing-orders/find-standing-orders.ts'
import { formatRhythm } from '../../../reports/words/rhythms.ts'
import { column } from '../../parts/columns.tsx'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormField, FormSpec, FormState } from '../../parts/forms/form-spec.ts'
import { listPage } from '../../parts/list-page.tsx'
import { OutsideText, Status } from '../../parts/parts.tsx'
import type { SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { addressWith, type ListColumn } from '../../parts/table.tsx'
import { formatShillings } from '../../parts/wording.ts'
import { WITHDRAWALS } from '../texts/withdrawals.ts'
import type { ConsoleVisit } from '../visit.ts'

const { orders: words, columns } = WITHDRAWALS
export const STANDING_ORDERS_PATH = '/standing-orders'

// What this person has looked at, so that nothing else is decided by mistake.
const REVISION: FormField = { name: 'revision', label: '', kind: 'hidden' }
const NOTE: FormField = { name: 'note', label: words.note, maxLength: 500 }

export const APPROVE_ORDER_FORM: FormSpec = {
  path: `${STANDING_ORDERS_PATH}/:id/approve`,
  action: 'standing-order.decide',
  fields: [
    { name: 'limit', label: words.limit, kind: 'amount' },
    REVISION,
    { name: 'phone', label: '', kind: 'hidden' },
  ],
  submit: words.approve,
}
export const REFUSE_ORDER_FORM: FormSpec = {
  path: `${STANDING_ORDERS_PATH}/:id/refuse`,
  action: 'standing-order.decide',
  fields: [NOTE, REVISION],
  submit: words.refuse,
  danger: true,
}
export const STOP_ORDER_FORM: FormSpec = {
  path: `${STANDING_ORDERS_PATH}/:id/stop`,
  action: 'standing-order.stop',
  fields: [NOTE],
  submit: words.stop,
  danger: true,
}

const buildColumns = (visit: ConsoleVisit, state: FormState | null): readonly ListColumn<ListedOrder>[] => [
  {
    title: columns.business,
    cell: ({ publicId, name }) => (
      <a href={visit.to(`/merchants/${publicId}`)}>
        <OutsideText text={name} />
      </a>
    ),
  },
  { title: words.asks, cell: (order) => <OrderTerms order={order} /> },
  {
    title: columns.phone,
    cell: ({ phone, verified }) => (
      <>
        {phone}{' '}
        <Status word={verified ? WITHDRAWALS.verified : WITHDRAWALS.unverified} tone={verified ? 'good' : 'warn'} />
      </>
    ),
  },
  column.time(columns.since, ({ at }) => at),
  { title: WITHDRAWALS.withdrawals.act, cell: (order) => <OrderForms visit={visit} state={state} order={order} /> },
]

function OrderTerms({ order }: { order: ListedOrder }) {
  const { keepBack, least, dayLimit, waitsFor, approvedLimit, stillSays } = order
  const amounts = [keepBack, least, dayLimit].map(formatShillings) as [string, string, string]
  return (
    <>
      {formatRhythm(order)} {waitsFor !== null && <Status word={words.waitsFor[waitsFor]} tone="open" />}
      {stillSays !== null && <Status word={words.still} tone="warn" />}
      <p class="hint">{words.terms(...amounts)}</p>
      {approvedLimit !== null && <p class="hint">{words.approvedLimit(formatShillings(approvedLimit))}</p>}
      {stillSays !== null && <p class="hint">{stillSays}</p>}
    </>
  )
}

type OrderFormsProps = { visit: ConsoleVisit; state: FormState | null; order: ListedOrder }

function OrderForms({ visit, state, order }: OrderFormsProps) {
  const { key: id, revision, phone, dayLimit, waitsFor } = order
  const params = { id }
  // Only the row whose form was sent shows its fault.
  const ownState = visit.params.id === id ? state : null
  const props = { visit, state: ownState, params }
  const values = { revision: String(revision), phone: phone ?? '', limit: String(dayLimit) }
  const refusing = waitsFor === null ? STOP_ORDER_FORM : REFUSE_ORDER_FORM
  return (
    <>
      {waitsFor !== null && <FormBox of={APPROVE_ORDER_FORM} {...props} values={values} />}
      <details open={ownState?.path === refusing.path}>
        <summary>{refusing.submit}</summary>
        <FormBox of={refusing} {...props} values={values} />
      </details>
    </>
  )
}

/** Shows the standing orders that wait for their approval, or those that are approved. */
export async function showStandingOrders(visit: ConsoleVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const { gateway, caller, query } = visit
  const wanted = state?.path === STOP_ORDER_FORM.path ? 'running' : query.list
  const list = ORDER_LISTS.find((one) => one === wanted) ?? 'waiting'
  const around = { after: query.after ?? null, before: query.before ?? null }
  const { rows, newer, older } = await listStandingOrders(gateway, caller, { list, ...around })
  const here = visit.to(STANDING_ORDERS_PATH)
  return listPage({
    title: words.title,
    ...{ rows, columns: buildColumns(visit, state), keep: { list } },
    ...{ here, query, cursors: { newer, older }, oldestFirst: true, state },
    lead: (
      <>
        <p>{words.lead}</p>
        <nav class="tabs" aria-label={words.title}>
          {ORDER_LISTS.map((one) => (
            <a href={addressWith(here, { list: one })} aria-current={one === list ? 'page' : undefined}>
              {words.tabs[one]}
            </a>
          ))}
        </nav>
      </>
    ),
    empty: { title: words.none[list] },
  })
}
