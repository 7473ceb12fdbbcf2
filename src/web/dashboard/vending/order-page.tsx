import { mayDo } from '../../../api/access/allow.ts'
import { type ObjectStory, readStory } from '../../../reports/story/story.ts'
import { getOrder } from '../../../selling/vending/orders/find-orders.ts'
import { paymentStatus, presentOrder, type VendingOrder } from '../../../selling/vending/orders/order.ts'
import { listProductNames } from '../../../selling/vending/orders/product-names.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormSpec, FormState } from '../../parts/forms/form-spec.ts'
import {
  Facts,
  Note,
  OutsideText,
  RawJson,
  Section,
  State,
  Time,
  Timeline,
  type TimelineEntry,
} from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { Headline, LiveStory } from '../story/live-story.tsx'
import { buildTimelineEntries, EventsSent } from '../story/story-parts.tsx'
import { VENDING } from '../texts/vending.ts'
import type { DashboardVisit } from '../visit.ts'

const { orders: words } = VENDING
const { facts } = words

const orderForm = (name: string, more: Pick<FormSpec, 'action' | 'submit'> & Partial<FormSpec>): FormSpec => ({
  path: `/orders/:id/${name}`,
  fields: [],
  ...more,
})
export const RETRY_DISPENSE = orderForm('retry', { action: 'order.dispense', submit: words.retry.submit })
export const MARK_DELIVERED = orderForm('delivered', { action: 'order.decide', submit: words.delivered })
export const MARK_NOT_DELIVERED = orderForm('not-delivered', {
  ...{ action: 'order.decide', submit: words.notDelivered, danger: true },
})
export const INVALIDATE_ORDER = orderForm('invalidate', {
  ...{ action: 'order.invalidate', submit: words.invalidate.submit, danger: true },
})

const isWaitingForReport = ({ vendingStatus, confirmed }: VendingOrder) =>
  vendingStatus === 'dispensing' || (vendingStatus === 'dispensed' && !confirmed)

/** Shows one order: its payment, the reports of its machine, and the forms that decide about it. */
export async function showOrder(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const { app, caller, params, now } = visit
  const order = await getOrder(app, caller, params.id ?? '')
  const view = presentOrder(order, { baseUrl: app.baseUrl, at: now })
  const props = { visit, order, story: await readStory(app, caller, { subject: order.id }) }
  if (visit.part === 'story') return { kind: 'part', body: <OrderStory {...props} /> }
  return pageReply(
    VENDING.orders.columns.ofMachine(order.machine),
    <>
      <Headline
        amount={order.amount}
        id={order.id}
        about={[VENDING.orders.columns.ofMachine(order.machine), listProductNames(order.goods).join(', ')]}
      />
      <OrderStory {...props} />
      <EventsSent {...props} />
      <OrderActs visit={visit} order={order} state={state} expired={view.expired} />
      <RawJson value={view} />
    </>,
    { status: state?.status ?? 200 },
  )
}

type OrderStoryProps = { visit: DashboardVisit; order: VendingOrder; story: ObjectStory }

/** The part of the page that a script keeps reloading. */
function OrderStory({ visit, order, story }: OrderStoryProps) {
  const view = presentOrder(order, { baseUrl: visit.app.baseUrl, at: visit.now })
  return (
    <LiveStory class="split" visit={visit} path={`/orders/${order.id}`} live>
      <Section title={words.story} aside={<State of="dispense" state={order.vendingStatus} />}>
        {isWaitingForReport(order) && <Note tone="open">{words.waits}</Note>}
        <Timeline entries={sortByTime([...buildOrderEntries(order), ...buildTimelineEntries(visit, story)])} />
      </Section>
      <Section title={words.about}>
        <Facts
          facts={[
            [
              facts.machine,
              mayDo(visit.caller, 'shop.read') ? (
                <a href={visit.to(`/vending/machines/${encodeURIComponent(order.machine)}`)}>{order.machine}</a>
              ) : (
                order.machine
              ),
            ],
            [facts.payment, <State of="orderPayment" state={view.payment_status} />],
            order.vendingError !== null && [facts.error, <OutsideText text={order.vendingError} />],
            [facts.products, <OutsideText text={listProductNames(order.goods).join(', ')} />],
            order.unitsDispensed !== null && [facts.units, String(order.unitsDispensed)],
            order.charge !== null && [
              facts.charge,
              <a href={visit.to(`/charges/${order.charge.id}`)}>{order.charge.id}</a>,
            ],
            [facts.reference, <OutsideText text={order.reference} />],
            [facts.expires, <Time at={order.expiresAt} />],
          ]}
        />
        <p>
          <a href={view.pay_url}>{words.pay}</a>
        </p>
        <p>
          <a href={view.display_url}>{words.display}</a>
        </p>
      </Section>
    </LiveStory>
  )
}

const sortByTime = (entries: readonly TimelineEntry[]) =>
  entries.toSorted((first, second) => new Date(first.at).getTime() - new Date(second.at).getTime())

function buildOrderEntries(order: VendingOrder): TimelineEntry[] {
  const { createdAt, dispensedAt, invalidatedAt, confirmed } = order
  const dispensed = { title: confirmed ? words.dispensed : words.assumed, tone: 'good' as const }
  return [
    { at: createdAt, title: words.made },
    ...(invalidatedAt === null ? [] : [{ at: invalidatedAt, title: words.invalidated, tone: 'warn' as const }]),
    ...(dispensedAt === null ? [] : [{ at: dispensedAt, ...dispensed }]),
  ]
}

type OrderActsProps = {
  visit: DashboardVisit
  order: VendingOrder
  state: FormState | null
  expired: boolean
}

function OrderActs({ visit, order, state, expired }: OrderActsProps) {
  const formProps = { visit, state, params: { id: order.id } }
  const payment = paymentStatus(order)
  return (
    <div class="actions">
      {payment === 'succeeded' && order.vendingStatus === 'failed' && (
        <FormBox of={RETRY_DISPENSE} {...formProps}>
          <p class="hint">{words.retry.says}</p>
        </FormBox>
      )}
      {isWaitingForReport(order) && <FormBox of={MARK_DELIVERED} {...formProps} />}
      {isWaitingForReport(order) && <FormBox of={MARK_NOT_DELIVERED} {...formProps} />}
      {!expired && (payment === 'unpaid' || payment === 'failed') && (
        <FormBox of={INVALIDATE_ORDER} {...formProps}>
          <p class="hint">{words.invalidate.says}</p>
        </FormBox>
      )}
    </div>
  )
}
