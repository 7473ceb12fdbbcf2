import { mayDo } from '../../../api/access/allow.ts'
import { nullIfRefused } from '../../../api/http/lists/lists.ts'
import { getCharge } from '../../../payments/charges/find-charges.ts'
import { oneLine } from '../../../platform/text/text.ts'
import { type OrderStory, orderStory } from '../../../reports/story/story.ts'
import { getOrder } from '../../../selling/vending/orders/find-orders.ts'
import { paymentStatus, presentOrder, type VendingOrder } from '../../../selling/vending/orders/order.ts'
import { listProductNames } from '../../../selling/vending/orders/product-names.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormSpec, FormState } from '../../parts/forms/form-spec.ts'
import { Facts, Note, OutsideText, RawJson, Section, State, Time, Timeline } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { formatRefund } from '../charges/charge-page.tsx'
import { Headline, LiveStory } from '../story/live-story.tsx'
import { buildTimelineEntries, EventsSent, MetadataFacts } from '../story/story-parts.tsx'
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
export const REFUND_ORDER = orderForm('refund', {
  ...{ action: 'charge.refund', submit: words.refund.submit, once: true, danger: true },
})
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
  // A charge is not shown before its operator was asked.
  const charge = order.charge === null ? null : await nullIfRefused(getCharge(app, caller, order.charge.id))
  const live = mayStillChange(order, view.expired)
  const props = {
    visit,
    order,
    live: live && state === null,
    story: await orderStory(app, caller, { order, charge }),
    state,
  }
  if (visit.part === 'story') return { kind: 'part', body: <StoryOfOrder {...props} />, final: !live }
  return pageReply(
    VENDING.orders.columns.ofMachine(order.machine),
    <>
      <Headline
        amount={order.amount}
        id={order.id}
        about={[VENDING.orders.columns.ofMachine(order.machine), listProductNames(order.goods).join(', ')]}
      />
      <StoryOfOrder {...props} />
      <EventsSent {...props} />
      <RawJson value={view} />
    </>,
    { status: state?.status ?? 200 },
  )
}

/** Whether news of its payment or machine are to come by themselves: not once it has failed, because then a person decides. */
const mayStillChange = (order: VendingOrder, expired: boolean) =>
  !expired && order.vendingStatus !== 'failed' && !(order.vendingStatus === 'dispensed' && order.confirmed)

type StoryProps = {
  visit: DashboardVisit
  order: VendingOrder
  live: boolean
  story: OrderStory
  state: FormState | null
}

/** The part of the page that a script keeps reloading. */
function StoryOfOrder({ visit, order, live, story, state }: StoryProps) {
  const { expired } = presentOrder(order, { baseUrl: visit.app.baseUrl, at: visit.now })
  return (
    <LiveStory class="story" visit={visit} path={`/orders/${order.id}`} live={live}>
      <div class="split">
        <Section title={words.story} aside={<State of="dispense" state={order.vendingStatus} />}>
          {isWaitingForReport(order) && <Note tone="open">{words.waits}</Note>}
          <FailureNote order={order} />
          <OrderActs visit={visit} order={order} state={state} expired={expired} />
          <Timeline entries={buildTimelineEntries(visit, story)} />
        </Section>
        <OrderFacts visit={visit} order={order} />
      </div>
    </LiveStory>
  )
}

/** What went wrong with a paid order, and whether its customer has the money back. */
function FailureNote({ order }: { order: VendingOrder }) {
  if (order.charge?.status === 'refunded') return <Note tone="warn">{words.givenBack}</Note>
  if (order.vendingStatus !== 'failed' || paymentStatus(order) !== 'succeeded') return null
  return (
    <Note tone="bad">
      <bdi>{words.failed(oneLine(order.vendingError ?? words.unknown))}</bdi>
    </Note>
  )
}

function OrderFacts({ visit, order }: { visit: DashboardVisit; order: VendingOrder }) {
  const view = presentOrder(order, { baseUrl: visit.app.baseUrl, at: visit.now })
  return (
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
          [
            facts.payment,
            view.refunded ? (
              <State of="charge" state="refunded" />
            ) : (
              <State of="orderPayment" state={view.payment_status} />
            ),
          ],
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
      <MetadataFacts metadata={order.metadata} />
      <p>
        <a href={view.pay_url}>{words.pay}</a>
      </p>
      <p>
        <a href={view.display_url}>{words.display}</a>
      </p>
    </Section>
  )
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
  // Shown after a refused form too, which says that the order has moved on meanwhile.
  const isRefused = state?.path === REFUND_ORDER.path || state?.path === RETRY_DISPENSE.path
  const mayBeMended = order.charge?.status === 'succeeded' && order.vendingStatus === 'failed'
  return (
    <div class="actions">
      {(mayBeMended || isRefused) && (
        <FormBox of={RETRY_DISPENSE} {...formProps}>
          <p class="hint">{words.retry.says}</p>
        </FormBox>
      )}
      {(mayBeMended || isRefused) && <RefundBox visit={visit} order={order} state={state} />}
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

function RefundBox({ visit, order, state }: Omit<OrderActsProps, 'expired'>) {
  if (order.charge === null || visit.readOnly || !mayDo(visit.caller, REFUND_ORDER.action)) return null
  const { amount } = order
  return (
    <details id="refund" open={state?.path === REFUND_ORDER.path}>
      <summary>{words.refund.title}</summary>
      <FormBox of={REFUND_ORDER} visit={visit} state={state} params={{ id: order.id }}>
        <p class="hint">
          {formatRefund({ amount, giftCardAmount: amount - order.charge.due })} {words.refund.says}
        </p>
      </FormBox>
    </details>
  )
}
