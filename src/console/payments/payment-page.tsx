import { presentCharge } from '../../charges/charge.ts'
import type { PaymentMark } from '../../investigation/payment-marks.ts'
import {
  findPayment,
  type Payment,
  type PaymentPlace,
  readPayment,
} from '../../investigation/read-payment.ts'
import { FormBox } from '../../pages/form.tsx'
import type { FormSpec, FormState } from '../../pages/form-spec.ts'
import { Facts, Money, RawJson, Said, Section, Status, Time, Timeline } from '../../pages/parts.tsx'
import { type Shown, shownPage } from '../../pages/shown.ts'
import { shown } from '../../pages/wording.ts'
import { presentPayout } from '../../payouts/payout.ts'
import { presentTopUp } from '../../top-ups/top-up.ts'
import { PAYMENTS } from '../texts/payments.ts'
import type { ConsoleVisit } from '../visit.ts'
import { AtOperator, Events, Exceptions, entriesOf, Ledger } from './payment-parts.tsx'

const { payment: words } = PAYMENTS
const { facts } = words

export const ASK: FormSpec = {
  path: '/payments/:id/ask',
  action: 'movement.ask',
  fields: [],
  submit: words.ask.submit,
}
export const MARK: FormSpec = {
  path: '/payments/:id/mark',
  action: 'payment.mark',
  fields: [{ name: 'says', label: words.marks.says, kind: 'lines', most: 1000 }],
  submit: words.marks.mark,
  once: true,
  plain: true,
}
export const END_MARK: FormSpec = {
  path: '/payments/:id/unmark',
  action: 'payment.mark',
  fields: [{ name: 'says', label: words.marks.found, kind: 'lines', most: 1000 }],
  submit: words.marks.end,
  once: true,
  plain: true,
}

/** Shows one payment of any merchant with everything that is known about it. */
export async function showPayment(visit: ConsoleVisit, state: FormState | null = null): Promise<Shown> {
  const located = await findPayment(visit.gateway, visit.caller, visit.params.id ?? '')
  const { payment } = located
  const { story, attempt, exceptions, marks, nextAt } = await readPayment(located)
  const of = { visit, state, id: payment.row.id }
  return shownPage(
    payment.row.id,
    <>
      <div class="top">
        <h1>
          <Money amount={payment.row.amount} />
        </h1>
        <Status word={payment.row.status} />
        <code>{payment.row.id}</code>
      </div>
      <div class="split">
        <Section title={words.story}>
          <Timeline entries={entriesOf(story)} />
        </Section>
        <Section title={facts.title}>
          <PaymentFacts visit={visit} located={located} />
        </Section>
      </div>
      <AtOperator exchange={attempt} nextAt={nextAt}>
        {nextAt !== null && attempt !== null && (
          <FormBox of={ASK} visit={visit} state={state} params={{ id: payment.row.id }}>
            <p class="hint">{words.ask.hint}</p>
          </FormBox>
        )}
      </AtOperator>
      {exceptions.length > 0 && <Exceptions visit={visit} exceptions={exceptions} />}
      <Ledger transfers={story.transfers} />
      <Events events={story.events} />
      <Marks {...of} marks={marks} />
      <Section title={words.raw}>
        <RawJson value={presented(payment)} />
      </Section>
    </>,
    { status: state?.status ?? 200 },
  )
}

const presented = (payment: Payment): unknown =>
  payment.kind === 'charge'
    ? presentCharge(payment.row)
    : payment.kind === 'payout'
      ? presentPayout(payment.row)
      : presentTopUp(payment.row)

function PaymentFacts({ visit, located }: { visit: ConsoleVisit; located: PaymentPlace }) {
  const { merchant, payment } = located
  const { row } = payment
  const linkToPayment = (id: string) => <a href={visit.to(`/payments/${id}`)}>{id}</a>
  return (
    <Facts
      facts={[
        [
          facts.merchant,
          <a href={visit.to(`/merchants/${merchant.publicId}`)}>
            <bdi>{shown(merchant.name)}</bdi>
          </a>,
        ],
        [facts.mode, row.mode],
        [facts.kind, payment.kind === 'payout' ? payoutKind(payment.row.kind) : words.kinds[payment.kind]],
        [facts.amount, <Money amount={row.amount} />],
        payment.kind !== 'top-up' && [facts.fee, <Money amount={payment.row.fee} />],
        [
          facts.phone,
          <Said text={payment.kind === 'payout' ? payment.row.recipientPhone : payment.row.phone} />,
        ],
        payment.kind !== 'top-up' && [facts.reference, <Said text={payment.row.reference} />],
        [facts.number, <Said text={row.railTransactionId} />],
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
const payoutKind = (kind: string) =>
  kind === 'payout' ? words.kinds.payout : `${kind} ${words.kinds.payout}`

type MarksProps = {
  visit: ConsoleVisit
  state: FormState | null
  id: string
  marks: readonly PaymentMark[]
}

function Marks({ visit, state, id, marks }: MarksProps) {
  const isOpen = marks.some(({ doneAt }) => doneAt === null)
  return (
    <Section title={words.marks.title}>
      {marks.length === 0 && <p>{words.marks.none}</p>}
      {marks.map((mark) => (
        <blockquote class="answer">
          <Said text={mark.says} />
          <footer class="hint">
            {words.marks.by(shown(mark.markedBy))}, <Time at={mark.markedAt} />
          </footer>
          {mark.doneBy !== null && <p>{words.marks.done(shown(mark.doneBy), shown(mark.doneSays ?? ''))}</p>}
        </blockquote>
      ))}
      <FormBox of={isOpen ? END_MARK : MARK} visit={visit} state={state} params={{ id }} />
    </Section>
  )
}
