import { type Charge, type ChargeView, presentCharge } from '../../charges/charge.ts'
import { getCharge } from '../../charges/find-charges.ts'
import { payoutFee } from '../../ledger/fees.ts'
import { FormBox } from '../../pages/form.tsx'
import type { FormSpec, FormState } from '../../pages/form-spec.ts'
import {
  Copy,
  Facts,
  Money,
  Note,
  RawJson,
  Said,
  Section,
  Status,
  Time,
  Timeline,
} from '../../pages/parts.tsx'
import { type Shown, shownPage } from '../../pages/shown.ts'
import { addressWith } from '../../pages/table.tsx'
import { ugx } from '../../pages/wording.ts'
import type { OperatorState } from '../../rails/operator-state.ts'
import { linkOrOrder } from '../../reports/search.ts'
import { chargeStory, type Story } from '../../reports/story/story.ts'
import { ObjectLink } from '../object-link.tsx'
import { OperatorNotes, statesFor } from '../operators/operator-notes.tsx'
import { EventsTold, entriesOf, MoneyMoved } from '../story/story-parts.tsx'
import { CHARGES } from '../texts/charges.ts'
import type { DashboardVisit } from '../visit.ts'

const { facts } = CHARGES

export const REFUND: FormSpec = {
  path: '/charges/:id/refund',
  action: 'charge.refund',
  fields: [],
  submit: CHARGES.refund.submit,
  once: true,
  danger: true,
}

type Told = {
  visit: DashboardVisit
  charge: Charge
  /** Whether the charge paid for a vending order. */
  isOrder: boolean
  story: Story
  state: FormState | null
  states: readonly OperatorState[]
}

const isOpen = ({ status }: Charge) => status === 'pending' || status === 'authorized'

/** Shows one charge: its facts, what happened, where the money went, and the events that were sent. */
export async function showCharge(visit: DashboardVisit, state: FormState | null = null): Promise<Shown> {
  const { app, caller } = visit
  const charge = await getCharge(app, caller, visit.params.id ?? '')
  const states = isOpen(charge) ? await statesFor(visit) : []
  const { paymentLinkId } = charge
  const isOrder = paymentLinkId !== null && (await linkOrOrder(app, caller, paymentLinkId)) === 'ord_'
  const props = { visit, charge, isOrder, story: await chargeStory(app, caller, charge), state, states }
  if (visit.part === 'story')
    return { kind: 'part', body: <ChargeStory {...props} />, final: !isOpen(charge) }
  return shownPage(
    charge.id,
    <>
      <div class="top">
        <h1>
          <Money amount={charge.amount} />
        </h1>
        <code>{charge.id}</code>
      </div>
      <ChargeStory {...props} />
      <Section title={CHARGES.curl}>
        <Copy label={CHARGES.curlLabel} text={curlOf(visit, charge)} />
        <RawJson value={presentCharge(charge)} />
      </Section>
    </>,
    { status: state?.status ?? 200, ...(isOpen(charge) ? { refreshSeconds: 5 } : {}) },
  )
}

/** The part of the page that changes while the charge is under way; a script reloads it. */
function ChargeStory({ visit, charge, isOrder, story, state, states }: Told) {
  const open = isOpen(charge)
  const live = open ? { 'data-live': addressWith(visit.to(`/charges/${charge.id}`), { part: 'story' }) } : {}
  return (
    <div class="story" {...live}>
      <OperatorNotes states={states} side="collect" />
      <div class="split">
        <Section title={CHARGES.story} aside={<Status word={charge.status} />}>
          {open && <Note tone="open">{CHARGES.underWay}</Note>}
          <Timeline entries={entriesOf(visit, story)} />
        </Section>
        <Section title={facts.title}>
          <ChargeFacts visit={visit} charge={charge} isOrder={isOrder} view={presentCharge(charge)} />
        </Section>
      </div>
      {charge.status === 'succeeded' && (
        <div class="actions">
          <RefundBox visit={visit} charge={charge} state={state} />
        </div>
      )}
      <MoneyMoved story={story} />
      <EventsTold visit={visit} story={story} />
    </div>
  )
}

type FactsProps = Pick<Told, 'visit' | 'charge' | 'isOrder'> & { view: ChargeView }

function ChargeFacts({ visit, charge, isOrder, view }: FactsProps) {
  return (
    <Facts
      facts={[
        [facts.amount, <Money amount={charge.amount} />],
        charge.giftCardAmount > 0 && [facts.giftCard, <Money amount={charge.giftCardAmount} />],
        [facts.fee, <Money amount={charge.fee} />],
        [facts.net, <Money amount={view.net} />],
        charge.failureReason !== null && [facts.failure, charge.failureReason.replaceAll('_', ' ')],
        [facts.channel, charge.channel],
        [facts.phone, <Said text={charge.phone} />],
        charge.email !== null && [facts.email, <Said text={charge.email} />],
        [facts.reference, <Said text={charge.reference} />],
        charge.paymentLinkId !== null && [
          isOrder ? facts.order : facts.link,
          <ObjectLink visit={visit} id={charge.paymentLinkId} {...(isOrder ? { as: 'ord_' } : {})} />,
        ],
        charge.refundId !== null && [facts.refund, <ObjectLink visit={visit} id={charge.refundId} />],
        [facts.sms, <Said text={charge.railTransactionId} />],
        [facts.rail, <Said text={charge.railReference} />],
        [facts.created, <Time at={charge.createdAt} />],
        [facts.completed, <Time at={charge.completedAt} />],
        view.available_on !== null && [facts.available, <Time at={view.available_on} />],
      ]}
    />
  )
}

function RefundBox({
  visit,
  charge,
  state,
}: {
  visit: DashboardVisit
  charge: Charge
  state: FormState | null
}) {
  return (
    <details id="refund" open={state !== null}>
      <summary>{CHARGES.refund.title}</summary>
      <FormBox of={REFUND} visit={visit} state={state} params={{ id: charge.id }}>
        <p class="hint">{whatGoesBack(charge)}</p>
      </FormBox>
    </details>
  )
}

/** Formats what a refund returns: to the phone by a payout, to a gift card without one. A charge paid wholly by card has no payout. */
function whatGoesBack({ amount, giftCardAmount }: Charge): string {
  const { says, toCard } = CHARGES.refund
  const due = amount - giftCardAmount
  return [
    ...(due > 0 ? [says(ugx(due), ugx(payoutFee(due)))] : []),
    ...(giftCardAmount > 0 ? [toCard(ugx(giftCardAmount), due > 0)] : []),
  ].join(' ')
}

/** Formats the command that makes a charge like this one. */
function curlOf({ app, mode }: DashboardVisit, { amount, channel, phone, reference }: Charge): string {
  const body = {
    amount,
    channel,
    customer: { phone: phone ?? '07...' },
    ...(reference === null ? {} : { reference }),
  }
  return [
    `curl -s ${app.baseUrl}/v1/charges \\`,
    `  -H "Authorization: Bearer $KEY" \\`,
    '  -H "X-Timestamp: $(date +%s)" -H "Idempotency-Key: $(uuidgen)" \\',
    `  -d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`,
    `# KEY: sk_${mode}_...`,
  ].join('\n')
}
