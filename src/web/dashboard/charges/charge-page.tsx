import { nullIfRefused } from '../../../api/http/lists/lists.ts'
import { payoutFee } from '../../../ledger/fees.ts'
import { availableOn, type Charge, computeNet, presentCharge } from '../../../payments/charges/charge.ts'
import { getCharge } from '../../../payments/charges/find-charges.ts'
import { formatPhone } from '../../../platform/text/phone.ts'
import type { OperatorState } from '../../../rails/operator-state.ts'
import { chargeStory, type ObjectStory } from '../../../reports/story/story.ts'
import { channelName } from '../../../reports/words/channels.ts'
import { failureWords } from '../../../reports/words/failures.ts'
import { getOrder } from '../../../selling/vending/orders/find-orders.ts'
import type { VendingOrder } from '../../../selling/vending/orders/order.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormSpec, FormState } from '../../parts/forms/form-spec.ts'
import {
  Facts,
  Money,
  Note,
  OutsideText,
  PhoneNumber,
  SameByApi,
  Section,
  State,
  Time,
  Timeline,
} from '../../parts/parts.tsx'
import type { SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { formatShillings } from '../../parts/wording.ts'
import { ObjectLink } from '../object-link.tsx'
import { OperatorNotes, readStatesForMode } from '../operators/operator-notes.tsx'
import { formatRequestExample } from '../request-example.ts'
import { Headline, isUnderWay, LiveStory, storyPage } from '../story/live-story.tsx'
import { buildTimelineEntries, EventsSent, MetadataFacts, MoneyMoved } from '../story/story-parts.tsx'
import { CHARGES } from '../texts/charges.ts'
import type { DashboardVisit } from '../visit.ts'

const { facts } = CHARGES

export const REFUND_CHARGE: FormSpec = {
  path: '/charges/:id/refund',
  action: 'charge.refund',
  fields: [],
  submit: CHARGES.refund.submit,
  once: true,
  danger: true,
}

type ChargeStoryProps = {
  visit: DashboardVisit
  charge: Charge
  /** The vending order that the charge paid for. */
  order: VendingOrder | null
  story: ObjectStory
  state: FormState | null
  states: readonly OperatorState[]
}

/** Shows one charge: its facts, what happened, where the money went, and the events that were sent. */
export async function showCharge(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const { app, caller } = visit
  const charge = await getCharge(app, caller, visit.params.id ?? '')
  const states = isUnderWay(charge) ? await readStatesForMode(visit) : []
  const { paymentLinkId } = charge
  const order = paymentLinkId === null ? null : await nullIfRefused(getOrder(app, caller, paymentLinkId))
  const props = { visit, charge, order, story: await chargeStory(app, caller, charge), state, states }
  return storyPage(visit, {
    title: CHARGES.named(formatShillings(charge.amount), charge.phone === null ? null : formatPhone(charge.phone)),
    head: (
      <Headline
        amount={charge.amount}
        id={charge.id}
        about={[charge.phone === null ? charge.email : formatPhone(charge.phone), charge.reference]}
      />
    ),
    ...{ story: <ChargeStory {...props} />, live: isUnderWay(charge), state },
    below: (
      <SameByApi
        title={CHARGES.curl}
        label={CHARGES.curlLabel}
        request={formatCurl(visit, charge)}
        value={presentCharge(charge)}
      />
    ),
  })
}

/** The part of the page that changes while the charge is under way; a script reloads it. */
function ChargeStory({ visit, charge, order, story, state, states }: ChargeStoryProps) {
  const open = isUnderWay(charge)
  const failure = failureWords('charge', charge.failureReason)
  return (
    <LiveStory class="story" visit={visit} path={`/charges/${charge.id}`} live={open}>
      <OperatorNotes states={states} side="collect" />
      <div class="split">
        <Section title={CHARGES.story} aside={<State of="charge" state={charge.status} />}>
          {open && <Note tone="open">{CHARGES.underWay}</Note>}
          {failure !== null && (
            <Note tone="bad">
              {failure.what} {CHARGES.nothingTaken} {failure.todo}
            </Note>
          )}
          <Timeline entries={buildTimelineEntries(visit, story)} />
        </Section>
        <Section title={facts.title}>
          <ChargeFacts visit={visit} charge={charge} order={order} />
          <MetadataFacts metadata={charge.metadata} />
        </Section>
      </div>
      {charge.status === 'succeeded' && (
        <div class="actions">
          <RefundBox visit={visit} charge={charge} order={order} state={state} />
        </div>
      )}
      <MoneyMoved story={story} />
      <EventsSent visit={visit} story={story} />
    </LiveStory>
  )
}

function ChargeFacts({ visit, charge, order }: Pick<ChargeStoryProps, 'visit' | 'charge' | 'order'>) {
  const available = availableOn(charge)
  return (
    <Facts
      facts={[
        [facts.amount, <Money amount={charge.amount} />],
        charge.giftCardAmount > 0 && [facts.giftCard, <Money amount={charge.giftCardAmount} />],
        [facts.fee, <Money amount={charge.fee} />],
        [facts.net, <Money amount={computeNet(charge)} />],
        charge.failureReason !== null && [facts.failure, failureWords('charge', charge.failureReason)?.brief],
        [facts.channel, channelName(charge.channel)],
        [
          facts.phone,
          charge.phone === null ? null : (
            <a href={visit.to(`/customers/${charge.phone}`)}>
              <PhoneNumber phone={charge.phone} />
            </a>
          ),
        ],
        charge.customerName !== null && [facts.name, <OutsideText text={charge.customerName} />],
        charge.email !== null && [facts.email, <OutsideText text={charge.email} />],
        [facts.reference, <OutsideText text={charge.reference} />],
        charge.paymentLinkId !== null && [
          order === null ? facts.link : facts.order,
          order === null ? (
            <ObjectLink visit={visit} id={charge.paymentLinkId} />
          ) : (
            <>
              <ObjectLink visit={visit} id={order.id} as="ord_" /> <State of="dispense" state={order.vendingStatus} />
            </>
          ),
        ],
        charge.refundId !== null && [facts.refund, <ObjectLink visit={visit} id={charge.refundId} />],
        [facts.sms, <OutsideText text={charge.railTransactionId} />],
        [facts.rail, <OutsideText text={charge.railReference} />],
        [facts.created, <Time at={charge.createdAt} />],
        [facts.completed, <Time at={charge.completedAt} />],
        available !== null && [facts.available, <Time at={available} />],
      ]}
    />
  )
}

function RefundBox({ visit, charge, order, state }: Pick<ChargeStoryProps, 'visit' | 'charge' | 'order' | 'state'>) {
  return (
    <details id="refund" open={state !== null}>
      <summary>{CHARGES.refund.title}</summary>
      {order !== null && order.vendingStatus !== 'failed' && <Note tone="warn">{CHARGES.refund.dispensed}</Note>}
      <FormBox of={REFUND_CHARGE} visit={visit} state={state} params={{ id: charge.id }}>
        <p class="hint">{formatRefund(charge)}</p>
      </FormBox>
    </details>
  )
}

/** Formats what a refund returns: to the phone by a payout, to a gift card without one. A charge paid wholly by card has no payout. */
export function formatRefund({ amount, giftCardAmount }: Pick<Charge, 'amount' | 'giftCardAmount'>): string {
  const { says, toCard } = CHARGES.refund
  const due = amount - giftCardAmount
  return [
    ...(due > 0 ? [says(formatShillings(due), formatShillings(payoutFee(due)))] : []),
    ...(giftCardAmount > 0 ? [toCard(formatShillings(giftCardAmount), due > 0)] : []),
  ].join(' ')
}

/** Formats the command that makes a charge like this one. */
function formatCurl(visit: DashboardVisit, { amount, channel, phone, reference }: Charge): string {
  const customer = { phone: phone ?? '07...' }
  const body = { amount, channel, customer, ...(reference === null ? {} : { reference }) }
  return formatRequestExample(visit, { path: '/v1/charges', body, withKey: true })
}
