import { type Charge, type ChargeView, presentCharge } from '../../charges/charge.ts'
import { chargeTimeline } from '../../charges/charge-timeline.ts'
import { getCharge } from '../../charges/find-charges.ts'
import { payoutFee } from '../../ledger/fees.ts'
import { FormBox } from '../../pages/form.tsx'
import type { FormSpec, FormState } from '../../pages/form-spec.ts'
import {
  Copy,
  type Entry,
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
import { CHARGES } from '../texts/charges.ts'
import type { DashboardVisit } from '../visit.ts'

const { facts } = CHARGES
const LINES = '100'

export const REFUND: FormSpec = {
  path: '/charges/:id/refund',
  action: 'charge.refund',
  fields: [],
  submit: CHARGES.refund.submit,
  once: true,
  danger: true,
}

/** One charge: what it is, what happened, what can be done with it now. */
export async function showCharge(visit: DashboardVisit, state: FormState | null = null): Promise<Shown> {
  const charge = await getCharge(visit.app, visit.caller, visit.params.id ?? '')
  const story = await storyOf(visit, charge)
  const isOpen = charge.status === 'pending' || charge.status === 'authorized'
  if (visit.part === 'story')
    return { kind: 'part', body: <Story visit={visit} charge={charge} entries={story} />, final: !isOpen }
  return shownPage(
    charge.id,
    <>
      <div class="top">
        <h1>
          <Money amount={charge.amount} />
        </h1>
        <code>{charge.id}</code>
      </div>
      <Story visit={visit} charge={charge} entries={story} />
      <div class="actions">
        {charge.status === 'succeeded' && <RefundBox visit={visit} charge={charge} state={state} />}
      </div>
      <Section title={CHARGES.curl}>
        <Copy label={CHARGES.curlLabel} text={curlOf(visit, charge)} />
        <RawJson value={presentCharge(charge)} />
      </Section>
    </>,
    { status: state?.status ?? 200, ...(isOpen ? { refreshSeconds: 5 } : {}) },
  )
}

type StoryProps = { visit: DashboardVisit; charge: Charge; entries: readonly Entry[] }

/** The part that changes while the charge is under way; its script asks for it again. */
function Story({ visit, charge, entries }: StoryProps) {
  const view = presentCharge(charge)
  const isOpen = charge.status === 'pending' || charge.status === 'authorized'
  const live = isOpen
    ? { 'data-live': addressWith(visit.to(`/charges/${charge.id}`), { part: 'story' }) }
    : {}
  return (
    <div class="split" {...live}>
      <Section title={CHARGES.story} aside={<Status word={charge.status} />}>
        {isOpen && <Note tone="open">{CHARGES.underWay}</Note>}
        <Timeline entries={entries} />
      </Section>
      <Section title={facts.amount}>
        <ChargeFacts visit={visit} charge={charge} view={view} />
      </Section>
    </div>
  )
}

function ChargeFacts({ visit, charge, view }: { visit: DashboardVisit; charge: Charge; view: ChargeView }) {
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
          facts.link,
          <a href={visit.to(`/links/${charge.paymentLinkId}`)}>{charge.paymentLinkId}</a>,
        ],
        charge.refundId !== null && [
          facts.refund,
          <a href={visit.to(`/payouts/${charge.refundId}`)}>{charge.refundId}</a>,
        ],
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
  const due = charge.amount - charge.giftCardAmount
  return (
    <details open={state !== null}>
      <summary>{CHARGES.refund.title}</summary>
      <FormBox of={REFUND} visit={visit} state={state} params={{ id: charge.id }}>
        <p class="hint">{CHARGES.refund.says(ugx(due), ugx(payoutFee(due)))}</p>
      </FormBox>
    </details>
  )
}

async function storyOf({ app, caller }: DashboardVisit, { id }: Charge): Promise<Entry[]> {
  const { data } = await chargeTimeline(app, caller, { id, query: { limit: LINES } })
  return data
    .map(
      ({ at, summary, repeated }): Entry => ({
        at,
        title: summary,
        ...(repeated > 1 ? { detail: `× ${repeated}` } : {}),
        tone: toneOf(summary),
      }),
    )
    .reverse()
}

const toneOf = (summary: string): NonNullable<Entry['tone']> =>
  /^succeeded/.test(summary) ? 'good' : /^failed/.test(summary) ? 'bad' : 'quiet'

/** The request that makes a charge like this one, for a shell. */
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
