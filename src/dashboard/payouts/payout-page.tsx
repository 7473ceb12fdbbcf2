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
import { preparedOf } from '../../payouts/prepared/find-prepared.ts'
import type { PreparedPayout } from '../../payouts/prepared/prepared-payout.ts'
import type { OperatorState } from '../../rails/operator-state.ts'
import { payoutStory, type Story } from '../../reports/story/story.ts'
import { OperatorNotes, statesFor } from '../operators/operator-notes.tsx'
import { EventsTold, entriesOf, MoneyMoved } from '../story/story-parts.tsx'
import { PAYOUTS, PREPARED } from '../texts/payouts.ts'
import type { DashboardVisit } from '../visit.ts'

const { facts } = PAYOUTS

type Told = {
  visit: DashboardVisit
  payout: Payout
  prepared: PreparedPayout | null
  story: Story
  states: readonly OperatorState[]
}

/** Shows one payout: its facts, what happened, and where it came from. */
export async function showPayout(visit: DashboardVisit): Promise<Shown> {
  const { app, caller } = visit
  const payout = await getPayout(app, caller, visit.params.id ?? '')
  const prepared = await preparedOf(app, caller, payout.batchId ?? payout.scheduleId ?? payout.id)
  const states = isOpen(payout) ? await statesFor(visit) : []
  const props = { visit, payout, prepared, story: await payoutStory(app, caller, payout), states }
  if (visit.part === 'story')
    return { kind: 'part', body: <PayoutStory {...props} />, final: !isOpen(payout) }
  return shownPage(
    payout.id,
    <>
      <div class="top">
        <h1>
          <Money amount={payout.amount} />
        </h1>
        <code>{payout.id}</code>
      </div>
      <PayoutStory {...props} />
      <Section title={PAYOUTS.curl}>
        <Copy label={PAYOUTS.curlLabel} text={curlOf(visit, payout)} />
        <RawJson value={presentPayout(payout)} />
      </Section>
    </>,
    isOpen(payout) ? { refreshSeconds: 5 } : {},
  )
}

const isOpen = ({ status }: Payout) => status === 'pending' || status === 'authorized'

/** The part of the page that changes while the payout is under way; a script reloads it. */
function PayoutStory({ visit, payout, prepared, story, states }: Told) {
  const live = isOpen(payout)
    ? { 'data-live': addressWith(visit.to(`/payouts/${payout.id}`), { part: 'story' }) }
    : {}
  return (
    <div class="story" {...live}>
      <OperatorNotes states={states} side="disburse" />
      <div class="split">
        <Section title={PAYOUTS.story} aside={<Status word={payout.status} />}>
          {isOpen(payout) && (
            <Note tone="open">{payout.failureReason === AMBIGUOUS ? PAYOUTS.doubt : PAYOUTS.underWay}</Note>
          )}
          {payout.status === 'failed' && (
            <Note tone="bad">
              {PAYOUTS.failures[payout.failureReason ?? ''] ?? ''} {PAYOUTS.returned}
            </Note>
          )}
          <Timeline entries={[...peopleIn(prepared), ...entriesOf(visit, story)]} />
        </Section>
        <Section title={facts.amount}>
          <PayoutFacts visit={visit} payout={payout} prepared={prepared} />
        </Section>
      </div>
      <MoneyMoved story={story} />
      <EventsTold visit={visit} story={story} />
    </div>
  )
}

function PayoutFacts({ visit, payout, prepared }: Pick<Told, 'visit' | 'payout' | 'prepared'>) {
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

/** Builds the entries of who prepared the payout and who approved it. */
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

/** Formats the command that makes a payout like this one. */
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
