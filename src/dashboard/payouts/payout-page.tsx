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
import { getPayout } from '../../payouts/find-payouts.ts'
import { AMBIGUOUS, type Payout, presentPayout } from '../../payouts/payout.ts'
import { payoutTimeline } from '../../payouts/payout-timeline.ts'
import { preparedOf } from '../../payouts/prepared/find-prepared.ts'
import type { PreparedPayout } from '../../payouts/prepared/prepared-payout.ts'
import { PAYOUTS, PREPARED } from '../texts/payouts.ts'
import type { DashboardVisit } from '../visit.ts'

const { facts } = PAYOUTS
const LINES = '100'

type Told = {
  visit: DashboardVisit
  payout: Payout
  prepared: PreparedPayout | null
  entries: readonly Entry[]
}

/** One payout: what it is, what happened, where it came from. */
export async function showPayout(visit: DashboardVisit): Promise<Shown> {
  const { app, caller } = visit
  const payout = await getPayout(app, caller, visit.params.id ?? '')
  const prepared = await preparedOf(app, caller, payout.batchId ?? payout.scheduleId ?? payout.id)
  const told = { visit, payout, prepared, entries: await storyOf(visit, payout, prepared) }
  if (visit.part === 'story') return { kind: 'part', body: <Story {...told} />, final: !isOpen(payout) }
  return shownPage(
    payout.id,
    <>
      <div class="top">
        <h1>
          <Money amount={payout.amount} />
        </h1>
        <code>{payout.id}</code>
      </div>
      <Story {...told} />
      <Section title={PAYOUTS.curl}>
        <Copy label={PAYOUTS.curlLabel} text={curlOf(visit, payout)} />
        <RawJson value={presentPayout(payout)} />
      </Section>
    </>,
    isOpen(payout) ? { refreshSeconds: 5 } : {},
  )
}

const isOpen = ({ status }: Payout) => status === 'pending' || status === 'authorized'

/** The part that changes while the payout is under way; its script asks for it again. */
function Story({ visit, payout, prepared, entries }: Told) {
  const live = isOpen(payout)
    ? { 'data-live': addressWith(visit.to(`/payouts/${payout.id}`), { part: 'story' }) }
    : {}
  return (
    <div class="split" {...live}>
      <Section title={PAYOUTS.story} aside={<Status word={payout.status} />}>
        {isOpen(payout) && (
          <Note tone="open">{payout.failureReason === AMBIGUOUS ? PAYOUTS.doubt : PAYOUTS.underWay}</Note>
        )}
        {payout.status === 'failed' && (
          <Note tone="bad">
            {PAYOUTS.failures[payout.failureReason ?? ''] ?? ''} {PAYOUTS.returned}
          </Note>
        )}
        <Timeline entries={entries} />
      </Section>
      <Section title={facts.amount}>
        <PayoutFacts visit={visit} payout={payout} prepared={prepared} />
      </Section>
    </div>
  )
}

function PayoutFacts({ visit, payout, prepared }: Omit<Told, 'entries'>) {
  const link = (path: string, id: string | null) =>
    id !== null && <a href={visit.to(`${path}/${id}`)}>{id}</a>
  const { chargeId, batchId, scheduleId, subaccountId } = payout
  return (
    <Facts
      facts={[
        [facts.amount, <Money amount={payout.amount} />],
        [facts.fee, <Money amount={payout.fee} />],
        [facts.total, <Money amount={payout.amount + payout.fee} />],
        payout.status === 'failed' && [facts.failure, (payout.failureReason ?? '').replaceAll('_', ' ')],
        [facts.kind, PAYOUTS.kinds[payout.kind]],
        [facts.phone, <Said text={payout.recipientPhone} />],
        [facts.name, <Said text={payout.recipientName} />],
        [facts.reference, <Said text={payout.reference} />],
        chargeId !== null && [facts.charge, link('/charges', chargeId)],
        batchId !== null && [facts.batch, link('/bulk', batchId)],
        scheduleId !== null && [facts.schedule, link('/payroll', scheduleId)],
        subaccountId !== null && [facts.subaccount, link('/subaccounts', subaccountId)],
        prepared !== null && [facts.prepared, link('/payouts/prepared', prepared.id)],
        [facts.sms, <Said text={payout.railTransactionId} />],
        [facts.rail, <Said text={payout.railReference} />],
        [facts.created, <Time at={payout.createdAt} />],
        [facts.completed, <Time at={payout.completedAt} />],
      ]}
    />
  )
}

async function storyOf(
  { app, caller }: DashboardVisit,
  { id }: Payout,
  prepared: PreparedPayout | null,
): Promise<Entry[]> {
  const { data } = await payoutTimeline(app, caller, { id, query: { limit: LINES } })
  const happened = data.map(
    ({ at, summary, repeated }): Entry => ({
      at,
      title: summary,
      ...(repeated > 1 ? { detail: `× ${repeated}` } : {}),
      tone: toneOf(summary),
    }),
  )
  return [...peopleIn(prepared), ...happened.reverse()]
}

/** Who prepared and who approved it. */
function peopleIn(prepared: PreparedPayout | null): Entry[] {
  if (prepared === null || prepared.decidedAt === null) return []
  return [
    { at: prepared.createdAt, title: `${PREPARED.facts.by} ${prepared.madeName}` },
    {
      at: prepared.decidedAt,
      title: `${PREPARED.facts.decided.approved} ${prepared.decidedName}`,
      tone: 'good',
    },
  ]
}

const toneOf = (summary: string): NonNullable<Entry['tone']> =>
  /^succeeded/.test(summary) ? 'good' : /^failed/.test(summary) ? 'bad' : 'quiet'

/** The request that makes a payout like this one, for a shell. */
function curlOf({ app, mode }: DashboardVisit, { amount, recipientPhone, recipientName, reference }: Payout) {
  const body = {
    amount,
    recipient: { phone: recipientPhone, ...(recipientName === null ? {} : { name: recipientName }) },
    ...(reference === null ? {} : { reference }),
  }
  return [
    `curl -s ${app.baseUrl}/v1/payouts \\`,
    `  -H "Authorization: Bearer $KEY" \\`,
    '  -H "X-Timestamp: $(date +%s)" -H "Idempotency-Key: $(uuidgen)" \\',
    `  -d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`,
    `# KEY: sk_${mode}_...`,
  ].join('\n')
}
