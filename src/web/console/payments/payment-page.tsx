import type { PaymentMark } from '../../../operations/investigation/payment-marks.ts'
import {
  type AnyPayment,
  getPayment,
  type PaymentAtMerchant,
  readPayment,
} from '../../../operations/investigation/read-payment.ts'
import { presentCharge } from '../../../payments/charges/charge.ts'
import { presentPayout } from '../../../payments/payouts/payout.ts'
import type { PayoutWait } from '../../../payments/payouts/read-payout-waits.ts'
import { presentTopUp } from '../../../payments/top-ups/top-up.ts'
import { oneLine } from '../../../platform/text/text.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormSpec, FormState } from '../../parts/forms/form-spec.ts'
import { Facts, Money, Note, OutsideText, RawJson, Section, Status, Time, Timeline } from '../../parts/parts.tsx'
import { Quote } from '../../parts/quote.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { CasesBeside } from '../cases/case-parts.tsx'
import { PAYMENTS } from '../texts/payments.ts'
import type { ConsoleVisit } from '../visit.ts'
import { buildTimeline, OperatorSide, PaymentEvents, PaymentExceptions, PaymentTransfers } from './payment-parts.tsx'

const { payment: words } = PAYMENTS
const { facts } = words

export const ASK_NOW_FORM: FormSpec = {
  path: '/payments/:id/ask',
  action: 'movement.ask',
  fields: [],
  submit: words.ask.submit,
}
export const MARK_FORM: FormSpec = {
  path: '/payments/:id/mark',
  action: 'payment.mark',
  fields: [{ name: 'says', label: words.marks.says, kind: 'lines', maxLength: 1000 }],
  submit: words.marks.mark,
  once: true,
  plain: true,
}
export const END_MARK_FORM: FormSpec = {
  path: '/payments/:id/unmark',
  action: 'payment.mark',
  fields: [{ name: 'says', label: words.marks.found, kind: 'lines', maxLength: 1000 }],
  submit: words.marks.end,
  once: true,
  plain: true,
}

/** Shows one payment of any merchant with everything that is known about it. */
export async function showPayment(visit: ConsoleVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const located = await getPayment(visit.gateway, visit.caller, visit.params.id ?? '')
  const { payment } = located
  const { story, attempt, exceptions, marks, cases, nextAt, wait } = await readPayment(located)
  const of = { visit, state, id: payment.row.id }
  return pageReply(
    payment.row.id,
    <>
      <div class="top">
        <h1>
          <Money amount={payment.row.amount} />
        </h1>
        <Status word={payment.row.status} />
        <code>{payment.row.id}</code>
      </div>
      {wait !== null && <WaitNote visit={visit} located={located} wait={wait} />}
      <div class="split">
        <Section title={words.story}>
          <Timeline entries={buildTimeline(story)} />
        </Section>
        <Section title={facts.title}>
          <PaymentFacts visit={visit} located={located} />
        </Section>
      </div>
      <OperatorSide exchange={attempt} nextAt={nextAt}>
        {nextAt !== null && attempt !== null && (
          <FormBox of={ASK_NOW_FORM} visit={visit} state={state} params={{ id: payment.row.id }}>
            <p class="hint">{words.ask.hint}</p>
          </FormBox>
        )}
      </OperatorSide>
      {exceptions.length > 0 && <PaymentExceptions visit={visit} exceptions={exceptions} />}
      <PaymentTransfers transfers={story.transfers} />
      <PaymentEvents events={story.events} />
      <CasesBeside visit={visit} cases={cases} />
      <PaymentMarks {...of} marks={marks} />
      <Section title={words.raw}>
        <RawJson value={presentPaymentRow(payment)} />
      </Section>
    </>,
    { status: state?.status ?? 200 },
  )
}

type WaitNoteProps = { visit: ConsoleVisit; located: PaymentAtMerchant; wait: PayoutWait }

/** Says why a payout is not sent, and where that is decided. */
function WaitNote({ visit, located: { merchant }, wait: { kind, exception } }: WaitNoteProps) {
  const decidedAt = {
    platform: '/freeze',
    account: `/merchants/${merchant.publicId}`,
    exception: `/exceptions/${exception}`,
    approval: '/withdrawals',
  }
  return (
    <Note tone="warn">
      {words.waits[kind]} <a href={visit.to(decidedAt[kind])}>{words.waits.look[kind]}</a>
    </Note>
  )
}

const presentPaymentRow = (payment: AnyPayment): unknown =>
  payment.kind === 'charge'
    ? presentCharge(payment.row)
    : payment.kind === 'payout'
      ? presentPayout(payment.row)
      : presentTopUp(payment.row)

function PaymentFacts({ visit, located }: { visit: ConsoleVisit; located: PaymentAtMerchant }) {
  const { merchant, payment } = located
  const { row } = payment
  const linkToPayment = (id: string) => <a href={visit.to(`/payments/${id}`)}>{id}</a>
  return (
    <Facts
      facts={[
        [
          facts.merchant,
          <a href={visit.to(`/merchants/${merchant.publicId}`)}>
            <bdi>{oneLine(merchant.name)}</bdi>
          </a>,
        ],
        [facts.mode, row.mode],
        [facts.kind, payment.kind === 'payout' ? formatPayoutKind(payment.row.kind) : words.kinds[payment.kind]],
        [facts.amount, <Money amount={row.amount} />],
        payment.kind !== 'top-up' && [facts.fee, <Money amount={payment.row.fee} />],
        [
          facts.phone,
          <OutsideText text={payment.kind === 'payout' ? payment.row.recipientPhone : payment.row.phone} />,
        ],
        payment.kind !== 'top-up' && [facts.reference, <OutsideText text={payment.row.reference} />],
        [facts.number, <OutsideText text={row.railTransactionId} />],
        row.failureReason !== null && [facts.failure, row.failureReason.replaceAll('_', ' ')],
        payment.kind === 'charge' &&
          payment.row.refundId !== null && [facts.refund, linkToPayment(payment.row.refundId)],
        payment.kind === 'payout' &&
          payment.row.chargeId !== null && [facts.charge, linkToPayment(payment.row.chargeId)],
        [facts.created, <Time at={row.createdAt} />],
        [facts.completed, <Time at={row.completedAt} />],
      ]}
    />
  )
}

/** Formats the kind of a payout. A refund and a withdrawal are payouts too, and are named so. */
const formatPayoutKind = (kind: string) => (kind === 'payout' ? words.kinds.payout : `${kind} ${words.kinds.payout}`)

type PaymentMarksProps = {
  visit: ConsoleVisit
  state: FormState | null
  id: string
  marks: readonly PaymentMark[]
}

function PaymentMarks({ visit, state, id, marks }: PaymentMarksProps) {
  const isOpen = marks.some(({ doneAt }) => doneAt === null)
  return (
    <Section title={words.marks.title}>
      {marks.length === 0 && <p>{words.marks.none}</p>}
      {marks.map((mark) => (
        <Quote says={mark.says} by={words.marks.by(mark.markedBy)} at={mark.markedAt}>
          {mark.doneBy !== null && <p>{words.marks.done(oneLine(mark.doneBy), oneLine(mark.doneSays ?? ''))}</p>}
        </Quote>
      ))}
      <FormBox of={isOpen ? END_MARK_FORM : MARK_FORM} visit={visit} state={state} params={{ id }} />
    </Section>
  )
}
